//! The books of all threads, made one.

use std::time::Duration;

use super::super::clock::Ns;
use super::histogram::duration;
use super::measured::Measured;
use super::tally::{Sent, Tally, count};
use super::ticks::Ticks;

impl Tally {
    /// What is known of a level whose threads have closed their books.
    pub(in super::super) fn merge(mut tallies: Vec<Self>) -> Measured {
        let first = tallies.iter().filter_map(|tally| tally.first_start).min();
        let last = tallies.iter().filter_map(|tally| tally.last_end).max();
        let ticks: Option<Vec<Ticks>> = tallies.iter_mut().map(|tally| tally.ticks_until(last.unwrap_or(0))).collect();
        let mut tallies = tallies.into_iter();
        let Some(mut all) = tallies.next() else { return Measured::default() };
        for tally in tallies {
            all.add(tally);
        }
        all.finish(first, last, ticks)
    }

    fn add(&mut self, other: Self) {
        let (own, more) = (&mut self.measured, other.measured);
        own.started += more.started;
        own.ok += more.ok;
        for (kind, errors) in more.errors {
            *own.errors.entry(kind).or_default() += errors;
        }
        own.given_up += more.given_up;
        own.in_flight_at_end += more.in_flight_at_end;
        own.reconnects += more.reconnects;
        own.out_of_files += more.out_of_files;
        own.replies += more.replies;
        own.bytes_received += more.bytes_received;
        own.response_bytes += more.response_bytes;
        own.cpu += more.cpu;
        own.outcomes.merge(&more.outcomes);
        own.cut_off.merge(&more.cut_off);
        own.server_timing.merge(&more.server_timing);
        own.times = own.times.take().zip(more.times).map(|(own, more)| [own, more].concat());
        for example in more.failures {
            if own.failures.iter().all(|known| known.kind != example.kind) {
                own.failures.push(example);
            }
        }
        if let (Some(own), Some(more)) = (&mut own.schedule, more.schedule) {
            own.sent += more.sent;
            own.waited += more.waited;
            own.lateness.merge(&more.lateness);
            own.service.merge(&more.service);
        }
        self.sent = match (self.sent, other.sent) {
            (Some(own), Some(more)) => Some((earlier(own.0, more.0), later(own.1, more.1))),
            (own, more) => own.or(more),
        };
        for (status, replies) in other.status_codes {
            count(&mut self.status_codes, status, replies);
        }
        self.replies_ns += other.replies_ns;
        self.ended += other.ended;
    }

    fn finish(mut self, first: Option<Ns>, last: Option<Ns>, ticks: Option<Vec<Ticks>>) -> Measured {
        let steady = self.steady_marks();
        let keep = self.keep_times_up_to;
        let measured = &mut self.measured;
        measured.status_codes = self.status_codes.into_iter().collect();
        measured.replies_time = duration(self.replies_ns);
        // A level without replies has no rates. One with a few of them lasts until its last request ends, however that
        // does: a server that answers at once and then hangs is not a fast one.
        if let (Some(first), Some(last), true) = (first, last, measured.replies > 0) {
            measured.elapsed = Some(Duration::from_nanos(last.saturating_sub(first)));
        }
        measured.steady = match ticks {
            Some(ticks) => Ticks::steady(ticks, measured.clients as u64, self.ended),
            None => steady.and_then(|(from, to)| from.steady_until(&to)),
        };
        measured.times = measured.times.take().filter(|times| times.len() as u64 <= keep);
        for time in measured.times.iter_mut().flatten() {
            time.start_us = time.start_us.saturating_sub(first.unwrap_or(0) / 1000);
        }
        if let Some(times) = &mut measured.times {
            times.sort_by_key(|time| time.start_us + time.duration_us);
        }
        if let Some(schedule) = &mut measured.schedule {
            schedule.due = measured.started;
            if let Some((first, last)) = self.sent {
                schedule.due_time = Duration::from_nanos(last.due.saturating_sub(first.due));
                schedule.sent_time = Duration::from_nanos(last.at.saturating_sub(first.at));
            }
        }
        self.measured
    }
}

fn earlier(one: Sent, other: Sent) -> Sent {
    if other.at < one.at { other } else { one }
}

fn later(one: Sent, other: Sent) -> Sent {
    if other.at > one.at { other } else { one }
}
