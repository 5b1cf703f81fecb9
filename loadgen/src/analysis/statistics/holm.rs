//! Holm's step-down correction: of many comparisons of things that do not differ, one at least is declared different
//! with probability alpha at the most, however they depend on each other.

/// Positions by ascending probability.
fn order(p_values: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|&a, &b| p_values[a].total_cmp(&p_values[b]));
    order
}

/// Adjusted probabilities, to be compared with alpha.
pub fn adjusted(p_values: &[f64]) -> Vec<f64> {
    let mut adjusted = vec![1.0; p_values.len()];
    let mut most: f64 = 0.0;
    for (rank, &at) in order(p_values).iter().enumerate() {
        most = most.max(p_values[at] * (p_values.len() - rank) as f64).min(1.0);
        adjusted[at] = most;
    }
    adjusted
}

/// The level at which each is decided: the interval of 1 - level excludes 1 exactly for those whose adjusted
/// probability is below alpha. From the first that is not, all are decided at the same level.
pub fn levels(p_values: &[f64], alpha: f64) -> Vec<f64> {
    let mut levels = vec![alpha; p_values.len()];
    let mut stopped = None;
    for (rank, &at) in order(p_values).iter().enumerate() {
        let level = alpha / (p_values.len() - rank) as f64;
        levels[at] = stopped.unwrap_or(level);
        if p_values[at] >= level {
            stopped = stopped.or(Some(level));
        }
    }
    levels
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The example of the article on the method in Wikipedia, and that of the manuals of R's `p.adjust`.
    #[test]
    fn published_examples() {
        for (p_values, expected) in [
            (&[0.01, 0.04, 0.03, 0.005][..], &[0.03, 0.06, 0.06, 0.02][..]),
            (&[0.01, 0.02, 0.03, 0.04, 0.05], &[0.05, 0.08, 0.09, 0.09, 0.09]),
            (&[0.7], &[0.7]),
            (&[0.6, 0.9], &[1.0, 1.0]),
            (&[], &[]),
        ] {
            let found = adjusted(p_values);
            assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12), "{found:?}, not {expected:?}");
            assert_eq!(found.len(), expected.len());
        }
        assert_eq!(levels(&[0.01, 0.04, 0.03, 0.005], 0.06), [0.06 / 3.0, 0.06 / 2.0, 0.06 / 2.0, 0.06 / 4.0]);
    }

    proptest! {
        #[test]
        fn levels_and_adjusted_probabilities_decide_alike(p_values in prop::collection::vec(0.0f64..0.1, 0..12)) {
            let (adjusted, levels) = (adjusted(&p_values), levels(&p_values, 0.05));
            for ((p, adjusted), level) in p_values.iter().zip(adjusted).zip(levels) {
                prop_assert_eq!(adjusted < 0.05 - 1e-12, *p < level - 1e-12, "{} {} {}", p, adjusted, level);
                prop_assert!(adjusted >= *p && level <= 0.05);
            }
        }
    }
}
