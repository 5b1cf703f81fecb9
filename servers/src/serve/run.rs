//! `run`: puts listener, backends, executor and event loops together, as the variant says.

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::rc::Rc;
use std::sync::Arc;
use std::thread::available_parallelism;

use tokio::sync::mpsc::unbounded_channel;

use super::deal::deal;
use super::http_loop::{self, Incoming};
use super::listener::Listener;
use super::loops::{Loops, Source};
use crate::backend::{Backend, BackendChoice, MakeBackend, MakeError};
use crate::executor::{EventLoop, Executor, SpawnBlocking, ThreadPerRequest, WorkerArray, WorkerPool};
use crate::http::{Shared, Site};
use crate::pins::Pins;
use crate::variant::Variant;

/// What a server is to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// How it uses threads.
    pub variant: Variant,
    /// How many workers, or event loops where there are several; `None`: as many as CPUs are usable. Ignored by a
    /// variant that [has none](Variant::has_workers).
    pub workers: Option<NonZeroUsize>,
    /// Whether each of them keeps to one CPU: worker i to CPU i of those usable, from the first again when there are more.
    pub pin_workers: bool,
    /// What each worker computes with.
    pub backend: BackendChoice,
    /// The largest n that `/fib/{n}` computes; a larger one is answered with 422.
    pub max_n: u32,
    /// The most pixels that an image may have; a larger one is answered with 413.
    pub max_pixels: u64,
    /// The most bytes that the body of a request may have; a larger one is answered with 413.
    pub max_body: usize,
    /// The most bytes that stored images may take; an image beyond is answered with 507.
    pub store_bytes: u64,
}

impl Config {
    /// The defaults for `variant`.
    pub fn new(variant: Variant) -> Self {
        Self {
            variant,
            workers: None,
            pin_workers: false,
            backend: BackendChoice::of(variant),
            max_n: 50,
            max_pixels: 100_000_000,
            max_body: 64 << 20,
            store_bytes: 256 << 20,
        }
    }
}

/// Why a server could not start or go on.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// An event loop could not be started or ended by itself.
    #[error("an event loop failed: {0}")]
    Loop(#[source] io::Error),
    /// The workers could not be started.
    #[error("the workers could not be started: {0}")]
    Workers(#[source] io::Error),
    /// More listeners on the same port could not be made.
    #[error("the port could not be shared: {0}")]
    SharePort(#[source] io::Error),
    /// There is nothing to compute with.
    #[error(transparent)]
    Backend(#[from] MakeError),
}

/// Serves until `shutdown` completes; calls `on_ready` once workers and Wasm instances exist and connections are accepted.
///
/// At shutdown idle connections are closed at once; requests under way have two seconds to end. Threads that compute a
/// job at the end are left to finish it: a computation cannot be interrupted.
pub fn run(
    listener: Listener,
    config: Config,
    on_ready: impl FnOnce(SocketAddr),
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> Result<(), RunError> {
    let make_backend = config.backend.maker()?;
    run_with(listener, config, make_backend, on_ready, shutdown)
}

/// [`run`] with backends of the caller's own, whatever the configuration; for tests, which need jobs that wait or panic on command.
pub fn run_with(
    listener: Listener,
    config: Config,
    make_backend: Arc<MakeBackend>,
    on_ready: impl FnOnce(SocketAddr),
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> Result<(), RunError> {
    let workers = config.workers.or_else(|| available_parallelism().ok()).map_or(1, NonZeroUsize::get);
    let pins = if config.pin_workers { Pins::usable().map_err(RunError::Workers)? } else { Pins::default() };
    let backends = || (0..workers).map(|_| make_backend()).collect::<Result<Vec<_>, _>>();
    let executor: Rc<dyn Executor> = match config.variant {
        Variant::MultiEventLoop | Variant::ReusePort => {
            return run_loops(listener, &config, backends()?, &pins, on_ready, shutdown);
        }
        Variant::EventLoop => Rc::new(EventLoop::new(make_backend()?)),
        Variant::ThreadPerRequest => Rc::new(ThreadPerRequest::new(make_backend)),
        Variant::SpawnBlocking => Rc::new(SpawnBlocking::new(make_backend)),
        Variant::WorkerArray => Rc::new(WorkerArray::start(backends()?, &pins).map_err(RunError::Workers)?),
        Variant::WorkerPool | Variant::WasmWorker => {
            Rc::new(WorkerPool::start(backends()?, &pins).map_err(|error| RunError::Workers(io::Error::other(error)))?)
        }
    };
    let site = Site { executor, shared: Shared::new(&config) };
    let address = listener.local_addr();
    let serve = async move {
        let incoming = Incoming::from_listener(listener.socket)?;
        on_ready(address);
        http_loop::serve(incoming, site, shutdown).await
    };
    http_loop::block_on(serve).flatten().map_err(RunError::Loop)
}

/// Serves on a loop for each backend; this thread deals out connections or, with a listener for each loop, only waits.
fn run_loops(
    listener: Listener,
    config: &Config,
    backends: Vec<Box<dyn Backend>>,
    pins: &Pins,
    on_ready: impl FnOnce(SocketAddr),
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> Result<(), RunError> {
    let address = listener.local_addr();
    let (mut dealt_from, mut deal_to) = (None, Vec::new());
    let sources: Vec<Source> = if config.variant == Variant::ReusePort {
        let listeners = listener.share(backends.len()).map_err(RunError::SharePort)?;
        listeners.into_iter().map(Source::Listener).collect()
    } else {
        dealt_from = Some(listener.socket);
        let dealt = backends.iter().map(|_| {
            let (to, connections) = unbounded_channel();
            deal_to.push(to);
            Source::Dealt(connections)
        });
        dealt.collect()
    };
    let parts = backends.into_iter().zip(sources);
    let mut loops = Loops::start(parts, &Shared::new(config), pins).map_err(RunError::Workers)?;
    let coordinate = async move {
        let dealing = async move {
            match dealt_from {
                Some(listener) => deal(listener, deal_to).await,
                None => std::future::pending().await,
            }
        };
        on_ready(address);
        let result = tokio::select! {
            biased;
            () = shutdown => Ok(()),
            error = loops.first_end() => Err(error),
            Err(error) = dealing => Err(error),
        };
        loops.stop().await;
        result
    };
    http_loop::block_on(coordinate).flatten().map_err(RunError::Loop)
}
