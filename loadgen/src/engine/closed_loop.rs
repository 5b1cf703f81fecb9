//! The closed loop: c clients, each of which sends its next request when its last is answered.

use std::cell::{Cell, RefCell};
use std::future::Future;
use std::io;
use std::time::{Duration, Instant};

use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;

use super::client::{Client, Sent};
use super::connection::{Failure, ReadBuffer};
use super::parse::Parser;
use super::tally::{Ended, Tally};
use super::template::Template;
use super::{Asked, ErrorKind, FailureExample, Live, Load, Measured, Mismatch, Reply};

/// When nothing could be reached for this long, the requests that are left are not tried.
const GIVE_UP_AFTER: Duration = Duration::from_secs(2);
const READ_BUFFER: usize = 64 << 10;

/// Puts `load` on the server until all of its requests have ended, or until `stop` is ready: then
/// it ends at once, and what was under way is `in_flight_at_end`. An error never ends it.
///
/// # Errors
/// The system refuses the engine what it needs: threads, or files to wait for events with.
pub async fn run(load: &Load, live: &Live, stop: impl Future<Output = ()>) -> io::Result<Measured> {
    // More clients than requests would have nothing to send.
    let clients = load.clients.min(usize::try_from(load.requests).unwrap_or(usize::MAX));
    let level = Level {
        load,
        live,
        template: Template::new(load),
        tally: RefCell::new(Tally::new(load, clients)),
        buffer: RefCell::new(vec![0; READ_BUFFER].into_boxed_slice()),
        drawn: Cell::new(0),
        exchanging: Cell::new(0),
        unreachable_since: Cell::new(None),
    };
    let time_limit = async {
        match load.duration {
            Some(duration) => tokio::time::sleep(duration).await,
            None => std::future::pending().await,
        }
    };
    {
        let clients = (0..clients).map(|number| Client::new(&level, number).run());
        let mut running: FuturesUnordered<_> = clients.collect();
        tokio::select! {
            biased;
            () = stop => {}
            () = time_limit => {}
            () = async { while running.next().await.is_some() {} } => {}
        }
    }
    Ok(level.tally.into_inner().finish())
}

/// What the clients of a level share. They run on one thread, so cells are enough; no borrow is
/// ever held while a client waits.
pub(super) struct Level<'a> {
    pub(super) load: &'a Load,
    live: &'a Live,
    pub(super) template: Template,
    pub(super) tally: RefCell<Tally>,
    pub(super) buffer: ReadBuffer,
    /// Requests drawn so far.
    drawn: Cell<u64>,
    /// Requests that have a connection now.
    pub(super) exchanging: Cell<u64>,
    /// Since when every attempt to connect has failed, while no request had a connection.
    pub(super) unreachable_since: Cell<Option<Instant>>,
}

impl Level<'_> {
    /// The salt of the next request, if there is one.
    pub(super) fn draw(&self) -> Option<u32> {
        let number = self.drawn.get();
        (number < self.load.requests).then(|| {
            self.drawn.set(number + 1);
            // Salts wrap around, so only the lower half of the number matters.
            self.load.first_salt.wrapping_add(number as u32)
        })
    }

    /// Starts the clock of a request.
    pub(super) fn start(&self) -> Instant {
        let start = Instant::now();
        self.tally.borrow_mut().start(start);
        self.live.start(1);
        start
    }

    /// Checks the answer, where there is one, and counts the request. Returns what went wrong.
    pub(super) fn end(&self, sent: Sent, result: Result<&Parser, Failure>) -> Option<ErrorKind> {
        let reply = result.as_ref().ok().map(|reply| (reply.status(), reply.body().len()));
        let timing = result.as_ref().ok().and_then(|reply| reply.server_timing());
        let check =
            |reply: &Parser| self.load.check.check(sent.asked, Reply { status: reply.status(), body: reply.body() });
        let checked = result.map(check);
        let error = match &checked {
            Ok(Ok(())) => None,
            Ok(Err(mismatch)) => Some(mismatch.kind()),
            Err(failure) => Some(failure.kind),
        };
        let Sent { client, start, end, .. } = sent;
        let mut tally = self.tally.borrow_mut();
        tally.end(Ended { client, start, end, reply, error });
        if let (None, Some(timing)) = (error, timing) {
            tally.server_timing(timing);
        }
        match error {
            None => self.live.end_ok(),
            Some(kind) => {
                self.live.end_errors(1);
                tally.example(kind, || self.example(sent.asked, kind, checked));
            }
        }
        error
    }

    fn example(&self, asked: Asked, kind: ErrorKind, checked: Result<Result<(), Mismatch>, Failure>) -> FailureExample {
        let (expected, received) = match checked {
            Ok(Ok(())) => Default::default(),
            Ok(Err(mismatch)) => (mismatch.expected().to_owned(), mismatch.received().to_owned()),
            Err(failure) => ("a response".to_owned(), failure.detail),
        };
        FailureExample { request: self.template.line(asked), kind, expected, received }
    }

    /// After a failed connect: if nothing has been reached for a while, the rest fails likewise.
    /// Not after time-outs: a server that is only busy may answer yet.
    pub(super) fn give_up_if_unreachable(&self, kind: ErrorKind) {
        let endless = self.load.requests == Load::UNTIL_STOPPED;
        if kind == ErrorKind::ConnectTimeout || endless || self.exchanging.get() > 0 {
            return;
        }
        let now = Instant::now();
        let since = self.unreachable_since.get().unwrap_or(now);
        self.unreachable_since.set(Some(since));
        if now.duration_since(since) >= GIVE_UP_AFTER {
            let left = self.load.requests - self.drawn.replace(self.load.requests);
            self.tally.borrow_mut().give_up(left, kind);
            self.live.start(left);
            self.live.end_errors(left);
        }
    }
}
