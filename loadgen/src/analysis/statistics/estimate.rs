//! A mean or a ratio, with what is known of its error.

use serde::Serialize;

use super::{TRIALS_LEAST, student};

/// From and to.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[allow(missing_docs, reason = "the names say it")]
pub struct Interval {
    pub low: f64,
    pub high: f64,
}

impl Interval {
    /// Whether a value lies in it, ends included.
    pub fn contains(&self, value: f64) -> bool {
        (self.low..=self.high).contains(&value)
    }
}

/// A positive figure that was found over trials: a geometric mean, or a ratio of two.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// Its logarithm.
    log: f64,
    /// `None`: too few trials.
    error: Option<Error>,
}

/// Of the logarithm.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Error {
    standard: f64,
    degrees: f64,
}

/// Mean of logarithms, its variance, and of how many.
struct Logs {
    mean: f64,
    /// Of the mean, not of the single values; `None`: too few.
    variance: Option<f64>,
    count: f64,
}

impl Logs {
    /// `None` where there are no values.
    fn of(logs: &[f64]) -> Option<Self> {
        let count = logs.len() as f64;
        let mean = logs.iter().sum::<f64>() / count;
        let variance = logs.iter().map(|log| (log - mean).powi(2)).sum::<f64>() / (count - 1.0) / count;
        (!logs.is_empty()).then_some(Self { mean, variance: (logs.len() >= TRIALS_LEAST).then_some(variance), count })
    }

    fn estimate(&self) -> Estimate {
        let error = |variance: f64| Error { standard: variance.sqrt(), degrees: self.count - 1.0 };
        Estimate { log: self.mean, error: self.variance.map(error) }
    }
}

/// `None` where one of them has no logarithm.
fn logarithms(values: &[f64]) -> Option<Vec<f64>> {
    values.iter().map(|value| Some(value.ln()).filter(|log| log.is_finite())).collect()
}

/// The geometric mean; `None` where there are no values, or one that is not positive.
pub fn geometric_mean(values: &[f64]) -> Option<f64> {
    Some(Logs::of(&logarithms(values)?)?.mean.exp())
}

impl Estimate {
    /// The geometric mean of a figure that each trial gave one of. `None` where there are none, or one that is not
    /// positive.
    pub fn over_trials(values: &[f64]) -> Option<Self> {
        Some(Logs::of(&logarithms(values)?)?.estimate())
    }

    /// How many times `base` the `other` is, where the trials of both were interleaved: the i-th of both share what
    /// the machine did meanwhile. `None` where there are none, not as many, or one that is not positive.
    pub fn paired_ratio(base: &[f64], other: &[f64]) -> Option<Self> {
        if base.len() != other.len() {
            return None;
        }
        let differences: Vec<f64> =
            logarithms(base)?.iter().zip(logarithms(other)?).map(|(base, other)| other - base).collect();
        Some(Logs::of(&differences)?.estimate())
    }

    /// The same for trials that have nothing to do with each other, by Welch: the two may vary differently.
    pub fn unpaired_ratio(base: &[f64], other: &[f64]) -> Option<Self> {
        let (base, other) = (Logs::of(&logarithms(base)?)?, Logs::of(&logarithms(other)?)?);
        let error = base.variance.zip(other.variance).map(|(of_base, of_other)| {
            let variance = of_base + of_other;
            let degrees =
                variance.powi(2) / (of_base.powi(2) / (base.count - 1.0) + of_other.powi(2) / (other.count - 1.0));
            // Neither varies at all: then 0/0.
            let degrees = if degrees.is_finite() { degrees } else { base.count + other.count - 2.0 };
            Error { standard: variance.sqrt(), degrees }
        });
        Some(Self { log: other.mean - base.mean, error })
    }

    /// The figure itself.
    pub fn value(&self) -> f64 {
        self.log.exp()
    }

    /// Where the truth lies, but for a probability of `alpha`; `None` below [`TRIALS_LEAST`] trials.
    pub fn interval(&self, alpha: f64) -> Option<Interval> {
        let Error { standard, degrees } = self.error?;
        // Not 0 times infinity.
        let half = if standard > 0.0 { standard * student::quantile(alpha, degrees) } else { 0.0 };
        Some(Interval { low: (self.log - half).exp(), high: (self.log + half).exp() })
    }

