//! How many workers are enough, in words and as a picture.

use std::collections::BTreeSet;

use ::charts::{Axis, Figure, Panel, Point, Scale, Series};

use crate::analysis::statistics::Interval;
use crate::analysis::trials::Merged;
use crate::analysis::workers::{Choice, Count, Ratio, choices};
use crate::results::{Distinctions, LineKey, Results, counted};

use super::charts::figure;
use super::format::{milliseconds, three_digits};

/// A sentence for each server that was run with several numbers of workers: the best, and what more cost.
pub fn sentences(results: &Results) -> Vec<String> {
    choices(results).iter().map(|choice| sentence(&label(results, &choice.line), choice)).collect()
}

fn sentence(server: &str, choice: &Choice) -> String {
    let workers = |count: u32| counted(count, "worker");
    let Some(best) = choice.best_count() else { return String::new() };
    let numbers: Vec<String> = choice.counts.iter().map(|count| count.workers.to_string()).collect();
    let clients = counted(choice.clients, "client");
    let enough = if best.workers == 1 { "is enough" } else { "are enough" };
    let mut told =
        format!("{server}, of {} workers at {clients}: {} {enough}", numbers.join(", "), workers(best.workers));
    let proven = choice.counts.iter().all(|count| count.throughput.interval.is_some());
    told += if proven { ", no number is significantly faster" } else { ", within 5% of the fastest" };
    told += &format!(" ({})", figures(best));
    if let Some((most, Ratio { value, interval })) = choice.most_count().zip(choice.most_to_best) {
        told += &format!("; {} give {}", workers(most.workers), change(value));
        if let Some(Interval { low, high }) = interval {
            told += &format!(" (95% interval {} to {})", change(low), change(high));
        }
        told += &format!(": {}", figures(most));
    }
    told
}

/// `+15%`
fn change(ratio: f64) -> String {
    format!("{:+.0}%", (ratio - 1.0) * 100.0)
}

fn figures(count: &Count) -> String {
    let mut parts = vec![format!("{} requests/s", three_digits(count.throughput.value))];
    parts.extend(count.p50_ms.map(|p50| format!("p50 {}", milliseconds(p50.value))));
    parts.extend(count.switches.map(|switches| format!("{} context switches per request", three_digits(switches))));
    parts.join(", ")
}

/// The name of a line without its workers.
fn label(results: &Results, line: &LineKey) -> String {
    let show = Distinctions { workers: false, ..Distinctions::of(results) };
    let of_line = results.passes.iter().find(|pass| LineKey { workers: None, ..pass.line_key() } == *line);
    of_line.map_or_else(|| line.server.clone(), |pass| pass.label(show))
}

/// Throughput and median response time over workers; `None` where the number of workers is no axis.
pub fn chart(results: &Results) -> Option<Figure> {
    let choices = choices(results);
    let levels: BTreeSet<u32> = choices.iter().map(|choice| choice.clients).collect();
    let levels: Vec<String> = levels.into_iter().map(|clients| counted(clients, "client")).collect();
    let panels = vec![
        panel(results, &choices, ["throughput", "requests per second, right answers"], |count| Some(count.throughput)),
        panel(results, &choices, ["median", "response time, seconds"], |count| count.p50_ms.map(in_seconds)),
    ];
    (!choices.is_empty()).then(|| figure(results, &format!("number of workers, at {}", levels.join(" or ")), panels, 2))
}

fn in_seconds(ms: Merged) -> Merged {
    let scaled = |Interval { low, high }| Interval { low: low / 1000.0, high: high / 1000.0 };
    Merged { value: ms.value / 1000.0, interval: ms.interval.map(scaled), ..ms }
}

fn panel(
    results: &Results,
    choices: &[Choice],
    [title, y]: [&str; 2],
    value: impl Fn(&Count) -> Option<Merged>,
) -> Panel {
    let one_line_each = {
        let servers: BTreeSet<&str> = choices.iter().map(|choice| choice.line.server.as_str()).collect();
        servers.len() == choices.len()
    };
    let point = |count: &Count| {
        let Merged { value: y, interval, .. } = value(count)?;
        let (low, high) = interval.map(|interval| (interval.low, interval.high)).unzip();
        Some(Point { x: f64::from(count.workers), y, low, high })
    };
    let series = choices.iter().enumerate().map(|(index, choice)| {
        // A server looks the same in every chart.
        let style = if one_line_each { results.rank(&choice.line.server) } else { index };
        Series::new(label(results, &choice.line), style, choice.counts.iter().filter_map(point).collect())
    });
    let numbers: BTreeSet<u32> = choices.iter().flat_map(|choice| &choice.counts).map(|count| count.workers).collect();
    Panel {
        title: Some(title.into()),
        x: Axis::new("workers", Scale::LinearTight).with_ticks(numbers.into_iter().map(f64::from)),
        y: Axis::new(y, Scale::Linear),
        series: series.collect(),
        ..Panel::default()
    }
}
