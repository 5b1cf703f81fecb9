//! Loads by https, which reqwest and rustls send: the same loads, the same books, another transport.
//!
//! A thread is an async runtime of its own with its share of the clients, each with a connection of its own. What differs from
//! plain HTTP: a request costs several times the CPU; bytes received are those of bodies; bytes that belong to no response
//! are found with the next request, which is then sent on a new connection.

mod alarm;
mod client;
mod connects;
mod desk;
mod failure;

use std::io;
use std::thread::{self, ScopedJoinHandle};
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::{oneshot, watch};

use super::books::{Measured, Tally};
use super::clock::{Clock, Ns};
use super::crew::Crew;
use super::event_loop::cpu_of_this_thread;
use super::numbers::Numbers;
use super::template::Template;
use super::{Live, Load};
use client::Client;
use desk::Desk;

/// How often counts are made public.
const PUBLISH: Duration = Duration::from_millis(200);
/// An open loop begins this long after its threads: they are ready by then.
const OPEN_LOOP_BEGINS: Ns = 20_000_000;

/// What the threads of a level share.
struct Level<'a> {
    load: &'a Load,
    live: &'a Live,
    tls: &'a rustls::ClientConfig,
    clock: Clock,
    template: Template,
    numbers: Numbers,
    crew: Crew,
}

/// Like [`super::run()`], by https. The load's target is a TCP address; its host is the name that the server proves to have.
///
/// # Errors
/// The system refuses threads, or reqwest cannot be set up.
pub async fn run_https(
    load: &Load,
    tls: &rustls::ClientConfig,
    live: &Live,
    stop: impl Future<Output = ()>,
) -> io::Result<Measured> {
    let (sender, stopped) = watch::channel(false);
    let (until_end, ended) = oneshot::channel::<()>();
    let (load, tls, live) = (load.clone(), tls.clone(), live.clone());
    let first = thread::Builder::new().name("load".to_owned()).spawn(move || {
        let _until_end = until_end;
        all_threads(&load, &tls, &live, &stopped)
    })?;
    tokio::select! {
        biased;
        () = stop => { sender.send_replace(true); }
        _ = ended => {}
    }
    first.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// Runs all threads of a level, this one among them.
fn all_threads(
    load: &Load,
    tls: &rustls::ClientConfig,
    live: &Live,
    stop: &watch::Receiver<bool>,
) -> io::Result<Measured> {
    let crew = Crew::new(load, OPEN_LOOP_BEGINS);
    let threads = crew.threads;
    let level = Level {
        load,
        live,
        tls,
        clock: Clock::start(),
        template: Template::new(load),
        numbers: Numbers::new(load.requests, threads),
        crew,
    };
    let tallies = thread::scope(|scope| {
        let others = (1..threads).map(|thread| {
            let level = &level;
            thread::Builder::new()
                .name("load".to_owned())
                .spawn_scoped(scope, move || one_thread(level, thread, stop.clone()))
        });
        let others: Vec<ScopedJoinHandle<'_, _>> = others.collect::<io::Result<_>>()?;
        let mut tallies = vec![one_thread(&level, 0, stop.clone())?];
        for other in others {
            tallies.push(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?);
        }
        io::Result::Ok(tallies)
    })?;
    Ok(Tally::merge(tallies))
}

fn one_thread(level: &Level<'_>, thread: usize, stop: watch::Receiver<bool>) -> io::Result<Tally> {
    let runtime: Runtime = Builder::new_current_thread().enable_all().build()?;
    let tally = runtime.block_on(drive(level, thread, stop));
    // Connections end with the runtime; a name that is being resolved is not waited for.
    runtime.shutdown_background();
    tally
}

/// Sends requests until all have ended, their time is over, or the level is stopped.
async fn drive(level: &Level<'_>, thread: usize, mut stop: watch::Receiver<bool>) -> io::Result<Tally> {
    let desk = Desk::new(level, thread)?;
    let clients = level.crew.share(thread).map(|number| Client::new(&desk, number)).collect::<io::Result<Vec<_>>>()?;
    let mut running: FuturesUnordered<_> = clients.into_iter().map(Client::run).collect();
    let everything = async { tokio::join!(desk.dispatch(), async { while running.next().await.is_some() {} }) };
    tokio::select! {
        biased;
        // Where nobody waits for the result any more, the other end is gone.
        _ = stop.wait_for(|&stopped| stopped) => {}
        _ = everything => {}
        () = at(level.clock, level.crew.over) => {}
        () = async { loop { tokio::time::sleep(PUBLISH).await; desk.publish() } } => {}
    }
    drop(running);
    Ok(desk.close(cpu_of_this_thread()))
}

/// Waits until a time on the clock, which may never come.
async fn at(clock: Clock, time: Ns) {
    match time {
        Ns::MAX => std::future::pending().await,
        _ => tokio::time::sleep(Duration::from_nanos(time.saturating_sub(clock.now()))).await,
    }
}
