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
        let engine = Engine::new(&settings())?;
        // SAFETY: the bytes were made by `Engine::precompile_module` in build.rs and are part of this program, so nobody
        // can have altered them; version, settings and CPU features are checked by the call itself.
        let module = unsafe { Module::deserialize(&engine, build.machine_code()) }?;
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
