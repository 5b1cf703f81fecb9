//! What follows from the results: limits, summaries, warnings. Pure functions.

pub mod limits;
pub mod summary;
pub mod warnings;
