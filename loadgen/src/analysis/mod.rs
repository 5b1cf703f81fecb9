//! What follows from the results: limits, summaries, where the time goes, verdicts, warnings. Pure functions.

pub mod claims;
pub mod comparison;
pub mod crossover;
pub mod job_size;
pub mod limits;
pub mod ranking;
pub mod statistics;
pub mod summary;
pub mod timing;
pub mod trials;
pub mod warnings;
pub mod workers;
