//! Which charts a sweep has. How they are drawn is the business of the crate `charts`.

mod published;
pub(in crate::report) mod time;

use std::collections::BTreeSet;

use ::charts::{Axis, Bar, ChartError, Figure, Panel, Point, Reference, Scale, Segment, Series, Width};

use clap::ValueEnum;

use crate::analysis::limits::{kinds, median_rate};
use crate::analysis::trials::{self, Merged};
use crate::results::{Cell, Distinctions, PassResult, Results, counted};

use super::format::three_digits;
use super::job_size;
use super::probe;
use super::table::cpus_used;
use super::workers;

/// Twice as many pixels as the picture has units, so that it is sharp on any screen.
const SCALE: f32 = 2.0;

/// The chart that stands with the verdicts.
pub const PUBLISHED: &str = "published";

/// A chart of a run: the files of it are called by its name, and the report has a section for it.
#[derive(Debug, Clone, PartialEq)]
pub struct Chart {
    /// The name of its files, without their ending.
    pub name: &'static str,
    /// What it shows, as a heading.
    pub heading: &'static str,
    /// What is drawn.
    pub figure: Figure,
}

/// A kind of picture file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum Format {
    /// Pixels, for anything.
    Png,
    /// Lines and letters, sharp at any size.
    Svg,
}

impl Format {
    /// How the names of its files end.
    pub fn ending(self) -> &'static str {
        match self {
            Self::Png => "png",
            Self::Svg => "svg",
        }
    }
}

impl Chart {
    /// The chart as the contents of a file.
    ///
    /// # Errors
    /// It cannot be drawn, or has more pixels than a PNG may have.
    pub fn picture(&self, format: Format) -> Result<Vec<u8>, ChartError> {
        match format {
            Format::Png => self.figure.to_png(SCALE),
            Format::Svg => self.figure.to_svg().map(String::into_bytes),
        }
    }
}

/// Every chart of a run, in the order of the report.
pub fn all(results: &Results) -> Vec<Chart> {
    let chart = |name, heading, figure| Chart { name, heading, figure };
    let published = published::figure(results).map(|figure| chart(PUBLISHED, "Published and measured", figure));
    if results.scenario.sizes.is_some() {
        return job_size::charts(results).into_iter().chain(published).collect();
    }
    let mut charts = vec![
        chart("throughput", "Throughput", throughput(results)),
        chart("latency", "Response time", latency(results)),
    ];
    charts.extend(probe::chart(results).map(|figure| chart("responsiveness", "How long a health check waits", figure)));
    charts.extend(time::figure(results).map(|figure| chart("time", "Where the time goes", figure)));
    charts.push(chart("resources", "What the servers used", resources(results)));
    charts.extend(workers::chart(results).map(|figure| chart("workers", "How many workers", figure)));
    charts.extend(published);
    charts
}

/// Requests a second over concurrency, with the ceilings.
pub fn throughput(results: &Results) -> Figure {
    let mut panels = panels(results, "", "requests per second, right answers", |_, cell| cell.throughput_rps);
    let references = kinds(&results.ceiling).into_iter().filter_map(|kind| {
        let rate = median_rate(&results.ceiling, kind)?;
        let label = format!("ceiling of {}: {}/s", counted(kind.1, "CPU"), three_digits(rate));
        Some(Reference { label, y: rate })
    });
    let references: Vec<Reference> = references.collect();
    let (columns, bars) = (panels.len(), panels.iter().any(|panel| !panel.bars.is_empty()));
    panels.iter_mut().for_each(|panel| panel.references = references.clone());
    let mut figure = figure(results, &over_levels(results, "throughput"), panels, columns);
    if bars {
        figure.notes.extend(references.into_iter().map(|reference| reference.label));
    }
    figure
}

/// What is shown, and of how many clients.
fn over_levels(results: &Results, what: &str) -> String {
    match results.scenario.concurrency.as_slice() {
        &[only] => format!("{what} at {}", counted(only, "client")),
        _ => format!("{what} over concurrency"),
    }
}

/// Median and longest response time over concurrency.
pub fn latency(results: &Results) -> Figure {
    let y = "response time, seconds";
    let mut both = panels(results, "median", y, |_, cell| Some(cell.latency_ms.p50? / 1000.0));
    both.extend(panels(results, "longest", y, |_, cell| Some(cell.latency_ms.max? / 1000.0)));
    figure(results, &over_levels(results, "response time"), both, 2)
}

