//! Lays one panel out: its box, its axes, and where each point of each line lies.

use crate::{
    Panel, Point, Scale,
    axis::{Room, Ruler},
    bounds, dodge, marker, single,
};

/// The rectangle between the axes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Area {
    pub(crate) left: f64,
    pub(crate) top: f64,
    pub(crate) right: f64,
    pub(crate) bottom: f64,
}

impl Area {
    pub(crate) fn width(&self) -> f64 {
        self.right - self.left
    }
}

/// A panel with everything in its place.
pub(crate) struct Plot<'a> {
    pub(crate) panel: &'a Panel,
    pub(crate) area: Area,
    pub(crate) x: Ruler,
    pub(crate) y: Ruler,
    /// The series that have a point to show.
    pub(crate) lines: Vec<Line>,
    /// Whether the places on the horizontal axis are so close that markers would hide the lines.
    pub(crate) crowded: bool,
    /// The width of a column, where all points share one place on the horizontal axis and each series has a column.
    pub(crate) column: Option<f64>,
}

/// A series in its place.
pub(crate) struct Line {
    /// Index of the series in its panel.
    pub(crate) series: usize,
    /// Points to be joined; between two runs there is a gap. No run is empty.
    pub(crate) runs: Vec<Vec<Placed>>,
}

/// A point in its place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Placed {
    pub(crate) x: f64,
    pub(crate) y: f64,
    /// Upper and lower end of its interval.
    pub(crate) interval: Option<(f64, f64)>,
    pub(crate) point: Point,
}

impl Line {
    pub(crate) fn points(&self) -> impl Iterator<Item = &Placed> {
        self.runs.iter().flatten()
    }

    /// Where its label belongs.
    pub(crate) fn end(&self) -> (f64, f64) {
        let last = self.runs.last().and_then(|run| run.last());
        last.map_or((0.0, 0.0), |placed| (placed.x, placed.y))
    }
}

/// Room above the highest point, so that its marker stays inside.
const ABOVE_POINTS: f64 = 8.0;
/// Room above the highest reference line, so that its label stays inside.
const ABOVE_REFERENCES: f64 = 22.0;

/// The vertical axis between two places. It does not depend on the width of the panel, but its labels take of it.
pub(crate) fn vertical(panel: &Panel, top: f64, bottom: f64) -> Ruler {
    let values = bounds::y_values(panel);
    let points = values.iter().map(|&beyond| Room { beyond, free: ABOVE_POINTS });
    let references = panel.references.iter().map(|line| Room { beyond: line.y, free: ABOVE_REFERENCES });
    let rooms: Vec<Room> = points.chain(references).collect();
    // Zero is the base line; where there is none, the lowest point keeps clear of the bottom.
    let from = if panel.y.scale == Scale::Linear { bottom } else { bottom - ABOVE_POINTS };
    Ruler::new(&panel.y, &values, &rooms, from, top, 36.0)
}

/// The horizontal axis, with room at both ends for markers that are moved by `reach` to the side.
fn horizontal(panel: &Panel, area: Area, reach: f64) -> Ruler {
    let inset = (6.0 + marker::RADIUS + reach).min(area.width() / 4.0);
    Ruler::new(&panel.x, &bounds::x_values(panel), &[], area.left + inset, area.right - inset, 64.0)
}

impl<'a> Plot<'a> {
    /// Lays the panel out in this area.
    pub(crate) fn new(panel: &'a Panel, area: Area) -> Self {
        let mut plot = Self {
            panel,
            area,
            x: horizontal(panel, area, 0.0),
            y: vertical(panel, area.top, area.bottom),
            lines: Vec::new(),
            crowded: false,
            column: None,
        };
        let places: Vec<Vec<(f64, f64)>> = (0..panel.series.len()).map(|series| plot.places(series)).collect();
        if let Some(x) = single::horizontal(panel, area) {
            let (column, offsets) = single::columns(&places, area.width());
            (plot.x, plot.column) = (x, Some(column));
            plot.add_lines(offsets);
            return plot;
        }
        let offsets = dodge::offsets(&places, area.width());
        let reach = offsets.iter().fold(0.0f64, |most, offset| most.max(offset.abs()));
        let gaps = dodge::gaps(places.iter().flatten().map(|place| place.0).collect());
        // Of levels that double, only the lowest few are close: so the gap in the middle decides.
        plot.crowded = gaps.get(gaps.len() / 2).is_some_and(|&gap| gap < 2.0 * marker::RADIUS);
        plot.x = horizontal(panel, area, reach);
        plot.add_lines(offsets);
        plot
    }

