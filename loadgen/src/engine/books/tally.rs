//! Counts requests as they start and end, on one thread.

use std::collections::VecDeque;
use std::time::Duration;

use super::super::clock::{Ns, ns};
use super::super::{ErrorKind, Live, Load, Pace};
use super::histogram::Latencies;
use super::in_flight::InFlight;
use super::intervals::Share;
use super::measured::{FailureExample, Measured, Timed};
use super::outcomes::{Outcome, Outcomes};
use super::schedule::Schedule;
use super::ticks::{Mark, Ticks};

/// A request that has ended.
#[derive(Debug)]
pub(in super::super) struct Ended {
    pub(in super::super) client: usize,
    /// From when its response time counts.
    pub(in super::super) start: Ns,
    /// When it was sent; the same in a closed loop.
    pub(in super::super) sent: Ns,
    pub(in super::super) end: Ns,
    /// Status and body length, where there was a complete reply.
    pub(in super::super) reply: Option<(u16, usize)>,
    pub(in super::super) error: Option<ErrorKind>,
}

/// A request of an open loop that is being sent.
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct Sent {
    pub(in super::super) due: Ns,
    pub(in super::super) at: Ns,
    /// It had to wait for a connection.
    pub(in super::super) waited: bool,
}

/// The books of one thread.
#[derive(Debug)]
pub(in super::super) struct Tally {
    pub(super) measured: Measured,
    timeout: Ns,
    pub(super) keep_times_up_to: u64,
    pub(super) first_start: Option<Ns>,
    pub(super) last_end: Option<Ns>,
    /// The first and the last request that were sent on schedule.
    pub(super) sent: Option<(Sent, Sent)>,
    /// Few, and the first is the usual one.
    pub(super) status_codes: Vec<(u16, u64)>,
    pub(super) replies_ns: u128,
    pub(super) ended: u64,
    ended_ns: u128,
    pub(super) in_flight: InFlight,
    /// At the c-th end.
    steady_start: Option<Mark>,
    /// The last c + 1 ends: which is the (m-c)-th is known only when m is.
    last_marks: VecDeque<Mark>,
    /// With several threads instead of marks: which end is the c-th of all is known only when all are.
    pub(super) ticks: Option<Ticks>,
    published: (u64, u64, u64),
    /// Response times of the present interval; where none are handed over, that is the whole level.
    interval: (Outcomes, Latencies),
    interval_ends: Ns,
    share: Option<Share>,
}

impl Tally {
    /// `clients`: of all threads together.
    pub(in super::super) fn new(load: &Load, clients: usize, threads: usize) -> Self {
        let schedule = match load.pace {
            Pace::Closed => None,
            Pace::Open { rate, .. } => Some(Schedule::new(rate)),
        };
        let times = (load.keep_times_up_to > 0).then(Vec::new);
        Self {
            measured: Measured {
                clients,
                requests_asked: load.requests,
                threads,
                times,
                schedule,
                ..Default::default()
            },
            timeout: ns(load.timeout),
            keep_times_up_to: load.keep_times_up_to,
            first_start: None,
            last_end: None,
            sent: None,
            status_codes: Vec::new(),
            replies_ns: 0,
            ended: 0,
            ended_ns: 0,
            in_flight: InFlight::default(),
            steady_start: None,
            last_marks: VecDeque::new(),
            ticks: (threads > 1).then(Ticks::new),
            published: (0, 0, 0),
            interval: Default::default(),
            interval_ends: Ns::MAX,
            share: None,
        }
    }

    /// Hands over the response times of each interval to whoever reads `live`, if anybody wants them.
    pub(in super::super) fn hand_over(&mut self, live: &Live, thread: usize) {
        self.share = live.intervals().map(|all| Share::new(all, thread, self.measured.threads));
        self.interval_ends = self.share.as_ref().map_or(Ns::MAX, Share::ends);
    }

    /// When it next wants to be published.
    pub(in super::super) fn interval_ends(&self) -> Ns {
        self.interval_ends
    }

    /// A request begins at `at`, which becomes known at `now`.
    pub(in super::super) fn start(&mut self, at: Ns, now: Ns) {
        self.tick(now);
        self.measured.started += 1;
        self.first_start.get_or_insert(at);
        self.in_flight.start(at, now);
    }

    /// A request of an open loop is sent, or a connection for it is tried.
    pub(in super::super) fn sent(&mut self, sent: Sent) {
        let Some(schedule) = &mut self.measured.schedule else { return };
        schedule.sent += 1;
        if !sent.waited {
            schedule.lateness.record_ns(sent.at.saturating_sub(sent.due));
        }
        self.sent.get_or_insert((sent, sent)).1 = sent;
    }

    /// A request of an open loop finds no free connection.
    pub(in super::super) fn waits(&mut self) {
        if let Some(schedule) = &mut self.measured.schedule {
            schedule.waited += 1;
        }
    }

    pub(in super::super) fn received(&mut self, bytes: usize) {
        self.measured.bytes_received += bytes as u64;
    }

    pub(in super::super) fn reconnected(&mut self) {
        self.measured.reconnects += 1;
    }

    pub(in super::super) fn out_of_files(&mut self) {
        self.measured.out_of_files += 1;
    }

