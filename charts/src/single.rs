//! A panel with a single place on its horizontal axis, such as one level of load. There are no lines to follow, so
//! every series gets a column of its own, in which a wide marker stands with its value beside it.

use crate::{
    Axis, Panel, Scale,
    axis::Ruler,
    bounds,
    canvas::{Anchor, Canvas, Font, Stroke},
    marker, number, palette,
    plot::{Area, Line, Placed, Plot},
    text::{self, Weight},
};

const VALUE: Font = Font { size: 12.0, weight: Weight::Regular, fill: palette::INK };
/// From one series to the next, where there is room.
const WIDEST: f64 = 110.0;
/// The part of a column that its marker takes.
const SHARE: f64 = 0.5;
/// From a marker to the near edge of its value.
const TO_VALUE: f64 = 5.0;

/// The horizontal axis of a panel whose values and ticks are all the same: it lies in the middle.
pub(crate) fn horizontal(panel: &Panel, area: Area) -> Option<Ruler> {
    let values = bounds::x_values(panel);
    let &x = values.first()?;
    if values.iter().any(|&other| other != x) {
        return None;
    }
    // What lies around it is of no interest; a linear axis has a place for it whatever it is.
    let (around, axis) = (x.abs().max(1.0), Axis::new("", Scale::LinearTight).with_ticks([x]));
    Some(Ruler::new(&axis, &[x - around, x + around], &[], area.left, area.right, area.width()))
}

/// How wide the column of each series is, and how far each series goes to the side. Those without places take no room.
pub(crate) fn columns(series: &[Vec<(f64, f64)>], width: f64) -> (f64, Vec<f64>) {
    let count = series.iter().filter(|places| !places.is_empty()).count() as f64;
    let column = (width / count.max(1.0)).min(WIDEST);
    let mut next = -(count - 1.0) / 2.0 * column;
    let offsets = series.iter().map(|places| {
        let here = next;
        next += if places.is_empty() { 0.0 } else { column };
        here
    });
    (column, offsets.collect())
}

/// The wide markers of a series, and its value if it has but one.
pub(crate) fn draw(canvas: &mut Canvas, plot: &Plot<'_>, line: &Line, column: f64) {
    let style = plot.panel.series[line.series].style;
    let half = (column * SHARE / 2.0).max(marker::RADIUS);
    for Placed { x, y, .. } in line.points() {
        canvas.line(&[(x - half, *y), (x + half, *y)], Stroke::solid(palette::colour(style), 3.0));
        marker::draw(canvas, style, *x, *y);
    }
    let mut points = line.points();
    if let (Some(placed), None) = (points.next(), points.next()) {
        let value = number::short(placed.point.y);
        if text::width(&value, VALUE.size, VALUE.weight) < column - 2.0 {
            canvas.text_with_rim(placed.x, value_base(plot, placed), Anchor::Middle, VALUE, &value);
        }
    }
}

/// The base line of the value: below its marker; above it where a reference line or the axis is in the way.
fn value_base(plot: &Plot<'_>, placed: &Placed) -> f64 {
    let (high, low) = placed.interval.unwrap_or((placed.y, placed.y));
    // Digits are about this high.
    let height = VALUE.size * 0.72;
    let below = low.max(placed.y + marker::RADIUS) + TO_VALUE + height;
    let above = high.min(placed.y - marker::RADIUS) - TO_VALUE;
    let free = |base: f64| {
        let inside = base - height > plot.area.top && base + 3.0 < plot.area.bottom;
        let mut lines = plot.panel.references.iter().filter_map(|line| plot.y.place(line.y));
        inside && !lines.any(|y| (base - height - 2.0..base + 2.0).contains(&y))
    };
    if free(below) || !free(above) { below } else { above }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Point, Series};

    const AREA: Area = Area { left: 50.0, top: 20.0, right: 450.0, bottom: 320.0 };

    fn panel(x: f64, ys: &[f64]) -> Panel {
        let series = ys.iter().zip(0..).map(|(&y, i)| Series::new("a", i, vec![Point::new(x, y)]));
        Panel { series: series.collect(), ..Panel::default() }
    }

    #[test]
    fn a_single_place_lies_in_the_middle() {
        for x in [8.0, 0.0, -3.0, 1e-300, 9.99e299] {
            let ruler = horizontal(&panel(x, &[1.0, 2.0]), AREA).unwrap();
            assert_eq!(ruler.place(x), Some(250.0));
            assert_eq!(ruler.ticks().len(), 1, "{x}");
        }
        let mut several = panel(8.0, &[1.0]);
        several.x = several.x.with_ticks([8.0, 16.0]);
        assert!(horizontal(&several, AREA).is_none());
        assert!(horizontal(&panel(f64::NAN, &[1.0]), AREA).is_none());
    }

    #[test]
    fn columns_lie_side_by_side_around_the_middle() {
        let some = vec![(0.0, 0.0)];
        let (column, offsets) = columns(&[some.clone(), vec![], some.clone(), some], 300.0);
        assert_eq!((column, offsets), (100.0, vec![-100.0, 0.0, 0.0, 100.0]));
        assert_eq!(columns(&[], 300.0).0, WIDEST);
    }

    #[test]
    fn values_stand_beside_their_markers() {
        let mut panel = panel(8.0, &[600.0, 1234.5, 0.0]);
        let bases = |panel: &Panel| {
            let plot = Plot::new(panel, AREA);
            let points = plot.lines.iter().flat_map(|line| line.points());
            points.map(|placed| value_base(&plot, placed) - placed.y).collect::<Vec<_>>()
        };
        assert!(bases(&panel)[0] > 0.0 && bases(&panel)[2] < 0.0);
        panel.references.push(crate::Reference::new("just below", 550.0));
        assert!(bases(&panel)[0] < 0.0);
        assert_eq!([1234.5, 6.0, 0.012345].map(number::short), ["1,230", "6", "0.0123"]);
    }
}
