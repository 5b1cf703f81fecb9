//! Where a curve crosses a line: a curve of ratios over time, both on logarithmic axes, straight between its points.

/// A stretch where the curve lies above the line; an open end (`None`) is where the measured range ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Span {
    /// Where it rises above the line.
    pub from: Option<f64>,
    /// Where it falls back.
    pub to: Option<f64>,
}

/// All stretches where the curve is above `line`. Points are (x, y), ascending by x; those without a logarithm are
/// left out.
pub fn spans_above(points: &[(f64, f64)], line: f64) -> Vec<Span> {
    let has_log = |value: f64| value > 0.0 && value.is_finite();
    let points: Vec<(f64, f64)> = points.iter().copied().filter(|&(x, y)| has_log(x) && has_log(y)).collect();
    let mut spans = Vec::new();
    let mut open = points.first().filter(|&&(_, y)| y > line).map(|_| Span { from: None, to: None });
    for pair in points.windows(2) {
        let [(x1, y1), (x2, y2)] = [pair[0], pair[1]];
        if (y1 > line) == (y2 > line) {
            continue;
        }
        let share = (line / y1).ln() / (y2 / y1).ln();
        let crossing = Some(x1 * (x2 / x1).powf(share));
        match open.take() {
            Some(span) => spans.push(Span { to: crossing, ..span }),
            None => open = Some(Span { from: crossing, to: None }),
        }
    }
    spans.extend(open);
    spans
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn spans(points: &[(f64, f64)]) -> Vec<(Option<f64>, Option<f64>)> {
        let rounded = |end: Option<f64>| end.map(|x| (x * 1e9).round() / 1e9);
        spans_above(points, 1.0).iter().map(|span| (rounded(span.from), rounded(span.to))).collect()
    }

    #[test]
    fn never_and_always() {
        assert_eq!(spans(&[]), []);
        assert_eq!(spans(&[(1.0, 0.5), (2.0, 1.0)]), []);
        assert_eq!(spans(&[(1.0, 1.5), (2.0, 1.1)]), [(None, None)]);
        assert_eq!(spans(&[(1.0, 1.5)]), [(None, None)]);
    }

    #[test]
    fn a_crossing_lies_between_its_points_in_the_logarithm() {
        // From a half to two: the line is half the way, which is the geometric mean.
        assert_eq!(spans(&[(1.0, 0.5), (100.0, 2.0)]), [(Some(10.0), None)]);
        assert_eq!(spans(&[(1.0, 2.0), (100.0, 0.5)]), [(None, Some(10.0))]);
        // A third of the way.
        assert_eq!(spans(&[(1.0, 0.5), (1000.0, 4.0)]), [(Some(10.0), None)]);
    }

    #[test]
    fn several_crossings_are_several_spans() {
        let points = [(1.0, 2.0), (100.0, 0.5), (10_000.0, 2.0), (1e6, 0.5), (1e8, 2.0)];
        assert_eq!(spans(&points), [(None, Some(10.0)), (Some(1e3), Some(1e5)), (Some(1e7), None)]);
    }

    #[test]
    fn what_has_no_logarithm_is_no_point() {
        let points = [(0.0, 2.0), (1.0, 0.5), (2.0, 0.0), (3.0, f64::NAN), (100.0, 2.0)];
        assert_eq!(spans(&points), [(Some(10.0), None)]);
    }

    proptest! {
        #[test]
        fn spans_are_ascending_and_hold_exactly_the_points_above(ys in prop::collection::vec(0.1..10.0f64, 0..12)) {
            let points: Vec<(f64, f64)> = ys.iter().enumerate().map(|(index, &y)| (1.5f64.powi(index as i32), y)).collect();
            let spans = spans_above(&points, 1.0);
            let ends: Vec<f64> = spans.iter().flat_map(|span| [span.from, span.to]).flatten().collect();
            prop_assert!(ends.is_sorted());
            for (x, y) in points {
                let inside = spans.iter().any(|span| span.from.is_none_or(|from| from < x) && span.to.is_none_or(|to| x < to));
                prop_assert_eq!(inside, y > 1.0, "{} {} {:?}", x, y, spans);
            }
        }
    }
}
