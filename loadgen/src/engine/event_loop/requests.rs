//! Which request comes next, and which client sends it.

use std::ops::Range;

use super::super::Asked;
use super::super::books::{Sent, Tally};
use super::super::clock::Ns;
use super::super::crew::Crew;
use super::super::failure::Failure;
use super::super::timetable::Timetable;
use super::client::Phase;
use super::{EventLoop, Level};

/// Where a thread's requests come from.
#[derive(Debug)]
pub(super) enum Requests {
    /// Each client takes the next one when its last one has ended.
    Closed {
        /// Numbers that this thread has drawn.
        drawn: Range<u64>,
        /// From when on there are no more.
        ends: Ns,
    },
    /// They come by themselves.
    Open {
        /// Those whose time has not come.
        coming: Timetable,
        /// The same with those before that wait for a connection.
        unsent: Timetable,
        waiting: u64,
        /// Clients that have no request, but a connection: the last one used is the first one used again.
        connected: Vec<usize>,
        /// Clients that have neither.
        free: Vec<usize>,
    },
}

impl Requests {
    pub(super) fn new(level: &Level<'_>, thread: usize, clients: usize) -> Self {
        let Crew { threads, begins, ends, .. } = level.crew;
        let turns = (thread as u64, threads as u64);
        match Timetable::new(level.load.pace, turns, level.load.requests, begins, ends) {
            None => Self::Closed { drawn: 0..0, ends },
            Some(coming) => Self::Open {
                unsent: coming.clone(),
                coming,
                waiting: 0,
                connected: Vec::with_capacity(clients),
                free: (0..clients).rev().collect(),
            },
        }
    }

    pub(super) fn are_open(&self) -> bool {
        matches!(self, Self::Open { .. })
    }

    /// When the next request of an open loop is due.
    pub(super) fn next_due(&self) -> Option<Ns> {
        match self {
            Self::Closed { .. } => None,
            Self::Open { coming, .. } => coming.next_due(),
        }
    }

    /// Since when the first of those that wait for a connection has been due.
    pub(super) fn first_waiting(&self) -> Option<Ns> {
        match self {
            Self::Open { waiting: 1.., unsent, .. } => unsent.next_due(),
            _ => None,
        }
    }

    /// Notes that a request is due, if one is. It waits.
    pub(super) fn due(&mut self, now: Ns, tally: &mut Tally) -> Option<()> {
        let Self::Open { coming, waiting, .. } = self else { return None };
        let (_, due) = coming.take(now)?;
        tally.start(due, now);
        *waiting += 1;
        Some(())
    }

    /// Takes the first of those that wait: its number, and when it was due.
    pub(super) fn take_waiting(&mut self) -> Option<(u64, Ns)> {
        let Self::Open { unsent, waiting, .. } = self else { return None };
        *waiting = waiting.checked_sub(1)?;
        unsent.take(Ns::MAX)
    }

    /// A client of an open loop that can take a request.
    fn take_free(&mut self) -> Option<usize> {
        let Self::Open { connected, free, .. } = self else { return None };
        connected.pop().or_else(|| free.pop())
    }

    /// A client has no request any more.
    fn give_back(&mut self, client: usize, is_connected: bool) {
        if let Self::Open { connected, free, .. } = self {
            if is_connected { connected } else { free }.push(client);
        }
    }

    /// A client without a request has lost its connection.
    pub(super) fn disconnected(&mut self, client: usize) {
        if let Self::Open { connected, free, .. } = self
            && let Some(at) = connected.iter().position(|&other| other == client)
        {
            free.push(connected.remove(at));
        }
    }

    /// Whether no request comes any more and none waits; in a closed loop, whether there will be none to draw.
    pub(super) fn are_done(&self) -> bool {
        match self {
            Self::Closed { .. } => true,
            Self::Open { coming, waiting, .. } => *waiting == 0 && coming.next_due().is_none(),
        }
    }
}

impl EventLoop<'_> {
    /// In a closed loop, every client takes its first request.
    pub(super) fn begin_all(&mut self) {
        if !self.requests.are_open() {
            for client in 0..self.clients.len() {
                let now = self.level.clock.now();
                let begun = self.begin_next(client, now);
                self.go_on(client, begun);
            }
        }
    }

    /// Sends what is due by now on connections that are free.
    pub(super) fn arrive(&mut self, now: Ns) {
        while self.requests.due(now, &mut self.tally).is_some() {
            let Some(client) = self.requests.take_free() else {
                self.tally.waits();
                continue;
            };
            let now = self.level.clock.now();
            let begun = self.begin_waiting(client, now, false);
            self.go_on(client, begun);
        }
    }

    /// Gives a client its next request, if there is one, and begins it. `now` is when it begins.
    pub(super) fn begin_next(&mut self, client: usize, now: Ns) -> Result<(), Failure> {
        let Requests::Closed { drawn, ends } = &mut self.requests else {
            return self.begin_waiting(client, now, true);
        };
        if now >= *ends {
            return Ok(());
        }
        if drawn.is_empty() {
            *drawn = self.level.numbers.batch();
        }
        let Some(number) = drawn.next() else { return Ok(()) };
        self.tally.start(now, now);
        self.assign(client, number, now, now);
        self.begin(client)
    }

    /// The same in an open loop: the first of the requests that wait. `waited`: for a connection.
    fn begin_waiting(&mut self, client: usize, now: Ns, waited: bool) -> Result<(), Failure> {
        let Some((number, due)) = self.requests.take_waiting() else {
            self.requests.give_back(client, self.clients[client].connection.is_some());
            return Ok(());
        };
        self.tally.sent(Sent { due, at: now, waited });
        self.assign(client, number, due, now);
        self.begin(client)
    }

    fn assign(&mut self, index: usize, number: u64, start: Ns, sent_at: Ns) {
        let input = (self.first_client + index) % self.level.template.inputs();
        let client = &mut self.clients[index];
        // Salts wrap around, so only the lower half of the number matters.
        client.asked = Asked { salt: self.level.load.first_salt.wrapping_add(number as u32), input };
        (client.start, client.sent_at, client.resent) = (start, sent_at, false);
        self.deadlines.push(index);
    }

    /// All requests that nobody has drawn yet.
    pub(super) fn draw_rest(&mut self) -> u64 {
        let Requests::Closed { drawn, .. } = &mut self.requests else { return 0 };
        let (own, shared) = (std::mem::take(drawn), self.level.numbers.rest());
        (own.end - own.start) + (shared.end - shared.start)
    }

    /// Clients whose pause is over go on.
    pub(super) fn resume(&mut self, now: Ns) {
        while let Some(index) = self.pauses.first().filter(|&client| self.clients[client].resume_at <= now) {
            self.pauses.remove(index);
            let begun = match self.clients[index].phase {
                Phase::Pausing => {
                    self.set_phase(index, Phase::Idle);
                    self.begin_next(index, now)
                }
                _ => self.begin(index),
            };
            self.go_on(index, begun);
        }
    }
}
