//! Response times that are handed over while a level runs, interval by interval.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::super::clock::{Ns, ns};
use super::{Latencies, Outcomes};

/// Response times of the requests that ended in one interval of a level.
#[derive(Debug, Clone, Default)]
pub struct Interval {
    /// When it began, since the level did.
    pub start: Duration,
    /// How long it was; the last one of a level ends with it.
    pub length: Duration,
    /// By outcome.
    pub outcomes: Outcomes,
    /// Right answers from when they were sent; open loop only.
    pub service: Latencies,
}

/// Where the threads of a level bring the intervals that they have been through.
#[derive(Debug)]
pub(in super::super) struct Intervals {
    length: Ns,
    shared: Mutex<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    /// By number; of threads that have been through them.
    begun: BTreeMap<u64, Interval>,
    /// How many intervals each thread has been through.
    passed: Vec<u64>,
}

impl Intervals {
    /// # Panics
    /// They are of no length.
    pub(in super::super) fn every(length: Duration) -> Self {
        assert!(!length.is_zero(), "intervals have a length");
        Self { length: ns(length), shared: Mutex::default() }
    }

    /// Those that all threads have been through, in order; each is given once.
    pub(in super::super) fn take(&self) -> Vec<Interval> {
        let mut shared = self.shared();
        let complete = shared.passed.iter().min().copied().unwrap_or(0);
        let later = shared.begun.split_off(&complete);
        std::mem::replace(&mut shared.begun, later).into_values().collect()
    }

    fn shared(&self) -> MutexGuard<'_, Shared> {
        // A thread that panicked has left no interval half done.
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The intervals of one of the threads.
#[derive(Debug)]
pub(super) struct Share {
    all: Arc<Intervals>,
    thread: usize,
    number: u64,
}

impl Share {
    /// Of the `thread`-th of `threads`.
    pub(super) fn new(all: Arc<Intervals>, thread: usize, threads: usize) -> Self {
        all.shared().passed.resize(threads, 0);
        Self { all, thread, number: 0 }
    }

    /// When the present interval is over.
    pub(super) fn ends(&self) -> Ns {
        (self.number + 1).saturating_mul(self.all.length)
    }

    /// The present interval is over with this.
    pub(super) fn pass(&mut self, outcomes: &Outcomes, service: &Latencies) {
        self.bring(self.all.length, outcomes, service);
        self.number += 1;
        self.all.shared().passed[self.thread] = self.number;
    }

    /// The level is over, at `end`, and with it the last interval, unless it has hardly begun and nothing ended in it.
    pub(super) fn close(&mut self, end: Ns, outcomes: &Outcomes, service: &Latencies) {
        if !outcomes.is_empty() {
            self.bring(end.saturating_sub(self.number.saturating_mul(self.all.length)), outcomes, service);
        }
        self.all.shared().passed[self.thread] = u64::MAX;
    }

    fn bring(&self, length: Ns, outcomes: &Outcomes, service: &Latencies) {
        let mut shared = self.all.shared();
        let interval = shared.begun.entry(self.number).or_default();
        interval.start = Duration::from_nanos(self.number.saturating_mul(self.all.length));
        interval.length = interval.length.max(Duration::from_nanos(length));
        interval.outcomes.merge(outcomes);
        interval.service.merge(service);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcomes(ns: &[u64]) -> Outcomes {
        let mut outcomes = Outcomes::default();
        ns.iter().for_each(|&ns| outcomes.ok.record_ns(ns));
        outcomes
    }

    #[test]
    fn an_interval_is_given_when_all_threads_are_through_with_it() {
        let (all, none) = (Arc::new(Intervals::every(Duration::from_nanos(10))), Latencies::new());
        assert_eq!(all.take().len(), 0);
        let (mut one, mut two) = (Share::new(Arc::clone(&all), 0, 2), Share::new(Arc::clone(&all), 1, 2));
        assert_eq!((one.ends(), two.ends()), (10, 10));
        one.pass(&outcomes(&[1, 2]), &none);
        one.pass(&outcomes(&[3]), &none);
        assert_eq!((one.ends(), all.take().len()), (30, 0));
        two.pass(&outcomes(&[4]), &none);
        let [first] = all.take().try_into().unwrap();
        assert_eq!(
            (first.start, first.length, first.outcomes.ok.count()),
            (Duration::ZERO, Duration::from_nanos(10), 3)
        );
        // One ends early, the other in the middle of its third interval.
        one.close(22, &outcomes(&[]), &none);
        two.pass(&outcomes(&[]), &none);
        two.close(25, &outcomes(&[5, 6]), &none);
        let [second, third] = all.take().try_into().unwrap();
        assert_eq!((second.start, second.outcomes.ok.count()), (Duration::from_nanos(10), 1));
        assert_eq!((third.start, third.length), (Duration::from_nanos(20), Duration::from_nanos(5)));
        assert_eq!((third.outcomes.ok.count(), all.take().len()), (2, 0));
    }
}
