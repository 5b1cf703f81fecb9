//! An HTTP server inside the test that may misbehave in any way: it answers with bytes of the test's choice, on TCP, on
//! a unix socket or by TLS, and remembers what it was sent.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

/// A request as it arrived.
#[derive(Debug, Clone)]
pub struct Received {
    /// From 0, over all connections.
    pub number: u64,
    /// From 0, in the order of their first request.
    pub connection: u64,
    /// Request line and headers.
    pub head: String,
    pub body: Vec<u8>,
}

impl Received {
    /// The value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().skip(1).filter_map(|line| line.split_once(':'));
        lines.find(|(own, _)| own.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim())
    }

    /// Path and query.
    pub fn path(&self) -> &str {
        self.head.split(' ').nth(1).unwrap_or_default()
    }
}

/// What to do after the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Then {
    /// Read the next request.
    Keep,
    /// Close the connection.
    Close,
    /// Say nothing more until the client is gone.
    Silent,
}

type Behaviour = dyn Fn(&Received) -> (Vec<u8>, Then) + Send + Sync;

struct Inner {
    behaviour: Box<Behaviour>,
    received: Mutex<Vec<Received>>,
    requests: AtomicU64,
    connections: AtomicU64,
    gone: AtomicBool,
}

/// How a server is spoken to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transport {
    Http,
    /// With a certificate of its own for `localhost` and 127.0.0.1.
    Https,
}

impl Transport {
    pub fn scheme(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Https => "https",
        }
    }
}

/// Listens until it is dropped.
pub struct WildServer {
    inner: Arc<Inner>,
    place: Place,
    transport: Transport,
    /// In PEM form, where there is one.
    certificate: String,
}

enum Place {
    Tcp(SocketAddr),
    Unix(PathBuf),
}

impl WildServer {
    pub fn start(behaviour: impl Fn(&Received) -> (Vec<u8>, Then) + Send + Sync + 'static) -> Self {
        Self::on(TcpListener::bind("127.0.0.1:0").unwrap(), behaviour)
    }

    /// By HTTP or HTTPS.
    pub fn over(
        transport: Transport,
        behaviour: impl Fn(&Received) -> (Vec<u8>, Then) + Send + Sync + 'static,
    ) -> Self {
        match transport {
            Transport::Http => Self::start(behaviour),
            Transport::Https => Self::tls(behaviour),
        }
    }

    fn tls(behaviour: impl Fn(&Received) -> (Vec<u8>, Then) + Send + Sync + 'static) -> Self {
        let names = ["localhost".to_owned(), "127.0.0.1".to_owned()];
        let own = rcgen::generate_simple_self_signed(names).unwrap();
        let key = rustls::pki_types::PrivatePkcs8KeyDer::from(own.signing_key.serialize_der());
        let config = rustls::ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![own.cert.der().clone()], key.into())
            .unwrap();
        let (config, listener) = (Arc::new(config), TcpListener::bind("127.0.0.1:0").unwrap());
        let (inner, address) = (Inner::new(behaviour), listener.local_addr().unwrap());
        let shared = Arc::clone(&inner);
        thread::spawn(move || {
            let streams = listener.incoming().flatten().map(|stream| (stream, Arc::clone(&config)));
            accept(&shared, streams, |inner, (stream, config)| {
                let connection = rustls::ServerConnection::new(config).unwrap();
                _ = serve(inner, rustls::StreamOwned::new(connection, stream));
            });
        });
        Self { inner, place: Place::Tcp(address), transport: Transport::Https, certificate: own.cert.pem() }
    }

    pub fn on(listener: TcpListener, behaviour: impl Fn(&Received) -> (Vec<u8>, Then) + Send + Sync + 'static) -> Self {
        let (inner, address) = (Inner::new(behaviour), listener.local_addr().unwrap());
        let shared = Arc::clone(&inner);
        thread::spawn(move || accept(&shared, listener.incoming().flatten(), |inner, stream| _ = serve(inner, stream)));
        Self { inner, place: Place::Tcp(address), transport: Transport::Http, certificate: String::new() }
    }

    pub fn unix(path: &Path, behaviour: impl Fn(&Received) -> (Vec<u8>, Then) + Send + Sync + 'static) -> Self {
        let (inner, listener) = (Inner::new(behaviour), UnixListener::bind(path).unwrap());
        let shared = Arc::clone(&inner);
        thread::spawn(move || accept(&shared, listener.incoming().flatten(), |inner, stream| _ = serve(inner, stream)));
        let place = Place::Unix(path.to_owned());
        Self { inner, place, transport: Transport::Http, certificate: String::new() }
    }

    /// Where it listens; it must be on TCP.
    pub fn address(&self) -> SocketAddr {
        match &self.place {
            Place::Tcp(address) => *address,
            Place::Unix(path) => panic!("{} is no address", path.display()),
        }
    }

    /// `http://…` or `https://…` with this path.
    pub fn url(&self, path: &str) -> String {
        format!("{}://{}{path}", self.transport.scheme(), self.address())
    }

    /// Whom to trust.
    pub fn certificate(&self) -> &str {
        &self.certificate
    }

    /// All requests so far.
    pub fn received(&self) -> Vec<Received> {
        self.inner.received.lock().unwrap().clone()
    }

    /// Connections so far on which a request came.
    pub fn connections(&self) -> u64 {
        self.inner.connections.load(Ordering::SeqCst)
    }
}

