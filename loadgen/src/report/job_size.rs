//! Scenarios with sizes: charts over how long a job takes, and the table of crossovers.

use ::charts::{Axis, Figure, Panel, Reference, Scale, Series};

use crate::analysis::crossover::Span;
use crate::analysis::job_size::{BEATS, Curve, SHARED, curves, generator_share, levels, place};
use crate::analysis::limits::{job_s, kinds, median_rate};
use crate::results::{Cell, PassResult, Results, counted};

use super::charts::{Chart, figure, lines};
use super::format::{milliseconds, percent, three_digits};
use super::table::{align, cpu_s_per_request};

/// The charts of a scenario with sizes.
pub fn charts(results: &Results) -> Vec<Chart> {
    let chart = |name, heading, figure| Chart { name, heading, figure };
    let over_sizes = |what, y, value: fn(&Cell) -> Option<f64>| over_sizes(results, what, y, value);
    let throughput = over_sizes("throughput", "requests per second, right answers", |cell| cell.throughput_rps);
    let median = over_sizes("response time", "median, milliseconds", |cell| cell.latency_ms.p50);
    let cpu_ms = |cell: &Cell| cpu_s_per_request(cell).map(|seconds| seconds * 1000.0);
    let cpu = over_sizes("what a request costs the server", "CPU milliseconds for each request", cpu_ms);
    vec![
        chart("job-size", "Against the first server", relative(results)),
        chart("throughput", "Throughput", throughput),
        chart("latency", "Response time", median),
        chart("resources", "What the servers used", cpu),
    ]
}

/// Throughput against that of the first server, a panel for each concurrency.
fn relative(results: &Results) -> Figure {
    let curves = curves(results);
    let first = results.scenario.servers.first().map_or("", String::as_str);
    let line = |(index, curve): (usize, &Curve)| {
        let several = curves.iter().any(|other| other.server == curve.server && other.label != curve.label);
        let style = if several { index } else { results.rank(&curve.server) };
        let points = curve.points.iter().map(|point| ::charts::Point::new(point.place, point.ratio));
        Series::new(curve.label.clone(), style, points.collect())
    };
    let panel = |clients| Panel {
        title: Some(counted(clients, "client")),
        x: sizes_axis(results),
        y: Axis::new(format!("throughput, {first} = 1"), Scale::Log10),
        series: curves.iter().filter(|curve| curve.clients == clients).enumerate().map(line).collect(),
        references: vec![Reference::new(first, 1.0)],
        ..Panel::default()
    };
    let panels: Vec<Panel> = levels(results).into_iter().map(panel).collect();
    with_notes(results, figure(results, &format!("throughput against {first}"), panels, 2))
}

/// Any figure of cells, a panel for each concurrency, both axes logarithmic.
fn over_sizes(results: &Results, what: &str, y: &str, value: impl Fn(&Cell) -> Option<f64>) -> Figure {
    let panel = |clients| {
        let place = |cell: &Cell| cell.size.filter(|_| cell.concurrency == clients).map(|size| place(results, size));
        Panel {
            title: Some(counted(clients, "client")),
            x: sizes_axis(results),
            y: Axis::new(y, Scale::Log10),
            series: lines(results, None, place, |_, cell| value(cell)),
            ..Panel::default()
        }
    };
    let panels = levels(results).into_iter().map(panel).collect();
    with_notes(results, figure(results, what, panels, 2))
}

/// Sizes stand where the job's own time is, so that another machine or another computation can be compared.
fn sizes_axis(results: &Results) -> Axis {
    match results.ceiling.is_empty() {
        true => Axis::new("size", Scale::Log10),
        false => Axis::new("milliseconds that the job takes by itself", Scale::Log10),
    }
}

fn with_notes(results: &Results, mut figure: Figure) -> Figure {
    let times: Vec<String> = sizes(results)
        .filter_map(|size| Some(format!("{size} = {}", milliseconds(job_s(&results.ceiling, Some(size))? * 1000.0))))
        .collect();
    if !times.is_empty() {
        figure.notes.push(format!("Sizes and what the job takes by itself: {}.", times.join(", ")));
    }
    figure.notes.extend(shared(results));
    figure
}

/// The sizes that were measured, ascending.
fn sizes(results: &Results) -> impl Iterator<Item = u32> + use<> {
    results.cells().filter_map(|(_, cell)| cell.size).collect::<std::collections::BTreeSet<u32>>().into_iter()
}

