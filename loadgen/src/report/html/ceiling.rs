//! What the CPUs could do with no server in the way, over the run.

use ::charts::{Axis, Figure, Panel, Point, Scale, Series};

use crate::analysis::limits::{Kind, drift, kinds, median_rate};
use crate::report::format::{clock, percent, three_digits};
use crate::results::{CeilingSample, counted};

use super::figures;
use super::markup::{Html, html};
use super::page::{Page, behind, table};

/// The samples, what they come to and how far they moved. Nothing where none were taken.
pub(super) fn section(page: &Page) -> Html {
    let samples = &page.results.ceiling;
    if samples.is_empty() {
        return Html::default();
    }
    let rates = kinds(samples).into_iter().filter_map(|kind| {
        let rate = three_digits(median_rate(samples, kind)?);
        Some(html!("<li><b>{}</b> requests/s on {}</li>\n", rate, words(kind)))
    });
    let moved = drift(samples).map(|drift| {
        html!(
            "Over the run it moved by {} from its lowest to its highest: what differs by less may be the machine.",
            percent(drift)
        )
    });
    let rows = samples.iter().map(|sample| {
        let kind = words((sample.size, sample.threads));
        vec![html!("{}", clock(sample.at_s)), html!("{}", kind), html!("{}", three_digits(sample.rate_rps))]
    });
    html!(
        "<section id=\"ceiling\">\n<h2>The ceiling</h2>\n<p class=\"lead\">The same computation on these CPUs, with no server \
         in the way. {}</p>\n<ul class=\"plain\">\n{}</ul>\n{}{}</section>\n",
        moved.unwrap_or_default(),
        rates.collect::<Html>(),
        figures::inline(&figure(samples), "the ceiling over the run", true),
        behind(&table(&["minutes into the run", "on", "requests/s"], rows))
    )
}

/// `2 CPUs`, `2 CPUs, size 25`
fn words((size, threads): Kind) -> String {
    let size = size.map(|size| format!(", size {size}")).unwrap_or_default();
    counted(threads, "CPU") + &size
}

/// A line for each kind of sample. Sizes differ by orders of magnitude, so each is shown against its own median.
fn figure(samples: &[CeilingSample]) -> Figure {
    let sized = samples.iter().any(|sample| sample.size.is_some());
    let line = |(kind, style): (Kind, usize)| {
        let whole = if sized { median_rate(samples, kind).filter(|&rate| rate > 0.0).unwrap_or(1.0) } else { 1.0 };
        let of_kind = samples.iter().filter(|sample| (sample.size, sample.threads) == kind);
        let mut points: Vec<Point> = of_kind.map(|sample| Point::new(sample.at_s, sample.rate_rps / whole)).collect();
        points.sort_by(|a, b| a.x.total_cmp(&b.x));
        Series::new(words(kind), style, points)
    };
    let panel = Panel {
        x: Axis::new("seconds into the run", Scale::Linear),
        y: Axis::new(if sized { "against its median" } else { "requests per second" }, Scale::Linear),
        series: kinds(samples).into_iter().zip(0..).map(line).collect(),
        ..Panel::default()
    };
    Figure { panels: vec![panel], ..Figure::default() }
}