/// CPU, memory, threads and context switches of the servers over concurrency.
pub fn resources(results: &Results) -> Figure {
    let mebibytes =
        |_: &PassResult, cell: &Cell| Some(cell.server.as_ref()?.peak_rss_bytes as f64 / f64::from(1 << 20));
    let threads = |_: &PassResult, cell: &Cell| Some(f64::from(cell.server.as_ref()?.peak_threads));
    let switches = |_: &PassResult, cell: &Cell| {
        let ended = (cell.requests > 0).then_some(cell.requests as f64)?;
        Some(cell.server.as_ref()?.context_switches? as f64 / ended)
    };
    let all = [
        panels(results, "CPU", "CPUs in use, mean", |_, cell| cpus_used(cell)),
        panels(results, "memory", "MiB, peak", mebibytes),
        panels(results, "threads", "threads, peak", threads),
        panels(results, "context switches", "for each request", switches),
    ];
    figure(results, "what the servers used", all.concat(), 2)
}

/// The backends that get a panel each: all where the run compares them, else one panel shows everything.
fn backends(results: &Results) -> Vec<Option<&str>> {
    let found: BTreeSet<&str> = results.passes.iter().filter_map(|pass| pass.backend.as_deref()).collect();
    let asked = results.scenario.backends.iter().map(String::as_str).filter(|backend| found.contains(backend));
    match asked.collect::<Vec<_>>() {
        several if several.len() > 1 => several.into_iter().map(Some).collect(),
        _ => vec![None],
    }
}

/// A panel for each backend, side by side, with the same vertical axis.
fn panels(
    results: &Results,
    what: &str,
    y: &str,
    value: impl Fn(&PassResult, &Cell) -> Option<f64> + Copy,
) -> Vec<Panel> {
    let of_backend = |backend: Option<&str>| {
        let parts = [Some(what).filter(|what| !what.is_empty()), backend];
        let title = parts.into_iter().flatten().collect::<Vec<_>>().join(", ");
        Panel { title: Some(title).filter(|title| !title.is_empty()), ..panel(results, backend, y, value) }
    };
    let mut panels: Vec<Panel> = backends(results).into_iter().map(of_backend).collect();
    let points = panels.iter().flat_map(|panel| &panel.series).flat_map(|series| &series.points);
    let highest = points.flat_map(|point| [Some(point.y), point.high]).flatten().reduce(f64::max);
    let ends = panels.iter().flat_map(|panel| &panel.bars).flat_map(|bar| &bar.segments);
    let longest = ends.map(|segment| segment.value).reduce(f64::max);
    for panel in &mut panels {
        (panel.y.holds, panel.x.holds) = (highest.into_iter().collect(), longest.into_iter().collect());
    }
    panels
}

pub(super) fn figure(results: &Results, what: &str, panels: Vec<Panel>, columns: usize) -> Figure {
    Figure {
        title: format!("{}: {what}", results.scenario.title),
        subtitle: subtitle(results),
        notes: notes(results, &panels),
        panels,
        columns,
        width: Width::Wide,
    }
}

/// CPUs, date, and how much this can be relied on.
fn subtitle(results: &Results) -> String {
    let cpus: BTreeSet<u32> = results.passes.iter().filter_map(|pass| pass.cpus).collect();
    let usable = u32::try_from(results.machine.cpus_usable.len()).unwrap_or(u32::MAX);
    let cpus = match cpus.into_iter().collect::<Vec<_>>()[..] {
        [] => counted(usable, "CPU"),
        [one] => counted(one, "CPU"),
        ref several => format!("{} CPUs", several.iter().map(u32::to_string).collect::<Vec<_>>().join(", ")),
    };
    let date = results.started_at.split('T').next().unwrap_or_default();
    let mut parts = vec![cpus, date.to_owned(), trials::described(results)];
    parts.extend(results.machine.cpu_model.clone());
    if results.scenario.quick {
        parts.push("quick run: not the full computation".into());
    }
    if results.scenario.full {
        parts.push("full run".into());
    }
    if results.interrupted {
        parts.push("interrupted".into());
    }
    parts.join(" · ")
}

fn notes(results: &Results, panels: &[Panel]) -> Vec<String> {
    let per = match results.scenario.connections {
        crate::engine::Connections::KeepAlive => "connections kept",
        crate::engine::Connections::PerRequest => "a new connection for each request",
    };
    let mut notes =
        vec![format!("{} {} · closed loop, {per}", results.scenario.request.method, results.scenario.request.path)];
    notes.extend(pinned(results).map(|pinned| format!("{pinned}.")));
    notes.extend(failures(results));
    let is_line = |series: &Series| series.points.len() > 1;
    if panels.iter().any(|panel| panel.series.iter().filter(|series| is_line(series)).count() > 1) {
        notes.push("Lines that would hide each other are moved apart sideways by a few pixels.".into());
    }
    notes
}

/// Which servers' workers kept to a CPU each, where some did.
pub(super) fn pinned(results: &Results) -> Option<String> {
    let mut servers: Vec<&str> =
        results.passes.iter().filter(|pass| pass.pinned).map(|pass| &pass.server[..]).collect();
    servers.sort_by_key(|server| results.rank(server));
    servers.dedup();
    (!servers.is_empty()).then(|| format!("Each worker keeps to one CPU: {}", servers.join(", ")))
}

