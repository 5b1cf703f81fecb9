//! What is built: one line for each checked-in module.

use std::path::Path;

use anyhow::Result;

use super::{c, rust};
use crate::sources;

/// A checked-in module and how it is made.
pub struct Build {
    /// Its name in servers/wasm.
    pub file: &'static str,
    pub recipe: Recipe,
}

/// From which sources, by which compiler.
pub enum Recipe {
    /// The crate `kernels`.
    Kernels { flags: &'static str },
    /// The plain C convolution of the study `wasm-image`.
    Study { optimisation: &'static str },
}

/// Every module that is kept.
pub const BUILDS: [Build; 4] = [
    Build { file: "kernels.wasm", recipe: Recipe::Kernels { flags: "-Ctarget-feature=+simd128" } },
    Build { file: "kernels-threads.wasm", recipe: Recipe::Kernels { flags: rust::THREADS } },
    Build { file: "study-o0.wasm", recipe: Recipe::Study { optimisation: "-O0" } },
    Build { file: "study-o3.wasm", recipe: Recipe::Study { optimisation: "-O3" } },
];

/// A module with what has to be known to make the same again.
pub struct Made {
    pub module: Vec<u8>,
    /// The compiler's own words.
    pub compiler: String,
    /// As one would type it, without anything of this machine.
    pub command: String,
}

impl Recipe {
    /// Files and folders that the module is made from, relative to the workspace.
    pub fn sources(&self) -> &'static [&'static str] {
        match self {
            Self::Kernels { .. } => &["servers/kernels/Cargo.toml", "servers/kernels/src"],
            Self::Study { .. } => &["servers/wasm/study"],
        }
    }

    /// The hash of the sources as they are now.
    pub fn sources_sha256(&self, root: &Path) -> Result<String> {
        sources::sha256(root, self.sources())
    }

    /// Compiles.
    pub fn make(&self, root: &Path) -> Result<Made> {
        match self {
            Self::Kernels { flags } => rust::make(root, flags),
            Self::Study { optimisation } => c::make(root, optimisation),
        }
    }
}
