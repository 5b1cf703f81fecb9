//! What follows from the results: limits, summaries, warnings. Pure functions.

pub mod limits;
pub mod statistics;
pub mod summary;
pub mod trials;
pub mod warnings;
