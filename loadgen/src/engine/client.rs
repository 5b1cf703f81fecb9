//! One client: takes a request, sends it, waits for its answer, takes the next.

use std::cell::Cell;
use std::time::{Duration, Instant};

use tokio::time::timeout_at;

use super::closed_loop::Level;
use super::connection::{Connection, Failure};
use super::parse::Parser;
use super::{Asked, Connections, ErrorKind};

/// How long a client waits after it got no connection, so that a dead server is no busy loop.
const PAUSE: Duration = Duration::from_millis(10);

/// A client, with what it keeps from request to request.
pub(super) struct Client<'a> {
    level: &'a Level<'a>,
    number: usize,
    connection: Option<Connection>,
    connected_before: bool,
    head: Vec<u8>,
    parser: Parser,
}

/// A request that was sent, or could not be.
pub(super) struct Sent {
    /// The number of its client.
    pub(super) client: usize,
    pub(super) asked: Asked,
    pub(super) start: Instant,
    /// When the last byte of its response was there, or when it failed.
    pub(super) end: Instant,
}

impl<'a> Client<'a> {
    pub(super) fn new(level: &'a Level<'a>, number: usize) -> Self {
        let no_body = level.load.request.method == "HEAD";
        Self {
            level,
            number,
            connection: None,
            connected_before: false,
            head: Vec::new(),
            parser: Parser::new(no_body, level.load.max_body),
        }
    }

    /// Sends requests until there are none left.
    pub(super) async fn run(mut self) {
        while let Some(salt) = self.level.draw() {
            let asked = Asked { salt, input: self.number % self.level.template.inputs() };
            self.level.template.write_head(asked, &mut self.head);
            let start = self.level.start();
            let result = self.send(start, asked.input).await;
            let (end, result) = match result {
                Ok(end) => (end, Ok(&self.parser)),
                Err(failure) => (Instant::now(), Err(failure)),
            };
            let sent = Sent { client: self.number, asked, start, end };
            if let Some(kind) = self.level.end(sent, result).filter(|kind| kind.is_connect()) {
                self.level.give_up_if_unreachable(kind);
                tokio::time::sleep(PAUSE).await;
            }
        }
    }

    /// Sends the request and reads its response into the parser. Returns when the last byte was there.
    ///
    /// A connection that was used before may have been closed by the server while it was idle; a
    /// request that meets that end before any byte of a response is sent again, once.
    async fn send(&mut self, start: Instant, input: usize) -> Result<Instant, Failure> {
        let level = self.level;
        let deadline = start.checked_add(level.load.timeout).map(tokio::time::Instant::from_std);
        let mut resent = false;
        loop {
            let mut connection = match self.idle_connection()? {
                Some(connection) => connection,
                None => self.connect(deadline).await?,
            };
            let exchanging = Counted::new(&level.exchanging);
            level.unreachable_since.set(None);
            let mut received = 0;
            let request = [self.head.as_slice(), level.template.body(input)];
            let exchange = connection.exchange(request, &mut self.parser, &level.buffer, &mut received);
            let result = within(deadline, exchange, ErrorKind::Timeout).await;
            drop(exchanging);
            level.tally.borrow_mut().received(received);
            match result {
                Ok((end, reusable)) => {
                    if reusable && level.load.connections == Connections::KeepAlive {
                        self.connection = Some(connection);
                    }
                    return Ok(end);
                }
                Err(failure) => {
                    let broke = matches!(failure.kind, ErrorKind::Reset | ErrorKind::ClosedEarly);
                    let ended_idle = broke && connection.is_used() && !self.parser.has_begun();
                    if !ended_idle || resent {
                        return Err(failure);
                    }
                    resent = true;
                }
            }
        }
    }

    /// The client's connection, unless it has none or the server has closed it.
    fn idle_connection(&mut self) -> Result<Option<Connection>, Failure> {
        match self.connection.take() {
            Some(connection) if !connection.is_closed()? => Ok(Some(connection)),
            _ => Ok(None),
        }
    }

    async fn connect(&mut self, deadline: Deadline) -> Result<Connection, Failure> {
        let load = self.level.load;
        let open = Connection::open(&load.target);
        let connection = within(deadline, open, ErrorKind::ConnectTimeout).await?;
        if self.connected_before && load.connections == Connections::KeepAlive {
            self.level.tally.borrow_mut().reconnected();
        }
        self.connected_before = true;
        Ok(connection)
    }
}

/// None where the time-out is so long that no clock reaches it.
type Deadline = Option<tokio::time::Instant>;

/// Waits for `work` until `deadline`.
async fn within<T>(
    deadline: Deadline,
    work: impl Future<Output = Result<T, Failure>>,
    late: ErrorKind,
) -> Result<T, Failure> {
    let Some(deadline) = deadline else {
        return work.await;
    };
    timeout_at(deadline, work).await.unwrap_or_else(|_| {
        let missing = if late.is_connect() { "connection" } else { "complete response" };
        Err(Failure::new(late, format!("no {missing} within the time-out")))
    })
}

/// Counts itself for as long as it lives.
struct Counted<'a>(&'a Cell<u64>);

impl<'a> Counted<'a> {
    fn new(count: &'a Cell<u64>) -> Self {
        count.set(count.get() + 1);
        Self(count)
    }
}

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.0.set(self.0.get() - 1);
    }
}
