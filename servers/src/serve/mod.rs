//! From a bound listener to event loops that serve HTTP, and their end.

mod deal;
mod http_loop;
mod listener;
mod loops;
mod run;

pub use listener::Listener;
pub use run::{Config, RunError, run, run_with};
