//! Round numbers for the ticks of an axis: one, two and five times a power of ten.

/// At most this many ticks are made, whatever is asked for.
const MOST: usize = 100;

/// Ticks between `low` and `high`, about `wanted` of them and no more, and the step between them.
pub(crate) fn linear(low: f64, high: f64, wanted: usize) -> (Vec<f64>, f64) {
    let span = high - low;
    let wanted = wanted.clamp(2, MOST);
    if !(span > 0.0 && span.is_finite()) {
        return (vec![low], 0.0);
    }
    let mut exponent = (span / wanted as f64).log10().floor().max(-305.0) as i32;
    loop {
        for digit in [1.0, 2.0, 5.0] {
            let step = scaled(digit, exponent);
            // A hair of tolerance: 0.3 / 0.1 is not quite 3.
            let (first, last) = ((low / step - 1e-9).ceil(), (high / step + 1e-9).floor());
            if last - first < wanted as f64 {
                let count = (last - first).max(0.0) as usize;
                let ticks = (0..=count).map(|k| scaled((first + k as f64) * digit, exponent) + 0.0);
                return (ticks.filter(|tick| tick.is_finite()).collect(), step);
            }
        }
        exponent += 1;
    }
}

/// Ticks of a logarithmic axis from 10^`low` to 10^`high`: powers of ten, with 2 and 5 between them where few
/// powers fit, round numbers of a linear kind where not even these would tell much.
pub(crate) fn logarithmic(low: f64, high: f64, wanted: usize) -> Vec<f64> {
    let wanted = wanted.clamp(2, MOST);
    let inside = |value: &f64| *value > 0.0 && (low - 1e-9..=high + 1e-9).contains(&value.log10());
    let (first, last) = (low.floor() as i32, high.ceil() as i32);
    let decades = (last - first).max(1) as usize;
    let digits: &[f64] = if decades * 3 <= wanted + 2 { &[1.0, 2.0, 5.0] } else { &[1.0] };
    let stride = decades.div_ceil(wanted);
    let ticks: Vec<f64> = (first..=last)
        .filter(|exponent| exponent.rem_euclid(stride as i32) == 0)
        .flat_map(|exponent| digits.iter().map(move |&digit| scaled(digit, exponent)))
        .filter(inside)
        .collect();
    if ticks.len() >= 2 {
        return ticks;
    }
    let (linear, _) = linear(10f64.powf(low), 10f64.powf(high), wanted);
    linear.into_iter().filter(inside).collect()
}

/// `digits` times a power of ten, to the nearest double: 3 and -1 make 0.3, not 0.30000000000000004.
fn scaled(digits: f64, exponent: i32) -> f64 {
    if (-300..0).contains(&exponent) { digits / power_of_ten(-exponent) } else { digits * power_of_ten(exponent) }
}

fn power_of_ten(exponent: i32) -> f64 {
    format!("1e{exponent}").parse().unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn steps_are_one_two_or_five() {
        assert_eq!(linear(0.0, 6.7, 8), ((0..=6).map(f64::from).collect(), 1.0));
        assert_eq!(linear(0.0, 20.0, 11), ((0..=10).map(|k| f64::from(k) * 2.0).collect(), 2.0));
        assert_eq!(linear(0.0, 0.3, 4), (vec![0.0, 0.1, 0.2, 0.3], 0.1));
        assert_eq!(linear(-1.0, 1.0, 5), (vec![-1.0, -0.5, 0.0, 0.5, 1.0], 0.5));
        assert_eq!(linear(3.0, 3.0, 5), (vec![3.0], 0.0));
    }

    #[test]
    fn spans_at_the_edge_of_numbers_end() {
        assert!(!linear(0.0, 5e-324, 5).0.is_empty());
        assert!(!linear(-1e300, 1e300, 5).0.is_empty());
        assert!(!linear(1e15, 1e15 + 0.5, 5).0.is_empty());
    }

    #[test]
    fn logarithmic_ticks_suit_the_span() {
        assert_eq!(logarithmic(0.0, 3.0, 5), [1.0, 10.0, 100.0, 1000.0]);
        assert_eq!(logarithmic(0.0, 1.0, 8), [1.0, 2.0, 5.0, 10.0]);
        assert_eq!(logarithmic(-6.0, 12.0, 4), [1e-5, 1.0, 1e5, 1e10]);
        assert!(logarithmic(0.5, 0.55, 5).len() >= 2);
    }

    proptest! {
        #[test]
        fn ticks_rise_inside_the_axis(low in -1e12..1e12f64, span in 1e-3..1e12f64, wanted in 2usize..30) {
            let (ticks, step) = linear(low, low + span, wanted);
            prop_assert!(ticks.len() <= wanted);
            prop_assert!(ticks.windows(2).all(|pair| pair[0] < pair[1]));
            let slack = step * 1e-6;
            prop_assert!(ticks.iter().all(|t| (low - slack..=low + span + slack).contains(t)));
        }

        #[test]
        fn any_logarithmic_axis_ends(low in -320.0..300.0f64, span in 0.0..600.0f64, wanted in 0usize..30) {
            let ticks = logarithmic(low, low + span, wanted);
            prop_assert!(ticks.windows(2).all(|pair| pair[0] < pair[1]));
        }
    }
}