/// That light requests cost loadgen so much CPU that rates are not the servers' alone, if so.
fn shared(results: &Results) -> Option<String> {
    let shares = results.cells().filter_map(|(pass, cell)| Some((pass, cell.size?, generator_share(cell)?)));
    // A CPU that no server may use is loadgen's.
    let spare = |pass: &PassResult| pass.cpus.is_some_and(|cpus| (cpus as usize) < results.machine.cpus_usable.len());
    let (_, largest, most) = shares
        .filter(|&(pass, _, share)| share > SHARED && !spare(pass))
        .reduce(|a, b| (b.0, a.1.max(b.1), a.2.max(b.2)))?;
    Some(format!(
        "Up to size {largest} loadgen took more than {} of a CPU, {} at the most, from CPUs that the servers may use: such rates \
         are of loadgen and server together. An event loop leaves the other CPUs to loadgen, so it looks better there than \
         with clients on another machine. The CPU for each request is the server's alone.",
        percent(SHARED),
        percent(most)
    ))
}

/// The sizes with their ceilings, and from which size on each server beats the first.
pub fn table(results: &Results) -> String {
    let mut out = ceilings(results);
    let first = results.scenario.servers.first().map_or("", String::as_str);
    let curves = curves(results);
    if curves.is_empty() {
        return out;
    }
    out += &format!("\nwhere throughput is more than {} above that of {first}\n", percent(BEATS - 1.0));
    let levels = levels(results);
    let mut rows = vec![vec!["server".to_owned()]];
    rows[0].extend(levels.iter().map(|&clients| counted(clients, "client")));
    let mut labels: Vec<&str> = curves.iter().map(|curve| curve.label.as_str()).collect();
    labels.dedup();
    for label in labels {
        let mut row = vec![label.to_owned()];
        for clients in &levels {
            let curve = curves.iter().find(|curve| curve.label == label && curve.clients == *clients);
            row.push(curve.map_or_else(String::new, |curve| ahead(results, curve)));
        }
        rows.push(row);
    }
    out += &align(&rows);
    out += "a time is how long the job takes by itself; between two sizes it is interpolated\n";
    if let Some(shared) = shared(results) {
        out += &format!("*: {shared}\n");
    }
    out
}

/// `never`, `always`, `from 31 us (size 20)`.
fn ahead(results: &Results, curve: &Curve) -> String {
    let spans = curve.ahead();
    let end = |place: f64| {
        let star = if curve.is_shared_at(place) { "*" } else { "" };
        let size = size_at(curve, place);
        match job_s(&results.ceiling, curve.points.first().map(|point| point.size)) {
            Some(_) => format!("{}{star} (size {size:.0})", milliseconds(place)),
            None => format!("size {size:.0}{star}"),
        }
    };
    let words = |span: &Span| match (span.from, span.to) {
        (None, None) => "always".to_owned(),
        (Some(from), None) => format!("from {}", end(from)),
        (None, Some(to)) => format!("up to {}", end(to)),
        (Some(from), Some(to)) => format!("{} to {}", end(from), end(to)),
    };
    match spans.is_empty() {
        true => "never".into(),
        false => spans.iter().map(words).collect::<Vec<_>>().join(", "),
    }
}

/// The size that a place on the axis stands for, between its neighbours by the logarithm.
fn size_at(curve: &Curve, place: f64) -> f64 {
    let after = curve.points.partition_point(|point| point.place < place);
    match (after.checked_sub(1).and_then(|before| curve.points.get(before)), curve.points.get(after)) {
        (Some(a), Some(b)) => {
            let share = (place / a.place).ln() / (b.place / a.place).ln();
            f64::from(a.size) + share * (f64::from(b.size) - f64::from(a.size))
        }
        (one, other) => one.or(other).map_or(0.0, |point| f64::from(point.size)),
    }
}

/// What the job of each size takes by itself, and the most that the CPUs can do of it.
fn ceilings(results: &Results) -> String {
    let threads: std::collections::BTreeSet<u32> = kinds(&results.ceiling).into_iter().map(|kind| kind.1).collect();
    if threads.is_empty() {
        return String::new();
    }
    let mut rows = vec![vec!["size".to_owned(), "the job by itself".to_owned()]];
    rows[0].extend(threads.iter().map(|&threads| format!("ceiling, {}", counted(threads, "CPU"))));
    for size in sizes(results) {
        let time =
            job_s(&results.ceiling, Some(size)).map_or_else(String::new, |seconds| milliseconds(seconds * 1000.0));
        let mut row = vec![size.to_string(), time];
        row.extend(threads.iter().map(|&threads| {
            median_rate(&results.ceiling, (Some(size), threads))
                .map_or_else(String::new, |rate| three_digits(rate) + "/s")
        }));
        rows.push(row);
    }
    align(&rows)
}
