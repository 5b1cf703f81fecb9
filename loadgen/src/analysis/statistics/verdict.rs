//! Which of several ratios count as a difference.

use serde::Serialize;

use super::{ALPHA, Estimate, Interval, adjusted, levels};

/// What a comparison comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Less throughput, and not by chance.
    Slower,
    /// More throughput, and not by chance.
    Faster,
    /// None that can be told from chance, or none that matters.
    NoDifference,
    /// Fewer than three.
    TooFewTrials,
}

impl Verdict {
    /// In words.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Slower => "slower",
            Self::Faster => "faster",
            Self::NoDifference => "no difference",
            Self::TooFewTrials => "too few trials to say",
        }
    }
}

/// A ratio among those that it was compared with.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Judged {
    /// How many times the base.
    pub ratio: f64,
    /// Corrected for the number compared: it excludes 1 where the difference is not by chance.
    pub interval: Option<Interval>,
    /// Corrected likewise.
    pub p_value: Option<f64>,
    /// In a word.
    pub verdict: Verdict,
}

/// Judges ratios of throughputs together. A difference counts when its interval, corrected for how many are compared,
/// excludes 1, and when it exceeds `threshold`: what is smaller matters to nobody.
pub fn judge(ratios: &[Estimate], threshold: f64) -> Vec<Judged> {
    let p_values: Vec<f64> = ratios.iter().filter_map(Estimate::p_value).collect();
    let mut decisions = levels(&p_values, ALPHA).into_iter().zip(adjusted(&p_values));
    let judged = |ratio: &Estimate| {
        // Those with too few trials are no comparisons, so the others need no correction for them.
        let (level, p_value) = ratio.p_value().and_then(|_| decisions.next()).unzip();
        let interval = level.and_then(|level| ratio.interval(level));
        let value = ratio.value();
        let verdict = match interval {
            None => Verdict::TooFewTrials,
            Some(interval) if interval.contains(1.0) || (value - 1.0).abs() <= threshold => Verdict::NoDifference,
            Some(_) if value < 1.0 => Verdict::Slower,
            Some(_) => Verdict::Faster,
        };
        Judged { ratio: value, interval, p_value, verdict }
    };
    ratios.iter().map(judged).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A ratio around `value` that varies by `spread` over four trials.
    fn ratio(value: f64, spread: f64) -> Estimate {
        let trials = [-spread, spread, -spread, spread].map(|log| value * f64::exp(log));
        Estimate::over_trials(&trials).unwrap()
    }

    fn verdicts(ratios: &[Estimate]) -> Vec<Verdict> {
        judge(ratios, 0.02).iter().map(|judged| judged.verdict).collect()
    }

    #[test]
    fn a_difference_is_certain_and_large_enough() {
        use Verdict::{Faster, NoDifference, Slower, TooFewTrials};
        let few = Estimate::over_trials(&[0.5, 0.5]).unwrap();
        let ratios = [ratio(0.9, 0.01), ratio(1.1, 0.01), ratio(0.985, 0.001), ratio(0.8, 0.5), few];
        assert_eq!(verdicts(&ratios), [Slower, Faster, NoDifference, NoDifference, TooFewTrials]);
        assert_eq!(judge(&[], 0.02), []);
    }

    #[test]
    fn the_more_are_compared_the_more_it_takes() {
        let close = ratio(0.9, 0.045);
        assert_eq!(verdicts(&[close]), [Verdict::Slower]);
        assert_eq!(verdicts(&[close, ratio(1.0, 0.1), ratio(1.0, 0.1)])[0], Verdict::NoDifference);
        // Too few trials are no comparison.
        assert_eq!(verdicts(&[close, Estimate::over_trials(&[1.0]).unwrap()])[0], Verdict::Slower);
    }
}
