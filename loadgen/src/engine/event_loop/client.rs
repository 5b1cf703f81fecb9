//! A client, with what it keeps from request to request. There may be ten thousand, so it is small.

use socket2::Socket;

use super::super::Asked;
use super::super::clock::Ns;
use super::super::response::Parser;

/// What a client is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    /// It has no request.
    Idle,
    /// It has no request and takes none before the pause is over.
    Pausing,
    /// It has a request, but no connection yet.
    Connecting,
    /// It sends its request and waits for the response.
    Exchanging,
}

#[derive(Debug)]
pub(super) struct Client {
    pub(super) phase: Phase,
    pub(super) connection: Option<Connection>,
    /// It had a connection at some time: the next one is a reconnect.
    pub(super) connected_before: bool,
    pub(super) asked: Asked,
    /// From when its response time counts.
    pub(super) start: Ns,
    /// When it was sent; the same in a closed loop.
    pub(super) sent_at: Ns,
    /// How many of its bytes are sent.
    pub(super) sent: usize,
    pub(super) all_sent: bool,
    /// It met a connection that the server had closed, and was sent again.
    pub(super) resent: bool,
    /// When the pause is over.
    pub(super) resume_at: Ns,
    pub(super) parser: Parser,
}

/// An open connection.
#[derive(Debug)]
pub(super) struct Connection {
    pub(super) socket: Socket,
    /// It has served a request before, so the server may have closed it meanwhile.
    pub(super) used: bool,
    /// Bytes came while it was idle.
    pub(super) unasked: bool,
    /// Sending failed. A response may still be there, so it is read all the same.
    pub(super) broken: Option<String>,
    /// It tells when it takes bytes again.
    pub(super) watches_writes: bool,
}

impl Connection {
    pub(super) fn new(socket: Socket) -> Self {
        Self { socket, used: false, unasked: false, broken: None, watches_writes: false }
    }
}

impl Client {
    pub(super) fn new(parser: Parser) -> Self {
        Self {
            phase: Phase::Idle,
            connection: None,
            connected_before: false,
            asked: Asked { salt: 0, input: 0 },
            start: 0,
            sent_at: 0,
            sent: 0,
            all_sent: false,
            resent: false,
            resume_at: 0,
            parser,
        }
    }
}
