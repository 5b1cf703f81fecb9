//! One thread of a level: an event loop over its clients.
//!
//! ```text
//! wait (poller) ──> event ──> send / receive (exchange) ──> parser ──> complete (ends) ──┐
//!   ^                                                                                    │
//!   └── what is due (schedule, deadlines) <── next request, sent at once (requests) <────┘
//! ```
//!
//! What it costs matters, for it may take CPU from the server. A request on a kept connection is one `send`, one `recv` and
//! its share of an `epoll_wait`: connections are watched edge-triggered and a read is not repeated until it would block,
//! the next request is sent by the handler that saw the last response complete, and only then is that one checked. One
//! reading of the clock ends a request and begins the next. Nothing is allocated and no atomic is touched on the way.

mod address;
mod client;
mod deadlines;
mod ends;
mod exchange;
mod poller;
mod requests;

use std::io;
use std::sync::atomic::AtomicUsize;
use std::time::Duration;

use super::books::Tally;
use super::clock::{Clock, Ns, ns};
use super::crew::Crew;
use super::numbers::Numbers;
use super::response::Parser;
use super::stop::Stop;
use super::template::Template;
use super::{Live, Load};
pub(super) use address::Address;
use address::Sources;
use client::{Client, Phase};
use deadlines::Deadlines;
use poller::{Event, Poller};
use requests::Requests;

/// What the threads of a level share.
pub(super) struct Level<'a> {
    pub(super) load: &'a Load,
    pub(super) live: &'a Live,
    pub(super) stop: &'a Stop,
    pub(super) clock: Clock,
    pub(super) address: Address,
    pub(super) template: Template,
    pub(super) numbers: Numbers,
    pub(super) crew: Crew,
    /// Threads that have something to do yet, and those of them that can reach nothing.
    pub(super) active: AtomicUsize,
    pub(super) unreachable: AtomicUsize,
}

/// An open loop begins this long after its threads: they are ready by then.
pub(super) const OPEN_LOOP_BEGINS: Ns = 2_000_000;
/// How long a client waits after it got no connection, so that a dead server is no busy loop.
const PAUSE: Ns = 10_000_000;
/// Responses are read to here. One is enough for all clients: only one of them reads at a time.
const BUFFER: usize = 64 << 10;

/// A thread at work.
pub(super) struct EventLoop<'a> {
    level: &'a Level<'a>,
    poller: Poller,
    clients: Vec<Client>,
    /// The number that the first of the clients has among those of all threads.
    first_client: usize,
    /// Clients with a request under way.
    deadlines: Deadlines,
    /// Clients that pause, or will try again to connect.
    pauses: Deadlines,
    requests: Requests,
    sources: Sources,
    tally: Tally,
    buffer: Box<[u8]>,
    /// For the text of a request.
    text: Vec<u8>,
    /// Memory for bodies that come in pieces.
    spare: Vec<Vec<u8>>,
    /// Clients that are not idle.
    busy: usize,
    /// Clients that have a connection and a request.
    exchanging: usize,
    /// Since when every attempt to connect has failed, while no request had a connection.
    unreachable_since: Option<Ns>,
}

impl<'a> EventLoop<'a> {
    /// The `thread`-th of the level's threads, with its share of the clients.
    pub(super) fn new(level: &'a Level<'a>, thread: usize) -> io::Result<Self> {
        let share = level.crew.share(thread);
        let no_body = level.load.request.method == "HEAD";
        let parser = || Parser::new(no_body, level.load.max_body);
        let count = share.len();
        let mut tally = Tally::new(level.load, level.crew.clients, level.crew.threads);
        tally.hand_over(level.live, thread);
        Ok(Self {
            level,
            poller: Poller::new(level.stop)?,
            clients: (0..count).map(|_| Client::new(parser())).collect(),
            first_client: share.start,
            deadlines: Deadlines::new(count),
            pauses: Deadlines::new(count),
            requests: Requests::new(level, thread, count),
            sources: Sources::default(),
            tally,
            buffer: vec![0; BUFFER].into_boxed_slice(),
            text: Vec::new(),
            spare: Vec::new(),
            busy: 0,
            exchanging: 0,
            unreachable_since: None,
        })
    }

    /// Sends requests until all have ended or the level is stopped.
    pub(super) fn run(mut self) -> io::Result<Tally> {
        self.begin_all();
        loop {
            let now = self.level.clock.now();
            self.expire(now);
            self.resume(now);
            self.arrive(now);
            if self.is_done(now) {
                break;
            }
            self.tally.publish(self.level.live, now);
            let at_most = self.next_deadline().map(|at| at.saturating_sub(now));
            if let Some(due) = self.requests.next_due() {
                self.poller.arm(due, now)?;
            }
            let events = self.poller.wait(at_most)?;
            let mut stopped = false;
            for index in 0..events {
                match self.poller.event(index) {
                    Event::Stop => stopped = true,
                    Event::Timer => {}
                    Event::Client { client, writable, ended } => self.event(client, writable, ended),
                }
            }
            if stopped {
                break;
            }
        }
        // What was due when the level ended has begun, whether or not it could be sent.
        let now = self.level.clock.now();
        while self.requests.due(now, &mut self.tally).is_some() {}
        self.reached();
        self.level.active.fetch_sub(1, std::sync::atomic::Ordering::Relaxed);
        self.cut_off(now);
        self.tally.publish(self.level.live, now);
        self.tally.close(now, cpu_of_this_thread());
        Ok(self.tally)
    }

    fn is_done(&self, now: Ns) -> bool {
        now >= self.level.crew.over || (self.busy == 0 && self.requests.are_done())
    }

    /// When something is to be done at the latest, if nothing happens before.
    fn next_deadline(&self) -> Option<Ns> {
        let timeout = self.deadlines.first().map(|client| self.deadline(self.clients[client].start));
        let resume = self.pauses.first().map(|client| self.clients[client].resume_at);
        let waiting = self.requests.first_waiting().map(|due| self.deadline(due));
        let over = self.level.crew.over;
        // Clients that pause must not be waited for beyond the end.
        let interval = self.tally.interval_ends();
        [timeout, resume, waiting, Some(over), Some(interval)].into_iter().flatten().filter(|&at| at < Ns::MAX).min()
    }

    fn deadline(&self, start: Ns) -> Ns {
        start.saturating_add(ns(self.level.load.timeout))
    }

    /// Changes what a client does, and the counts that go with it.
    fn set_phase(&mut self, client: usize, phase: Phase) {
        let before = std::mem::replace(&mut self.clients[client].phase, phase);
        self.busy += usize::from(phase != Phase::Idle);
        self.busy -= usize::from(before != Phase::Idle);
        self.exchanging += usize::from(phase == Phase::Exchanging);
        self.exchanging -= usize::from(before == Phase::Exchanging);
    }
}

/// CPU time of this thread.
pub(super) fn cpu_of_this_thread() -> Duration {
    use nix::time::{ClockId, clock_gettime};
    clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).map_or(Duration::ZERO, Duration::from)
}
