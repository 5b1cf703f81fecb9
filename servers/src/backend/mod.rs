//! What computes a job: native code or a Wasm instance.

mod native;
mod wasm;
mod wasm_settings;

pub use native::Native;
pub use wasm::{WasmError, WasmInstance, WasmModule};

use crate::job::{Answer, Job};

/// Computes jobs, one at a time. Each worker thread owns one.
pub trait Backend: Send {
    /// Computes `job`, with its salt. An error, like a panic, concerns this job alone.
    fn compute(&mut self, job: &Job) -> Result<Answer, BackendError>;
}

/// Why a backend could not compute a job, in words for the client.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct BackendError(pub String);

/// Makes the backends of a server: called once for each worker, before the first request, or on each new thread.
pub type MakeBackend = dyn Fn() -> Result<Box<dyn Backend>, WasmError> + Send + Sync;
