//! Counts requests as they start and end.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use super::histogram::duration;
use super::measured::{FailureExample, Measured, Outcome, Outcomes, Steady, Timed};
use super::server_timing::ServerTiming;
use super::{ErrorKind, Load};

/// A request that has ended.
#[derive(Debug)]
pub(super) struct Ended {
    pub(super) client: usize,
    pub(super) start: Instant,
    pub(super) end: Instant,
    /// Status and body length, where there was a complete reply.
    pub(super) reply: Option<(u16, usize)>,
    pub(super) error: Option<ErrorKind>,
}

/// What had happened when some request ended.
#[derive(Debug, Clone, Copy)]
struct Mark {
    at: Instant,
    ok: u64,
    ended: u64,
    ended_ns: u128,
    in_flight_ns: u128,
}

/// The books of a level.
#[derive(Debug)]
pub(super) struct Tally {
    measured: Measured,
    timeout: Duration,
    first_start: Option<Instant>,
    last_end: Option<Instant>,
    replies_ns: u128,
    ended: u64,
    ended_ns: u128,
    in_flight: InFlight,
    /// At the c-th end.
    steady_start: Option<Mark>,
    /// The last c + 1 ends: which is the (m-c)-th is known only when m is.
    last_marks: VecDeque<Mark>,
}

impl Tally {
    pub(super) fn new(load: &Load, clients: usize) -> Self {
        let measured = Measured {
            clients,
            requests_asked: load.requests,
            started: 0,
            ok: 0,
            errors: Default::default(),
            given_up: 0,
            in_flight_at_end: 0,
            reconnects: 0,
            status_codes: Default::default(),
            replies: 0,
            replies_time: Duration::ZERO,
            outcomes: Outcomes::default(),
            elapsed: None,
            steady: None,
            times: (load.requests <= load.keep_times_up_to).then(Vec::new),
            failures: Vec::new(),
            bytes_received: 0,
            response_bytes: 0,
            server_timing: ServerTiming::default(),
            threads: 1,
            cpu: Duration::ZERO,
            out_of_files: 0,
            schedule: None,
        };
        Self {
            measured,
            timeout: load.timeout,
            first_start: None,
            last_end: None,
            replies_ns: 0,
            ended: 0,
            ended_ns: 0,
            in_flight: InFlight::default(),
            steady_start: None,
            last_marks: VecDeque::new(),
        }
    }

    pub(super) fn start(&mut self, at: Instant) {
        self.measured.started += 1;
        self.first_start.get_or_insert(at);
        self.in_flight.change(at, 1);
    }

    pub(super) fn received(&mut self, bytes: u64) {
        self.measured.bytes_received += bytes;
    }

    pub(super) fn reconnected(&mut self) {
        self.measured.reconnects += 1;
    }

    pub(super) fn end(&mut self, ended: Ended) {
        self.in_flight.change(ended.end, -1);
        self.last_end = Some(ended.end);
        let outcome = Outcome::of(ended.error);
        let mut took = ended.end.saturating_duration_since(ended.start);
        if outcome == Outcome::TimedOut {
            took = took.max(self.timeout);
        }
        let measured = &mut self.measured;
        match ended.error {
            None => measured.ok += 1,
            Some(kind) => *measured.errors.entry(kind).or_default() += 1,
        }
        if let Some((status, body)) = ended.reply {
            measured.replies += 1;
            measured.response_bytes += body as u64;
            *measured.status_codes.entry(status).or_default() += 1;
            self.replies_ns += took.as_nanos();
        }
        match outcome {
            Outcome::Ok => measured.outcomes.ok.record(took),
            Outcome::Wrong => measured.outcomes.wrong.record(took),
            Outcome::Shed => measured.outcomes.shed.record(took),
            Outcome::TimedOut => measured.outcomes.timed_out.record(took),
            Outcome::Failed => {}
        }
        if let (Some(times), Some(first)) = (&mut measured.times, self.first_start) {
            let start_us = microseconds(ended.start.saturating_duration_since(first));
            times.push(Timed { start_us, duration_us: microseconds(took), outcome, client: ended.client });
        }
        self.ended += 1;
        self.ended_ns += took.as_nanos();
        self.mark(ended.end);
    }

    /// Adds what the server said of a right answer.
    pub(super) fn server_timing(&mut self, header: &[u8]) {
        self.measured.server_timing.add(header);
    }

    fn mark(&mut self, at: Instant) {
        let (ok, ended, ended_ns) = (self.measured.ok, self.ended, self.ended_ns);
        let mark = Mark { at, ok, ended, ended_ns, in_flight_ns: self.in_flight.area_ns };
        if ended == self.measured.clients as u64 {
            self.steady_start = Some(mark);
        }
        if self.last_marks.len() > self.measured.clients {
            self.last_marks.pop_front();
        }
        self.last_marks.push_back(mark);
    }

    /// Keeps the first example of each kind.
    pub(super) fn example(&mut self, kind: ErrorKind, example: impl FnOnce() -> FailureExample) {
        if self.measured.failures.iter().all(|known| known.kind != kind) {
            self.measured.failures.push(example());
        }
    }

    /// Counts requests that were not tried as started and failed.
    pub(super) fn give_up(&mut self, requests: u64, kind: ErrorKind) {
        if requests > 0 {
            self.measured.started += requests;
            self.measured.given_up += requests;
            *self.measured.errors.entry(kind).or_default() += requests;
        }
    }

    pub(super) fn finish(mut self) -> Measured {
        self.measured.in_flight_at_end = self.in_flight.count;
        self.measured.replies_time = duration(self.replies_ns);
        // A level without replies has no rates. One with a few of them lasts until its last request ends, however that
        // does: a server that answers at once and then hangs is not a fast one.
        if let (Some(first), Some(last), true) = (self.first_start, self.last_end, self.measured.replies > 0) {
            self.measured.elapsed = Some(last.saturating_duration_since(first));
        }
        self.measured.steady = self.steady();
        self.measured
    }

    fn steady(&self) -> Option<Steady> {
        let clients = self.measured.clients as u64;
        let from = self.steady_start?;
        let to = self.last_marks.front().filter(|mark| mark.ended + clients == self.ended)?;
        let time = to.at.saturating_duration_since(from.at);
        (to.ended > from.ended && !time.is_zero()).then(|| Steady {
            time,
            ok: to.ok - from.ok,
            ended: to.ended - from.ended,
            ended_time: duration(to.ended_ns - from.ended_ns),
            in_flight_ns: to.in_flight_ns - from.in_flight_ns,
        })
    }
}

/// How many requests are in flight, integrated over time.
#[derive(Debug, Default)]
struct InFlight {
    count: u64,
    since: Option<Instant>,
    area_ns: u128,
}

impl InFlight {
    fn change(&mut self, at: Instant, by: i64) {
        if let Some(since) = self.since {
            let time = at.saturating_duration_since(since).as_nanos();
            self.area_ns += time * u128::from(self.count);
        }
        self.since = Some(at);
        self.count = self.count.saturating_add_signed(by);
    }
}

fn microseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}
