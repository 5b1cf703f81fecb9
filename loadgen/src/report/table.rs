//! The tables on standard output: every level, then one line for each server.

use std::collections::{BTreeMap, BTreeSet};

use crate::analysis::job_size::generator_share;
use crate::analysis::limits::{Limits, drift, kinds, median_rate};
use crate::analysis::statistics::Interval;
use crate::analysis::summary::{BUSY, summaries};
use crate::analysis::trials::{self, Group, Merged, groups_with_parts};
use crate::analysis::warnings::{Grouped, grouped};
use crate::colour::{HEAD, WARNING, styled};
use crate::engine::ErrorKind;
use crate::results::{Cell, Distinctions, Results, Skipped, counted};

use super::charts::pinned;
use super::format::{mebibytes, milliseconds, or_nothing, percent, three_digits};
use super::{job_size, probe, verdicts, workers};

/// Rows of text, the first of them the head, with the first column to the left and all others to the right.
pub(super) fn align(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        rows.iter().filter_map(|row| row.get(column)).map(|text| text.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut out = String::new();
    for (number, row) in rows.iter().enumerate() {
        let mut line = String::new();
        for (column, (text, &width)) in row.iter().zip(&widths).enumerate() {
            match column {
                0 => line += &format!("{text:<width$}"),
                _ => line += &format!("  {text:>width$}"),
            }
        }
        let line = line.trim_end();
        out += &if number == 0 { styled(HEAD, line) } else { line.to_owned() };
        out.push('\n');
    }
    out
}

fn texts<const N: usize>(cells: [&str; N]) -> Vec<String> {
    cells.map(str::to_owned).to_vec()
}

/// Every level of every server, then the summary.
pub fn render(results: &Results) -> String {
    let summary = if results.scenario.sizes.is_some() { job_size::table(results) } else { summary(results) };
    let verdicts = verdicts::table(results);
    format!("{}\n{summary}{}{verdicts}{}", levels(results), probe::table(results), remarks(results))
}

fn levels(results: &Results) -> String {
    let show = Distinctions::of(results);
    let sized = results.scenario.sizes.is_some();
    let cells = groups_with_parts(results);
    let rate = |cell: &Group| cell.merged(|_, cell| cell.throughput_rps);
    let intervals = cells.iter().any(|cell| interval_of(rate(cell)).is_some());
    let mut titles = texts(["server", "clients", "requests/s"]);
    titles.extend(intervals.then(|| INTERVAL.to_owned()));
    titles.extend(texts(["efficiency", "of limit", "p50", "p99", "max", "CPUs used", "memory", "errors"]));
    if sized {
        titles.insert(1, "size".into());
        titles.extend(texts(["CPU per request", "loadgen's CPU"]));
    }
    let mut rows = vec![titles];
    let mut last = String::new();
    for group in &cells {
        let label = group.trials.first().map(|(pass, _)| pass.label(show)).unwrap_or_default();
        if label != last && rows.len() > 1 {
            rows.push(Vec::new());
        }
        let merged = |figure: fn(&Cell) -> Option<f64>| Some(group.merged(|_, cell| figure(cell))?.value);
        let limit = |figure: fn(Limits) -> Option<f64>| {
            Some(group.merged(|pass, cell| figure(Limits::of(results, pass, cell)))?.value)
        };
        let memory = group.most(|cell| Some(cell.server.as_ref()?.peak_rss_bytes as f64));
        let mut row = vec![label.clone(), group.key.concurrency.to_string()];
        row.push(or_nothing(rate(group), |rate| three_digits(rate.value)));
        row.extend(intervals.then(|| or_nothing(interval_of(rate(group)), interval)));
        row.extend([
            or_nothing(limit(|limits| limits.efficiency), percent),
            or_nothing(limit(|limits| limits.of_limit), percent),
            or_nothing(merged(|cell| cell.latency_ms.p50), milliseconds),
            or_nothing(merged(|cell| cell.latency_ms.p99), milliseconds),
            or_nothing(group.most(|cell| cell.latency_ms.max), milliseconds),
            or_nothing(merged(cpus_used), |cpus| format!("{cpus:.2}")),
            or_nothing(memory, |bytes| mebibytes(bytes as u64)),
            errors(group),
        ]);
        if sized {
            row.insert(1, or_nothing(group.key.size, |size| size.to_string()));
            row.push(or_nothing(merged(cpu_s_per_request), |seconds| milliseconds(seconds * 1000.0)));
            row.push(or_nothing(merged(generator_share), percent));
        }
        rows.push(row);
        last = label;
    }
    align(&rows)
}

/// What heads intervals.
const INTERVAL: &str = "95% interval";

fn interval_of(merged: Option<Merged>) -> Option<Interval> {
    merged?.interval
}

fn interval(Interval { low, high }: Interval) -> String {
    format!("{}-{}", three_digits(low), three_digits(high))
}

/// CPU seconds of the server for each request that ended.
pub fn cpu_s_per_request(cell: &Cell) -> Option<f64> {
    let ended = (cell.requests > 0).then_some(cell.requests as f64)?;
    Some(cell.server.as_ref()?.cpu_s / ended)
}

/// CPU seconds of the server for each second of the level.
pub fn cpus_used(cell: &Cell) -> Option<f64> {
    Some(cell.server.as_ref()?.cpu_s / cell.elapsed_s.filter(|&elapsed| elapsed > 0.0)?)
}

fn errors(group: &Group) -> String {
    let mut by_kind: BTreeMap<ErrorKind, u64> = BTreeMap::new();
    for (&kind, count) in group.trials.iter().flat_map(|(_, cell)| &cell.errors_by_kind) {
        *by_kind.entry(kind).or_default() += count;
    }
    let all: u64 = by_kind.values().sum();
    match by_kind.iter().filter(|&(_, &count)| count > 0).max_by_key(|&(_, &count)| count) {
        None => "0".into(),
        Some((kind, &count)) if count == all => format!("{count} {}", kind.as_str()),
        Some((kind, count)) => format!("{all} ({count} {})", kind.as_str()),
    }
}

fn what_trials_mean(results: &Results) -> &'static str {
    match results.passes.iter().map(|pass| pass.trial).max() {
        None | Some(1) => ": differences of a few percent mean nothing",
        Some(2) => " (from 3 trials up); figures are geometric means",
        Some(_) => {
            " of geometric means over trials, by Student's t on logarithms; max and memory are the most of any trial"
        }
    }
}

