//! One line for each server: the answer in ten seconds.

use std::collections::BTreeSet;

use crate::results::{Cell, Distinctions, PassResult, Results};

use super::limits::Limits;
use super::statistics::Interval;
use super::trials::Merged;

/// From this concurrency on a level says what a server can do when there is work enough.
pub const BUSY: u32 = 4;

/// A server over all its levels (of one CPU and worker count, all trials).
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// Server, with workers or CPUs where they differ.
    pub label: String,
    /// Highest throughput of any level, and the concurrency where it was.
    pub best: Option<(f64, u32)>,
    /// Where the truth of that throughput lies with 95% probability; `None` below three trials.
    pub interval: Option<Interval>,
    /// Throughput against the limit, the best of the levels from [`BUSY`] up (of all where there are none).
    pub of_limit: Option<f64>,
    /// Median response time at the highest level, and that level.
    pub p50_ms: Option<(f64, u32)>,
    /// CPU seconds for each right answer, over all levels.
    pub cpu_s_per_request: Option<f64>,
    /// Most memory of any level.
    pub peak_rss_bytes: Option<u64>,
    /// Over all levels.
    pub errors: u64,
    /// Why the server did not last.
    pub failure: Option<String>,
}

/// Summaries in the order of tables.
pub fn summaries(results: &Results) -> Vec<Summary> {
    let show = Distinctions::of(results);
    let mut summaries: Vec<Summary> = Vec::new();
    for group in group_by_label(results, show) {
        summaries.push(summary(results, &group.0, &group.1));
    }
    summaries
}

/// Passes of the same server, CPUs and workers, with their label.
fn group_by_label(results: &Results, show: Distinctions) -> Vec<(String, Vec<&PassResult>)> {
    let mut groups: Vec<(String, Vec<&PassResult>)> = Vec::new();
    for pass in results.passes_sorted() {
        let label = pass.label(show);
        match groups.last_mut().filter(|(last, _)| *last == label) {
            Some((_, passes)) => passes.push(pass),
            None => groups.push((label, vec![pass])),
        }
    }
    groups
}

fn summary(results: &Results, label: &str, passes: &[&PassResult]) -> Summary {
    let cells = || passes.iter().flat_map(|pass| pass.levels.iter().map(move |cell| (*pass, cell)));
    let whole = || cells().filter(|(_, cell)| !cell.interrupted);
    let levels: BTreeSet<u32> = whole().map(|(_, cell)| cell.concurrency).collect();
    let merged = |clients: u32, figure: fn(&Cell) -> Option<f64>| {
        let of_level = whole().filter(|(_, cell)| cell.concurrency == clients);
        Merged::of(&of_level.filter_map(|(_, cell)| figure(cell)).collect::<Vec<_>>())
    };
    let best = levels.iter().filter_map(|&clients| Some((merged(clients, |cell| cell.throughput_rps)?, clients)));
    let best = best.max_by(|(a, _), (b, _)| a.value.total_cmp(&b.value));
    let busy = whole().any(|(_, cell)| cell.concurrency >= BUSY);
    let of_limit = whole()
        .filter(|(_, cell)| !busy || cell.concurrency >= BUSY)
        .filter_map(|(pass, cell)| Limits::of(results, pass, cell).of_limit);
    let sum = |value: fn(&Cell) -> Option<f64>| -> Option<f64> { cells().map(|(_, cell)| value(cell)).sum() };
    let (cpu_s, answers) = (sum(|cell| Some(cell.server.as_ref()?.cpu_s)), sum(|cell| Some(cell.ok as f64)));
    Summary {
        label: label.to_owned(),
        best: best.map(|(rate, clients)| (rate.value, clients)),
        interval: best.and_then(|(rate, _)| rate.interval),
        of_limit: of_limit.reduce(f64::max),
        p50_ms: levels.last().and_then(|&clients| Some((merged(clients, |cell| cell.latency_ms.p50)?.value, clients))),
        cpu_s_per_request: cpu_s.zip(answers).filter(|&(_, ok)| ok > 0.0).map(|(cpu_s, ok)| cpu_s / ok),
        peak_rss_bytes: cells().filter_map(|(_, cell)| Some(cell.server.as_ref()?.peak_rss_bytes)).max(),
        errors: cells().map(|(_, cell)| cell.errors).sum(),
        failure: passes.iter().find_map(|pass| pass.failure.as_ref()).map(|failure| failure.message.clone()),
    }
}