    /// Of a ratio: how probable one so far from 1 is where the truth is 1; `None` below [`TRIALS_LEAST`] trials.
    pub fn p_value(&self) -> Option<f64> {
        let Error { standard, degrees } = self.error?;
        Some(match self.log {
            0.0 => 1.0,
            log => student::two_sided_p(log / standard, degrees),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::ALPHA;
    use super::*;

    fn near(found: f64, expected: f64) {
        assert!((found / expected - 1.0).abs() < 1e-6, "{found}, not {expected}");
    }

    #[test]
    fn the_interval_of_a_mean_by_hand() {
        // Logarithms 1, 2, 3: mean 2, standard error 1/sqrt(3), t 4.302653.
        let values = [1.0, 2.0, 3.0].map(f64::exp);
        let mean = Estimate::over_trials(&values).unwrap();
        near(mean.value(), 2f64.exp());
        let Interval { low, high } = mean.interval(ALPHA).unwrap();
        let half = 4.302_652_73 / 3f64.sqrt();
        near(low, (2.0 - half).exp());
        near(high, (2.0 + half).exp());
    }

    #[test]
    fn fewer_than_three_trials_have_no_interval() {
        for values in [&[5.0][..], &[5.0, 6.0]] {
            let mean = Estimate::over_trials(values).unwrap();
            assert_eq!((mean.interval(ALPHA), mean.p_value()), (None, None));
            assert!(Estimate::unpaired_ratio(values, &[1.0, 2.0, 3.0]).unwrap().interval(ALPHA).is_none());
        }
        assert_eq!(Estimate::over_trials(&[]), None);
    }

    #[test]
    fn what_has_no_logarithm_has_no_estimate() {
        for value in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(Estimate::over_trials(&[1.0, value]), None);
            assert_eq!(Estimate::paired_ratio(&[1.0, 2.0], &[1.0, value]), None);
            assert_eq!(geometric_mean(&[1.0, value]), None);
        }
        assert_eq!(Estimate::paired_ratio(&[1.0, 2.0], &[1.0]), None);
    }

    #[test]
    fn pairs_that_share_their_noise_are_told_apart() {
        let base = [10.0, 20.0, 5.0, 40.0];
        let other = base.map(|value| value * 0.95);
        let paired = Estimate::paired_ratio(&base, &other).unwrap();
        near(paired.value(), 0.95);
        assert!(paired.p_value().unwrap() < 1e-9);
        let unpaired = Estimate::unpaired_ratio(&base, &other).unwrap();
        near(unpaired.value(), 0.95);
        assert!(unpaired.interval(ALPHA).unwrap().contains(1.0));
    }

    #[test]
    fn welch_by_hand() {
        // Logarithms 0, 1, 2 and 0, 3, 6: variances 1 and 9, of the means 1/3 and 3; degrees (10/3)^2 / ((1/9 + 9)/2).
        let exp = |logs: [f64; 3]| logs.map(f64::exp);
        let ratio = Estimate::unpaired_ratio(&exp([0.0, 1.0, 2.0]), &exp([0.0, 3.0, 6.0])).unwrap();
        near(ratio.value(), 2f64.exp());
        let error = ratio.error.unwrap();
        near(error.standard, (10f64 / 3.0).sqrt());
        near(error.degrees, (100.0 / 9.0) / ((1.0 / 9.0 + 9.0) / 2.0));
        near(ratio.p_value().unwrap(), student::two_sided_p(2.0 / (10f64 / 3.0).sqrt(), error.degrees));
    }

    #[test]
    fn without_any_spread_equal_is_equal_and_different_is_different() {
        let same = Estimate::unpaired_ratio(&[2.0; 3], &[2.0; 3]).unwrap();
        assert_eq!((same.p_value(), same.interval(0.0)), (Some(1.0), Some(Interval { low: 1.0, high: 1.0 })));
        let different = Estimate::unpaired_ratio(&[2.0; 3], &[4.0; 3]).unwrap();
        assert_eq!(different.p_value(), Some(0.0));
        assert!(!different.interval(ALPHA).unwrap().contains(1.0));
    }
}