fn summary(results: &Results) -> String {
    let summaries = summaries(results);
    let intervals = summaries.iter().any(|line| line.interval.is_some());
    let mut titles = texts(["summary", "best requests/s"]);
    titles.extend(intervals.then(|| INTERVAL.to_owned()));
    titles.extend(texts(["at clients", "of limit", "p50", "at clients", "CPU per request", "memory", "errors"]));
    let mut rows = vec![titles];
    for line in summaries {
        let mut row = vec![line.label, or_nothing(line.best, |(rate, _)| three_digits(rate))];
        row.extend(intervals.then(|| or_nothing(line.interval, interval)));
        row.extend([
            or_nothing(line.best, |(_, clients)| clients.to_string()),
            or_nothing(line.of_limit, percent),
            or_nothing(line.p50_ms, |(p50, _)| milliseconds(p50)),
            or_nothing(line.p50_ms, |(_, clients)| clients.to_string()),
            or_nothing(line.cpu_s_per_request, |seconds| milliseconds(seconds * 1000.0)),
            or_nothing(line.peak_rss_bytes, mebibytes),
            line.errors.to_string(),
        ]);
        rows.push(row);
    }
    let mut out = align(&rows);
    out += &format!("\n{}{}\n", trials::described(results), what_trials_mean(results));
    let kinds = kinds(&results.ceiling);
    if !kinds.is_empty() {
        let again = results.ceiling.len() > kinds.len();
        let moved = drift(&results.ceiling).filter(|_| again).map(percent);
        let moved = moved.map(|moved| format!("; it moved by {moved} over the run")).unwrap_or_default();
        let ceiling = kinds.into_iter().filter_map(|kind| {
            let rate = median_rate(&results.ceiling, kind)?;
            Some(format!("{} requests/s on {}", three_digits(rate), counted(kind.1, "CPU")))
        });
        out += &format!(
            "ceiling (the same computation with no server in the way): {}{moved}\n",
            ceiling.collect::<Vec<_>>().join(", ")
        );
        out += "efficiency: requests/s against the ceiling of the server's CPUs; of limit: against what the level could \
                give\n(min(clients, computing threads, CPUs)); ";
        out += &format!("in the summary the best of the levels from {BUSY} clients up\n");
    }
    for sentence in workers::sentences(results) {
        out += &format!("{sentence}\n");
    }
    out
}

/// What a reader should know before believing: failures and warnings.
fn remarks(results: &Results) -> String {
    let mut out = pinned(results).map(|pinned| pinned + "\n").unwrap_or_default();
    if results.scenario.full {
        out += "full run: all that the study measured\n";
    }
    for (server, fault) in faults(results) {
        out += &format!("{server} is at fault on purpose, so its wrong answers are expected: it {fault}\n");
    }
    for line in summaries(results) {
        if let Some(failure) = &line.failure {
            out += &format!("{}: {failure}\n", line.label);
        }
    }
    for Skipped { server, reason } in &results.skipped {
        out += &format!("{server}: skipped: {reason}\n");
    }
    out + &warnings(results)
}

/// Servers whose wrong answers are their point, and what they do.
fn faults(results: &Results) -> Vec<(&str, &str)> {
    let mut faults: Vec<_> = results
        .passes_sorted()
        .into_iter()
        .filter_map(|pass| Some((pass.server.as_str(), pass.fault.as_deref()?)))
        .collect();
    faults.dedup();
    faults
}

/// Each kind of warning once, with where it applies and what to do.
fn warnings(results: &Results) -> String {
    let told = |Grouped { worst, count, places }: Grouped| {
        let mut told = format!("{} {}\n", styled(WARNING, "warning:"), worst.text);
        match count {
            _ if places.is_empty() => {}
            1 => told += &format!("    of {}\n", places_told(&places)),
            _ => told += &format!("    that is the worst of {count}: {}\n", places_told(&places)),
        }
        match worst.kind.hint() {
            "" => told,
            hint => told + &format!("    what to do: {hint}\n"),
        }
    };
    grouped(results).into_iter().map(told).collect()
}

/// `event-loop (1, 2, 4 clients), worker-pool (8 clients)`; a few of many.
fn places_told(places: &[(String, BTreeSet<u32>)]) -> String {
    /// More lines are only counted.
    const MOST: usize = 4;
    let told = places.iter().take(MOST).map(|(line, clients)| {
        let numbers: Vec<String> = clients.iter().map(u32::to_string).collect();
        match clients.last() {
            None => line.clone(),
            Some(1) => format!("{line} (1 client)"),
            Some(_) => format!("{line} ({} clients)", numbers.join(", ")),
        }
    });
    let mut told: Vec<String> = told.collect();
    if places.len() > MOST {
        told.push(format!("and {} more", places.len() - MOST));
    }
    told.join(", ")
}
