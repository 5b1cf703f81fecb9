//! How well the schedule of an open loop was kept.

use std::time::Duration;

use super::histogram::Latencies;
use super::measured::rate;

/// How well an open loop kept its schedule.
#[derive(Debug, Clone)]
pub struct Schedule {
    /// Requests per second that were asked for.
    pub asked_rps: f64,
    /// Requests whose time came while the level ran.
    pub due: u64,
    /// The time between the first and the last of those that were sent, by the schedule.
    pub due_time: Duration,
    /// Requests that were sent, or for which a connection was tried.
    pub sent: u64,
    /// The time between the first and the last of them, as they were sent.
    pub sent_time: Duration,
    /// Requests that found all connections in use, and waited, whether or not they were ever sent.
    pub waited: u64,
    /// How late the requests that did not wait were sent: the delay is this generator's own.
    pub lateness: Latencies,
    /// Of right answers: from sending (or connecting, where a new connection was needed) to the last byte. The response
    /// times in [`Outcomes`](super::Outcomes) count from the schedule.
    pub service: Latencies,
}

/// Why a schedule was not kept.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Shortfall {
    /// This generator sent too late: the load was less regular, or less, than it says.
    Late {
        /// On average, without requests that waited for a connection.
        mean: Duration,
        /// At most.
        max: Duration,
    },
    /// All connections were in use when requests should have been sent.
    NoFreeConnection {
        /// Requests that waited.
        waited: u64,
    },
}

impl Schedule {
    /// For `Late`: a mean lateness up to which any schedule counts as kept.
    pub const LATENESS_ALLOWED: Duration = Duration::from_micros(100);
    /// For `Late`: the part of the gap between two requests that is allowed where that is more. How long an idle machine
    /// takes to wake does not depend on the rate, so that a fixed bound would find every low rate too high.
    pub const GAP_ALLOWED: f64 = 0.1;

    /// Of a level that has not begun.
    pub(crate) fn new(asked_rps: f64) -> Self {
        Self {
            asked_rps,
            due: 0,
            due_time: Duration::ZERO,
            sent: 0,
            sent_time: Duration::ZERO,
            waited: 0,
            lateness: Latencies::new(),
            service: Latencies::new(),
        }
    }

    /// Requests per second as they were sent. With Poisson arrivals it differs from what was asked for by chance.
    pub fn sent_rps(&self) -> Option<f64> {
        rate(self.sent.checked_sub(1)?, self.sent_time)
    }

    /// Requests per second of the same requests as they should have been sent.
    pub fn due_rps(&self) -> Option<f64> {
        rate(self.sent.checked_sub(1)?, self.due_time)
    }

    /// Whether and why the generator could not keep up: the graver reason, if there are two.
    pub fn shortfall(&self) -> Option<Shortfall> {
        let (mean, max) = (self.lateness.mean().unwrap_or_default(), self.lateness.max().unwrap_or_default());
        match self.waited {
            0 if mean > self.lateness_allowed() => Some(Shortfall::Late { mean, max }),
            0 => None,
            waited => Some(Shortfall::NoFreeConnection { waited }),
        }
    }

    fn lateness_allowed(&self) -> Duration {
        // A rate so low that its gap is no duration allows anything.
        let of_gap = Duration::try_from_secs_f64(Self::GAP_ALLOWED / self.asked_rps).unwrap_or(Duration::MAX);
        Self::LATENESS_ALLOWED.max(of_gap)
    }
}
