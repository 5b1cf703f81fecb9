//! One clock for all threads of a level.

use std::time::{Duration, Instant};

/// Nanoseconds since a level began.
pub(super) type Ns = u64;

/// Tells the time since a level began; monotonic.
#[derive(Debug, Clone, Copy)]
pub(super) struct Clock(Instant);

impl Clock {
    pub(super) fn start() -> Self {
        Self(Instant::now())
    }

    pub(super) fn now(self) -> Ns {
        ns(self.0.elapsed())
    }
}

/// A duration on the clock; what no clock reaches is its end.
pub(super) fn ns(duration: Duration) -> Ns {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}