impl Drop for WildServer {
    fn drop(&mut self) {
        self.inner.gone.store(true, Ordering::SeqCst);
        // Wakes the thread that accepts; where that fails it was awake.
        match &self.place {
            Place::Tcp(address) => drop(TcpStream::connect(address)),
            Place::Unix(path) => drop(UnixStream::connect(path)),
        }
    }
}

impl Inner {
    fn new(behaviour: impl Fn(&Received) -> (Vec<u8>, Then) + Send + Sync + 'static) -> Arc<Self> {
        Arc::new(Self {
            behaviour: Box::new(behaviour),
            received: Mutex::default(),
            requests: AtomicU64::new(0),
            connections: AtomicU64::new(0),
            gone: AtomicBool::new(false),
        })
    }
}

fn accept<Stream: Send + 'static>(
    inner: &Arc<Inner>,
    streams: impl Iterator<Item = Stream>,
    serve: impl Fn(&Inner, Stream) + Copy + Send + 'static,
) {
    for stream in streams {
        if inner.gone.load(Ordering::SeqCst) {
            return;
        }
        let inner = Arc::clone(inner);
        thread::spawn(move || serve(&inner, stream));
    }
}

/// One connection; an error ends it, as does the client.
fn serve(inner: &Inner, mut stream: impl Read + Write) -> Option<()> {
    let (mut pending, mut connection) = (Vec::new(), None);
    loop {
        let (head, body) = request(&mut stream, &mut pending)?;
        let connection = *connection.get_or_insert_with(|| inner.connections.fetch_add(1, Ordering::SeqCst));
        let number = inner.requests.fetch_add(1, Ordering::SeqCst);
        let received = Received { number, connection, head, body };
        let (answer, then) = (inner.behaviour)(&received);
        inner.received.lock().unwrap().push(received);
        stream.write_all(&answer).and_then(|()| stream.flush()).ok()?;
        match then {
            Then::Keep => {}
            Then::Close => return None,
            Then::Silent => while stream.read(&mut [0; 1024]).ok()? > 0 {},
        }
    }
}

/// The next request: its head, and a body of Content-Length.
fn request(stream: &mut impl Read, pending: &mut Vec<u8>) -> Option<(String, Vec<u8>)> {
    let end = loop {
        match pending.windows(4).position(|window| window == b"\r\n\r\n") {
            Some(end) => break end,
            None => more(stream, pending)?,
        }
    };
    let head = String::from_utf8_lossy(&pending[..end]).into_owned();
    pending.drain(..end + 4);
    let length = head.lines().filter_map(|line| line.split_once(':'));
    let mut length = length.filter(|(name, _)| name.eq_ignore_ascii_case("content-length"));
    let length = length.next().map_or(0, |(_, value)| value.trim().parse().unwrap());
    while pending.len() < length {
        more(stream, pending)?;
    }
    Some((head, pending.drain(..length).collect()))
}

fn more(stream: &mut impl Read, pending: &mut Vec<u8>) -> Option<()> {
    let mut buffer = [0; 4096];
    let count = stream.read(&mut buffer).ok().filter(|&count| count > 0)?;
    pending.extend_from_slice(&buffer[..count]);
    Some(())
}

/// A response with a length.
pub fn response(status: &str, body: impl AsRef<[u8]>) -> Vec<u8> {
    let body = body.as_ref();
    let head = format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\n\r\n", body.len());
    [head.as_bytes(), body].concat()
}
