//! The Wasm builds: which there are, and their machine code.

use std::fmt;
use std::str::FromStr;

/// One of the modules of servers/wasm.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum WasmBuild {
    /// The kernels with SIMD, one thread.
    #[default]
    Optimised,
    /// The kernels with SIMD; several instances share a memory, each on a thread of its own.
    Threads,
    /// The plain C convolution of the study `wasm-image` as it was published: compiled without optimisation.
    StudyO0,
    /// The same source, optimised.
    StudyO3,
}

/// The machine code that build.rs made of a module, for CPUs with or without AVX2.
macro_rules! compiled {
    ($name:literal, $avx2:expr) => {{
        #[cfg(target_arch = "x86_64")]
        if $avx2 {
            return include_bytes!(concat!(env!("OUT_DIR"), "/avx2/", $name, ".cwasm"));
        }
        include_bytes!(concat!(env!("OUT_DIR"), "/baseline/", $name, ".cwasm"))
    }};
}

impl WasmBuild {
    /// Every build, in the order in which they are listed.
    pub const ALL: [Self; 4] = [Self::Optimised, Self::Threads, Self::StudyO0, Self::StudyO3];

    /// The name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Optimised => "optimised",
            Self::Threads => "threads",
            Self::StudyO0 => "study-o0",
            Self::StudyO3 => "study-o3",
        }
    }

    /// One line for help.
    pub const fn description(self) -> &'static str {
        match self {
            Self::Optimised => "the kernels with SIMD, one thread for each job",
            Self::Threads => "the kernels with SIMD, --job-threads instances that share a memory",
            Self::StudyO0 => "plain C convolution without optimisation, as the study wasm-image published",
            Self::StudyO3 => "the same C, optimised",
        }
    }

    /// Machine code for CPUs with or without AVX2. With it where there is, as a compiler inside the program would do.
    pub(super) fn machine_code(self, avx2: bool) -> &'static [u8] {
        match self {
            Self::Optimised => compiled!("kernels", avx2),
            Self::Threads => compiled!("kernels-threads", avx2),
            Self::StudyO0 => compiled!("study-o0", avx2),
            Self::StudyO3 => compiled!("study-o3", avx2),
        }
    }
}

/// Whether the CPU has all that build.rs used in the folder `avx2`.
#[cfg(target_arch = "x86_64")]
pub(super) fn has_avx2() -> bool {
    is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("fma")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("lzcnt")
}

#[cfg(not(target_arch = "x86_64"))]
pub(super) fn has_avx2() -> bool {
    false
}

impl fmt::Display for WasmBuild {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A name that is no build's.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown Wasm build {given:?}; there are {}", WasmBuild::ALL.map(WasmBuild::name).join(", "))]
pub struct UnknownWasmBuild {
    given: String,
}

impl FromStr for WasmBuild {
    type Err = UnknownWasmBuild;

    fn from_str(given: &str) -> Result<Self, Self::Err> {
        let found = Self::ALL.into_iter().find(|build| build.name() == given);
        found.ok_or_else(|| UnknownWasmBuild { given: given.into() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back() {
        for build in WasmBuild::ALL {
            assert_eq!(build.to_string().parse(), Ok(build));
        }
    }
}
