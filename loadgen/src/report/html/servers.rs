//! A section for each server: what it models, what it gave and what it took.

use crate::analysis::ranking::Place;
use crate::analysis::summary::{Summary, summaries};
use crate::analysis::timing::{TOLD, Timing};
use crate::analysis::trials::{Group, groups};
use crate::report::charts::time::{STYLES, TRANSPORT};
use crate::report::format::{mebibytes, milliseconds, or_nothing, percent, three_digits};
use crate::report::table::cpus_used;
use crate::results::{Cell, Failure, LineKey, PassResult, Results, Skipped, counted};

use super::markup::{Html, html};
use super::page::{Page, details, facts, table};
use super::{figures, timeline};

/// Every server as it was run, with its passes, in the order of tables.
pub(super) fn lines(results: &Results) -> Vec<(LineKey, Vec<&PassResult>)> {
    let mut lines: Vec<(LineKey, Vec<&PassResult>)> = Vec::new();
    for pass in results.passes_sorted() {
        let key = pass.line_key();
        match lines.last_mut().filter(|(last, _)| *last == key) {
            Some((_, passes)) => passes.push(pass),
            None => lines.push((key, vec![pass])),
        }
    }
    lines
}

/// All servers.
pub(super) fn section(page: &Page) -> Html {
    let (groups, summaries) = (groups(page.results), summaries(page.results));
    let one = |(line, passes): &(LineKey, Vec<&PassResult>)| {
        let label = page.label(line);
        let groups: Vec<&Group> = groups.iter().filter(|group| group.key.line == *line).collect();
        server(page, line, passes, &groups, summaries.iter().find(|summary| summary.label == label))
    };
    let servers: Html = lines(page.results).iter().map(one).collect();
    let skipped = page.results.skipped.iter().map(|Skipped { server, reason }| {
        html!("<p class=\"note\"><bdi>{}</bdi> was skipped: {}</p>\n", server, reason)
    });
    html!("<section id=\"servers\">\n<h2>The servers</h2>\n{}{}</section>\n", servers, skipped.collect::<Html>())
}

fn server(page: &Page, line: &LineKey, passes: &[&PassResult], groups: &[&Group], summary: Option<&Summary>) -> Html {
    let first = passes.iter().find(|pass| !pass.levels.is_empty()).or(passes.first());
    let place = page.ranking.places.iter().find(|place| place.line == *line);
    let failures: Html = passes.iter().filter_map(|pass| Some(failure(pass.failure.as_ref()?))).collect();
    let over_time = first.and_then(|pass| timeline::figure(pass, page.style(line)));
    let over_time = over_time.map(|figure| {
        let label = page.label(line);
        let which = if passes.len() > 1 { ", its first trial" } else { "" };
        html!(
            "<h4>Over time{}</h4>\n{}",
            which,
            figures::inline(&figure, &format!("what {label} used over time"), false)
        )
    });
    let command = first.and_then(|pass| pass.command.as_ref());
    let runtime = first.and_then(|pass| pass.runtime.as_ref()).map(|runtime| format!(" on {runtime}"));
    let command = command.map(|command| {
        html!("<p class=\"note\">Started{} as <code>{}</code></p>\n", runtime.unwrap_or_default(), command)
    });
    let fault = first.and_then(|pass| pass.fault.as_ref());
    let fault = fault.map(|fault| html!("<p class=\"failure\">At fault on purpose: {}.</p>\n", fault));
    html!(
        "<article id=\"{}\">\n<h3>{}<bdi>{}</bdi></h3>\n<p class=\"lead\">{}</p>\n{}{}{}{}{}{}{}</article>\n",
        page.anchor(line),
        page.swatch(line),
        page.label(line),
        first.map_or("", |pass| pass.description.as_str()),
        fault.unwrap_or_default(),
        failures,
        figures_of(place, passes, groups, summary),
        where_time_goes(groups),
        over_time.unwrap_or_default(),
        if groups.is_empty() { Html::default() } else { details("Every level", &levels(groups)) },
        command.unwrap_or_default()
    )
}

fn failure(failure: &Failure) -> Html {
    let words = failure.last_words.join("\n");
    let words = if words.is_empty() { Html::default() } else { html!("<pre>{}</pre>\n", words) };
    html!("<div class=\"failure\"><p>{}</p>\n{}</div>\n", failure.message, words)
}

fn figures_of(place: Option<&Place>, passes: &[&PassResult], groups: &[&Group], summary: Option<&Summary>) -> Html {
    let cells = || passes.iter().flat_map(|pass| &pass.levels);
    let threads = cells().filter_map(|cell| Some(cell.server.as_ref()?.peak_threads)).max();
    let switches = groups.iter().max_by_key(|group| group.key.concurrency);
    let switches = switches.and_then(|group| group.merged(|_, cell| switches_per_request(cell)));
    let rate = place.map(|place| {
        let interval = place.throughput.interval;
        let interval = interval.map(|i| format!(" ({} to {})", three_digits(i.low), three_digits(i.high)));
        three_digits(place.throughput.value) + &interval.unwrap_or_default()
    });
    let at = |clients: u32, text: String| format!("{text} at {}", counted(clients, "client"));
    let best = summary.and_then(|summary| summary.best);
    facts([
        ("requests/s", rate),
        ("best level, requests/s", best.map(|(rate, clients)| at(clients, three_digits(rate)))),
        ("of limit, best", summary.and_then(|summary| summary.of_limit).map(percent)),
        ("median response", summary.and_then(|s| s.p50_ms).map(|(p50, clients)| at(clients, milliseconds(p50)))),
        ("CPU per request", summary.and_then(|s| s.cpu_s_per_request).map(|seconds| milliseconds(seconds * 1000.0))),
        ("memory, peak", summary.and_then(|summary| summary.peak_rss_bytes).map(mebibytes)),
        ("threads, peak", threads.map(|threads| threads.to_string())),
        ("context switches per request", switches.map(|merged| three_digits(merged.value))),
        ("errors", summary.map(|summary| summary.errors.to_string())),
        ("warm-up", passes.first().map(|pass| warm_up(pass))),
    ])
}

