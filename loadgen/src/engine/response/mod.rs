//! HTTP/1.1 responses, from bytes to what a check needs. No input or output, and nothing else of the engine: the fuzz
//! target (`loadgen/fuzz`) includes this folder as it is.

mod body;
mod chunked;
mod error;
mod framing;
mod head;
#[cfg(test)]
pub(crate) mod invariants;
mod parse;

pub(crate) use error::ParseError;
pub(crate) use parse::{Parser, Progress};
