//! A server that does what a test tells it to.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

/// What the server does about a request, one after another; then it waits for the next request.
pub(super) enum Do {
    Send(Vec<u8>),
    /// Lets everything sent so far arrive by itself.
    Yield,
    /// Computes for so long.
    Wait(Duration),
    Close,
    Reset,
    /// Keeps the connection open and says nothing more.
    Hang,
}

/// A request as the server saw it.
pub(super) struct Asked {
    pub(super) head: String,
    pub(super) body: Vec<u8>,
    pub(super) salt: u32,
    /// Requests on this connection before this one.
    pub(super) before: u64,
    /// Requests in all before this one.
    pub(super) before_in_all: u64,
}

type Script = dyn Fn(&Asked) -> Vec<Do> + Send + Sync;

/// Runs in the runtime of the test, and ends with it.
#[derive(Clone)]
pub(super) struct Server {
    pub(super) address: SocketAddr,
    connections: Arc<AtomicU64>,
    requests: Arc<AtomicU64>,
    salts: Arc<Mutex<Vec<u32>>>,
    took: Arc<Mutex<Vec<Duration>>>,
}

impl Server {
    pub(super) async fn start(script: impl Fn(&Asked) -> Vec<Do> + Send + Sync + 'static) -> Self {
        Self::start_at("127.0.0.1:0", script).await
    }

    pub(super) async fn start_at(address: &str, script: impl Fn(&Asked) -> Vec<Do> + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind(address).await.unwrap();
        let server = Self {
            address: listener.local_addr().unwrap(),
            connections: Arc::default(),
            requests: Arc::default(),
            salts: Arc::default(),
            took: Arc::default(),
        };
        let accepting = server.clone();
        let script: Arc<Script> = Arc::new(script);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                accepting.connections.fetch_add(1, Relaxed);
                tokio::spawn(accepting.clone().connection(stream, script.clone()));
            }
        });
        server
    }

    /// Sends the same bytes to everyone and closes.
    pub(super) async fn sending(bytes: impl Into<Vec<u8>>) -> Self {
        let bytes = bytes.into();
        Self::start(move |_| vec![Do::Send(bytes.clone()), Do::Close]).await
    }

    pub(super) fn connections(&self) -> u64 {
        self.connections.load(Relaxed)
    }

    pub(super) fn requests(&self) -> u64 {
        self.requests.load(Relaxed)
    }

    /// The salts of all requests, sorted.
    pub(super) fn salts(&self) -> Vec<u32> {
        let mut salts = self.salts.lock().unwrap().clone();
        salts.sort_unstable();
        salts
    }

    /// How long it took for each request, by its own clock; sorted.
    pub(super) fn took(&self) -> Vec<Duration> {
        let mut took = self.took.lock().unwrap().clone();
        took.sort_unstable();
        took
    }

    async fn connection(self, mut stream: TcpStream, script: Arc<Script>) {
        stream.set_nodelay(true).unwrap();
        let mut before = 0;
        while let Some((head, body)) = read_request(&mut stream).await {
            let salt = head.split("salt=").nth(1).and_then(|rest| rest.split(' ').next()?.parse().ok());
            let salt = salt.unwrap_or_default();
            self.salts.lock().unwrap().push(salt);
            let before_in_all = self.requests.fetch_add(1, Relaxed);
            let asked = Asked { head, body, salt, before, before_in_all };
            before += 1;
            let begun = Instant::now();
            for step in script(&asked) {
                match step {
                    Do::Send(bytes) => {
                        if stream.write_all(&bytes).await.is_err() {
                            return;
                        }
                    }
                    Do::Yield => tokio::time::sleep(Duration::from_millis(1)).await,
                    Do::Wait(time) => tokio::time::sleep(time).await,
                    Do::Close => return,
                    Do::Reset => return stream.set_zero_linger().unwrap(),
                    Do::Hang => std::future::pending().await,
                }
            }
            self.took.lock().unwrap().push(begun.elapsed());
        }
    }
}

/// Head and body of the next request, if there is one.
async fn read_request(stream: &mut TcpStream) -> Option<(String, Vec<u8>)> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.ok()?);
    }
    let head = String::from_utf8(head).unwrap();
    let length = head.split("Content-Length: ").nth(1).and_then(|rest| rest.split('\r').next()?.parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    stream.read_exact(&mut body).await.ok()?;
    Some((head, body))
}
