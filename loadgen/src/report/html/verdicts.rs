//! What a study claimed, and what came out.

use crate::report::charts::PUBLISHED;
use crate::report::verdicts::{counts, interval, number, of_one_run, pairs};
use crate::results::{Judgement, Verdict};
use crate::scenario::Claim;

use super::figures;
use super::markup::{Html, html};
use super::page::Page;

/// Each claim with its verdict, then the chart. Nothing where there are no claims and no published curves.
pub(super) fn section(page: &Page) -> Html {
    let claims: Vec<_> = pairs(page.results).collect();
    let chart: Html =
        page.charts.iter().filter(|chart| chart.name == PUBLISHED).map(|chart| figures::part(page, chart)).collect();
    if claims.is_empty() && chart.is_empty() {
        return Html::default();
    }
    let note = of_one_run(page.results).map(|note| html!("<p class=\"note\">{}.</p>\n", note)).unwrap_or_default();
    let cards: Html = claims.iter().map(|(claim, verdict)| card(claim, verdict)).collect();
    let lead =
        if claims.is_empty() { Html::default() } else { html!("<p class=\"lead\">{}.</p>\n", counts(page.results)) };
    html!("<section id=\"verdicts\">\n<h2>Verdicts</h2>\n{}{}{}{}</section>\n", lead, cards, note, chart)
}

fn card(claim: &Claim, verdict: &Verdict) -> Html {
    let class = match verdict.verdict {
        Judgement::Reproduced => "good",
        Judgement::DirectionOnly => "warn",
        Judgement::Contradicted => "bad",
        Judgement::NotTestable => "",
    };
    let source = match claim.ours {
        true if claim.source.is_empty() => html!("a control of ours"),
        true => html!("a control of ours: {}", claim.source),
        false => html!("published: {}", claim.source),
    };
    let figure = |name: &str, value: Option<f64>| {
        value.map(|value| html!("<span>{} <b>{}</b></span>\n", name, number(value))).unwrap_or_default()
    };
    let spread = verdict.interval.map(|spread| html!("<span>95% interval <b>{}</b></span>\n", interval(spread)));
    html!(
        "<div class=\"claim {}\" id=\"claim-{}\">\n<p><span class=\"chip {}\">{}</span> {}</p>\n\
         <p class=\"numbers\">{}{}{}</p>\n<p class=\"note\">{}</p>\n<p class=\"note\">{}</p>\n</div>\n",
        class,
        claim.id,
        class,
        verdict.verdict.words(),
        claim.text,
        figure("claimed", verdict.claimed),
        figure("measured", verdict.measured),
        spread.unwrap_or_default(),
        verdict.sentence,
        source
    )
}
