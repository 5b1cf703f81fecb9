//! Words and pictures for people, made from results and nothing else.

pub mod charts;
pub mod comparison;
pub mod csv;
pub mod html;
mod job_size;
mod probe;
pub mod progress;
pub mod table;
pub mod verdicts;
pub mod workers;

pub use crate::format;
