//! Response times by how their requests ended.

use serde::{Deserialize, Serialize};

use super::super::ErrorKind;
use super::histogram::Latencies;

/// Response times by outcome. Requests that failed in any other way have none.
#[derive(Debug, Clone, Default)]
pub struct Outcomes {
    /// Right answers: as many as `ok`.
    pub ok: Latencies,
    /// Complete replies with a wrong status or body.
    pub wrong: Latencies,
    /// Complete replies with status 503 where that was not expected.
    pub shed: Latencies,
    /// Time-outs, of connecting and of the whole request; each at least as long as the time-out.
    pub timed_out: Latencies,
}

impl Outcomes {
    /// Adds all that `other` holds.
    pub(super) fn merge(&mut self, other: &Self) {
        self.ok.merge(&other.ok);
        self.wrong.merge(&other.wrong);
        self.shed.merge(&other.shed);
        self.timed_out.merge(&other.timed_out);
    }

    /// Forgets all, but keeps the memory.
    pub(super) fn clear(&mut self) {
        [&mut self.ok, &mut self.wrong, &mut self.shed, &mut self.timed_out].into_iter().for_each(Latencies::clear);
    }

    /// Whether there is no response time of any outcome.
    pub fn is_empty(&self) -> bool {
        [&self.ok, &self.wrong, &self.shed, &self.timed_out].into_iter().all(Latencies::is_empty)
    }

    /// Response times that tables show: right answers and time-outs.
    pub fn latency(&self) -> Latencies {
        let mut latency = self.ok.clone();
        latency.merge(&self.timed_out);
        latency
    }
}

/// How a request ended, as far as its response time is concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// A right answer.
    Ok,
    /// A complete reply with a wrong status or body.
    Wrong,
    /// Refused for want of capacity.
    Shed,
    /// No complete reply in time.
    TimedOut,
    /// No complete reply for any other reason.
    Failed,
}

impl Outcome {
    pub(super) fn of(error: Option<ErrorKind>) -> Self {
        match error {
            None => Self::Ok,
            Some(ErrorKind::Status | ErrorKind::Body) => Self::Wrong,
            Some(ErrorKind::Shed) => Self::Shed,
            Some(kind) if kind.is_timeout() => Self::TimedOut,
            Some(_) => Self::Failed,
        }
    }
}
