//! What the CPUs could have given: ceiling, limit and efficiency (the definitions are in docs/ARCHITECTURE.md).

use std::collections::BTreeSet;

use crate::results::{CeilingSample, Cell, PassResult, Results};

/// A level against the hardware; `None` where the ceiling was not measured or the server is not known.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Limits {
    /// The kernel on all CPUs of the server, no server in the way.
    pub ceiling_rps: Option<f64>,
    /// The most that this level could give: the kernel on min(clients, computing threads, CPUs) CPUs.
    pub limit_rps: Option<f64>,
    /// Throughput against the ceiling, never clamped.
    pub efficiency: Option<f64>,
    /// Throughput against the limit: what is lost to the server itself.
    pub of_limit: Option<f64>,
}

impl Limits {
    /// Of one cell.
    pub fn of(results: &Results, pass: &PassResult, cell: &Cell) -> Self {
        let (Some(cpus), Some(threads)) = (pass.cpus, pass.computing_threads) else { return Self::default() };
        let ceiling_of = |threads| rate_around(&results.ceiling, (cell.size, threads), cell.started_s, cell.ended_s);
        let ceiling_rps = ceiling_of(cpus);
        let limit_rps = ceiling_of(threads.min(cell.concurrency).min(cpus));
        let against = |rate: Option<f64>| Some(cell.throughput_rps? / rate.filter(|&rate| rate > 0.0)?);
        Self { ceiling_rps, limit_rps, efficiency: against(ceiling_rps), of_limit: against(limit_rps) }
    }
}

/// What a ceiling sample is of: the size of the job, where there is one, and how many threads.
pub type Kind = (Option<u32>, u32);

fn of_kind(samples: &[CeilingSample], (size, threads): Kind) -> impl Iterator<Item = &CeilingSample> {
    samples.iter().filter(move |sample| (sample.size, sample.threads) == (size, threads))
}

/// The ceiling around a span of time: the mean of the last sample before it and the first after
/// it, or the one that there is. The speed of a shared machine drifts within minutes, so far samples say little.
pub fn rate_around(samples: &[CeilingSample], kind: Kind, from_s: f64, to_s: f64) -> Option<f64> {
    let right = || of_kind(samples, kind).filter(|sample| sample.rate_rps > 0.0);
    let before = right().filter(|sample| sample.at_s <= from_s).max_by(|a, b| a.at_s.total_cmp(&b.at_s));
    let after = right().filter(|sample| sample.at_s >= to_s).min_by(|a, b| a.at_s.total_cmp(&b.at_s));
    match (before, after) {
        (Some(before), Some(after)) => Some(f64::midpoint(before.rate_rps, after.rate_rps)),
        (one, other) => one.or(other).map(|sample| sample.rate_rps),
    }
}

/// The median ceiling over the run.
pub fn median_rate(samples: &[CeilingSample], kind: Kind) -> Option<f64> {
    let mut rates: Vec<f64> = of_kind(samples, kind).map(|sample| sample.rate_rps).collect();
    rates.sort_by(f64::total_cmp);
    let middle = rates.len() / 2;
    match rates.len() {
        0 => None,
        odd if odd % 2 == 1 => Some(rates[middle]),
        _ => Some(f64::midpoint(rates[middle - 1], rates[middle])),
    }
}

/// What there are samples of, ascending.
pub fn kinds(samples: &[CeilingSample]) -> BTreeSet<Kind> {
    samples.iter().map(|sample| (sample.size, sample.threads)).collect()
}

/// How long a job of this size takes by itself, seconds: by the ceiling of the fewest threads.
pub fn job_s(samples: &[CeilingSample], size: Option<u32>) -> Option<f64> {
    let (_, threads) = kinds(samples).into_iter().find(|&(other, _)| other == size)?;
    Some(f64::from(threads) / median_rate(samples, (size, threads)).filter(|&rate| rate > 0.0)?)
}

/// How far the ceiling moved over the run: (highest - lowest) / median, the largest of any size and number of threads.
pub fn drift(samples: &[CeilingSample]) -> Option<f64> {
    let of = |kind| {
        let rates = || of_kind(samples, kind).map(|sample| sample.rate_rps);
        let (low, high) = (rates().reduce(f64::min)?, rates().reduce(f64::max)?);
        Some((high - low) / median_rate(samples, kind).filter(|&rate| rate > 0.0)?)
    };
    kinds(samples).into_iter().filter_map(of).reduce(f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples() -> Vec<CeilingSample> {
        let sample = |at_s, threads, rate_rps| CeilingSample { at_s, size: None, threads, rate_rps, took_s: 0.5 };
        vec![sample(1.0, 1, 3.0), sample(2.0, 2, 6.0), sample(10.0, 2, 8.0), sample(20.0, 2, 4.0)]
    }

    #[test]
    fn the_nearest_samples_on_both_sides_count() {
        assert_eq!(rate_around(&samples(), (None, 2), 3.0, 9.0), Some(7.0));
        assert_eq!(rate_around(&samples(), (None, 2), 3.0, 11.0), Some(5.0));
        assert_eq!(rate_around(&samples(), (None, 2), 30.0, 40.0), Some(4.0));
        assert_eq!(rate_around(&samples(), (None, 1), 0.0, 0.5), Some(3.0));
        assert_eq!(rate_around(&samples(), (None, 3), 0.0, 0.5), None);
    }

    #[test]
    fn sizes_are_kept_apart() {
        let sample =
            |size, threads, rate_rps| CeilingSample { at_s: 1.0, size: Some(size), threads, rate_rps, took_s: 0.5 };
        let samples = [sample(15, 2, 200.0), sample(15, 1, 100.0), sample(20, 2, 8.0)];
        assert_eq!(rate_around(&samples, (Some(20), 2), 2.0, 3.0), Some(8.0));
        assert_eq!(rate_around(&samples, (None, 2), 2.0, 3.0), None);
        assert_eq!([Some(15), Some(20), Some(30)].map(|size| job_s(&samples, size)), [Some(0.01), Some(0.25), None]);
        assert_eq!(drift(&samples), Some(0.0));
    }

    #[test]
    fn drift_is_relative_to_the_median() {
        assert_eq!(median_rate(&samples(), (None, 2)), Some(6.0));
        assert_eq!(drift(&samples()), Some(4.0 / 6.0));
        assert_eq!(drift(&[]), None);
    }
}
