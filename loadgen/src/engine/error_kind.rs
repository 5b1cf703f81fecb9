//! What can go wrong with a request.

use std::fmt;
use std::io;

use serde::{Deserialize, Serialize};

/// Why a request was not answered rightly. Each request that failed has exactly one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorKind {
    /// Nobody listens on the port, or there is no such unix socket.
    ConnectRefused,
    /// No connection within the time-out of the request.
    ConnectTimeout,
    /// The connection could not be made for another reason (no route, too many open files, …).
    ConnectOther,
    /// This machine has no local port left for the address.
    NoPorts,
    /// The connection broke (reset, broken pipe) before the response was complete.
    Reset,
    /// The server closed the connection before the response was complete.
    ClosedEarly,
    /// Connected, but no complete response within the time-out.
    Timeout,
    /// What came back is no HTTP/1.1 response, or has bytes that belong to none.
    Malformed,
    /// A complete response with a status that was not expected.
    Status,
    /// A complete response with a body that was not expected.
    Body,
    /// The server refused the request for want of capacity: status 503.
    Shed,
}

impl ErrorKind {
    /// Every kind, in the order in which reports list them.
    pub const ALL: [Self; 11] = [
        Self::ConnectRefused,
        Self::ConnectTimeout,
        Self::ConnectOther,
        Self::NoPorts,
        Self::Reset,
        Self::ClosedEarly,
        Self::Timeout,
        Self::Malformed,
        Self::Status,
        Self::Body,
        Self::Shed,
    ];

    /// The name used in results and scenarios.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ConnectRefused => "connect_refused",
            Self::ConnectTimeout => "connect_timeout",
            Self::ConnectOther => "connect_other",
            Self::NoPorts => "no_ports",
            Self::Reset => "reset",
            Self::ClosedEarly => "closed_early",
            Self::Timeout => "timeout",
            Self::Malformed => "malformed",
            Self::Status => "status",
            Self::Body => "body",
            Self::Shed => "shed",
        }
    }

    /// Whether the request never got a connection.
    pub fn is_connect(self) -> bool {
        matches!(self, Self::ConnectRefused | Self::ConnectTimeout | Self::ConnectOther | Self::NoPorts)
    }

    /// Whether the request took longer than it was allowed to.
    pub fn is_timeout(self) -> bool {
        matches!(self, Self::ConnectTimeout | Self::Timeout)
    }

    /// The kind of an error that `connect` gave.
    pub(super) fn of_connect(error: &io::Error) -> Self {
        match error.kind() {
            // A unix socket that does not exist: nobody listens.
            io::ErrorKind::ConnectionRefused | io::ErrorKind::NotFound => Self::ConnectRefused,
            io::ErrorKind::AddrNotAvailable => Self::NoPorts,
            io::ErrorKind::TimedOut => Self::ConnectTimeout,
            _ => Self::ConnectOther,
        }
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}
