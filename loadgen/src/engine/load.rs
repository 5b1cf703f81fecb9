//! What to send, where to, how often, and what answer is right.

use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::Check;

/// One level of load on one server.
///
/// Made by [`Load::new`], which sets everything that has a usual value.
#[derive(Clone)]
pub struct Load {
    /// Where the server listens.
    pub target: Target,
    /// The value of the `Host` header.
    pub host: String,
    /// What each client sends.
    pub request: Request,
    /// Decides whether an answer is right.
    pub check: Arc<dyn Check>,
    /// Closed loop: how many clients send at the same time; never more than `requests` of them are made.
    /// Open loop: the most connections that are open at the same time; as many are made as are needed.
    pub clients: usize,
    /// When requests are sent.
    pub pace: Pace,
    /// How many requests are sent in all, drawn from one counter; [`Load::UNTIL_STOPPED`] for no such end.
    pub requests: u64,
    /// How long requests are sent, from the first one on; nothing for no such end.
    pub duration: Option<Duration>,
    /// How long the requests that are under way after `duration` are waited for; what has not ended then is `in_flight_at_end`.
    pub drain: Duration,
    /// Whether a connection serves one request or many.
    pub connections: Connections,
    /// The longest that a request may take, from connecting or sending (in an open loop from the time at which it should
    /// have been sent) to the last byte.
    pub timeout: Duration,
    /// Request i carries the salt `first_salt + i`, wrapping.
    pub first_salt: u32,
    /// Start and duration of each request are kept for levels of up to this many requests.
    pub keep_times_up_to: u64,
    /// A response body longer than this many bytes is an error (`malformed`) and is not read.
    pub max_body: usize,
    /// How many threads send; no more than there are clients. One is enough for most servers.
    pub threads: usize,
}

impl Load {
    /// For `requests`: send until the caller stops it.
    pub const UNTIL_STOPPED: u64 = u64::MAX;
    /// For `keep_times_up_to`: what results keep.
    pub const KEEP_TIMES_UP_TO: u64 = 1000;
    /// For `max_body`: 64 MiB.
    pub const MAX_BODY: usize = 64 << 20;
    /// For `timeout`: a minute.
    pub const TIMEOUT: Duration = Duration::from_secs(60);

    /// One client, on one thread, that keeps its connection and sends its next request when its last one is answered, until
    /// it is stopped.
    pub fn new(
        target: impl Into<Target>,
        host: impl Into<String>,
        request: Request,
        check: impl Check + 'static,
    ) -> Self {
        Self {
            target: target.into(),
            host: host.into(),
            request,
            check: Arc::new(check),
            clients: 1,
            pace: Pace::Closed,
            requests: Self::UNTIL_STOPPED,
            duration: None,
            drain: Duration::ZERO,
            connections: Connections::KeepAlive,
            timeout: Self::TIMEOUT,
            first_salt: 0,
            keep_times_up_to: Self::KEEP_TIMES_UP_TO,
            max_body: Self::MAX_BODY,
            threads: 1,
        }
    }
}

/// Where a server listens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// On a TCP port.
    Tcp(SocketAddr),
    /// On a unix socket.
    Unix(PathBuf),
}

impl From<SocketAddr> for Target {
    fn from(address: SocketAddr) -> Self {
        Self::Tcp(address)
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp(address) => address.fmt(f),
            Self::Unix(path) => path.display().fmt(f),
        }
    }
}

/// When requests are sent.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pace {
    /// Closed loop: each client sends its next request when its last one is answered. It measures capacity.
    Closed,
    /// Open loop: requests are sent on a schedule, whatever happens to earlier ones. It measures response times at a rate.
    ///
    /// A response time counts from the time at which its request *should* have been sent. A request that finds all
    /// connections in use waits for one, and the wait counts.
    Open {
        /// Requests per second, finite and above 0.
        rate: f64,
        /// How they are spread.
        arrivals: Arrivals,
        /// Of the random gaps between Poisson arrivals.
        seed: u64,
    },
}

/// How the requests of an open loop are spread over time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Arrivals {
    /// All gaps are equal.
    Constant,
    /// Gaps are exponentially distributed: the requests of many users who know nothing of each other.
    Poisson,
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
    /// Further headers; the same is replaced in their values.
    pub headers: Vec<(String, String)>,
    /// Distinct bodies, one for each input; none for requests without a body.
    pub bodies: Vec<Arc<[u8]>>,
    /// Whether the same is replaced in bodies. Otherwise they are sent as they are: an image may hold any bytes.
    pub fill_bodies: bool,
    /// How many inputs there are. Client i asks for input i modulo this, so with at least as many inputs as clients no two
    /// requests in flight are alike. At least 1; where there are bodies, as many as they are.
    pub inputs: usize,
}

impl Request {
    /// A GET request without headers of its own.
    pub fn get(path: impl Into<String>) -> Self {
        Self {
            method: "GET".to_owned(),
            path: path.into(),
            headers: Vec::new(),
            bodies: Vec::new(),
            fill_bodies: false,
            inputs: 1,
        }
    }
}
