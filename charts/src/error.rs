//! What can go wrong.

use std::error::Error;

/// Why a figure could not be drawn.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ChartError {
    /// The scale for the PNG is not a positive number.
    #[error("a PNG cannot be drawn at scale {0}: use a positive number, such as 2")]
    BadScale(f32),
    /// The PNG would have more pixels on a side than anyone can use.
    #[error("a PNG of {width} x {height} pixels is too large: use a smaller scale or fewer panels")]
    TooLarge {
        /// Width in pixels.
        width: u64,
        /// Height in pixels.
        height: u64,
    },
    /// plotters refused to draw: a fault of this crate.
    #[error("the chart could not be drawn")]
    Draw(#[source] Box<dyn Error + Send + Sync>),
    /// The renderer refused the SVG: a fault of this crate.
    #[error("the SVG of the chart could not be rendered")]
    Render(#[from] resvg::usvg::Error),
    /// The PNG could not be encoded.
    #[error("the PNG could not be encoded: {0}")]
    Encode(String),
}
