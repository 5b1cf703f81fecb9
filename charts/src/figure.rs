//! The model: what a figure shows, as plain data.

use crate::{ChartError, layout, png};

/// A picture: texts, and panels in a grid.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figure {
    /// The headline, in bold.
    pub title: String,
    /// One or more facts about the whole figure, such as machine and date.
    pub subtitle: String,
    /// Small print below the charts, a paragraph each.
    pub notes: Vec<String>,
    /// The charts, row by row.
    pub panels: Vec<Panel>,
    /// How many panels stand side by side (0 counts as 1). With one column, lines are labelled at their ends; with
    /// more, the panels share a legend below.
    pub columns: usize,
    /// What it is drawn for.
    pub width: Width,
}

/// How wide a figure is. Letters have the same size in each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Width {
    /// 900 units: what a README has room for.
    #[default]
    Wide,
    /// 360 units, the screen of a phone: always one column, with the legend below.
    Narrow,
}

/// One chart: series on a pair of axes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Panel {
    /// A heading of its own, for figures of several panels.
    pub title: Option<String>,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// What is drawn, later ones on top.
    pub series: Vec<Series>,
    /// Horizontal lines to compare with.
    pub references: Vec<Reference>,
    /// Horizontal bars, the first on top. A panel that has some shows nothing else; `x` is the axis of their lengths, which
    /// is linear and begins at zero.
    pub bars: Vec<Bar>,
}

/// A horizontal bar, labelled on its left; at its end stands its length.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bar {
    /// What it is of.
    pub label: String,
    /// What it is made of, from left to right. A segment without a positive value is left out.
    pub segments: Vec<Segment>,
    /// The interval of its length.
    pub interval: Option<(f64, f64)>,
    /// Whether it is a dashed outline: something to compare with.
    pub dashed: bool,
}

impl Bar {
    /// A filled bar without an interval.
    pub fn new(label: impl Into<String>, segments: Vec<Segment>) -> Self {
        Self { label: label.into(), segments, interval: None, dashed: false }
    }
}

/// A part of a bar. Bars of several parts have a legend; the value of each is shown where it has room.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Segment {
    /// What it is, in the legend.
    pub key: String,
    /// Its colour, as that of a [`Series`].
    pub style: usize,
    /// Its length.
    pub value: f64,
}

impl Segment {
    /// A segment.
    pub fn new(key: impl Into<String>, style: usize, value: f64) -> Self {
        Self { key: key.into(), style, value }
    }
}

/// One axis of a panel.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Axis {
    /// What is measured, with its unit.
    pub title: String,
    /// How values become places.
    pub scale: Scale,
    /// Where ticks shall be; none: at round numbers. Labels that would overlap are left out.
    pub ticks: Option<Vec<f64>>,
    /// Values that the axis must have room for beside those of its panel: with the same ones, panels side by side get
    /// the same axis.
    pub holds: Vec<f64>,
}

impl Axis {
    /// An axis with ticks at round numbers.
    pub fn new(title: impl Into<String>, scale: Scale) -> Self {
        Self { title: title.into(), scale, ticks: None, holds: Vec::new() }
    }

    /// The same axis with ticks at these values (such as the levels that were measured).
    pub fn with_ticks(self, ticks: impl IntoIterator<Item = f64>) -> Self {
        Self { ticks: Some(ticks.into_iter().collect()), ..self }
    }
}

/// How an axis turns values into places.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scale {
    /// Linear, and zero is always on the axis.
    #[default]
    Linear,
    /// Linear, from the lowest to the highest value.
    LinearTight,
    /// Logarithmic to base 10. Values at or below zero have no place: they are left out, and a note says so.
    Log10,
}

/// A line with markers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series {
    /// Its label.
    pub key: String,
    /// Its colour and marker: the same number looks the same in every figure. The first
    /// [`STYLES`](crate::STYLES) differ in both.
    pub style: usize,
    /// Its points, in the order in which they are joined. A point whose x or y is not finite is a gap.
    pub points: Vec<Point>,
    /// Whether the line is dashed.
    pub dashed: bool,
}

impl Series {
    /// A solid line.
    pub fn new(key: impl Into<String>, style: usize, points: Vec<Point>) -> Self {
        Self { key: key.into(), style, points, dashed: false }
    }
}

/// A value at a place, with an interval if there is one.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Point {
    /// Where on the horizontal axis.
    pub x: f64,
    /// The value.
    pub y: f64,
    /// The lower end of its interval.
    pub low: Option<f64>,
    /// The upper end of its interval.
    pub high: Option<f64>,
}

impl Point {
    /// A point without an interval.
    pub fn new(x: f64, y: f64) -> Self {
        Self { x, y, low: None, high: None }
    }

    /// The same point with an interval, drawn as a band.
    pub fn with_interval(self, low: f64, high: f64) -> Self {
        Self { low: Some(low), high: Some(high), ..self }
    }
}

/// A dashed horizontal line, labelled on the line.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reference {
    /// What the line is.
    pub label: String,
    /// Where it lies on the vertical axis.
    pub y: f64,
}

impl Reference {
    /// A line at `y`.
    pub fn new(label: impl Into<String>, y: f64) -> Self {
        Self { label: label.into(), y }
    }
}

/// A figure as drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct Drawing {
    /// The SVG document.
    pub svg: String,
    /// Its width in SVG units (pixels at scale 1).
    pub width: f64,
    /// Its height in SVG units.
    pub height: f64,
    /// Where each point that was drawn lies, panel by panel, series by series.
    pub marks: Vec<Mark>,
    /// Where each segment of a bar lies, panel by panel, bar by bar.
    pub segments: Vec<SegmentMark>,
}

/// Where one segment of a bar lies in the picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SegmentMark {
    /// Index of the panel in its figure.
    pub panel: usize,
    /// Index of the bar in its panel.
    pub bar: usize,
    /// Index of the segment in its bar.
    pub segment: usize,
    /// Its middle from the left edge, in SVG units.
    pub x: f64,
    /// Its middle from the top edge, in SVG units.
    pub y: f64,
}

/// Where one point lies in the picture: what a tooltip needs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mark {
    /// Index of the panel in its figure.
    pub panel: usize,
    /// Index of the series in its panel.
    pub series: usize,
    /// Place from the left edge, in SVG units.
    pub x: f64,
    /// Place from the top edge, in SVG units.
    pub y: f64,
    /// The point itself.
    pub point: Point,
}

impl Figure {
    /// Draws the figure. Series that would hide each other are drawn a few pixels apart, sideways: worth a note.
    /// In a panel with one x alone, each series has a column of its own and shows its value.
    pub fn draw(&self) -> Result<Drawing, ChartError> {
        layout::draw(self)
    }

    /// Draws the figure as an SVG document. Its text asks for Noto Sans, then for any sans-serif font.
    pub fn to_svg(&self) -> Result<String, ChartError> {
        Ok(self.draw()?.svg)
    }

    /// Draws the figure as a PNG of `scale` pixels for each SVG unit (a wide figure has 900 units).
    pub fn to_png(&self, scale: f32) -> Result<Vec<u8>, ChartError> {
        png::rasterise(&self.draw()?.svg, scale)
    }
}
