//! Who sends a level, and from when to when: the same for every transport.

use std::ops::Range;

use super::clock::{Ns, ns};
use super::{Load, Pace};

/// The clients of a level, the threads that they are dealt out to, and their time on the level's clock.
#[derive(Debug, Clone, Copy)]
pub(super) struct Crew {
    /// Of all threads together.
    pub(super) clients: usize,
    pub(super) threads: usize,
    /// When the first request is due.
    pub(super) begins: Ns,
    /// From when on no requests are begun.
    pub(super) ends: Ns,
    /// Until when those under way are waited for.
    pub(super) over: Ns,
}

impl Crew {
    /// `open_loop_begins`: how long after the clock an open loop begins, so that its threads are ready.
    pub(super) fn new(load: &Load, open_loop_begins: Ns) -> Self {
        // More clients than requests, or more threads than clients, would have nothing to do.
        let clients = load.clients.min(usize::try_from(load.requests).unwrap_or(usize::MAX));
        let begins = if load.pace == Pace::Closed { 0 } else { open_loop_begins };
        let ends = load.duration.map_or(Ns::MAX, |duration| begins.saturating_add(ns(duration)));
        let over = ends.saturating_add(ns(load.drain));
        Self { clients, threads: load.threads.min(clients).max(1), begins, ends, over }
    }

    /// The clients of a thread, by their numbers.
    pub(super) fn share(&self, thread: usize) -> Range<usize> {
        thread * self.clients / self.threads..(thread + 1) * self.clients / self.threads
    }
}
