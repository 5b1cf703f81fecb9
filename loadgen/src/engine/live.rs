//! Counters that can be read while a level runs.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use super::Interval;
use super::books::Intervals;

/// How far a level has come. Make a new one for each level; a progress bar may read it from any thread, and clones read
/// the same. Its figures are brought up to date before the engine sleeps, not with every request.
#[derive(Debug, Clone, Default)]
pub struct Live {
    counters: Arc<Counters>,
    intervals: Option<Arc<Intervals>>,
}

#[derive(Debug, Default)]
struct Counters {
    started: AtomicU64,
    completed: AtomicU64,
    errors: AtomicU64,
}

impl Live {
    /// One that is given the response times of each interval of this length, which is not zero.
    pub fn with_intervals(length: Duration) -> Self {
        Self { intervals: Some(Arc::new(Intervals::every(length))), ..Self::default() }
    }

    /// The intervals that have ended since this was last asked, in order; those without a request are among them. After the
    /// level these are all the rest, and together they hold what [`Measured`](super::Measured) does.
    pub fn take_intervals(&self) -> Vec<Interval> {
        self.intervals.as_ref().map(|intervals| intervals.take()).unwrap_or_default()
    }

    pub(super) fn intervals(&self) -> Option<Arc<Intervals>> {
        self.intervals.clone()
    }

    /// Requests that were sent or tried; in an open loop, requests whose time has come.
    pub fn started(&self) -> u64 {
        self.counters.started.load(Relaxed)
    }

    /// Requests that ended, rightly or not.
    pub fn completed(&self) -> u64 {
        self.counters.completed.load(Relaxed)
    }

    /// Requests that ended in an error of any kind.
    pub fn errors(&self) -> u64 {
        self.counters.errors.load(Relaxed)
    }

    pub(super) fn add(&self, started: u64, completed: u64, errors: u64) {
        self.counters.started.fetch_add(started, Relaxed);
        self.counters.errors.fetch_add(errors, Relaxed);
        self.counters.completed.fetch_add(completed, Relaxed);
    }
}
