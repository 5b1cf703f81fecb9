//! Student's t distribution, for any positive number of degrees of freedom (Welch's are seldom whole).

use std::f64::consts::PI;

/// The probability of a value at least as far from 0 as `t`, on either side.
pub fn two_sided_p(t: f64, degrees: f64) -> f64 {
    let t = t.abs();
    if t.is_infinite() {
        return 0.0;
    }
    // Of the two forms, the one whose argument is not next to 1, where digits are lost.
    let square = t * t;
    if square < degrees {
        1.0 - regularised_beta(0.5, degrees / 2.0, square / (degrees + square))
    } else {
        regularised_beta(degrees / 2.0, 0.5, degrees / (degrees + square))
    }
}

/// The `t` that is exceeded, on either side, with probability `alpha`: `quantile(0.05, 2.0)` is 4.303. Infinite for
/// an `alpha` of 0 or less, 0 for one of 1 or more.
pub fn quantile(alpha: f64, degrees: f64) -> f64 {
    if alpha <= 0.0 {
        return f64::INFINITY;
    }
    // The probability falls and is convex from 0 on, so that Newton's steps come ever closer from the left.
    let mut t = 0.0;
    for _ in 0..200 {
        let step = (two_sided_p(t, degrees) - alpha) / (2.0 * density(t, degrees));
        t += step.max(0.0);
        if step <= t * 1e-14 {
            break;
        }
    }
    t
}

fn density(t: f64, degrees: f64) -> f64 {
    let scale = libm::lgamma((degrees + 1.0) / 2.0) - libm::lgamma(degrees / 2.0);
    (scale - (degrees + 1.0) / 2.0 * (t * t / degrees).ln_1p()).exp() / (degrees * PI).sqrt()
}

/// The regularised incomplete beta function I_x(a, b), by its continued fraction (DLMF 8.17.22).
fn regularised_beta(a: f64, b: f64, x: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    // The fraction converges quickly below the mean only; above it, by symmetry.
    if x > (a + 1.0) / (a + b + 2.0) {
        return 1.0 - regularised_beta(b, a, 1.0 - x);
    }
    let scale = libm::lgamma(a + b) - libm::lgamma(a) - libm::lgamma(b);
    (scale + a * x.ln() + b * (-x).ln_1p()).exp() / a / continued_fraction(a, b, x)
}

/// 1 + d1/(1 + d2/(1 + …)) by Lentz's method.
fn continued_fraction(a: f64, b: f64, x: f64) -> f64 {
    /// Stands for 0, by which it would divide.
    const TINY: f64 = 1e-300;
    let not_zero = |value: f64| if value.abs() < TINY { TINY } else { value };
    let coefficient = |step: u32| {
        let m = f64::from(step / 2);
        if step.is_multiple_of(2) {
            m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m))
        } else {
            -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0))
        }
    };
    let (mut fraction, mut numerator, mut denominator) = (1.0, 1.0, 0.0);
    for step in 1..10_000 {
        let d = coefficient(step);
        denominator = 1.0 / not_zero(1.0 + d * denominator);
        numerator = not_zero(1.0 + d / numerator);
        let change = numerator * denominator;
        fraction *= change;
        if (change - 1.0).abs() < 1e-15 {
            break;
        }
    }
    fraction
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The tables that every textbook has, to the three digits that they have.
    #[test]
    fn quantiles_are_those_of_the_tables() {
        let columns = [0.10, 0.05, 0.02, 0.01, 0.001];
        for (degrees, row) in [
            (1.0, [6.314, 12.706, 31.821, 63.657, 636.619]),
            (2.0, [2.920, 4.303, 6.965, 9.925, 31.599]),
            (3.0, [2.353, 3.182, 4.541, 5.841, 12.924]),
            (4.0, [2.132, 2.776, 3.747, 4.604, 8.610]),
            (5.0, [2.015, 2.571, 3.365, 4.032, 6.869]),
            (9.0, [1.833, 2.262, 2.821, 3.250, 4.781]),
            (10.0, [1.812, 2.228, 2.764, 3.169, 4.587]),
            (30.0, [1.697, 2.042, 2.457, 2.750, 3.646]),
            (120.0, [1.658, 1.980, 2.358, 2.617, 3.373]),
            // The normal distribution.
            (1e9, [1.645, 1.960, 2.326, 2.576, 3.291]),
        ] {
            for (alpha, expected) in columns.into_iter().zip(row) {
                let found = quantile(alpha, degrees);
                assert!((found - expected).abs() <= 0.000_501, "{alpha} at {degrees}: {found}, not {expected}");
            }
        }
    }

    #[test]
    fn ends_are_ends() {
        assert_eq!((two_sided_p(0.0, 4.0), two_sided_p(f64::INFINITY, 4.0)), (1.0, 0.0));
        assert_eq!((quantile(1.0, 4.0), quantile(0.0, 4.0)), (0.0, f64::INFINITY));
    }

    proptest! {
        /// With one, two and four degrees of freedom there are closed forms.
        #[test]
        fn closed_forms_agree(t in 0.0f64..1000.0) {
            let one = 1.0 - 2.0 / PI * t.atan();
            let two = 1.0 - t / (2.0 + t * t).sqrt();
            let sine = t / (4.0 + t * t).sqrt();
            let four = 1.0 - sine * (1.0 + (1.0 - sine * sine) / 2.0);
            for (degrees, expected) in [(1.0, one), (2.0, two), (4.0, four)] {
                prop_assert!((two_sided_p(t, degrees) - expected).abs() < 1e-12, "{degrees}");
            }
        }

        #[test]
        fn quantile_and_probability_are_inverse(alpha in 1e-6f64..0.999, degrees in 1.0f64..300.0) {
            let back = two_sided_p(quantile(alpha, degrees), degrees);
            prop_assert!((back / alpha - 1.0).abs() < 1e-9, "{back}");
        }
    }
}
