//! `loadgen run`: one level of load on any URL, from flags to a result.

mod csv;
mod expectation;
mod form;
mod hdr;
mod outcome;
mod plan;
mod progress;
mod request;
mod server_count;
mod summary;
mod tls;
mod warnings;

pub use expectation::{Sha256, Statuses};

use std::process::ExitCode;
use std::time::Instant;

use anyhow::Context as _;
use rustls::ClientConfig;
use tokio::sync::Notify;

use crate::cli::RunArgs;
use crate::engine::{self, Live, Load, Measured, Target};
use crate::interrupt::{INTERRUPTED, Interrupt};
use crate::results::Machine;
use crate::results::machine::{busy_s, own_cpu_s};
use crate::target;

use super::{FAILED, file_limit, provenance};
use hdr::Log;
use outcome::{Around, Outcome, WarmUp};
use plan::Plan;
use server_count::ServerCount;
use warnings::Surroundings;

/// Puts the load on the server and prints what it came to.
///
/// # Errors
/// What is wrong with the flags, or in the way before anything is sent.
pub async fn run(arguments: RunArgs) -> anyhow::Result<ExitCode> {
    let mut plan = Plan::new(&arguments)?;
    file_limit::raise_for(u32::try_from(plan.load.clients).unwrap_or(u32::MAX))?;
    let log = Log::of(&arguments)?;
    let interrupt = Interrupt::listen()?;
    choose_address(&mut plan, &interrupt).await;
    let (machine, now) = (Machine::here(), jiff::ZonedDateTime::now());
    let warm_up = warm_up(&mut plan, &interrupt).await?;

    let counter = ServerCount::of(&plan, &interrupt).await;
    let (cpu_before, busy_before, begun) = (own_cpu_s(), busy_s(), Instant::now());
    let (measured, logged) = send("", &plan.load, plan.tls.as_ref(), log, &interrupt).await?;
    let surroundings = Surroundings {
        busy_s: busy_s().zip(busy_before).map(|(after, before)| after - before),
        wall_s: begun.elapsed().as_secs_f64(),
        cpus: machine.cpus_usable.len(),
        local: warnings::is_local(&plan.load.target),
    };
    let around = Around {
        started_at: provenance::timestamp(&now),
        command_line: provenance::typed(),
        warm_up,
        interrupted: interrupt.is_set(),
        generator_cpu_s: own_cpu_s() - cpu_before,
        server_requests_started: counter.since(&interrupt).await,
        machine,
    };
    let mut outcome = Outcome::new(&plan, &measured, around);
    outcome.warnings = plan.remarks.clone();
    outcome.warnings.extend(warnings::warnings(&outcome, &measured, surroundings));
    print(&outcome, &arguments)?;
    // Last, so that figures are not lost to a full disk.
    logged?;
    Ok(ExitCode::from(match () {
        () if outcome.interrupted => INTERRUPTED,
        () if outcome.all_good() => 0,
        () => FAILED,
    }))
}

/// Of several addresses, the first that accepts a connection. Where none does, the first: its requests will fail.
async fn choose_address(plan: &mut Plan, interrupt: &Interrupt) {
    if plan.addresses.len() > 1 {
        let reachable = tokio::select! {
            reachable = target::reachable(&plan.addresses) => reachable.ok(),
            () = interrupt.wait() => None,
        };
        if let Some(address) = reachable {
            plan.load.target = Target::Tcp(address);
        }
    }
}

/// Sends what is not counted; the run that follows has salts of its own.
async fn warm_up(plan: &mut Plan, interrupt: &Interrupt) -> anyhow::Result<Option<WarmUp>> {
    let Some(mut load) = plan.warm_up.take() else { return Ok(None) };
    load.target = plan.load.target.clone();
    let (measured, _) = send("warm-up, ", &load, plan.tls.as_ref(), None, interrupt).await?;
    // Salts wrap around, so only the lower half of the number matters.
    plan.load.first_salt = load.first_salt.wrapping_add(measured.started as u32);
    Ok(Some(WarmUp {
        requests: measured.requests(),
        errors: measured.errors_total(),
        in_flight_at_end: measured.in_flight_at_end,
        elapsed_s: measured.elapsed.map(|elapsed| elapsed.as_secs_f64()),
    }))
}

/// Sends a load by the transport that the URL asks for, with progress and a log, until it ends or is interrupted. What became of
/// the log comes beside what was measured.
async fn send(
    what: &str,
    load: &Load,
    tls: Option<&ClientConfig>,
    log: Option<Log>,
    interrupt: &Interrupt,
) -> anyhow::Result<(Measured, anyhow::Result<()>)> {
    let live = log.as_ref().map_or_else(Live::default, |log| Live::with_intervals(log.every));
    let over = Notify::new();
    let transport = async {
        let measured = match tls {
            None => engine::run(load, &live, interrupt.wait()).await,
            Some(tls) => engine::run_https(load, tls, &live, interrupt.wait()).await,
        };
        over.notify_one();
        measured.context("the load cannot be sent")
    };
    let logged = async {
        match log {
            Some(log) => log.follow(&live, over.notified()).await,
            None => Ok(()),
        }
    };
    tokio::select! {
        (logged, measured) = async { tokio::join!(biased; logged, transport) } => Ok((measured?, logged)),
        never = progress::follow(what, load, &live) => match never {},
    }
}

fn print(outcome: &Outcome, arguments: &RunArgs) -> anyhow::Result<()> {
    let text = match () {
        () if arguments.json => serde_json::to_string_pretty(outcome)?,
        () if arguments.csv => csv::render(outcome)?,
        () => summary::render(outcome),
    };
    println!("{}", text.trim_end());
    // The summary has them; who reads only figures should not miss them.
    if arguments.json || arguments.csv {
        outcome.warnings.iter().for_each(|warning| eprintln!("loadgen: warning: {warning}"));
    }
    Ok(())
}
