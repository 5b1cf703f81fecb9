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
//! (from values to places), `curve`, `ticks`, `number`, `dodge`, `spread` (labels that do not overlap), `reference` and
//! `legend`; `palette` and `marker` give a style its looks; `text` measures; `svg` writes; `png` rasterises.

mod axis;
mod bounds;
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
mod spread;
mod svg;
mod text;
mod ticks;

pub use error::ChartError;
pub use figure::{Axis, Drawing, Figure, Mark, Panel, Point, Reference, Scale, Series};
pub use number::format_value;
pub use palette::{STYLES, colour};
