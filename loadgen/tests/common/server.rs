//! An HTTP server inside the test: it answers what the test wants, wrong things too.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

use super::fib;

/// Listens until it is dropped.
pub struct TestServer {
    address: SocketAddr,
    inner: Arc<Inner>,
}

/// Status and body for a request, by its number (from 0), path and body; `None`: the server is gone from here on.
type Answer = dyn Fn(u64, &str, &[u8]) -> Option<(u16, Vec<u8>)> + Send + Sync;

struct Inner {
    answer: Box<Answer>,
    requests: AtomicU64,
    gone: AtomicBool,
}

impl TestServer {
    pub fn start(answer: impl Fn(u64, &str) -> Option<(u16, String)> + Send + Sync + 'static) -> Self {
        Self::with_bodies(move |number, path, _| answer(number, path).map(|(status, text)| (status, text.into_bytes())))
    }

    /// One that is sent bodies and answers with any bytes.
    pub fn with_bodies(answer: impl Fn(u64, &str, &[u8]) -> Option<(u16, Vec<u8>)> + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let inner =
            Arc::new(Inner { answer: Box::new(answer), requests: AtomicU64::new(0), gone: AtomicBool::new(false) });
        let shared = Arc::clone(&inner);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if shared.gone.load(Ordering::SeqCst) {
                    return;
                }
                let shared = Arc::clone(&shared);
                thread::spawn(move || serve(&shared, &stream, address));
            }
        });
        Self { address, inner }
    }

    /// A server that answers `/fib/{n}?salt=S` rightly.
    pub fn right() -> Self {
        Self::start(|_, path| Some((200, fib_answer(path))))
    }

    /// `http://…` without a path.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }
}

impl Drop for TestServer {
    fn drop(&mut self) {
        stop(&self.inner, self.address);
    }
}

fn stop(inner: &Inner, address: SocketAddr) {
    inner.gone.store(true, Ordering::SeqCst);
    // Wakes the thread that accepts; where that fails it was awake.
    drop(TcpStream::connect(address));
}

/// One connection; an error ends it, as does the client.
fn serve(inner: &Inner, stream: &TcpStream, address: SocketAddr) -> Option<()> {
    let mut reader = BufReader::new(stream);
    loop {
        let lines = reader.by_ref().lines().map_while(Result::ok);
        let head: Vec<String> = lines.take_while(|line| !line.is_empty()).collect();
        let length = head.iter().find_map(|line| line.to_lowercase().strip_prefix("content-length: ")?.parse().ok());
        let mut body = vec![0; length.unwrap_or(0)];
        reader.read_exact(&mut body).ok()?;
        let path = head.first()?.split(' ').nth(1)?;
        let close = head.iter().any(|line| line.eq_ignore_ascii_case("connection: close"));
        if inner.gone.load(Ordering::SeqCst) {
            return None;
        }
        let number = inner.requests.fetch_add(1, Ordering::SeqCst);
        let Some((status, answer)) = (inner.answer)(number, path, &body) else {
            stop(inner, address);
            return None;
        };
        let head = format!("HTTP/1.1 {status} Said\r\nContent-Length: {}\r\n\r\n", answer.len());
        (&*stream).write_all(&[head.as_bytes(), &answer].concat()).ok()?;
        if close {
            return None;
        }
    }
}

/// What the contract says of `/fib/{n}?salt=S`.
pub fn fib_answer(path: &str) -> String {
    let number = |text: Option<&str>| text.and_then(|text| text.parse::<u64>().ok()).unwrap_or(0);
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    let n = number(path.strip_prefix("/fib/"));
    (fib(n as u32) + number(query.strip_prefix("salt="))).to_string()
}

/// An address where nothing listens, and nobody will while the socket lives: it holds the port on another address.
pub fn nothing_listens() -> (TcpListener, SocketAddr) {
    let holder = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = holder.local_addr().unwrap().port();
    (holder, SocketAddr::from(([127, 77, 0, 1], port)))
}
