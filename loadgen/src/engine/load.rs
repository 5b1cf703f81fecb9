//! What to send, where to, how often, and what answer is right.

use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::ErrorKind;

/// One level of load on one server.
#[derive(Clone)]
pub struct Load {
    /// Where the server listens.
    pub address: SocketAddr,
    /// The value of the `Host` header.
    pub host: String,
    /// What each client sends.
    pub request: Request,
    /// Decides whether an answer is right.
    pub check: Arc<dyn Check>,
    /// How many clients send at the same time. Never more than `requests` of them are made.
    pub clients: usize,
    /// How many requests are sent in all, drawn from one counter; [`Load::UNTIL_STOPPED`] for no end.
    pub requests: u64,
    /// Whether a connection serves one request or many.
    pub connections: Connections,
    /// The longest that a request may take, from connecting or sending to the last byte.
    pub timeout: Duration,
    /// Request i carries the salt `first_salt + i`, wrapping.
    pub first_salt: u32,
    /// Start and duration of each request are kept for levels of up to this many requests.
    pub keep_times_up_to: u64,
    /// A response body longer than this many bytes is an error (`malformed`) and is not read.
    pub max_body: usize,
}

impl Load {
    /// For `requests`: send until the caller stops it.
    pub const UNTIL_STOPPED: u64 = u64::MAX;
    /// For `keep_times_up_to`: what results keep.
    pub const KEEP_TIMES_UP_TO: u64 = 1000;
    /// For `max_body`: 64 MiB.
    pub const MAX_BODY: usize = 64 << 20;
}

/// Whether clients keep their connections.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Connections {
    /// Each client keeps its connection for as long as the server does.
    KeepAlive,
    /// A new connection for each request, which says `Connection: close`.
    PerRequest,
}

/// An HTTP request. `Host`, `Content-Length` and `Connection` are added where it has none.
///
/// The engine sends these texts as they are: whoever makes a request sees to it that they hold
/// no line breaks, and the path no spaces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// `GET`, `POST`, …
    pub method: String,
    /// Path and query; each `{salt}` in it is replaced by the salt of the request, each `{input}` by the number of its input.
    pub path: String,
    /// Further headers.
    pub headers: Vec<(String, String)>,
    /// Distinct bodies, one for each input, sent as they are; none for requests without a body.
    pub bodies: Vec<Arc<[u8]>>,
    /// How many inputs there are. Client i asks for input i modulo this, so with at least as many inputs as clients no two
    /// requests in flight are alike. At least 1; where there are bodies, as many as they are.
    pub inputs: usize,
}

impl Request {
    /// A GET request without headers of its own.
    pub fn get(path: impl Into<String>) -> Self {
        Self { method: "GET".to_owned(), path: path.into(), headers: Vec::new(), bodies: Vec::new(), inputs: 1 }
    }
}

/// Decides whether an answer is the right one for its request.
pub trait Check: Send + Sync {
    /// Called for every complete response, with what tells its request from others. Its time
    /// is no part of the response time, but it takes CPU that the server may want.
    fn check(&self, asked: Asked, reply: Reply<'_>) -> Result<(), Mismatch>;
}

/// What tells a request from the others of its level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Asked {
    /// Its salt.
    pub salt: u32,
    /// The number of its input, from 0.
    pub input: usize,
}

/// A complete response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reply<'a> {
    /// Of its last head.
    pub status: u16,
    /// Without framing.
    pub body: &'a [u8],
}

/// An answer that is not the right one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mismatch {
    kind: ErrorKind,
    expected: String,
    received: String,
}

impl Mismatch {
    /// The status is wrong: [`ErrorKind::Shed`] for 503, else [`ErrorKind::Status`].
    /// The body often says why, so its beginning is kept.
    pub fn status(expected: impl fmt::Display, status: u16, body: &[u8]) -> Self {
        let kind = if status == 503 { ErrorKind::Shed } else { ErrorKind::Status };
        let received = match body {
            [] => format!("status {status}"),
            _ => format!("status {status}, {}", excerpt(body)),
        };
        Self { kind, expected: format!("status {expected}"), received }
    }

    /// The body is wrong. Long texts are cut.
    pub fn body(expected: impl AsRef<[u8]>, received: &[u8]) -> Self {
        Self { kind: ErrorKind::Body, expected: excerpt(expected.as_ref()), received: excerpt(received) }
    }

    /// `Status`, `Shed` or `Body`.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// What the answer should have been.
    pub fn expected(&self) -> &str {
        &self.expected
    }

    /// What it was.
    pub fn received(&self) -> &str {
        &self.received
    }
}

/// The beginning of some bytes as printable text, for messages.
pub(super) fn excerpt(bytes: &[u8]) -> String {
    const LONGEST: usize = 120;
    let start = bytes.get(..LONGEST).unwrap_or(bytes);
    let text: String = match std::str::from_utf8(start) {
        Ok(text) => text.escape_debug().collect(),
        Err(_) => start.escape_ascii().to_string(),
    };
    match bytes.len() {
        0 => "nothing".to_owned(),
        length if length > LONGEST => format!("\"{text}\" … ({length} bytes)"),
        _ => format!("\"{text}\""),
    }
}
