//! The charts, inline: with what a tooltip needs, and the table behind each.

use std::collections::BTreeSet;

use ::charts::{ChartError, Drawing, Figure, Panel, Width, format_value};
use serde::Serialize;

use crate::report::charts::{Chart, PUBLISHED};
use crate::report::format::three_digits;
use crate::report::workers;

use super::markup::{Html, html};
use super::page::{Page, behind, swatch, table};

/// A section for each chart, but for the one that stands with the verdicts.
pub(super) fn sections(page: &Page) -> Html {
    let mut said = BTreeSet::new();
    let charts = page.charts.iter().filter(|chart| chart.name != PUBLISHED);
    charts.map(|chart| section(page, chart, &mut said)).collect()
}

/// A chart that is a part of another section; what is below others too is said there.
pub(super) fn part(page: &Page, chart: &Chart) -> Html {
    let others = page.charts.iter().filter(|other| other.name != chart.name).flat_map(|other| &other.figure.notes);
    let others: BTreeSet<&String> = others.collect();
    let notes = chart.figure.notes.iter().filter(|note| !others.contains(note));
    let notes: Html = notes.map(|note| html!("<p class=\"note\">{}</p>\n", note)).collect();
    html!(
        "<h3 id=\"{}\">{}</h3>\n{}{}{}",
        chart.name,
        chart.heading,
        inline(&chart.figure, chart.heading, true),
        notes,
        behind(&tables(&chart.figure))
    )
}

/// What is below a chart is said once, at the first that it is true of.
fn section<'a>(page: &Page, chart: &'a Chart, said: &mut BTreeSet<&'a str>) -> Html {
    let sentences = if chart.name == "workers" { workers::sentences(page.results) } else { Vec::new() };
    let sentences: Html = sentences.iter().map(|told| html!("<p class=\"lead\">{}</p>\n", told)).collect();
    let notes = chart.figure.notes.iter().filter(|note| said.insert(note));
    let notes: Html = notes.map(|note| html!("<p class=\"note\">{}</p>\n", note)).collect();
    html!(
        "<section id=\"{}\">\n<h2>{}</h2>\n{}{}{}{}</section>\n",
        chart.name,
        chart.heading,
        sentences,
        inline(&chart.figure, chart.heading, true),
        notes,
        behind(&tables(&chart.figure))
    )
}

/// A figure without its headings, which the page has around it: wide and narrow, of which one is seen.
pub(super) fn inline(figure: &Figure, heading: &str, tooltips: bool) -> Html {
    let drawn = |width| {
        let bare = Figure { title: String::new(), subtitle: String::new(), notes: Vec::new(), width, ..figure.clone() };
        bare.draw()
    };
    let both = || -> Result<(Drawing, Drawing), ChartError> { Ok((drawn(Width::Wide)?, drawn(Width::Narrow)?)) };
    match both() {
        Err(error) => html!("<p class=\"note\">This chart could not be drawn: {}</p>\n", error.to_string()),
        Ok((wide, narrow)) => {
            let data = if tooltips { marks(figure, &wide, &narrow) } else { Html::default() };
            let focus = if tooltips { " tabindex=\"0\"" } else { "" };
            html!(
                "<figure class=\"chart\"{}>\n{}{}{}</figure>\n",
                Html::trusted(focus),
                svg(&wide, "wide", heading),
                svg(&narrow, "narrow", heading),
                data
            )
        }
    }
}

/// The drawing, named for screen readers by a label: a title would show as a tooltip of its own.
fn svg(drawing: &Drawing, class: &str, heading: &str) -> Html {
    let label = html!("class=\"{}\" role=\"img\" aria-label=\"chart: {}\">", class, heading);
    Html::trusted(drawing.svg.replacen("role=\"img\">\n<title></title>", label.as_str(), 1))
}

/// What the script of the page shows in tooltips.
#[derive(Serialize)]
struct Marks<'a> {
    panels: Vec<PanelNames<'a>>,
    marks: Vec<Mark>,
}

/// Panel, series, x and y in the wide and in the narrow drawing, where on the axis that is, and the value. A list in JSON,
/// since there are many.
#[derive(Serialize)]
struct Mark(usize, usize, [i32; 4], String, String);

#[derive(Serialize)]
struct PanelNames<'a> {
    /// What is on the axis; nothing for bars, which have names.
    x: &'a str,
    y: String,
    /// Names and styles, of segments where there are bars.
    series: Vec<(&'a str, usize)>,
}

