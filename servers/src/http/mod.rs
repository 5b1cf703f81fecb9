//! The HTTP contract (CONTRACT.md), the same for every variant.

pub(crate) mod metrics;
mod problem;
mod routes;

pub(crate) use routes::{Site, app};
