//! What computes a job: native code or a Wasm instance.

mod bands;
mod choice;
mod native;
mod wasm;

pub use choice::{BackendChoice, Contradiction};
pub use native::Native;
pub use wasm::{UnknownWasmBuild, WasmBuild, WasmError, WasmInstance, WasmModule};

use std::io;

use kernels::ConvolveError;

use crate::job::{Answer, Job};

/// Computes jobs, one at a time. Each worker thread owns one.
pub trait Backend: Send {
    /// Computes `job`, with its salt. An error, like a panic, concerns this job alone.
    fn compute(&mut self, job: &Job) -> Result<Answer, BackendError>;
}

/// Why a backend could not compute a job, in words for the client.
#[derive(Debug, thiserror::Error)]
pub enum BackendError {
    /// The job asks for what nobody can compute.
    #[error("the convolution cannot be computed: {0}")]
    Input(#[source] ConvolveError),
    /// Another backend could.
    #[error("this server cannot compute that: {0}")]
    Unsupported(String),
    /// The job wants more memory than a Wasm instance gets.
    #[error("the job needs more than the {most} bytes that a Wasm instance may have")]
    GuestMemory {
        /// How much one may have.
        most: u64,
    },
    /// The Wasm code ended in a trap; the next job is none the worse for it.
    #[error("the Wasm instance trapped: {0}")]
    Trap(String),
    /// The Wasm code gave an answer that it should not give.
    #[error("the Wasm instance answered {0}, which is a fault of this program")]
    Guest(i64),
    /// The computation panicked.
    #[error("panic: {0}")]
    Panic(String),
}

/// Makes the backends of a server: called once for each worker, before the first request, or on each new thread.
pub type MakeBackend = dyn Fn() -> Result<Box<dyn Backend>, MakeError> + Send + Sync;

/// Why a worker has nothing to compute with.
#[derive(Debug, thiserror::Error)]
pub enum MakeError {
    /// There is no Wasm instance.
    #[error(transparent)]
    Wasm(#[from] WasmError),
    /// The threads that share its images cannot be started.
    #[error("threads for bands of images could not be started: {0}")]
    Threads(#[from] io::Error),
}
