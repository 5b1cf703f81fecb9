//! Where the clients of a thread get their requests and report how they ended.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::ops::Range;
use std::time::Duration;

use tokio::sync::oneshot;

use super::super::books::{Ended, Sent, Tally};
use super::super::clock::{Ns, ns};
use super::super::failure::Failure;
use super::super::timetable::Timetable;
use super::super::{Asked, ErrorKind, FailureExample, Load, Pace, Reply};
use super::Level;
use super::alarm::Alarm;

/// When nothing could be reached for this long, the requests that are left are not tried.
const GIVE_UP_AFTER: Ns = 2_000_000_000;

/// The clients of a thread take turns on it, so cells are enough; no borrow is held while one waits.
pub(super) struct Desk<'a> {
    pub(super) level: &'a Level<'a>,
    pub(super) tally: RefCell<Tally>,
    /// Closed loop: numbers that this thread has drawn.
    drawn: RefCell<Range<u64>>,
    open: Option<Open>,
    /// Since when each client has had the request that is under way.
    under_way: RefCell<BTreeMap<usize, Ns>>,
    /// Clients that wait for a response.
    pub(super) exchanging: Cell<usize>,
    /// Since when every attempt to connect has failed, while no client waited for a response.
    unreachable_since: Cell<Option<Ns>>,
}

/// An open loop.
struct Open {
    alarm: Alarm,
    coming: RefCell<Timetable>,
    /// Due, but no client is free: number and time.
    waiting: RefCell<VecDeque<(u64, Ns)>>,
    /// Clients that are free: the last one used is the first one used again.
    free: RefCell<Vec<(usize, oneshot::Sender<Job>)>>,
    over: Cell<bool>,
}

/// A request that a client is to send.
#[derive(Debug, Clone, Copy)]
pub(super) struct Job {
    number: u64,
    /// From when its response time counts.
    pub(super) start: Ns,
    /// When it is sent; the same in a closed loop.
    sent: Ns,
}

impl<'a> Desk<'a> {
    pub(super) fn new(level: &'a Level<'a>, thread: usize) -> io::Result<Self> {
        let turns = (thread as u64, level.crew.threads as u64);
        let coming = Timetable::new(level.load.pace, turns, level.load.requests, level.crew.begins, level.crew.ends);
        let open = |coming| {
            io::Result::Ok(Open {
                alarm: Alarm::new()?,
                coming: RefCell::new(coming),
                waiting: RefCell::default(),
                free: RefCell::default(),
                over: Cell::new(false),
            })
        };
        let mut tally = Tally::new(level.load, level.crew.clients, level.crew.threads);
        tally.hand_over(level.live, thread);
        Ok(Self {
            level,
            tally: RefCell::new(tally),
            drawn: RefCell::new(0..0),
            open: coming.map(open).transpose()?,
            under_way: RefCell::default(),
            exchanging: Cell::new(0),
            unreachable_since: Cell::new(None),
        })
    }

    /// The next request for a client, when there is one; none when there will be none.
    pub(super) async fn next(&self, client: usize) -> Option<Job> {
        let at_once = match &self.open {
            None => Some(self.draw()?),
            Some(open) => self.first_waiting(open),
        };
        if let Some(job) = at_once {
            self.under_way.borrow_mut().insert(client, job.start);
            return Some(job);
        }
        let open = self.open.as_ref().filter(|open| !open.over.get())?;
        let (sender, job) = oneshot::channel();
        open.free.borrow_mut().push((client, sender));
        job.await.ok()
    }

    fn draw(&self) -> Option<Job> {
        let now = self.level.clock.now();
        if now >= self.level.crew.ends {
            return None;
        }
        let mut drawn = self.drawn.borrow_mut();
        if drawn.is_empty() {
            *drawn = self.level.numbers.batch();
        }
        let number = drawn.next()?;
        self.tally.borrow_mut().start(now, now);
        Some(Job { number, start: now, sent: now })
    }

    /// The first request that waits for a client and is not too late.
    fn first_waiting(&self, open: &Open) -> Option<Job> {
        let mut tally = self.tally.borrow_mut();
        loop {
            let (number, due) = open.waiting.borrow_mut().pop_front()?;
            let now = self.level.clock.now();
            if now.saturating_sub(due) < ns(self.level.load.timeout) {
                tally.sent(Sent { due, at: now, waited: true });
                return Some(Job { number, start: due, sent: now });
            }
            tally.end(Ended {
                client: 0,
                start: due,
                sent: now,
                end: now,
                reply: None,
                error: Some(ErrorKind::Timeout),
            });
        }
    }

