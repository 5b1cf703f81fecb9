//! Wasm on wasmtime: the same kernels as the native ones, or the study's convolution, compiled ahead of time by `build.rs`.

mod build;
mod guest;
mod kernels;
mod layout;
mod memory;
mod request;
mod settings;
mod stack;
mod study;

pub use build::{UnknownWasmBuild, WasmBuild};

use std::num::NonZeroUsize;

use wasmtime::{Engine, Module};

use self::kernels::KernelsInstance;
use self::settings::settings;
use self::study::StudyInstance;
use super::{Backend, BackendError};
use crate::job::{Answer, Job};

/// A compiled module; instances share its code.
#[derive(Debug, Clone)]
pub struct WasmModule {
    build: WasmBuild,
    module: Module,
}

/// The module cannot be loaded or instantiated here, for example on a CPU without the instructions it was compiled for.
#[derive(Debug, thiserror::Error)]
#[error("the Wasm module of the kernels cannot be used: {0}")]
pub struct WasmError(String);

impl WasmError {
    fn missing(what: &str) -> Self {
        Self(format!("it has no {what}"))
    }
}

impl From<wasmtime::Error> for WasmError {
    fn from(error: wasmtime::Error) -> Self {
        Self(format!("{error:#}"))
    }
}

impl WasmModule {
    /// Loads a module that is embedded in the program.
    pub fn load(build: WasmBuild) -> Result<Self, WasmError> {
        Self::load_for(build, build::has_avx2())
    }

    /// Loads the machine code for CPUs with or without AVX2.
    fn load_for(build: WasmBuild, avx2: bool) -> Result<Self, WasmError> {
        let engine = Engine::new(&settings())?;
        // SAFETY: the bytes were made by `Engine::precompile_module` in build.rs and are part of this program, so nobody
        // can have altered them; version, settings and CPU features are checked by the call itself.
        let module = unsafe { Module::deserialize(&engine, build.machine_code(avx2)) }?;
        Ok(Self { build, module })
    }

    /// Makes what one worker computes with. Only the build [`WasmBuild::Threads`] uses more than one thread for a job.
    pub fn instantiate(&self, job_threads: NonZeroUsize) -> Result<WasmInstance, WasmError> {
        let backend: Box<dyn Backend> = match self.build {
            WasmBuild::Optimised => Box::new(KernelsInstance::single(&self.module)?),
            WasmBuild::Threads => Box::new(KernelsInstance::threads(&self.module, job_threads)?),
            WasmBuild::StudyO0 | WasmBuild::StudyO3 => Box::new(StudyInstance::new(&self.module)?),
        };
        Ok(WasmInstance(backend))
    }
}

/// An instance, or several that share a memory; owned by one worker.
pub struct WasmInstance(Box<dyn Backend>);

impl Backend for WasmInstance {
    /// A trap is an error of this job; the instance stays usable, since the code keeps no state between calls.
    fn compute(&mut self, job: &Job) -> Result<Answer, BackendError> {
        self.0.compute(job)
    }
}

#[cfg(test)]
mod tests {
    use ::kernels::{Edge, Method};

    use super::*;
    use crate::backend::Native;
    use crate::image::{Convolve, Image, Weights};

    #[test]
    fn machine_code_for_older_cpus_gives_the_same_pixels() {
        let pixels = (0..40 * 30 * 3u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
        let image = Image { width: 40, height: 30, channels: 3, pixels };
        let weights = Weights::Gaussian { size: 7, sigma: 7.0 };
        let job = Job::Convolve(Convolve { image, weights, edge: Edge::Zero, method: Method::Direct });
        let native = Native::default().compute(&job).unwrap();
        for build in [WasmBuild::Optimised, WasmBuild::Threads] {
            for avx2 in [false, build::has_avx2()] {
                let module = WasmModule::load_for(build, avx2).unwrap();
                let mut instance = module.instantiate(NonZeroUsize::MIN).unwrap();
                assert!(instance.compute(&job).unwrap() == native, "{build}, avx2: {avx2}");
            }
        }
    }
}