/// What was sent first and not counted.
fn warm_up(pass: &PassResult) -> String {
    let settled = match pass.warm_up_settled {
        Some(true) => ", settled",
        Some(false) => ", not settled",
        None => "",
    };
    let time = if pass.warm_up_s > 0.0 { format!(" in {:.1} s", pass.warm_up_s) } else { String::new() };
    format!("{} requests{time}{settled}", pass.warm_up_requests)
}

fn switches_per_request(cell: &Cell) -> Option<f64> {
    let requests = (cell.requests > 0).then_some(cell.requests as f64)?;
    Some(cell.server.as_ref()?.context_switches? as f64 / requests)
}

/// What the server says of a request's time, at the highest level: parts of a bar.
fn where_time_goes(groups: &[&Group]) -> Html {
    let Some(group) = groups.iter().max_by_key(|group| group.key.concurrency) else { return Html::default() };
    let over_trials = |part: &dyn Fn(&Timing) -> Option<f64>| {
        group.merged(|_, cell| part(&Timing::of(cell))).map(|merged| merged.value)
    };
    let told = TOLD
        .iter()
        .enumerate()
        .filter_map(|(index, &name)| Some((name, STYLES[index], over_trials(&|timing| timing.told_ms[index])?)));
    let transport = over_trials(&|timing| timing.transport_ms);
    let transport = transport.map(|ms| (TRANSPORT, STYLES[TOLD.len()], ms));
    let parts: Vec<(&str, usize, f64)> = told.chain(transport).collect();
    let all: f64 = parts.iter().map(|(.., ms)| ms).sum();
    if parts.is_empty() || all <= 0.0 {
        return Html::default();
    }
    let share = |ms: f64| format!("{:.2}", ms / all * 100.0);
    let bar =
        parts.iter().map(|(_, colour, ms)| html!("<i style=\"--c:var(--s{});--to:{}%\"></i>", colour, share(*ms)));
    let key = parts.iter().map(|(name, colour, ms)| {
        let swatch = html!("<i class=\"swatch\" style=\"--c:var(--s{})\"></i>", colour);
        html!("<li>{}{} <b>{}</b></li>\n", swatch, name, milliseconds(*ms))
    });
    let cpu = group.merged(|_, cell| cell.server_timing_ms.get("cpu").copied());
    let cpu = cpu.map(|cpu| html!("<p class=\"note\">On a CPU for {} of it.</p>\n", milliseconds(cpu.value)));
    html!(
        "<h4>Where the time of a request goes, at {}</h4>\n<div class=\"parts\" aria-hidden=\"true\">{}</div>\n\
         <ul class=\"parts-key\">\n{}</ul>\n{}",
        counted(group.key.concurrency, "client"),
        bar.collect::<Html>(),
        key.collect::<Html>(),
        cpu.unwrap_or_default()
    )
}

/// A row for each level.
fn levels(groups: &[&Group]) -> Html {
    let headings = [
        "clients",
        "requests",
        "requests/s",
        "p50",
        "p90",
        "p99",
        "max",
        "CPUs used",
        "memory",
        "threads",
        "switches/request",
        "errors",
    ];
    let rows = groups.iter().map(|group| {
        let merged =
            |figure: &dyn Fn(&Cell) -> Option<f64>| group.merged(|_, cell| figure(cell)).map(|merged| merged.value);
        let ms = |figure: &dyn Fn(&Cell) -> Option<f64>| html!("{}", or_nothing(merged(figure), milliseconds));
        let used =
            |figure: &dyn Fn(&crate::results::ServerUse) -> f64| merged(&|cell| cell.server.as_ref().map(figure));
        let sum = |count: fn(&Cell) -> u64| group.trials.iter().map(|(_, cell)| count(cell)).sum::<u64>();
        vec![
            html!("{}", group.key.concurrency),
            html!("{}", sum(|cell| cell.requests)),
            html!("{}", or_nothing(merged(&|cell| cell.throughput_rps), three_digits)),
            ms(&|cell| cell.latency_ms.p50),
            ms(&|cell| cell.latency_ms.p90),
            ms(&|cell| cell.latency_ms.p99),
            ms(&|cell| cell.latency_ms.max),
            html!("{}", or_nothing(merged(&cpus_used), |cpus| format!("{cpus:.2}"))),
            html!("{}", or_nothing(used(&|used| used.peak_rss_bytes as f64), |bytes| mebibytes(bytes as u64))),
            html!("{}", or_nothing(used(&|used| f64::from(used.peak_threads)), three_digits)),
            html!("{}", or_nothing(merged(&switches_per_request), three_digits)),
            html!("{}", sum(|cell| cell.errors)),
        ]
    });
    table(&headings, rows)
}
