//! A connection to the server, and one request and its response on it.

use std::cell::RefCell;
use std::future::poll_fn;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Instant;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

use super::check::excerpt;
use super::parse::{ParseError, Parser, Progress};
use super::{ErrorKind, Target};

/// Why there was no complete response.
#[derive(Debug)]
pub(super) struct Failure {
    pub(super) kind: ErrorKind,
    pub(super) detail: String,
}

impl Failure {
    pub(super) fn new(kind: ErrorKind, detail: impl ToString) -> Self {
        Self { kind, detail: detail.to_string() }
    }
}

/// Room for one read, shared by all clients: only one of them reads at a time.
pub(super) type ReadBuffer = RefCell<Box<[u8]>>;

/// An open connection.
#[derive(Debug)]
pub(super) struct Connection {
    stream: TcpStream,
    /// Requests answered on it so far.
    answered: u64,
}

impl Connection {
    pub(super) async fn open(target: &Target) -> Result<Self, Failure> {
        let Target::Tcp(address) = target else {
            return Err(Failure::new(ErrorKind::ConnectOther, "unix sockets are not supported yet"));
        };
        let connected = TcpStream::connect(*address).await;
        let stream = connected.map_err(|error| Failure::new(ErrorKind::of_connect(&error), error))?;
        stream.set_nodelay(true).map_err(|error| Failure::new(ErrorKind::ConnectOther, error))?;
        Ok(Self { stream, answered: 0 })
    }

    /// Whether it has served a request before, so that the server may have closed it meanwhile.
    pub(super) fn is_used(&self) -> bool {
        self.answered > 0
    }

    /// Whether the server is known to have closed it while it was idle. Costs no system call where
    /// nothing has happened on it. Bytes that came unasked are an error.
    pub(super) fn is_closed(&self) -> Result<bool, Failure> {
        match self.stream.try_read(&mut [0; 64]) {
            Ok(0) => Ok(true),
            Ok(_) => Err(Failure::new(ErrorKind::Malformed, ParseError::Excess)),
            Err(error) => Ok(error.kind() != io::ErrorKind::WouldBlock),
        }
    }

    /// Sends a request and reads its response into `parser`, both at once: a server may answer
    /// before it has read all. Returns the time at which the last byte was there, and whether the
    /// connection can be used again. `received` counts every byte.
    pub(super) async fn exchange(
        &mut self,
        request: [&[u8]; 2],
        parser: &mut Parser,
        buffer: &ReadBuffer,
        received: &mut u64,
    ) -> Result<(Instant, bool), Failure> {
        parser.reset();
        let mut unsent = Unsent { parts: request, failed: None };
        poll_fn(|context| self.poll_exchange(context, &mut unsent, parser, buffer, received)).await
    }

    fn poll_exchange(
        &mut self,
        context: &mut Context<'_>,
        unsent: &mut Unsent<'_>,
        parser: &mut Parser,
        buffer: &ReadBuffer,
        received: &mut u64,
    ) -> Poll<Result<(Instant, bool), Failure>> {
        unsent.poll_send(&mut self.stream, context);
        let mut buffer = buffer.borrow_mut();
        loop {
            let mut read = ReadBuf::new(&mut buffer);
            let result = ready!(Pin::new(&mut self.stream).poll_read(context, &mut read));
            let bytes = read.filled();
            *received += bytes.len() as u64;
            let progress = match result {
                // What went wrong in sending comes first, and is the likelier cause.
                Err(error) => {
                    return Poll::Ready(Err(broken(unsent.failed.as_ref().unwrap_or(&error), parser)));
                }
                Ok(()) if bytes.is_empty() => parser.finish().map(|()| Progress::Complete),
                Ok(()) => parser.feed(bytes),
            };
            match progress {
                Ok(Progress::Incomplete) => {}
                Ok(Progress::Complete) => {
                    self.answered += 1;
                    let reusable = parser.is_reusable() && unsent.is_empty() && !bytes.is_empty();
                    return Poll::Ready(Ok((Instant::now(), reusable)));
                }
                Err(ParseError::ClosedEarly) => {
                    return Poll::Ready(Err(match &unsent.failed {
                        Some(error) => broken(error, parser),
                        None => Failure::new(ErrorKind::ClosedEarly, so_far(ParseError::ClosedEarly, parser)),
                    }));
                }
                Err(error) => {
                    return Poll::Ready(Err(Failure::new(ErrorKind::Malformed, so_far(error, parser))));
                }
            }
        }
    }
}

/// What is left to send of a request.
struct Unsent<'a> {
    parts: [&'a [u8]; 2],
    /// Sending failed. A response may still be there, so it is read all the same.
    failed: Option<io::Error>,
}

impl Unsent<'_> {
    fn is_empty(&self) -> bool {
        self.parts.iter().all(|part| part.is_empty())
    }

    /// Sends what the connection takes at once; the task is woken when it takes more.
    fn poll_send(&mut self, stream: &mut TcpStream, context: &mut Context<'_>) {
        while self.failed.is_none() && !self.is_empty() {
            let slices = self.parts.map(IoSlice::new);
            match Pin::new(&mut *stream).poll_write_vectored(context, &slices) {
                Poll::Pending => return,
                Poll::Ready(Ok(sent)) => {
                    let [head, body] = self.parts;
                    let from_body = sent.saturating_sub(head.len());
                    self.parts = [head.get(sent..).unwrap_or_default(), body.get(from_body..).unwrap_or_default()];
                }
                Poll::Ready(Err(error)) => self.failed = Some(error),
            }
        }
    }
}

fn broken(error: &io::Error, parser: &Parser) -> Failure {
    Failure::new(ErrorKind::Reset, so_far(error, parser))
}

/// What went wrong, with what had come by then.
fn so_far(error: impl ToString, parser: &Parser) -> String {
    let error = error.to_string();
    match (parser.status(), parser.head()) {
        (0, []) => error,
        (0, head) => format!("{error}, after {}", excerpt(head)),
        (status, _) => format!("{error}, after status {status} and {} bytes of body", parser.body().len()),
    }
}