    /// Places the series, each moved to the side by its offset.
    fn add_lines(&mut self, offsets: Vec<f64>) {
        for (series, offset) in offsets.into_iter().enumerate() {
            let runs = self.runs(series, offset);
            if !runs.is_empty() {
                self.lines.push(Line { series, runs });
            }
        }
    }

    /// Where the points of a series would lie if none were moved, from left to right.
    fn places(&self, series: usize) -> Vec<(f64, f64)> {
        let points = self.runs(series, 0.0).into_iter().flatten();
        let mut places: Vec<(f64, f64)> = points.map(|placed| (placed.x, placed.y)).collect();
        places.sort_by(|a, b| a.0.total_cmp(&b.0));
        places
    }

    fn runs(&self, series: usize, offset: f64) -> Vec<Vec<Placed>> {
        let points = &self.panel.series[series].points;
        let runs = points.split(|point| !bounds::is_visible(self.panel, point));
        let runs = runs.map(|run| run.iter().filter_map(|point| self.placed(point, offset)).collect::<Vec<_>>());
        runs.filter(|run| !run.is_empty()).collect()
    }

    fn placed(&self, point: &Point, offset: f64) -> Option<Placed> {
        let interval = match (point.low, point.high) {
            (None, None) => None,
            (low, high) => {
                let end = |value: Option<f64>| value.filter(|v| !v.is_nan()).unwrap_or(point.y);
                let (low, high) = (end(low).min(point.y), end(high).max(point.y));
                Some((self.y.nearest_place(high), self.y.nearest_place(low)))
            }
        };
        Some(Placed { x: self.x.place(point.x)? + offset, y: self.y.place(point.y)?, interval, point: *point })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Axis, Series};

    const AREA: Area = Area { left: 50.0, top: 20.0, right: 450.0, bottom: 320.0 };

    fn panel(ys: &[f64]) -> Panel {
        let points = ys.iter().zip(1..).map(|(&y, x)| Point::new(f64::from(x), y)).collect();
        Panel { series: vec![Series::new("a", 0, points)], ..Panel::default() }
    }

    #[test]
    fn gaps_split_a_line() {
        let panel = panel(&[1.0, f64::NAN, 2.0, 3.0, f64::INFINITY]);
        let plot = Plot::new(&panel, AREA);
        let lengths: Vec<usize> = plot.lines[0].runs.iter().map(Vec::len).collect();
        assert_eq!(lengths, [1, 2]);
    }

    #[test]
    fn points_lie_inside_the_area() {
        for y in [Axis::new("", Scale::Linear), Axis::new("", Scale::LinearTight), Axis::new("", Scale::Log10)] {
            let panel = Panel { y, ..panel(&[1e-6, 1.0, 1e12]) };
            let plot = Plot::new(&panel, AREA);
            assert_eq!(plot.lines[0].points().count(), 3);
            for placed in plot.lines[0].points() {
                assert!((AREA.left..=AREA.right).contains(&placed.x), "x {}", placed.x);
                assert!((AREA.top..=AREA.bottom + 1e-3).contains(&placed.y), "y {}", placed.y);
            }
        }
    }

    #[test]
    fn an_interval_holds_its_point() {
        let mut panel = panel(&[2.0]);
        panel.series[0].points[0] = Point::new(1.0, 2.0).with_interval(3.0, f64::NAN);
        let plot = Plot::new(&panel, AREA);
        let placed = plot.lines[0].runs[0][0];
        assert_eq!(placed.interval, Some((placed.y, placed.y)));
    }
}
