//! A server in this process, a client without conveniences, and jobs that wait or panic on command.

#![allow(dead_code, reason = "no test file uses all of it")]
#![allow(unused_imports, reason = "no test file uses all of it")]

mod client;
mod gate;

use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

pub use client::{Client, Response};
pub use gate::{Gate, Gated, PANICS, WAITS, WAITS_WIDE};
use servers::{BackendChoice, Config, Listener, MakeBackend, RunError, Variant};
use tokio::sync::oneshot;

/// Long enough for any machine; only a broken server makes a test wait for it.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// A running server; stopped when dropped.
pub struct Server {
    pub address: SocketAddr,
    pub gate: Arc<Gate>,
    shutdown: Option<oneshot::Sender<()>>,
    ended: Receiver<Result<(), RunError>>,
}

impl Server {
    /// A server as users run it.
    pub fn start(variant: Variant, workers: usize) -> Self {
        Self::start_on(variant, workers, BackendChoice::of(variant))
    }

    /// A server with another backend than its variant's own.
    pub fn start_on(variant: Variant, workers: usize, backend: BackendChoice) -> Self {
        Self::start_by(variant, workers, move |listener, config, ready, shutdown, _| {
            servers::run(listener, Config { backend, ..config }, ready, shutdown)
        })
    }

    /// A server with limits of the test's own.
    pub fn configured(config: Config) -> Self {
        Self::start_by(config.variant, 1, move |listener, _, ready, shutdown, _| {
            servers::run(listener, config, ready, shutdown)
        })
    }

    /// A server whose jobs can wait and panic.
    pub fn gated(variant: Variant, workers: usize) -> Self {
        Self::start_by(variant, workers, |listener, config, ready, shutdown, gate| {
            let make: Arc<MakeBackend> = Arc::new(move || Ok(Box::new(Gated(Arc::clone(&gate)))));
            servers::run_with(listener, config, make, ready, shutdown)
        })
    }

    fn start_by<F>(variant: Variant, workers: usize, run: F) -> Self
    where
        F: FnOnce(Listener, Config, Box<dyn FnOnce(SocketAddr)>, Shutdown, Arc<Gate>) -> Result<(), RunError>
            + Send
            + 'static,
    {
        let listener = Listener::bind(variant, SocketAddr::from(([127, 0, 0, 1], 0))).unwrap();
        let config = Config { workers: workers.try_into().ok(), ..Config::new(variant) };
        let (shutdown, on_shutdown) = oneshot::channel::<()>();
        let (end, ended) = channel();
        let (ready, is_ready) = channel();
        let gate = Arc::new(Gate::default());
        let for_server = Arc::clone(&gate);
        thread::spawn(move || {
            let ready = Box::new(move |address| ready.send(address).unwrap());
            let shutdown = Box::pin(async { drop(on_shutdown.await) });
            let _ = end.send(run(listener, config, ready, shutdown, for_server));
        });
        let address = is_ready.recv_timeout(PATIENCE).expect("the server gets ready");
        Self { address, gate, shutdown: Some(shutdown), ended }
    }

    /// Begins a shutdown.
    pub fn shut_down(&mut self) {
        drop(self.shutdown.take());
    }

    /// Waits for the end of a shutdown.
    pub fn join(&mut self) -> Result<(), RunError> {
        self.ended.recv_timeout(PATIENCE).expect("the server ends")
    }

    pub fn connect(&self) -> Client {
        Client::connect(self.address)
    }

    /// One GET on a connection of its own.
    pub fn get(&self, path: &str) -> Response {
        self.connect().get(path)
    }

    /// The value of a metric.
    pub fn metric(&self, name: &str) -> u64 {
        let text = self.get("/metrics").body;
        let value = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        value.unwrap_or_else(|| panic!("no {name} in\n{text}")).parse().unwrap()
    }

    /// Waits until a metric has a value.
    pub fn await_metric(&self, name: &str, value: u64) {
        for _ in 0..PATIENCE.as_millis() / 10 {
            if self.metric(name) == value {
                return;
            }
            thread::sleep(Duration::from_millis(10));
        }
        panic!("{name} is {} and does not become {value}", self.metric(name));
    }
}

type Shutdown = Pin<Box<dyn Future<Output = ()> + Send>>;

impl Drop for Server {
    fn drop(&mut self) {
        self.gate.open();
        self.shut_down();
        if !thread::panicking() {
            let _ = self.ended.recv_timeout(PATIENCE);
        }
    }
}
