//! Which backend a server computes with, from what the command line says.

use std::num::NonZeroUsize;
use std::sync::Arc;

use super::{MakeBackend, MakeError, Native, WasmBuild, WasmModule};
use crate::variant::Variant;

/// What every worker of a server computes with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BackendChoice {
    /// Native code.
    Native {
        /// Threads for each image.
        job_threads: NonZeroUsize,
    },
    /// Wasm.
    Wasm {
        /// Which build.
        build: WasmBuild,
        /// Threads for each image; 1 but for [`WasmBuild::Threads`].
        job_threads: NonZeroUsize,
    },
}

/// Two settings that cannot both be meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Contradiction {
    /// The name says Wasm.
    #[error("--backend native: wasm-worker computes by Wasm; worker-pool is the same with native code")]
    NativeWasmWorker,
    /// A Wasm build for native code.
    #[error("--wasm {0}: there is no Wasm with the backend native; add --backend wasm")]
    WasmOfNative(WasmBuild),
    /// Threads for a build that has none.
    #[error("--job-threads {threads}: the Wasm build {build} has one thread for each job; --wasm threads has more")]
    OneThread {
        /// The build.
        build: WasmBuild,
        /// How many were asked for.
        threads: NonZeroUsize,
    },
}

impl BackendChoice {
    /// The default of a variant.
    pub fn of(variant: Variant) -> Self {
        if variant == Variant::WasmWorker {
            Self::Wasm { build: WasmBuild::default(), job_threads: NonZeroUsize::MIN }
        } else {
            Self::Native { job_threads: NonZeroUsize::MIN }
        }
    }

    /// What the flags mean: `--backend wasm` (`None`: the variant's default), `--wasm` and `--job-threads`.
    ///
    /// # Errors
    /// Where they contradict each other or the variant.
    pub fn from_flags(
        variant: Variant,
        is_wasm: Option<bool>,
        build: Option<WasmBuild>,
        job_threads: Option<NonZeroUsize>,
    ) -> Result<Self, Contradiction> {
        let always_wasm = variant == Variant::WasmWorker;
        if always_wasm && is_wasm == Some(false) {
            return Err(Contradiction::NativeWasmWorker);
        }
        let threads = job_threads.unwrap_or(NonZeroUsize::MIN);
        if !is_wasm.unwrap_or(always_wasm) {
            return match build {
                Some(build) => Err(Contradiction::WasmOfNative(build)),
                None => Ok(Self::Native { job_threads: threads }),
            };
        }
        let build = build.unwrap_or_default();
        if build != WasmBuild::Threads && threads > NonZeroUsize::MIN {
            return Err(Contradiction::OneThread { build, threads });
        }
        Ok(Self::Wasm { build, job_threads: threads })
    }

    /// How its backends are made.
    pub(crate) fn maker(self) -> Result<Arc<MakeBackend>, MakeError> {
        Ok(match self {
            Self::Native { job_threads } => {
                Arc::new(move || Ok(Box::new(Native::default().with_job_threads(job_threads)?)))
            }
            Self::Wasm { build, job_threads } => {
                let module = WasmModule::load(build)?;
                Arc::new(move || Ok(Box::new(module.instantiate(job_threads)?)))
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choose(
        variant: Variant,
        is_wasm: Option<bool>,
        build: Option<WasmBuild>,
        threads: usize,
    ) -> Result<BackendChoice, Contradiction> {
        BackendChoice::from_flags(variant, is_wasm, build, NonZeroUsize::new(threads))
    }

    #[test]
    fn without_flags_the_variant_decides() {
        for variant in Variant::ALL {
            assert_eq!(choose(variant, None, None, 0), Ok(BackendChoice::of(variant)));
        }
    }

    #[test]
    fn flags_are_taken() {
        let four = NonZeroUsize::new(4).unwrap();
        let native = BackendChoice::Native { job_threads: four };
        assert_eq!(choose(Variant::EventLoop, None, None, 4), Ok(native));
        let threads = BackendChoice::Wasm { build: WasmBuild::Threads, job_threads: four };
        assert_eq!(choose(Variant::EventLoop, Some(true), Some(WasmBuild::Threads), 4), Ok(threads));
        assert_eq!(choose(Variant::WasmWorker, None, Some(WasmBuild::Threads), 4), Ok(threads));
        let study = BackendChoice::Wasm { build: WasmBuild::StudyO0, job_threads: NonZeroUsize::MIN };
        assert_eq!(choose(Variant::ReusePort, Some(true), Some(WasmBuild::StudyO0), 1), Ok(study));
    }

    #[test]
    fn contradictions_are_refused() {
        let (pool, worker) = (Variant::WorkerPool, Variant::WasmWorker);
        assert_eq!(choose(worker, Some(false), None, 0), Err(Contradiction::NativeWasmWorker));
        for is_wasm in [None, Some(false)] {
            let result = choose(pool, is_wasm, Some(WasmBuild::StudyO3), 0);
            assert_eq!(result, Err(Contradiction::WasmOfNative(WasmBuild::StudyO3)));
        }
        let result = choose(worker, None, Some(WasmBuild::Optimised), 2);
        assert!(matches!(result, Err(Contradiction::OneThread { .. })));
    }
}