    pub(in super::super) fn end(&mut self, ended: Ended) {
        self.tick(ended.end);
        self.end_intervals(ended.end);
        self.in_flight.end(ended.end);
        self.last_end = Some(self.last_end.map_or(ended.end, |last| last.max(ended.end)));
        let outcome = Outcome::of(ended.error);
        let mut took = ended.end.saturating_sub(ended.start);
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
            count(&mut self.status_codes, status, 1);
            self.replies_ns += u128::from(took);
        }
        let (times, service) = &mut self.interval;
        match outcome {
            Outcome::Ok => times.ok.record_ns(took),
            Outcome::Wrong => times.wrong.record_ns(took),
            Outcome::Shed => times.shed.record_ns(took),
            Outcome::TimedOut => times.timed_out.record_ns(took),
            Outcome::Failed => {}
        }
        if outcome == Outcome::Ok && measured.schedule.is_some() {
            service.record_ns(ended.end.saturating_sub(ended.sent));
        }
        self.ended += 1;
        self.ended_ns += u128::from(took);
        self.keep_time(&ended, took, outcome);
        if self.ticks.is_none() {
            self.mark(ended.end);
        }
    }

    /// Times are kept until they are too many; then none are. In microseconds since the level began.
    fn keep_time(&mut self, ended: &Ended, took: Ns, outcome: Outcome) {
        if self.ended > self.keep_times_up_to {
            self.measured.times = None;
        } else if let Some(times) = &mut self.measured.times {
            times.push(Timed { start_us: ended.start / 1000, duration_us: took / 1000, outcome, client: ended.client });
        }
    }

    /// Adds what the server said of a right answer.
    pub(in super::super) fn server_timing(&mut self, header: &[u8]) {
        self.measured.server_timing.add(header);
    }

    /// Keeps the first example of each kind.
    pub(in super::super) fn example(&mut self, kind: ErrorKind, example: impl FnOnce() -> FailureExample) {
        if self.measured.failures.iter().all(|known| known.kind != kind) {
            self.measured.failures.push(example());
        }
    }

    /// Counts requests that were not tried as started and failed.
    pub(in super::super) fn give_up(&mut self, requests: u64, kind: ErrorKind) {
        if requests > 0 {
            self.measured.started += requests;
            self.measured.given_up += requests;
            *self.measured.errors.entry(kind).or_default() += requests;
        }
    }

    /// A request that began at `start` is under way at `end`, which is that of the level.
    pub(in super::super) fn cut_off(&mut self, start: Ns, end: Ns) {
        self.measured.cut_off.record_ns(end.saturating_sub(start));
    }

    /// Brings `live` up to date.
    pub(in super::super) fn publish(&mut self, live: &Live, now: Ns) {
        self.end_intervals(now);
        let (ended, given_up) = (self.ended, self.measured.given_up);
        let now = (self.measured.started, ended + given_up, ended + given_up - self.measured.ok);
        let before = std::mem::replace(&mut self.published, now);
        if now != before {
            live.add(now.0 - before.0, now.1 - before.1, now.2 - before.2);
        }
    }

    /// The thread ends now; it has used so much CPU time.
    pub(in super::super) fn close(&mut self, now: Ns, cpu: Duration) {
        self.end_intervals(now);
        let (times, service) = &self.interval;
        if let Some(share) = &mut self.share {
            share.close(now, times, service);
        }
        self.add_interval();
        self.measured.cpu = cpu;
        self.measured.in_flight_at_end = self.in_flight.count;
    }

    /// The ticks up to the end of the level, whenever this thread ended.
    pub(super) fn ticks_until(&mut self, end: Ns) -> Option<Ticks> {
        self.tick(end);
        self.ticks.take()
    }

    /// From the c-th end to the (m-c)-th; with one thread.
    pub(super) fn steady_marks(&self) -> Option<(Mark, Mark)> {
        let clients = self.measured.clients as u64;
        let to = self.last_marks.front().filter(|mark| mark.ended + clients == self.ended)?;
        Some((self.steady_start?, *to))
    }

    /// Hands over the intervals that are over at `at`.
    fn end_intervals(&mut self, at: Ns) {
        while at >= self.interval_ends {
            let Some(share) = &mut self.share else { return };
            share.pass(&self.interval.0, &self.interval.1);
            self.interval_ends = share.ends();
            self.add_interval();
        }
    }

    /// The response times of the present interval are those of the level, too.
    fn add_interval(&mut self) {
        let (times, service) = &mut self.interval;
        self.measured.outcomes.merge(times);
        if let Some(schedule) = &mut self.measured.schedule {
            schedule.service.merge(service);
        }
        times.clear();
        service.clear();
    }

    fn tick(&mut self, at: Ns) {
        if let Some(ticks) = self.ticks.as_mut().filter(|ticks| ticks.are_due(at)) {
            let (ok, ended, ended_ns, in_flight) = (self.measured.ok, self.ended, self.ended_ns, self.in_flight);
            ticks.advance(at, |at| Mark { at, ok, ended, ended_ns, in_flight_ns: in_flight.area_at(at) });
        }
    }

    fn mark(&mut self, at: Ns) {
        let (ok, ended, ended_ns) = (self.measured.ok, self.ended, self.ended_ns);
        let mark = Mark { at, ok, ended, ended_ns, in_flight_ns: self.in_flight.area_at(at) };
        if ended == self.measured.clients as u64 {
            self.steady_start = Some(mark);
        }
        if self.last_marks.len() > self.measured.clients {
            self.last_marks.pop_front();
        }
        self.last_marks.push_back(mark);
    }
}

/// Adds to the count of a status code.
pub(super) fn count(status_codes: &mut Vec<(u16, u64)>, status: u16, replies: u64) {
    match status_codes.iter_mut().find(|(known, _)| *known == status) {
        Some((_, count)) => *count += replies,
        None => status_codes.push((status, replies)),
    }
}
