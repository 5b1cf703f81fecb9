//! Every server in one line, the fastest first, with a bar for its throughput.

use crate::analysis::ranking::Place;
use crate::analysis::statistics::Interval;
use crate::analysis::summary::{Summary, summaries};
use crate::report::format::{mebibytes, milliseconds, or_nothing, percent, three_digits};
use crate::results::LineKey;

use super::headline::{at_levels, behind};
use super::markup::{Html, html};
use super::page::Page;

/// The table.
pub(super) fn section(page: &Page) -> Html {
    let (ranking, summaries) = (&page.ranking, summaries(page.results));
    // There is nothing to compare.
    if ranking.places.len() + ranking.unranked.len() < 2 {
        return Html::default();
    }
    let most = ranking.places.iter().map(|place| upper(place).max(place.throughput.value)).fold(0.0, f64::max);
    let of = |line: &LineKey| summaries.iter().find(|summary| summary.label == page.label(line));
    let mut rows: Html = ranking.places.iter().map(|place| row(page, place, most, of(&place.line))).collect();
    rows.push(&ranking.unranked.iter().map(|line| unranked(page, line, of(line))).collect());
    let mean = if ranking.levels.len() > 1 {
        "The bars are the geometric mean of throughput"
    } else {
        "The bars are throughput"
    };
    let spread = if ranking.places.iter().any(|place| place.throughput.interval.is_some()) {
        "; thin lines are 95% intervals".to_owned()
    } else {
        format!("; without intervals, differences below {} are taken for none", percent(ranking.told_apart))
    };
    html!(
        "<section id=\"ranking\">\n<h2>Ranking</h2>\n<p class=\"lead\">{} {}{}. The other columns are over all levels.</p>\n\
         <table class=\"ranking\">\n<thead><tr><th scope=\"col\">server</th><th scope=\"col\" class=\"bars\">requests/s</th>\
         <th scope=\"col\">behind</th><th scope=\"col\" class=\"more\">of limit</th><th scope=\"col\" class=\"more\">median</th>\
         <th scope=\"col\" class=\"more\">CPU/request</th><th scope=\"col\" class=\"more\">memory</th>\
         <th scope=\"col\" class=\"more\">errors</th></tr></thead>\n<tbody>\n{}</tbody></table>\n</section>\n",
        mean,
        at_levels(ranking),
        spread,
        rows
    )
}

fn upper(place: &Place) -> f64 {
    place.throughput.interval.map_or(0.0, |interval| interval.high)
}

fn server(page: &Page, line: &LineKey) -> Html {
    html!(
        "<th scope=\"row\">{}<a href=\"#{}\"><bdi>{}</bdi></a></th>",
        page.swatch(line),
        page.anchor(line),
        page.label(line)
    )
}

fn row(page: &Page, place: &Place, most: f64, summary: Option<&Summary>) -> Html {
    let share =
        |value: f64| if most > 0.0 { format!("{:.2}", (value / most * 100.0).clamp(0.0, 100.0)) } else { "0".into() };
    let whisker = place.throughput.interval.map(|Interval { low, high }| {
        html!("<i class=\"whisker\" style=\"--from:{}%;--to:{}%\"></i>", share(low), share(high))
    });
    let behind = match place.of_first {
        None if place.leads => html!("<span class=\"quiet\">leads</span>"),
        None => html!("all of it"),
        Some(_) if place.leads => html!("<span class=\"quiet\">tied</span>"),
        Some(judged) => html!("{}", behind(&judged)),
    };
    html!(
        "<tr>{}<td class=\"bars\"><span class=\"track\"><i class=\"bar\" style=\"--c:var(--s{});--to:{}%\"></i>{}</span><span class=\"value\">{}</span></td>\
         <td>{}</td>{}</tr>\n",
        server(page, &place.line),
        page.style(&place.line) % ::charts::STYLES,
        share(place.throughput.value),
        whisker.unwrap_or_default(),
        three_digits(place.throughput.value),
        behind,
        more(summary)
    )
}

/// One that failed, or was not measured to its end.
fn unranked(page: &Page, line: &LineKey, summary: Option<&Summary>) -> Html {
    html!(
        "<tr>{}<td class=\"bars\"><span class=\"quiet\">not every level was measured</span></td><td></td>{}</tr>\n",
        server(page, line),
        more(summary)
    )
}

fn more(summary: Option<&Summary>) -> Html {
    let cell = |text: String| html!("<td class=\"more\">{}</td>", text);
    let Some(summary) = summary else { return Html::default() };
    [
        or_nothing(summary.of_limit, percent),
        or_nothing(summary.p50_ms, |(p50, _)| milliseconds(p50)),
        or_nothing(summary.cpu_s_per_request, |seconds| milliseconds(seconds * 1000.0)),
        or_nothing(summary.peak_rss_bytes, mebibytes),
        summary.errors.to_string(),
    ]
    .map(cell)
    .into_iter()
    .collect()
}
