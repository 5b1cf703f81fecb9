//! The systems under test: servers that keep one HTTP contract (CONTRACT.md) and differ in how they use threads.
//!
//! A [`Job`] is data. A *backend* computes it: native code or a Wasm instance. [`Work`] is what a request asks for: a job, or
//! a file that is decoded and encoded around one. An *executor* decides where and when it is done: that, and only that,
//! makes a [`Variant`]. Everything else is here once:
//!
//! ```text
//! serve/     listener -> event loops -> connections           run() puts it all together
//! http/      routes (the contract), bodies, problem details, metrics
//! form.rs    where a field is in multipart/form-data
//! store.rs   images that clients left here
//! task.rs    work on its way: cancellation, deadline, panics, timing
//! executor/  one file for each way to bring tasks to threads
//! backend/   native, wasm
//! pins.rs    workers that keep to one CPU each
//! ceiling.rs the native backend with no server in the way
//! ```

mod backend;
pub mod ceiling;
mod clock;
mod executor;
pub mod form;
mod http;
mod image;
mod job;
mod parameters;
mod pins;
mod serve;
mod store;
mod task;
mod variant;
mod work;

pub use backend::{
    Backend, BackendChoice, BackendError, Contradiction, MakeBackend, MakeError, Native, UnknownWasmBuild, WasmBuild,
    WasmError, WasmInstance, WasmModule,
};
pub use image::{Convolve, Image, Weights};
pub use job::{Answer, Job, JobError};
pub use parameters::ParameterError;
pub use serve::{Config, Listener, RunError, run, run_with};
pub use variant::{UnknownVariant, Variant};
pub use work::{ConvolveFile, NoWork, Output, Times, Work, WorkError};
