//! Pictures as inputs of requests, and what a right answer to them is.
//!
//! A [`Source`] makes as many distinct inputs as are wanted of one photograph. A path says by its query what
//! [`Convolution`] it asks for; [`Expected`] computes that by itself, in doubles and by the definition, and judges the first
//! answer of every server to every input. From then on a server must give the same bytes again: [`FirstAnswers`].
//!
//! Only files are kept. A decoded picture can be thirty times as large, so it lives for as long as one answer is judged.

mod answers;
mod convolution;
mod difference;
mod reference;
mod source;

pub use answers::{Expected, FirstAnswers, Wrong};
pub use convolution::{Convolution, Edge};
pub use difference::{Difference, Tolerance};
pub use source::{Photograph, Size, Source, SourceError};

/// The most pixels that any picture here may have: what servers take too, unless told otherwise.
pub const MOST_PIXELS: u64 = 100_000_000;
