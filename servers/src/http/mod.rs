//! The HTTP contract (CONTRACT.md), the same for every variant.
//!
//! ```text
//! routes.rs     the table
//! simple.rs     /healthz, /hello, /metrics
//! compute.rs    /fib, /atan-tan, and the one door to the executor
//! convolve.rs   images that are convolved
//! store.rs      images that are kept
//! body.rs       the image that a request carries
//! problem.rs    whatever goes wrong
//! ```

mod body;
mod compute;
mod convolve;
pub(crate) mod metrics;
mod problem;
mod routes;
mod simple;
mod site;
mod store;

pub(crate) use body::expect;
pub(crate) use routes::app;
pub(crate) use site::{Shared, Site};
