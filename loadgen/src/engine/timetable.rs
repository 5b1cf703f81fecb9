//! When the requests of an open loop are due.

use super::clock::Ns;
use super::{Arrivals, Pace};

/// The requests of one of several threads, in order. It is known beforehand to the end, so a request that waits needs no
/// memory: a copy of the timetable that lags behind tells what is waiting.
#[derive(Debug, Clone)]
pub(super) struct Timetable {
    gap: Gap,
    /// Of all threads together.
    ns_per_request: f64,
    thread: u64,
    threads: u64,
    begins: Ns,
    /// Requests before the next one, of this thread.
    before: u64,
    /// When the next one is due, after `begins`.
    next: f64,
    /// Numbers from here on do not exist.
    requests: u64,
    /// Nor do requests that would be due from here on.
    ends: Ns,
}

#[derive(Debug, Clone)]
enum Gap {
    Constant,
    Exponential(fastrand::Rng),
}

impl Timetable {
    /// Of the `thread`-th of `threads`, which take turns. Nothing for a closed loop.
    pub(super) fn new(pace: Pace, (thread, threads): (u64, u64), requests: u64, begins: Ns, ends: Ns) -> Option<Self> {
        let Pace::Open { rate, arrivals, seed } = pace else { return None };
        let gap = match arrivals {
            Arrivals::Constant => Gap::Constant,
            // Several Poisson processes are one together.
            Arrivals::Poisson => Gap::Exponential(fastrand::Rng::with_seed(seed ^ (thread << 48))),
        };
        let ns_per_request = 1e9 / rate;
        let mut timetable = Self { gap, ns_per_request, thread, threads, begins, before: 0, next: 0.0, requests, ends };
        timetable.next = timetable.after(0.0);
        Some(timetable)
    }

    /// When the next request is due; nothing when there are no more.
    pub(super) fn next_due(&self) -> Option<Ns> {
        // A float that is too large, or no number, becomes the end of all clocks or its beginning: never undefined.
        let due = self.begins.saturating_add(self.next as u64);
        (self.number() < self.requests && due < self.ends).then_some(due)
    }

    /// Takes the next request, if it is due by `now`: its number, and when it was due.
    pub(super) fn take(&mut self, now: Ns) -> Option<(u64, Ns)> {
        let due = self.next_due().filter(|&due| due <= now)?;
        let number = self.number();
        self.before += 1;
        self.next = self.after(self.next);
        Some((number, due))
    }

    fn number(&self) -> u64 {
        self.before.saturating_mul(self.threads).saturating_add(self.thread)
    }

    fn after(&mut self, last: f64) -> f64 {
        match &mut self.gap {
            // From the number, not from the last one: no error adds up.
            Gap::Constant => (self.before * self.threads + self.thread) as f64 * self.ns_per_request,
            Gap::Exponential(random) => last - (1.0 - random.f64()).ln() * self.ns_per_request * self.threads as f64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(pace: Pace, threads: u64, requests: u64, ends: Ns) -> Vec<(u64, Ns)> {
        let mut all = Vec::new();
        for thread in 0..threads {
            let mut timetable = Timetable::new(pace, (thread, threads), requests, 1000, ends).unwrap();
            while let Some(taken) = timetable.take(u64::MAX) {
                all.push(taken);
            }
        }
        all.sort_unstable_by_key(|&(_, due)| due);
        all
    }

    #[test]
    fn constant_arrivals_are_evenly_spread_over_all_threads_without_drift() {
        let pace = Pace::Open { rate: 3.0, arrivals: Arrivals::Constant, seed: 0 };
        for threads in [1, 3, 4] {
            let due = all(pace, threads, 3_000_001, u64::MAX);
            assert_eq!(due.len(), 3_000_001);
            assert_eq!((due[0], due[3_000_000]), ((0, 1000), (3_000_000, 1_000_000_000_000_000 + 1000)));
            assert!(due.iter().zip(0..).all(|(&(number, _), expected)| number == expected));
        }
        assert_eq!(all(pace, 2, u64::MAX, 1_000_001_000), [(0, 1000), (1, 333_334_333), (2, 666_667_666)]);
        assert!(Timetable::new(Pace::Closed, (0, 1), 10, 0, 10).is_none());
    }

    #[test]
    fn poisson_arrivals_are_as_many_as_asked_and_vary_as_much_as_they_should() {
        for threads in [1, 2] {
            let pace = Pace::Open { rate: 1000.0, arrivals: Arrivals::Poisson, seed: 7 };
            let due = all(pace, threads, 100_000, u64::MAX);
            let gaps: Vec<f64> = due.windows(2).map(|pair| (pair[1].1 - pair[0].1) as f64).collect();
            let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
            let variance = gaps.iter().map(|gap| (gap - mean).powi(2)).sum::<f64>() / gaps.len() as f64;
            assert!((mean / 1e6 - 1.0).abs() < 0.02, "{mean}");
            // The deviation of an exponential distribution is its mean.
            assert!((variance.sqrt() / mean - 1.0).abs() < 0.02, "{variance}");
            assert_eq!(due, all(pace, threads, 100_000, u64::MAX));
        }
    }

    #[test]
    fn what_is_not_due_is_not_taken() {
        let pace = Pace::Open { rate: 1e9, arrivals: Arrivals::Constant, seed: 0 };
        let mut timetable = Timetable::new(pace, (0, 1), 2, 5, 100).unwrap();
        assert_eq!((timetable.take(4), timetable.take(5), timetable.take(5)), (None, Some((0, 5)), None));
        assert_eq!((timetable.next_due(), timetable.take(9), timetable.next_due()), (Some(6), Some((1, 6)), None));
    }
}
