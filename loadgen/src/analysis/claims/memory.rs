//! Whether memory grows with the requests.

use crate::analysis::statistics::{ALPHA, TRIALS_LEAST, student};
use crate::analysis::trials::Group;
use crate::format::three_digits;
use crate::results::{Cell, Judgement, Over, Spread};
use crate::scenario::claim::Bound;

use super::cells::Measured;
use super::{Found, words};

/// Of the second half of a level; fewer say nothing.
const SAMPLES_LEAST: usize = 10;
/// More are thinned out: every pair of them is looked at.
const SAMPLES_MOST: usize = 200;

/// Bytes for each request, against what is claimed.
pub fn slope(measured: &Measured, group: &Group, bound: Bound) -> Result<Found, String> {
    let of = |cell: &Cell| bytes_per_request(cell);
    let slopes: Option<Vec<f64>> = group.trials.iter().map(|(_, cell)| of(cell)).collect();
    let slopes = slopes.ok_or_else(|| {
        format!("{} has too few samples of its memory: the level must last some seconds", measured.label(group))
    })?;
    let mean = slopes.iter().sum::<f64>() / slopes.len() as f64;
    let interval = interval_of_mean(&slopes);
    let judge = |slope: f64| match bound {
        Bound::AtLeast(least) if slope >= least => Judgement::Reproduced,
        Bound::AtLeast(least) if slope > 0.0 && slope >= least / 10.0 => Judgement::DirectionOnly,
        Bound::AtMost(most) if slope <= most => Judgement::Reproduced,
        _ => Judgement::Contradicted,
    };
    let judgement = judge(mean);
    let (told, claimed) = match bound {
        Bound::AtLeast(least) => ("at least", least),
        Bound::AtMost(most) => ("at most", most),
    };
    let sentence = format!(
        "In the second half of the level the memory of {} grew by {} bytes with each request ({}); claimed were {told} {}.{}",
        measured.label(group),
        signed(mean),
        words::interval(interval),
        signed(claimed),
        words::doubt(judgement, interval, judge)
    );
    Ok(Found { judgement, measured: mean, claimed: Some(claimed), interval, sentence })
}

fn signed(value: f64) -> String {
    if value < 0.0 { format!("-{}", three_digits(-value)) } else { three_digits(value) }
}

/// The slope of the samples of the second half, by Theil and Sen (the median over all pairs, so that a single jump is
/// no slope), for each request.
fn bytes_per_request(cell: &Cell) -> Option<f64> {
    let (first, last) = (cell.samples.first()?.at.as_secs_f64(), cell.samples.last()?.at.as_secs_f64());
    let half = f64::midpoint(first, last);
    let points: Vec<(f64, f64)> = cell
        .samples
        .iter()
        .map(|sample| (sample.at.as_secs_f64(), sample.rss_bytes as f64))
        .filter(|point| point.0 >= half)
        .collect();
    if points.len() < SAMPLES_LEAST {
        return None;
    }
    let points: Vec<_> = points.iter().step_by(points.len().div_ceil(SAMPLES_MOST)).collect();
    let pairs = points.iter().enumerate().flat_map(|(index, a)| points[..index].iter().map(move |b| (a, b)));
    let mut slopes: Vec<f64> = pairs.filter(|(a, b)| a.0 > b.0).map(|(a, b)| (a.1 - b.1) / (a.0 - b.0)).collect();
    slopes.sort_by(f64::total_cmp);
    let bytes_per_s = slopes.get(slopes.len() / 2)?;
    let rate = cell.requests as f64 / cell.elapsed_s.filter(|&elapsed| elapsed > 0.0)?;
    (rate > 0.0).then_some(bytes_per_s / rate)
}

/// Student's interval of a mean that may be 0 or less; `None` below three trials.
pub fn interval_of_mean(values: &[f64]) -> Option<Spread> {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (count - 1.0) / count;
    let half = if variance > 0.0 { variance.sqrt() * student::quantile(ALPHA, count - 1.0) } else { 0.0 };
    (values.len() >= TRIALS_LEAST).then_some(Spread { low: mean - half, high: mean + half, over: Over::Trials })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::results::Sample;

    /// A level of 10 s with 1,000 requests and a sample every 0.1 s.
    fn level(rss: impl Fn(f64) -> f64) -> Cell {
        let sample = |step: u32| {
            let at = f64::from(step) / 10.0;
            Sample {
                at: Duration::from_secs_f64(at),
                cpu_s: at,
                rss_bytes: rss(at) as u64,
                threads: 1,
                processes: 1,
                voluntary_switches: None,
                involuntary_switches: None,
            }
        };
        Cell { samples: (0..=100).map(sample).collect(), requests: 1000, elapsed_s: Some(10.0), ..Cell::default() }
    }

    #[test]
    fn growth_counts_and_jumps_and_the_beginning_do_not() {
        let slope = |rss: fn(f64) -> f64| bytes_per_request(&level(rss)).unwrap();
        assert!((slope(|at| 1e6 + 5e4 * at) - 500.0).abs() < 1.0);
        assert!(slope(|at| 1e6 + 1e5 * at.min(4.0)).abs() < 1.0);
        assert!(slope(|at| if at < 9.0 { 1e6 } else { 3e6 }).abs() < 1.0);
        assert!((slope(|at| 9e6 - 1e4 * at) + 100.0).abs() < 1.0);
    }

    #[test]
    fn a_short_level_has_no_slope() {
        let mut short = level(|_| 1e6);
        short.samples.truncate(12);
        assert_eq!(bytes_per_request(&short), None);
        assert_eq!(bytes_per_request(&Cell::default()), None);
    }

    #[test]
    fn intervals_of_means_may_hold_zero() {
        assert_eq!(interval_of_mean(&[1.0, 2.0]), None);
        let Spread { low, high, .. } = interval_of_mean(&[-1.0, 0.0, 1.0]).unwrap();
        // 4.302653 / sqrt(3).
        assert!((high - 2.484_1).abs() < 1e-3 && (low + high).abs() < 1e-9);
        assert_eq!(interval_of_mean(&[1.0; 3]).map(|spread| (spread.low, spread.high)), Some((1.0, 1.0)));
    }
}