    /// In an open loop: hands out requests when they are due, until there are no more.
    pub(super) async fn dispatch(&self) {
        let Some(open) = &self.open else { return };
        loop {
            let Some(due) = open.coming.borrow().next_due() else { break };
            let wait = Duration::from_nanos(due.saturating_sub(self.level.clock.now()));
            // A timer that fails fires at once: requests are late then, which is seen.
            let _ = open.alarm.wait(wait).await;
            self.hand_out(open);
        }
        open.over.set(true);
        open.free.borrow_mut().clear();
    }

    fn hand_out(&self, open: &Open) {
        let mut tally = self.tally.borrow_mut();
        let now = self.level.clock.now();
        while let Some((number, due)) = open.coming.borrow_mut().take(now) {
            tally.start(due, now);
            let Some((idle, client)) = open.free.borrow_mut().pop() else {
                open.waiting.borrow_mut().push_back((number, due));
                tally.waits();
                continue;
            };
            let at = self.level.clock.now();
            self.under_way.borrow_mut().insert(idle, due);
            if client.send(Job { number, start: due, sent: at }).is_ok() {
                tally.sent(Sent { due, at, waited: false });
            }
        }
    }

    /// What a client asks with this request.
    pub(super) fn asked(&self, client: usize, job: Job) -> Asked {
        // Salts wrap around, so only the lower half of the number matters.
        let salt = self.level.load.first_salt.wrapping_add(job.number as u32);
        Asked { salt, input: client % self.level.template.inputs() }
    }

    /// Checks the answer, where there is one, and counts the request. Returns what went wrong.
    pub(super) fn end(
        &self,
        client: usize,
        asked: Asked,
        job: Job,
        end: Ns,
        result: Result<(Reply<'_>, Option<&[u8]>), Failure>,
    ) -> Option<ErrorKind> {
        let mut tally = self.tally.borrow_mut();
        let reply = result.as_ref().ok().map(|(reply, _)| (reply.status, reply.body.len()));
        let timing = result.as_ref().ok().and_then(|(_, timing)| *timing);
        let wrong =
            match result {
                Ok((reply, _)) => {
                    self.level.load.check.check(asked, reply).err().map(|mismatch| {
                        (mismatch.kind(), mismatch.expected().to_owned(), mismatch.received().to_owned())
                    })
                }
                Err(Failure { kind, detail }) => Some((kind, "a response".to_owned(), detail)),
            };
        let error = wrong.as_ref().map(|(kind, ..)| *kind);
        tally.end(Ended { client, start: job.start, sent: job.sent, end, reply, error });
        self.under_way.borrow_mut().remove(&client);
        if let (None, Some(timing)) = (error, timing) {
            tally.server_timing(timing);
        }
        if let Some((kind, expected, received)) = wrong {
            let request = || self.level.template.line(asked);
            tally.example(kind, || FailureExample { request: request(), kind, expected, received });
        }
        error
    }

    /// A server has answered a connection.
    pub(super) fn reached(&self) {
        self.unreachable_since.set(None);
    }

    /// After a failed connect: if nothing was reached for a while, the rest fails likewise. Not after time-outs, since a
    /// server that is only busy may answer yet.
    pub(super) fn give_up_if_unreachable(&self, kind: ErrorKind) {
        let load = self.level.load;
        let limited = load.requests != Load::UNTIL_STOPPED && load.duration.is_none() && load.pace == Pace::Closed;
        let is_dead = matches!(kind, ErrorKind::ConnectRefused | ErrorKind::ConnectOther);
        if !limited || !is_dead || self.exchanging.get() > 0 {
            return;
        }
        let now = self.level.clock.now();
        let since = self.unreachable_since.get().unwrap_or(now);
        self.unreachable_since.set(Some(since));
        if now.saturating_sub(since) >= GIVE_UP_AFTER {
            let (own, shared) = (self.drawn.replace(0..0), self.level.numbers.rest());
            self.tally.borrow_mut().give_up((own.end - own.start) + (shared.end - shared.start), kind);
        }
    }

    pub(super) fn publish(&self) {
        self.tally.borrow_mut().publish(self.level.live, self.level.clock.now());
    }

    /// The books, at the end of the thread that has used so much CPU time.
    pub(super) fn close(self, cpu: Duration) -> Tally {
        let (mut tally, now) = (self.tally.into_inner(), self.level.clock.now());
        self.under_way.into_inner().into_values().for_each(|start| tally.cut_off(start, now));
        if let Some(open) = self.open {
            open.waiting.into_inner().into_iter().for_each(|(_, due)| tally.cut_off(due, now));
            // What was due when the level ended has begun, whether or not it could be sent.
            let mut coming = open.coming.into_inner();
            while let Some((_, due)) = coming.take(now) {
                tally.start(due, now);
                tally.cut_off(due, now);
            }
        }
        tally.publish(self.level.live, now);
        tally.close(now, cpu);
        tally
    }
}
