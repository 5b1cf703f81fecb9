//! The CPU time of the calling thread.

use std::time::Duration;

use nix::time::{ClockId, clock_gettime};

/// CPU time that the calling thread has used, in user and kernel mode; zero where the system cannot tell.
pub(crate) fn thread_cpu_time() -> Duration {
    clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).map_or(Duration::ZERO, Duration::from)
}