/// What a line does not show: servers that failed, and levels with errors.
fn failures(results: &Results) -> Vec<String> {
    let show = Distinctions::of(results);
    let mut notes = Vec::new();
    for pass in results.passes_sorted() {
        let (label, cells) = (pass.label(show), || pass.levels.iter());
        if pass.failure.is_some() {
            notes.push(format!("{label}: the server failed; {} of its levels were measured.", cells().count()));
        }
        let sum = |count: &dyn Fn(&Cell) -> u64| cells().map(count).sum::<u64>();
        let (errors, wrong) = (sum(&|cell| pass.unexpected_errors(cell)), sum(&|cell| pass.expected_errors(cell)));
        let requests = sum(&|cell| cell.requests);
        if wrong > 0 {
            notes.push(format!("{label}: {wrong} of {requests} answers were wrong, as declared."));
        }
        if errors > 0 {
            let levels = cells().filter(|&cell| pass.unexpected_errors(cell) > 0).count();
            notes.push(format!(
                "{label}: {errors} of {requests} requests failed, at {levels} of {} levels.",
                pass.levels.len()
            ));
        }
    }
    notes
}

/// A panel over concurrency with a line for each server, those of one backend where one is given.
fn panel(
    results: &Results,
    backend: Option<&str>,
    y: &str,
    value: impl Fn(&PassResult, &Cell) -> Option<f64>,
) -> Panel {
    let series = lines(results, backend, |cell| Some(f64::from(cell.concurrency)), value);
    let levels = results.scenario.concurrency.as_slice();
    if levels.len() == 1 {
        return bars(y, series);
    }
    Panel {
        title: None,
        x: Axis::new("concurrent clients", Scale::LinearTight).with_ticks(levels.iter().map(|&level| f64::from(level))),
        y: Axis::new(y, Scale::Linear),
        series,
        ..Panel::default()
    }
}

/// A panel over concurrency with a line for each server.
pub(super) fn over_concurrency(results: &Results, y: &str, value: impl Fn(&PassResult, &Cell) -> Option<f64>) -> Panel {
    panel(results, None, y, value)
}

/// A line for each server through the cells that have a place; trials are merged, and their interval is the band.
pub(super) fn lines(
    results: &Results,
    backend: Option<&str>,
    place: impl Fn(&Cell) -> Option<f64>,
    value: impl Fn(&PassResult, &Cell) -> Option<f64>,
) -> Vec<Series> {
    let all = Distinctions::of(results);
    let show = Distinctions { backend: all.backend && backend.is_none(), ..all };
    let mut series: Vec<Series> = Vec::new();
    // A server that knows of no backend is in every panel.
    let is_meant =
        |pass: &PassResult| backend.is_none() || pass.backend.is_none() || pass.backend.as_deref() == backend;
    let rows = results.rows().into_iter().filter(|(pass, cell)| is_meant(pass) && !cell.interrupted);
    for (pass, cell) in rows {
        let label = pass.label(show);
        let at = match series.iter().position(|line| line.key == label) {
            Some(at) => at,
            None => {
                series.push(Series {
                    key: label,
                    style: style(results, show, pass, &series),
                    points: Vec::new(),
                    dashed: false,
                });
                series.len() - 1
            }
        };
        if let Some((x, y)) = place(cell).zip(value(pass, cell).filter(|y| y.is_finite())) {
            series[at].points.push(Point { x, y, low: None, high: None });
        }
    }
    for line in &mut series {
        line.points = merged(&line.points);
    }
    series.retain(|line| !line.points.is_empty());
    series
}

/// With one level there is nothing to follow: a bar for each server.
fn bars(measured: &str, series: Vec<Series>) -> Panel {
    let bar = |line: Series| {
        let point = line.points.first()?;
        let segments = vec![Segment::new("", line.style, point.y)];
        Some(Bar { interval: point.low.zip(point.high), ..Bar::new(line.key, segments) })
    };
    let bars = series.into_iter().filter_map(bar).collect();
    Panel { x: Axis::new(measured, Scale::Linear), bars, ..Panel::default() }
}

/// A server looks the same in every chart; with several lines for one server each line has a look of its own.
fn style(results: &Results, show: Distinctions, pass: &PassResult, before: &[Series]) -> usize {
    if show.backend || show.workers || show.cpus { before.len() } else { results.rank(&pass.server) }
}

/// One point for each x: the trials merged, with their interval where there is one.
fn merged(points: &[Point]) -> Vec<Point> {
    let groups = points.chunk_by(|a, b| a.x == b.x);
    let merged = groups.filter_map(|group| {
        let ys: Vec<f64> = group.iter().map(|point| point.y).collect();
        let Merged { value, interval, .. } = Merged::of(&ys)?;
        let (low, high) = interval.map(|interval| (interval.low, interval.high)).unzip();
        Some(Point { x: group[0].x, y: value, low, high })
    });
    merged.collect()
}
