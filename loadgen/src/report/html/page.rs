//! The page as a whole.

use ::charts::on_dark;

use crate::analysis::ranking::Ranking;
use crate::report::charts::{Chart, Format};
use crate::results::{Distinctions, LineKey, Results};

use super::markup::{Html, html};
use super::{cautions, ceiling, figures, headline, method, overview, servers, verdicts};

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");

/// What every section is made from.
pub(super) struct Page<'a> {
    pub(super) results: &'a Results,
    pub(super) charts: &'a [Chart],
    pub(super) formats: &'a [Format],
    pub(super) ranking: Ranking,
    /// What labels of servers have to show.
    pub(super) show: Distinctions,
}

/// The whole file. `charts` are those of the run, and `formats` those of their picture files.
pub fn page(results: &Results, charts: &[Chart], formats: &[Format]) -> String {
    let page = Page { results, charts, formats, ranking: Ranking::of(results), show: Distinctions::of(results) };
    let sections: Html = [
        headline::section(&page),
        overview::section(&page),
        verdicts::section(&page),
        figures::sections(&page),
        servers::section(&page),
        ceiling::section(&page),
        cautions::section(&page),
        method::sections(&page),
    ]
    .into_iter()
    .collect();
    let (colours, style, script) = (colours(), Html::trusted(STYLE), Html::trusted(SCRIPT));
    html!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<link rel=\"icon\" href=\"data:,\">\n\
         <title>{}: report</title>\n<style>\n{}{}</style>\n</head>\n<body>\n<main>\n{}</main>\n\
         <script>\n{}</script>\n</body>\n</html>\n",
        results.scenario.title,
        colours,
        style,
        sections,
        script,
    )
    .as_str()
    .to_owned()
}

/// The colours of the servers as variables, and a dark form of every drawing.
fn colours() -> Html {
    let light: String = (0..::charts::STYLES).map(|style| format!("--s{style}:{};", ::charts::colour(style))).collect();
    let dark = |colour: &str| on_dark().find(|(light, _)| *light == colour).map_or("currentColor", |(_, dark)| dark);
    let dark_styles: String =
        (0..::charts::STYLES).map(|style| format!("--s{style}:{};", dark(::charts::colour(style)))).collect();
    let drawings: String = on_dark()
        .map(|(light, dark)| {
            format!("svg [fill=\"{light}\"]{{fill:{dark}}}svg [stroke=\"{light}\"]{{stroke:{dark}}}\n")
        })
        .collect();
    Html::trusted(format!(
        ":root{{{light}}}\n@media screen and (prefers-color-scheme: dark){{\n:root{{{dark_styles}}}\n{drawings}}}\n"
    ))
}

impl Page<'_> {
    /// The name of a server, with what else tells it from its neighbours.
    pub(super) fn label(&self, line: &LineKey) -> String {
        self.label_showing(line, self.show)
    }

    fn label_showing(&self, line: &LineKey, show: Distinctions) -> String {
        let pass = self.results.passes.iter().find(|pass| pass.line_key() == *line);
        pass.map_or_else(|| line.server.clone(), |pass| pass.label(show))
    }

    /// The look that a server has in the charts.
    pub(super) fn style(&self, line: &LineKey) -> usize {
        // Panels for single backends do not name them.
        let bare = Distinctions { backend: false, ..self.show };
        let labels = [self.show, bare].map(|show| self.label_showing(line, show));
        let panels = || self.charts.iter().flat_map(|chart| &chart.figure.panels);
        let series = || panels().flat_map(|panel| &panel.series).map(|series| (&series.key, series.style));
        let bars = || panels().flat_map(|panel| &panel.bars).filter(|bar| bar.segments.len() == 1);
        let bars = || bars().flat_map(|bar| bar.segments.iter().map(|segment| (&bar.label, segment.style)));
        let found = labels.iter().find_map(|label| series().chain(bars()).find(|(name, _)| *name == label));
        // Without a line in any chart none looks like it.
        found.map_or_else(|| self.results.rank(&line.server).min(::charts::STYLES - 1), |(_, style)| style)
    }

    /// A spot in the colour of a server; hollow where its markers are.
    pub(super) fn swatch(&self, line: &LineKey) -> Html {
        swatch(self.style(line))
    }

    /// The anchor of a server's section: its place among the lines, since its name may hold anything.
    pub(super) fn anchor(&self, line: &LineKey) -> String {
        let place = servers::lines(self.results).iter().position(|(other, _)| other == line);
        format!("server-{}", place.map_or(0, |place| place + 1))
    }
}

/// A spot in the colour of a style.
pub(super) fn swatch(style: usize) -> Html {
    let hollow = if (style / ::charts::STYLES).is_multiple_of(2) { "" } else { " hollow" };
    html!("<i class=\"swatch{}\" style=\"--c:var(--s{})\"></i>", hollow, style % ::charts::STYLES)
}

/// A table; the first cell of each row is its heading. It scrolls by itself where it is too wide.
pub(super) fn table(headings: &[&str], rows: impl IntoIterator<Item = Vec<Html>>) -> Html {
    let headings: Html = headings.iter().map(|heading| html!("<th scope=\"col\">{}</th>", heading)).collect();
    let row = |cells: Vec<Html>| -> Html {
        let mut cells = cells.into_iter();
        let first = cells.next().map(|cell| html!("<th scope=\"row\">{}</th>", cell)).unwrap_or_default();
        let rest: Html = cells.map(|cell| html!("<td>{}</td>", cell)).collect();
        html!("<tr>{}{}</tr>\n", first, rest)
    };
    let rows: Html = rows.into_iter().map(row).collect();
    html!(
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"table\"><table>\n<thead><tr>{}</tr></thead>\n<tbody>\n{}</tbody></table></div>\n",
        headings,
        rows
    )
}

/// The figures behind a chart, closed at first.
pub(super) fn behind(table: &Html) -> Html {
    html!("<details class=\"behind\"><summary>The same as a table</summary>\n{}</details>\n", table)
}

/// What can be looked up, closed at first.
pub(super) fn details(summary: &str, contents: &Html) -> Html {
    html!("<details><summary>{}</summary>\n{}</details>\n", summary, contents)
}

/// Names and values, side by side. Those without a value are left out.
pub(super) fn facts(facts: impl IntoIterator<Item = (&'static str, Option<String>)>) -> Html {
    let shown = facts.into_iter().filter_map(|(name, value)| Some((name, value?)));
    let shown: Html = shown.map(|(name, value)| html!("<div><dt>{}</dt><dd>{}</dd></div>\n", name, value)).collect();
    html!("<dl class=\"facts\">\n{}</dl>\n", shown)
}
