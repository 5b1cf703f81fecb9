//! Requests in flight, counted by themselves and not from response times, so that Little's law checks something.

use super::super::clock::Ns;

/// How many requests are in flight, integrated over time.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct InFlight {
    pub(super) count: u64,
    since: Ns,
    area_ns: u128,
}

impl InFlight {
    /// One more since `at`, which becomes known at `now`.
    pub(super) fn start(&mut self, at: Ns, now: Ns) {
        self.advance(now);
        self.area_ns += u128::from(now.saturating_sub(at));
        self.count += 1;
    }

    /// One less.
    pub(super) fn end(&mut self, at: Ns) {
        self.advance(at);
        self.count = self.count.saturating_sub(1);
    }

    /// The integral from the beginning to `at`, in request-nanoseconds.
    pub(super) fn area_at(&self, at: Ns) -> u128 {
        self.area_ns + u128::from(at.saturating_sub(self.since)) * u128::from(self.count)
    }

    fn advance(&mut self, to: Ns) {
        if to > self.since {
            self.area_ns = self.area_at(to);
            self.since = to;
        }
    }
}
