//! How long the side probe waited: its chart, and its table.

use ::charts::{Axis, Figure, Panel, Reference, Scale};

use crate::analysis::trials::{Group, groups};
use crate::results::{Cell, Distinctions, ProbeResult, Results, counted};

use super::charts::{figure, over_concurrency};
use super::format::{milliseconds, or_nothing};
use super::table::align;

/// Liveness probes of orchestrators wait so long unless told otherwise (Kubernetes: `timeoutSeconds`), seconds.
const PATIENCE_S: f64 = 1.0;

/// Median and longest wait over concurrency, on logarithmic axes; `None` without a probe.
pub fn chart(results: &Results) -> Option<Figure> {
    let path = &results.scenario.probe.as_ref()?.path;
    let panel = |title: &str, value: fn(&ProbeResult) -> Option<f64>| {
        let of_cell = |cell: &Cell| Some(value(cell.probe.as_ref()?)? / 1000.0);
        let panel = over_concurrency(results, &format!("GET {path}, seconds"), |_, cell| of_cell(cell));
        Panel {
            title: Some(title.into()),
            y: Axis { scale: Scale::Log10, ..panel.y },
            references: vec![Reference::new("1 s: liveness probes give up", PATIENCE_S)],
            ..panel
        }
    };
    let panels = vec![panel("median", |probe| probe.latency_ms.p50), panel("longest", |probe| probe.latency_ms.max)];
    let mut figure = figure(results, &format!("how long {path} waits"), panels, 2);
    figure.notes.push(note(results));
    Some(figure)
}

/// What the numbers are.
fn note(results: &Results) -> String {
    let Some(probe) = &results.scenario.probe else { return String::new() };
    let unanswered: u64 =
        results.cells().filter_map(|(_, cell)| cell.probe.as_ref()).map(|probe| probe.in_flight_at_end).sum();
    format!(
        "Probe: {probe}, each on a new connection, timed from when it was due; {unanswered} were not answered before their \
         level ended, and count with the time that they had waited."
    )
}

/// Median and longest wait of every level, a line for each server; empty without a probe.
pub fn table(results: &Results) -> String {
    let Some(probe) = &results.scenario.probe else { return String::new() };
    let show = Distinctions::of(results);
    let groups = groups(results);
    let mut columns: Vec<_> = groups.iter().map(|group| (group.key.size, group.key.concurrency)).collect();
    columns.sort_unstable();
    columns.dedup();
    let mut rows = vec![vec![format!("GET {}: median, longest", probe.path)]];
    rows[0].extend(columns.iter().map(|&(size, clients)| {
        let size = size.map(|size| format!("size {size}, ")).unwrap_or_default();
        format!("{size}{}", counted(clients, "client"))
    }));
    for line in groups.chunk_by(|a, b| a.key.line == b.key.line) {
        let mut row = vec![line[0].trials[0].0.label(show)];
        row.extend(columns.iter().map(|&column| {
            let cell = line.iter().find(|group| (group.key.size, group.key.concurrency) == column);
            cell.map_or_else(String::new, waits)
        }));
        rows.push(row);
    }
    let errors: u64 = results.cells().filter_map(|(_, cell)| cell.probe.as_ref()).map(|probe| probe.errors).sum();
    let errors = if errors > 0 { format!("{errors} probes failed (see results.json)\n") } else { String::new() };
    format!("\n{}{errors}{}\n", align(&rows), note(results))
}

/// `21.3 ms, 8.12 s`: the median, and the longest of all trials.
fn waits(group: &Group) -> String {
    let probes = || group.trials.iter().filter_map(|(_, cell)| cell.probe.as_ref());
    let median = group.merged(|_, cell| cell.probe.as_ref()?.latency_ms.p50).map(|merged| merged.value);
    let longest = probes().filter_map(|probe| probe.latency_ms.max).reduce(f64::max);
    format!("{}, {}", or_nothing(median, milliseconds), or_nothing(longest, milliseconds))
}
