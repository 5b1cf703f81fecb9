//! The books of a level: what its threads count, and what is known of it in the end.

mod histogram;
mod in_flight;
mod intervals;
mod measured;
mod merge;
mod outcomes;
mod schedule;
mod server_timing;
mod tally;
mod ticks;

pub use histogram::Latencies;
pub use intervals::Interval;
pub use measured::{FailureExample, LittlesLaw, Measured, Steady, Timed};
pub use outcomes::{Outcome, Outcomes};
pub use schedule::{Schedule, Shortfall};
pub use server_timing::ServerTiming;

pub(super) use intervals::Intervals;
pub(super) use tally::{Ended, Sent, Tally};
