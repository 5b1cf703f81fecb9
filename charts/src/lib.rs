//! Draws series on axes to SVG and PNG, and tells where each point lies in the picture.
//!
//! A [`Figure`] is data: texts and [`Panel`]s of [`Series`] on two [`Axis`]es. [`Figure::draw`] turns it into a
//! [`Drawing`]; [`Figure::to_svg`] and [`Figure::to_png`] are short cuts. Nothing outside of the figure has a say
//! (no clock, no system font, no random number), so the same figure gives the same bytes.
//!
//! ```
//! use charts::{Axis, Figure, Panel, Point, Scale, Series};
//!
//! let figure = Figure {
//!     title: "Throughput".into(),
//!     panels: vec![Panel {
//!         x: Axis::new("clients", Scale::Linear),
//!         y: Axis::new("requests/s", Scale::Linear),
//!         series: vec![Series::new("a server", 0, vec![Point::new(1.0, 3.2), Point::new(2.0, 6.4)])],
//!         ..Panel::default()
//!     }],
//!     ..Figure::default()
//! };
//! assert!(figure.to_svg()?.contains("a server"));
//! # Ok::<(), charts::ChartError>(())
//! ```
//!
//! Layout: `figure` holds the model; `layout` deals out the space; `panel` draws one panel with the help of `axis`
//! (from values to places, by a coordinate of plotters), `curve`, `single` (a panel with one place), `ticks`, `number`,
//! `dodge`, `spread` (labels that do not overlap), `reference` and `legend`; `bars` draws one that has bars instead; `palette` and `marker` give a style its
//! looks; `text` measures; `canvas` draws with plotters, the one way into the picture; `svg` makes a document of what
//! plotters wrote; `png` rasterises it.
//!
//! Three things are not left to plotters: its round numbers for ticks (sums of steps, so 0.30000000000000004; on a
//! logarithmic axis powers of ten alone), the widths of text (an estimate, without its font features) and the layout.

mod axis;
mod bars;
mod bounds;
mod canvas;
mod curve;
mod dodge;
mod error;
mod figure;
mod layout;
mod legend;
mod marker;
mod number;
mod palette;
mod panel;
mod plot;
mod png;
mod reference;
mod single;
mod spread;
mod svg;
mod text;
mod ticks;

pub use error::ChartError;
pub use figure::{
    Axis, Bar, Drawing, Figure, Mark, Panel, Point, Reference, Scale, Segment, SegmentMark, Series, Width,
};
pub use number::format_value;
pub use palette::{STYLES, colour, on_dark};
