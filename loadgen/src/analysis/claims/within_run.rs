//! How sure a figure of a single run is, by how much it varied over the run: batch means. Response times of one moment
//! hang together (whoever waits in the same queue waits as long), so they are no independent samples. Whole batches of
//! one answer for each client and more hardly do.

use crate::results::{Cell, Outcome, Timed};
use crate::scenario::Metric;

/// Fewer batches say nothing.
const BATCHES_LEAST: usize = 4;
/// More are not needed, and would be smaller.
const BATCHES_MOST: usize = 10;

/// Of the logarithm of a figure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Error {
    pub variance: f64,
    /// Of freedom.
    pub degrees: f64,
}

/// Of a rate or a mean time of one level; `None` for other figures, and where single times were not kept or are too few.
pub fn error(cell: &Cell, metric: Metric) -> Option<Error> {
    let any = matches!(metric, Metric::RepliesRps | Metric::RepliesMeanMs);
    let counts = |time: &&Timed| match time.outcome {
        Outcome::Ok => true,
        Outcome::Wrong | Outcome::Shed => any,
        Outcome::TimedOut | Outcome::Failed => false,
    };
    let times = cell.times.as_ref()?;
    // A mean has time-outs in it, of which nobody knows how long they would have taken.
    if metric.is_mean_time() && times.iter().any(|time| time.outcome == Outcome::TimedOut) {
        return None;
    }
    let mut ends: Vec<(u64, u64)> = times
        .iter()
        .filter(counts)
        .map(|time| (time.start_us.saturating_add(time.duration_us), time.duration_us))
        .collect();
    ends.sort_unstable();
    let size = ends.len().div_ceil(BATCHES_MOST).max(cell.concurrency as usize).max(1);
    let batches = ends.chunks_exact(size);
    let logs: Vec<f64> = if metric.is_rate() {
        let mut before = 0;
        let mut span = |batch: &[(u64, u64)]| {
            let end = batch.last().map_or(before, |last| last.0);
            let span = end.saturating_sub(std::mem::replace(&mut before, end));
            (span as f64).ln()
        };
        batches.map(&mut span).collect()
    } else if metric.is_mean_time() {
        batches.map(|batch| (batch.iter().map(|time| time.1 as f64).sum::<f64>() / batch.len() as f64).ln()).collect()
    } else {
        return None;
    };
    let count = logs.len() as f64;
    let mean = logs.iter().sum::<f64>() / count;
    let variance = logs.iter().map(|log| (log - mean).powi(2)).sum::<f64>() / (count - 1.0) / count;
    (logs.len() >= BATCHES_LEAST && variance.is_finite()).then_some(Error { variance, degrees: count - 1.0 })
}

/// Of a sum of independent logarithms, each `weight` times (Welch and Satterthwaite).
pub fn sum(parts: &[(f64, Error)]) -> Option<Error> {
    let of = |&(weight, error): &(f64, Error)| (weight * weight * error.variance, error.degrees);
    let variance: f64 = parts.iter().map(|part| of(part).0).sum();
    let below: f64 = parts.iter().map(|part| of(part).0.powi(2) / of(part).1).sum();
    let all: f64 = parts.iter().map(|part| part.1.degrees).sum();
    let degrees = variance.powi(2) / below;
    (!parts.is_empty()).then_some(Error { variance, degrees: if degrees.is_finite() { degrees } else { all } })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::statistics::{ALPHA, student};

    /// A level of `clients` that share one queue of one thread, whose jobs take about `mean_us`, varying by `spread`.
    fn queue(random: &mut fastrand::Rng, clients: u32, requests: usize, spread: f64) -> Cell {
        let (mut now, mut times) = (0.0, Vec::new());
        let mut sent = vec![0.0; clients as usize];
        for number in 0..requests {
            now += 1000.0 * (spread * (random.f64() * 2.0 - 1.0)).exp();
            let client = number % clients as usize;
            let start = std::mem::replace(&mut sent[client], now);
            times.push(Timed {
                start_us: start as u64,
                duration_us: (now - start) as u64,
                outcome: Outcome::Ok,
                client,
            });
        }
        let elapsed = now / 1e6;
        let mean = times.iter().map(|time| time.duration_us as f64).sum::<f64>() / requests as f64 / 1000.0;
        let mut cell = Cell { concurrency: clients, elapsed_s: Some(elapsed), ..Cell::default() };
        cell.throughput_rps = Some(requests as f64 / elapsed);
        cell.latency_ms.mean = Some(mean);
        cell.times = Some(times);
        cell
    }

    #[test]
    fn intervals_of_a_simulated_queue_hold_the_truth_about_as_often_as_they_say() {
        let mut random = fastrand::Rng::with_seed(5);
        let spread: f64 = 0.3;
        // The mean of exp(spread * u), u even in -1 to 1.
        let truth = 1000.0 / (spread.sinh() / spread);
        for (clients, requests) in [(1, 40), (10, 100), (20, 80)] {
            let mut held = 0;
            for _ in 0..400 {
                let cell = queue(&mut random, clients, requests, spread);
                let Error { variance, degrees } = error(&cell, Metric::ThroughputRps).unwrap();
                let half = student::quantile(ALPHA, degrees) * variance.sqrt();
                held += usize::from((cell.throughput_rps.unwrap() / truth).ln().abs() <= half);
            }
            assert!((368..=396).contains(&held), "{clients} clients: {held} of 400");
        }
    }

    #[test]
    fn a_few_answers_of_many_clients_have_none() {
        let mut random = fastrand::Rng::with_seed(5);
        let cell = queue(&mut random, 20, 79, 0.1);
        assert_eq!(error(&cell, Metric::ThroughputRps), None);
        let mut cell = queue(&mut random, 20, 80, 0.1);
        assert!(error(&cell, Metric::MeanMs).is_some());
        assert_eq!(error(&cell, Metric::P50Ms), None);
        cell.times.as_mut().unwrap()[0].outcome = Outcome::Wrong;
        assert_eq!((error(&cell, Metric::SteadyRps), error(&cell, Metric::RepliesRps).is_some()), (None, true));
        assert_eq!(error(&Cell { times: None, ..cell }, Metric::RepliesRps), None);
    }

    #[test]
    fn errors_add_up() {
        let error = |variance, degrees| Error { variance, degrees };
        assert_eq!(sum(&[(1.0, error(2.0, 3.0)), (-1.0, error(2.0, 3.0))]), Some(error(4.0, 6.0)));
        assert_eq!(sum(&[(1.0, error(0.0, 3.0)), (1.0, error(0.0, 4.0))]), Some(error(0.0, 7.0)));
        assert_eq!(sum(&[]), None);
    }
}
