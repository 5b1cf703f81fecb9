//! N event loops on threads of their own, for `multi-event-loop` and `reuse-port`.

use std::io;
use std::net::TcpListener as StdListener;
use std::net::TcpStream as StdStream;
use std::rc::Rc;
use std::thread;

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::watch;
use tokio::time::timeout;

use super::http_loop::{self, GRACE, Incoming};
use crate::backend::Backend;
use crate::executor::EventLoop;
use crate::http::{Shared, Site};
use crate::pins::Pins;

/// What a loop is given to find its connections.
pub(super) enum Source {
    Listener(StdListener),
    Dealt(UnboundedReceiver<StdStream>),
}

/// The loops' threads, seen from the thread that started them.
pub(super) struct Loops {
    shutdown: watch::Sender<bool>,
    ended: UnboundedReceiver<io::Result<()>>,
}

impl Loops {
    /// Starts a loop, computing inline, for each backend and source.
    pub(super) fn start(
        parts: impl Iterator<Item = (Box<dyn Backend>, Source)>,
        shared: &Shared,
        pins: &Pins,
    ) -> io::Result<Self> {
        let (shutdown, on_shutdown) = watch::channel(false);
        let (end, ended) = unbounded_channel();
        for (index, (backend, source)) in parts.enumerate() {
            let (on_shutdown, end, shared) = (on_shutdown.clone(), EndOfLoop(end.clone()), shared.clone());
            let builder = thread::Builder::new().name(format!("loop-{index}"));
            let run = move || {
                let site = Site { executor: Rc::new(EventLoop::new(backend)), shared };
                let result = http_loop::block_on(run_loop(source, site, on_shutdown)).flatten();
                // Received unless the server has ended already.
                let _ = end.0.send(result);
            };
            pins.place(index, || builder.spawn(run))?;
        }
        Ok(Self { shutdown, ended })
    }

    /// Waits until a loop ends, which none does before it is told to.
    pub(super) async fn first_end(&mut self) -> io::Error {
        match self.ended.recv().await {
            Some(Err(error)) => error,
            Some(Ok(())) | None => io::Error::other("an event loop ended by itself"),
        }
    }

    /// Tells the loops to end and waits for them, but not for one that is blocked by a job for longer than the grace period.
    pub(super) async fn stop(mut self) {
        self.shutdown.send_replace(true);
        let all = async { while self.ended.recv().await.is_some() {} };
        let _ = timeout(GRACE + GRACE / 4, all).await;
    }
}

/// Says that a loop has ended even if its thread panics.
struct EndOfLoop(UnboundedSender<io::Result<()>>);

impl Drop for EndOfLoop {
    fn drop(&mut self) {
        if thread::panicking() {
            let _ = self.0.send(Err(io::Error::other("an event loop panicked")));
        }
    }
}

async fn run_loop(source: Source, site: Site, mut on_shutdown: watch::Receiver<bool>) -> io::Result<()> {
    let incoming = match source {
        Source::Listener(listener) => Incoming::from_listener(listener)?,
        Source::Dealt(connections) => Incoming::Dealt(connections),
    };
    let shutdown = async move {
        // An error means that the starter is gone: as good as a shutdown.
        let _ = on_shutdown.wait_for(|shutdown| *shutdown).await;
    };
    http_loop::serve(incoming, site, shutdown).await
}
