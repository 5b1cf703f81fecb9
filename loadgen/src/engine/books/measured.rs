//! What one level came to, and the figures that follow from it.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::super::ErrorKind;
use super::histogram::{Latencies, duration};
use super::outcomes::{Outcome, Outcomes};
use super::schedule::Schedule;
use super::server_timing::ServerTiming;

/// Everything that is known of one level after it has ended.
///
/// `started = ok + errors + in_flight_at_end`, exactly. A derived figure that there is nothing to
/// say about is `None`, never 0 and never NaN.
#[derive(Debug, Clone, Default)]
pub struct Measured {
    /// Clients that could send: as many as were asked for, or as many as there were requests if fewer.
    pub clients: usize,
    /// Requests asked for.
    pub requests_asked: u64,
    /// Requests begun; in an open loop, requests whose time came.
    pub started: u64,
    /// Requests answered rightly.
    pub ok: u64,
    /// Requests that ended otherwise, by kind; only kinds that occurred.
    pub errors: BTreeMap<ErrorKind, u64>,
    /// Of the errors: requests not even tried, because nothing could be reached for two seconds.
    pub given_up: u64,
    /// Requests under way when the level was stopped.
    pub in_flight_at_end: u64,
    /// How long those had been under way by then: in an open loop since they were due, sent or not.
    pub cut_off: Latencies,
    /// Kept-alive connections made to replace one that had ended.
    pub reconnects: u64,
    /// Complete replies by status code.
    pub status_codes: BTreeMap<u16, u64>,
    /// Complete replies, right or wrong.
    pub replies: u64,
    /// The response times of all complete replies, added up.
    pub replies_time: Duration,
    /// Response times by outcome.
    pub outcomes: Outcomes,
    /// From the first request sent to the end of the last, by its response or by a failure; absent without any reply.
    pub elapsed: Option<Duration>,
    /// The level without ramp-up and tail; absent where no more than 2c requests ended.
    pub steady: Option<Steady>,
    /// Every request that ended, in the order of their ends, for levels small enough.
    pub times: Option<Vec<Timed>>,
    /// The first failure of each kind.
    pub failures: Vec<FailureExample>,
    /// Bytes received, heads and framing included.
    pub bytes_received: u64,
    /// Body bytes of the complete replies.
    pub response_bytes: u64,
    /// What the server says of its right answers, where it says anything.
    pub server_timing: ServerTiming,
    /// Threads that sent.
    pub threads: usize,
    /// CPU time of those threads.
    pub cpu: Duration,
    /// Attempts to connect that failed because this process or machine may open no more files; they are `connect_other`.
    pub out_of_files: u64,
    /// How well the schedule was kept; open loop only.
    pub schedule: Option<Schedule>,
}

/// One request as it happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Timed {
    /// When it began (in an open loop: when it should have), in microseconds since the first request did.
    pub start_us: u64,
    /// How long it took.
    pub duration_us: u64,
    /// How it ended.
    pub outcome: Outcome,
    /// Which client (in an open loop: which connection) sent it, from 0.
    pub client: usize,
}

/// The first failure of its kind, for a person to look at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailureExample {
    /// `GET /fib/40?salt=17`
    pub request: String,
    /// What went wrong.
    pub kind: ErrorKind,
    /// What should have come back.
    pub expected: String,
    /// What came back, or what happened.
    pub received: String,
}

/// What happened between the c-th and the (m-c)-th of m requests that ended: no ramp-up, no tail.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Steady {
    /// The time between the two.
    pub time: Duration,
    /// Right answers in it.
    pub ok: u64,
    /// Requests that ended in it, in any way.
    pub ended: u64,
    /// The response times of those requests, added up.
    pub ended_time: Duration,
    /// The number of requests in flight, integrated over the time: in request-nanoseconds.
    pub in_flight_ns: u128,
}

/// Little's law as a check of the measurement itself, over the steady part: requests in flight, as
/// counted, against rate times mean response time.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct LittlesLaw {
    /// Requests in flight on average, counted by itself and not from response times.
    pub mean_in_flight: f64,
    /// Requests that ended, per second.
    pub rate: f64,
    /// Their mean response time in seconds.
    pub mean_s: f64,
}

impl LittlesLaw {
    /// What the law says should be in flight.
    pub fn expected_in_flight(&self) -> f64 {
        self.rate * self.mean_s
    }

    /// How far the law is from what was counted, as a fraction of the latter; 0.05 is 5%.
    pub fn deviation(&self) -> f64 {
        (self.expected_in_flight() / self.mean_in_flight - 1.0).abs()
    }
}

impl Measured {
    /// Errors of all kinds.
    pub fn errors_total(&self) -> u64 {
        self.errors.values().sum()
    }

    /// Requests that ended: ok + errors.
    pub fn requests(&self) -> u64 {
        self.ok + self.errors_total()
    }

    /// Right answers per second, from the first request sent to the last reply received.
    pub fn throughput_rps(&self) -> Option<f64> {
        rate(self.ok, self.elapsed?)
    }

    /// Complete replies per second, right or wrong.
    pub fn replies_rps(&self) -> Option<f64> {
        rate(self.replies, self.elapsed?)
    }

    /// Mean response time of the complete replies, right or wrong.
    pub fn replies_mean(&self) -> Option<Duration> {
        let mean = self.replies_time.as_nanos().checked_div(u128::from(self.replies))?;
        Some(duration(mean))
    }

    /// Right answers per second without ramp-up and tail.
    pub fn steady_rps(&self) -> Option<f64> {
        let steady = self.steady?;
        rate(steady.ok, steady.time)
    }

    /// Requests in flight on average, without ramp-up and tail.
    pub fn mean_in_flight(&self) -> Option<f64> {
        let steady = self.steady?;
        let ns = steady.time.as_nanos();
        (ns > 0).then(|| steady.in_flight_ns as f64 / ns as f64)
    }

    /// The inputs of Little's law, over the steady part.
    pub fn littles_law(&self) -> Option<LittlesLaw> {
        let steady = self.steady?;
        let mean_in_flight = self.mean_in_flight().filter(|&mean| mean > 0.0)?;
        Some(LittlesLaw {
            mean_in_flight,
            rate: rate(steady.ended, steady.time)?,
            mean_s: steady.ended_time.as_secs_f64() / steady.ended as f64,
        })
    }

    /// Response times that tables show: right answers and time-outs.
    pub fn latency(&self) -> Latencies {
        self.outcomes.latency()
    }
}

pub(super) fn rate(count: u64, time: Duration) -> Option<f64> {
    (!time.is_zero()).then(|| count as f64 / time.as_secs_f64())
}
