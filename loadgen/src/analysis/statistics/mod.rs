//! What repeated trials can say: intervals, ratios, and which of many differences count.
//!
//! Throughputs and response times are positive and vary by factors, so everything is computed on logarithms: means
//! are geometric, and an interval of a ratio is as honest for 1/2 as for 2. The unit is the trial, a server process
//! of its own: what its levels share (where its memory lies, how the machine was disposed) is in all of them, so that
//! they are no independent samples. Nothing is said of spread below [`TRIALS_LEAST`] trials.

mod estimate;
mod holm;
#[cfg(test)]
pub(super) mod simulations;
pub mod student;
mod verdict;

pub use estimate::{Estimate, Interval, geometric_mean};
pub use holm::{adjusted, levels};
pub use verdict::{Judged, Verdict, judge};

/// How often an interval may miss the truth, and a comparison declare a difference that is none.
pub const ALPHA: f64 = 0.05;
/// Fewer trials have no interval: of two, Student's t says next to nothing.
pub const TRIALS_LEAST: usize = 3;
