//! Runs a level on threads of its own.

use std::future::poll_fn;
use std::io;
use std::pin::pin;
use std::sync::atomic::AtomicUsize;
use std::task::Poll;
use std::thread::{self, JoinHandle};

use futures_util::future::{Either, select};
use tokio::sync::oneshot;

use super::books::{Measured, Tally};
use super::clock::Clock;
use super::crew::Crew;
use super::event_loop::{Address, EventLoop, Level, OPEN_LOOP_BEGINS};
use super::numbers::Numbers;
use super::stop::Stop;
use super::template::Template;
use super::{Live, Load, Pace};

/// Puts `load` on the server until all of its requests have ended, its time is over, or `stop` is ready: then
/// it ends at once, and what was under way is `in_flight_at_end`. An error of a request never ends it.
///
/// The load comes from threads of its own, so any executor may poll this, and several loads may run at the same time. If it is
/// dropped, they end.
///
/// # Errors
/// The path of a unix socket is too long, or the system refuses the engine what it needs: threads, or files to wait for
/// events with.
pub async fn run(load: &Load, live: &Live, stop: impl Future<Output = ()>) -> io::Result<Measured> {
    let mut stop = pin!(stop);
    if poll_fn(|context| Poll::Ready(stop.as_mut().poll(context).is_ready())).await {
        return Ok(Tally::merge(vec![Tally::new(load, 0, 1)]));
    }
    let mut running = Running::start(load, live)?;
    if let Either::Right(_) = select(&mut running.ended, stop).await {
        running.stop.set();
    }
    running.join()
}

/// A level whose threads are at work.
struct Running {
    stop: Stop,
    /// Ready, with an error, when the thread has ended and let go of the other half.
    ended: oneshot::Receiver<()>,
    first: Option<JoinHandle<io::Result<Measured>>>,
}

impl Running {
    fn start(load: &Load, live: &Live) -> io::Result<Self> {
        let (stop, load, live) = (Stop::new()?, load.clone(), live.clone());
        let (until_end, ended) = oneshot::channel();
        let stop_of_level = stop.clone();
        let first = thread::Builder::new().name("load".to_owned()).spawn(move || {
            let _until_end = until_end;
            all_threads(&load, &live, &stop_of_level)
        })?;
        Ok(Self { stop, ended, first: Some(first) })
    }

    fn join(mut self) -> io::Result<Measured> {
        match self.first.take().map(JoinHandle::join) {
            Some(Ok(measured)) => measured,
            Some(Err(panic)) => std::panic::resume_unwind(panic),
            None => Err(io::Error::other("the load has ended before")),
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(first) = self.first.take() {
            self.stop.set();
            // A panic of a load that nobody waits for has said what it has to say.
            let _ = first.join();
        }
    }
}

/// Runs all threads of a level, this one among them.
fn all_threads(load: &Load, live: &Live, stop: &Stop) -> io::Result<Measured> {
    let crew = Crew::new(load, OPEN_LOOP_BEGINS);
    let threads = crew.threads;
    let level = Level {
        load,
        live,
        stop,
        clock: Clock::start(),
        address: Address::new(&load.target)?,
        template: Template::new(load),
        numbers: Numbers::new(load.requests, threads),
        crew,
        active: AtomicUsize::new(threads),
        unreachable: AtomicUsize::new(0),
    };
    if crew.clients == 0 && load.pace != Pace::Closed {
        return Ok(Tally::merge(vec![Tally::new(load, 0, 1)]));
    }
    // All of them before the first begins: what the system refuses, it refuses before anything is sent.
    let mut loops = (0..threads).map(|thread| EventLoop::new(&level, thread)).collect::<io::Result<Vec<_>>>()?;
    let tallies = thread::scope(|scope| {
        let own = loops.swap_remove(0);
        let mut others = Vec::new();
        for each in loops {
            let other = thread::Builder::new().name("load".to_owned()).spawn_scoped(scope, || each.run());
            others.push(other.inspect_err(|_| stop.set())?);
        }
        let mut tallies = vec![own.run().inspect_err(|_| stop.set())?];
        for other in others {
            tallies.push(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?);
        }
        io::Result::Ok(tallies)
    })?;
    Ok(Tally::merge(tallies))
}
