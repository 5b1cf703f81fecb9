//! Which values have a place on an axis, and from where to where the axis goes.

use crate::{Axis, Panel, Point, Scale};

/// Beyond this, sums and differences of values would not stay finite.
const LARGEST: f64 = 1e300;

/// Whether an axis of this scale has a place for the value.
pub(crate) fn has_place(scale: Scale, value: f64) -> bool {
    value.abs() < LARGEST && (scale != Scale::Log10 || value > 0.0)
}

/// Whether the panel has a place for the point.
pub(crate) fn is_visible(panel: &Panel, point: &Point) -> bool {
    has_place(panel.x.scale, point.x) && has_place(panel.y.scale, point.y)
}

/// How many points are left out only because an axis is logarithmic.
pub(crate) fn lost_to_logarithm(panel: &Panel) -> usize {
    let finite = |point: &&Point| has_place(Scale::Linear, point.x) && has_place(Scale::Linear, point.y);
    let points = panel.series.iter().flat_map(|series| &series.points);
    points.filter(finite).filter(|point| !is_visible(panel, point)).count()
}

/// The value as the axis counts it: its logarithm on a logarithmic axis.
pub(crate) fn measure(scale: Scale, value: f64) -> f64 {
    if scale == Scale::Log10 { value.log10() } else { value }
}

/// Every value that the horizontal axis must hold.
pub(crate) fn x_values(panel: &Panel) -> Vec<f64> {
    let points = panel.series.iter().flat_map(|series| &series.points);
    let visible = points.filter(|point| is_visible(panel, point)).map(|point| point.x);
    with_ticks(visible.collect(), &panel.x)
}

/// Every value that the vertical axis must hold.
pub(crate) fn y_values(panel: &Panel) -> Vec<f64> {
    let points = panel.series.iter().flat_map(|series| &series.points);
    let visible = points.filter(|point| is_visible(panel, point));
    let ends = visible.flat_map(|point| [Some(point.y), point.low, point.high]).flatten();
    with_ticks(ends.chain(panel.references.iter().map(|line| line.y)).collect(), &panel.y)
}

fn with_ticks(mut values: Vec<f64>, axis: &Axis) -> Vec<f64> {
    values.extend(axis.ticks.iter().flatten().chain(&axis.holds));
    values.retain(|&value| has_place(axis.scale, value));
    values
}

/// From where to where an axis goes that holds these values, in its own measure. Never empty.
pub(crate) fn range(scale: Scale, values: &[f64]) -> (f64, f64) {
    let measures = values.iter().map(|&value| measure(scale, value));
    let (mut low, mut high) =
        measures.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
    if low > high {
        return (0.0, 1.0);
    }
    if scale == Scale::Linear {
        (low, high) = (low.min(0.0), high.max(0.0));
    }
    let size = low.abs().max(high.abs());
    if high - low > size * 1e-9 && size > 1.0 / LARGEST {
        return (low, high);
    }
    // A single value stands at the far end, next to the label of its series.
    match scale {
        Scale::Log10 => (low - 1.0, high),
        Scale::Linear | Scale::LinearTight if size <= 1.0 / LARGEST => (0.0, 1.0),
        Scale::Linear | Scale::LinearTight => (low.min(0.0), high.max(0.0)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_hold_their_values() {
        assert_eq!(range(Scale::Linear, &[3.0, 6.5]), (0.0, 6.5));
        assert_eq!(range(Scale::Linear, &[-2.0, -1.0]), (-2.0, 0.0));
        assert_eq!(range(Scale::LinearTight, &[3.0, 6.5]), (3.0, 6.5));
        assert_eq!(range(Scale::Log10, &[1.0, 1000.0]), (0.0, 3.0));
    }

    #[test]
    fn an_axis_has_room_for_more_than_its_points() {
        let series = vec![crate::Series::new("a", 0, vec![Point::new(1.0, 2.0)])];
        let y = Axis { holds: vec![7.0, f64::NAN], ..Axis::new("", Scale::Linear) };
        assert_eq!(y_values(&Panel { series, y, ..Panel::default() }), [2.0, 7.0]);
    }

    #[test]
    fn no_range_is_empty() {
        assert_eq!(range(Scale::Linear, &[]), (0.0, 1.0));
        assert_eq!(range(Scale::Linear, &[0.0, 0.0]), (0.0, 1.0));
        assert_eq!(range(Scale::LinearTight, &[8.0]), (0.0, 8.0));
        assert_eq!(range(Scale::LinearTight, &[0.0]), (0.0, 1.0));
        assert_eq!(range(Scale::Linear, &[5e-324]), (0.0, 1.0));
        assert_eq!(range(Scale::Log10, &[10.0]), (0.0, 1.0));
    }

    #[test]
    fn a_logarithm_loses_zeros_but_not_gaps() {
        let points = vec![Point::new(1.0, 0.0), Point::new(2.0, f64::NAN), Point::new(3.0, 5.0)];
        let series = vec![crate::Series::new("a", 0, points)];
        let mut panel = Panel { series, ..Panel::default() };
        assert_eq!(lost_to_logarithm(&panel), 0);
        panel.y.scale = Scale::Log10;
        assert_eq!(lost_to_logarithm(&panel), 1);
        assert_eq!(y_values(&panel), [5.0]);
    }
}