fn marks(figure: &Figure, wide: &Drawing, narrow: &Drawing) -> Html {
    let places =
        |wide: (f64, f64), narrow: (f64, f64)| [wide.0, wide.1, narrow.0, narrow.1].map(|at| at.round() as i32);
    // Both drawings have the same marks in the same order.
    let points = wide.marks.iter().zip(&narrow.marks).map(|(mark, small)| {
        let places = places((mark.x, mark.y), (small.x, small.y));
        let value = three_digits(mark.point.y) + &interval(mark.point.low.zip(mark.point.high));
        Mark(mark.panel, mark.series, places, format_value(mark.point.x), value)
    });
    let segments = wide.segments.iter().zip(&narrow.segments).filter_map(|(mark, small)| {
        let places = places((mark.x, mark.y), (small.x, small.y));
        let panel = figure.panels.get(mark.panel)?;
        let bar = panel.bars.get(mark.bar)?;
        let segment = bar.segments.get(mark.segment)?;
        let name = parts(panel).iter().position(|part| *part == (segment.key.as_str(), segment.style))?;
        let value = three_digits(segment.value) + &interval(bar.interval);
        Some(Mark(mark.panel, name, places, bar.label.clone(), value))
    });
    let panels = figure.panels.iter().map(|panel| match panel.bars[..] {
        [] => PanelNames { x: &panel.x.title, y: panel_title(panel), series: names(panel) },
        _ => PanelNames { x: "", y: panel_title(panel), series: parts(panel) },
    });
    match Html::json(&Marks { panels: panels.collect(), marks: points.chain(segments).collect() }) {
        Ok(json) => html!("<script type=\"application/json\">{}</script>\n", json),
        Err(_) => Html::default(),
    }
}

/// ` (3.1 to 3.3)`
fn interval(ends: Option<(f64, f64)>) -> String {
    let ends = ends.filter(|(low, high)| low < high);
    ends.map(|(low, high)| format!(" ({} to {})", three_digits(low), three_digits(high))).unwrap_or_default()
}

fn names(panel: &Panel) -> Vec<(&str, usize)> {
    panel.series.iter().map(|series| (series.key.as_str(), series.style % ::charts::STYLES)).collect()
}

/// The segments that the bars of a panel have, each once.
fn parts(panel: &Panel) -> Vec<(&str, usize)> {
    let mut parts = Vec::new();
    for segment in panel.bars.iter().flat_map(|bar| &bar.segments) {
        let part = (segment.key.as_str(), segment.style);
        if !parts.contains(&part) {
            parts.push(part);
        }
    }
    parts
}

/// What a panel shows: its heading, if it has one, and what its axis says.
fn panel_title(panel: &Panel) -> String {
    let measured = if panel.bars.is_empty() { &panel.y.title } else { &panel.x.title };
    match &panel.title {
        Some(title) => format!("{title}: {measured}"),
        None => measured.clone(),
    }
}

/// The points of a figure: a table for each panel, a row for each series.
fn tables(figure: &Figure) -> Html {
    let show_titles = figure.panels.len() > 1;
    let one = |panel: &Panel| {
        let title = panel_title(panel);
        let title =
            if show_titles { html!("<h4>{}</h4>\n", title) } else { html!("<p class=\"note\">{}</p>\n", title) };
        html!("{}{}", title, if panel.bars.is_empty() { points(panel) } else { bars(panel) })
    };
    figure.panels.iter().map(one).collect()
}

fn points(panel: &Panel) -> Html {
    let mut xs: Vec<f64> = panel.series.iter().flat_map(|series| &series.points).map(|point| point.x).collect();
    xs.retain(|x| x.is_finite());
    xs.sort_by(f64::total_cmp);
    xs.dedup();
    let labels: Vec<String> = xs.iter().map(|&x| format_value(x)).collect();
    let headings: Vec<&str> =
        std::iter::once(panel.x.title.as_str()).chain(labels.iter().map(String::as_str)).collect();
    let rows = panel.series.iter().map(|series| {
        let at = |x: &f64| series.points.iter().find(|point| point.x == *x);
        let values = xs.iter().map(|x| at(x).map(|point| html!("{}", three_digits(point.y))).unwrap_or_default());
        std::iter::once(html!("{}<bdi>{}</bdi>", swatch(series.style), series.key)).chain(values).collect()
    });
    table(&headings, rows)
}

fn bars(panel: &Panel) -> Html {
    let parts = parts(panel);
    // Bars of one part each have no names for them.
    let stacked = panel.bars.iter().any(|bar| bar.segments.len() > 1);
    let shown = |value: f64| html!("{}", three_digits(value));
    let rows = panel.bars.iter().map(|bar| {
        let of =
            |part: &(&str, usize)| bar.segments.iter().find(|segment| (segment.key.as_str(), segment.style) == *part);
        let cells = parts.iter().map(|part| of(part).map(|segment| shown(segment.value)).unwrap_or_default());
        let total = shown(bar.segments.iter().map(|segment| segment.value).sum());
        let cells: Vec<Html> = if stacked { cells.chain([total]).collect() } else { vec![total] };
        std::iter::once(html!("<bdi>{}</bdi>", bar.label)).chain(cells).collect()
    });
    let names = parts.iter().map(|(name, _)| *name).filter(|_| stacked);
    let headings: Vec<&str> =
        std::iter::once("").chain(names).chain([if stacked { "total" } else { "value" }]).collect();
    table(&headings, rows)
}
