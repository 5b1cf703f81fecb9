//! Whether results that were read make sense: figures that contradict each other were edited by hand.

use super::{Cell, Latency, PassResult, Results};

/// What makes no sense, and where: `passes[3].levels[2].ok`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The field.
    pub path: String,
    /// What is wrong with it.
    pub reason: String,
}

/// An error at a path, unless `holds`.
fn ensure(holds: bool, path: impl FnOnce() -> String, reason: impl FnOnce() -> String) -> Result<(), Fault> {
    if holds { Ok(()) } else { Err(Fault { path: path(), reason: reason() }) }
}

/// Finds the first fault.
pub fn check(results: &Results) -> Result<(), Fault> {
    let at = |field: &str| field.to_owned();
    ensure(!results.scenario.servers.is_empty(), || at("scenario.servers"), || at("no server is named"))?;
    ensure(results.wall_s >= 0.0, || at("wall_s"), || format!("{} is no duration", results.wall_s))?;
    ensure(!results.passes.is_empty(), || at("passes"), || at("there are none, so nothing was measured"))?;
    for (index, sample) in results.ceiling.iter().enumerate() {
        let at = |field: &str| format!("ceiling[{index}].{field}");
        ensure(sample.threads > 0, || at("threads"), || "0 threads compute nothing".into())?;
        ensure(sample.rate_rps >= 0.0, || at("rate_rps"), || format!("{} is no rate", sample.rate_rps))?;
    }
    results.passes.iter().enumerate().try_for_each(|(index, pass)| pass_makes_sense(results, index, pass))
}

fn pass_makes_sense(results: &Results, index: usize, pass: &PassResult) -> Result<(), Fault> {
    let at = |field: &str| format!("passes[{index}].{field}");
    let known = results.scenario.servers.contains(&pass.server);
    ensure(known, || at("server"), || format!("`{}` is none of scenario.servers", pass.server))?;
    ensure(pass.trial > 0, || at("trial"), || "trials count from 1".into())?;
    ensure(pass.cpus != Some(0), || at("cpus"), || "a server has a CPU at least".into())?;
    ensure(pass.workers != Some(0), || at("workers"), || "a server with workers has one at least".into())?;
    let mut levels = pass.levels.iter().enumerate();
    levels.try_for_each(|(level, cell)| cell_makes_sense(&at(&format!("levels[{level}]")), cell))
}

fn cell_makes_sense(place: &str, cell: &Cell) -> Result<(), Fault> {
    let at = |field: &str| format!("{place}.{field}");
    let Cell { concurrency, requests, ok, errors, started_s, ended_s, .. } = *cell;
    ensure(concurrency > 0, || at("concurrency"), || "a level has a client at least".into())?;
    ensure(ok <= requests, || at("ok"), || format!("{ok} right answers to {requests} requests"))?;
    ensure(errors == requests - ok, || at("errors"), || format!("{requests} requests, {ok} ok, but {errors} errors"))?;
    let by_kind = cell.errors_by_kind.values().fold(0, |sum: u64, &count| sum.saturating_add(count));
    ensure(by_kind == errors, || at("errors_by_kind"), || format!("{by_kind} in all, but there are {errors} errors"))?;
    ensure(
        started_s <= ended_s,
        || at("ended_s"),
        || format!("it ended at {ended_s}, before it started at {started_s}"),
    )?;
    let Cell { elapsed_s, throughput_rps, steady_rps, replies_rps, .. } = *cell;
    for (field, value) in [
        ("elapsed_s", elapsed_s),
        ("throughput_rps", throughput_rps),
        ("steady_rps", steady_rps),
        ("replies_rps", replies_rps),
        ("generator_cpu_s", Some(cell.generator_cpu_s)),
        ("server.cpu_s", cell.server.as_ref().map(|server| server.cpu_s)),
    ] {
        let value = value.unwrap_or(0.0);
        ensure(value >= 0.0, || at(field), || format!("{value} is less than nothing"))?;
    }
    let Latency { min, p50, p90, p99, p999, max, .. } = cell.latency_ms;
    let mut least = ("0", 0.0);
    for (name, value) in [("min", min), ("p50", p50), ("p90", p90), ("p99", p99), ("p999", p999), ("max", max)] {
        let Some(value) = value else { continue };
        let ascending = || format!("{value} is less than {} ({})", least.1, least.0);
        ensure(value >= least.1, || at(&format!("latency_ms.{name}")), ascending)?;
        least = (name, value);
    }
    Ok(())
}
