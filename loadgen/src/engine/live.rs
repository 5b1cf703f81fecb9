//! Counters that can be read while a level runs.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// How far a level has come. Make a new one for each level; a progress bar may read it from any thread, and clones read
/// the same. Its figures are brought up to date before the engine sleeps, not with every request.
#[derive(Debug, Clone, Default)]
pub struct Live(Arc<Counters>);

#[derive(Debug, Default)]
struct Counters {
    started: AtomicU64,
    completed: AtomicU64,
    errors: AtomicU64,
}

impl Live {
    /// Requests that were sent or tried; in an open loop, requests whose time has come.
    pub fn started(&self) -> u64 {
        self.0.started.load(Relaxed)
    }

    /// Requests that ended, rightly or not.
    pub fn completed(&self) -> u64 {
        self.0.completed.load(Relaxed)
    }

    /// Requests that ended in an error of any kind.
    pub fn errors(&self) -> u64 {
        self.0.errors.load(Relaxed)
    }

    pub(super) fn add(&self, started: u64, completed: u64, errors: u64) {
        self.0.started.fetch_add(started, Relaxed);
        self.0.errors.fetch_add(errors, Relaxed);
        self.0.completed.fetch_add(completed, Relaxed);
    }
}
