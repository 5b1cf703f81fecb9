//! What came out, in one sentence, and how far to believe it.

use crate::analysis::limits::median_rate;
use crate::analysis::ranking::{Place, Ranking};
use crate::analysis::statistics::{Interval, Judged};
use crate::analysis::trials;
use crate::analysis::warnings::grouped;
use crate::report::format::{clock, milliseconds, percent, three_digits};
use crate::results::{Cell, Results, counted};

use super::markup::{Html, html};
use super::page::Page;

/// More names than this are counted.
const NAMES_MOST: usize = 3;
/// Letters of a name, in a sentence.
const LETTERS_MOST: usize = 40;

/// Scenario, sentence, caveats and key figures.
pub(super) fn section(page: &Page) -> Html {
    html!(
        "<header>\n<p class=\"eyebrow\">{}</p>\n<h1>{}</h1>\n<p class=\"caveats\">{}</p>\n{}</header>\n",
        page.results.scenario.title,
        sentence(page),
        caveats(page),
        figures(page)
    )
}

/// The levels that are compared, in words.
pub(super) fn at_levels(ranking: &Ranking) -> String {
    let at = match ranking.levels[..] {
        [] => return String::new(),
        [only] => format!("at {}", counted(only, "client")),
        [first, .., last] => format!("at {first} to {last} clients"),
    };
    if ranking.sizes > 1 { format!("{at} over all sizes") } else { at }
}

/// The answer.
fn sentence(page: &Page) -> Html {
    let (ranking, at) = (&page.ranking, at_levels(&page.ranking));
    let leaders = ranking.leaders();
    let Some(first) = ranking.places.first() else {
        return html!("No server was measured over all its levels.");
    };
    let rate = html!("<span class=\"figure\">{} requests/s</span>", three_digits(first.throughput.value));
    let next = ranking.places.get(leaders.len());
    match (leaders, next) {
        (_, None) if ranking.places.len() == 1 => {
            html!("{} answers {} {}{}{}.", name(page, first), rate, at, passes(page), of_ceiling(page, first))
        }
        (_, None) if first.throughput.interval.is_some() => {
            html!("{} are equally fast: about {} {}.", names(page, leaders), rate, at)
        }
        (_, None) => html!(
            "{} cannot be told apart{}: the fastest answers {} {}, the slowest {}, and the noise is {}.",
            names(page, leaders),
            passes(page),
            rate,
            at,
            three_digits(leaders.last().unwrap_or(first).throughput.value),
            percent(ranking.told_apart)
        ),
        ([_], Some(next)) => {
            let by = ahead(page, next);
            html!("{} is fastest: {} {}, {}{}{}.", name(page, first), rate, at, by, passes(page), last(page, next))
        }
        (_, Some(next)) => {
            let by = next.of_first.map(|judged| behind(&judged));
            let by = by.map_or_else(|| html!("answers nothing right"), |by| html!("is {} slower", by));
            html!(
                "{} lead together: about {} {}{}; next, {} {}{}.",
                names(page, leaders),
                rate,
                at,
                passes(page),
                name(page, next),
                by,
                last(page, next)
            )
        }
    }
}

/// What the figures rest on where they have no interval.
fn passes(page: &Page) -> &'static str {
    let trials = page.results.passes.iter().map(|pass| pass.trial).max().unwrap_or(1);
    match page.ranking.places.iter().any(|place| place.throughput.interval.is_some()) {
        true => "",
        false if trials == 1 => " in one pass",
        false => " in too few trials for intervals",
    }
}

fn name(page: &Page, place: &Place) -> Html {
    html!("<b><bdi>{}</bdi></b>", shortened(&page.label(&place.line)))
}

/// A name without its middle where it is long: names tend to differ at their ends.
fn shortened(name: &str) -> String {
    let letters: Vec<char> = name.chars().collect();
    if letters.len() <= LETTERS_MOST {
        return name.to_owned();
    }
    let (head, tail) = (&letters[..LETTERS_MOST / 2], &letters[letters.len() - LETTERS_MOST / 2 + 1..]);
    head.iter().chain(&['…']).chain(tail).collect()
}

/// `a, b and c`, or how many of how many.
fn names(page: &Page, places: &[Place]) -> Html {
    let all = page.ranking.places.len();
    if places.len() > NAMES_MOST {
        return if places.len() == all {
            html!("<b>All {} servers</b>", all)
        } else {
            html!("<b>{} of {} servers</b>", places.len(), all)
        };
    }
    let separator = |index: usize| match places.len() - index {
        _ if index == 0 => "",
        1 => " and ",
        _ => ", ",
    };
    places.iter().enumerate().map(|(index, place)| html!("{}{}", separator(index), name(page, place))).collect()
}

/// `12% (10 to 14%)` of throughput less than the first.
pub(super) fn behind(judged: &Judged) -> String {
    let less = |ratio: f64| (1.0 - ratio) * 100.0;
    let interval = judged.interval.map(|Interval { low, high }| format!(" ({:.0} to {:.0}%)", less(high), less(low)));
    format!("{:.0}%{}", less(judged.ratio), interval.unwrap_or_default())
}

/// How much more than the next.
fn ahead(page: &Page, next: &Place) -> Html {
    let Some(judged) = next.of_first else {
        return html!("and {} answers nothing right", name(page, next));
    };
    let more = |ratio: f64| (1.0 / ratio - 1.0) * 100.0;
    let interval = judged.interval.map(|Interval { low, high }| format!(" ({:.0} to {:.0}%)", more(high), more(low)));
    html!("{}{} more than {}", format!("{:.0}%", more(judged.ratio)), interval.unwrap_or_default(), name(page, next))
}

/// The other end of the ranking.
fn last(page: &Page, next: &Place) -> Html {
    match page.ranking.places.last().filter(|last| last.line != next.line) {
        Some(last) if last.of_first.is_some() => {
            let share = last.of_first.map_or(0.0, |judged| judged.ratio);
            html!("; last, {} reaches {} of the lead", name(page, last), percent(share))
        }
        _ => Html::default(),
    }
}

fn of_ceiling(page: &Page, place: &Place) -> Html {
    let share = ceiling(page, place).map(|ceiling| place.throughput.value / ceiling);
    share.map(|share| html!(", {} of what its CPUs can do", percent(share))).unwrap_or_default()
}

fn ceiling(page: &Page, place: &Place) -> Option<f64> {
    median_rate(&page.results.ceiling, (None, place.line.cpus?)).filter(|&rate| rate > 0.0)
}

/// How far to believe it, each with a link to more.
fn caveats(page: &Page) -> Html {
    let results = page.results;
    let failed = results.passes.iter().filter(|pass| pass.failure.is_some()).count();
    let errors: u64 = results.cells().map(|(pass, cell)| pass.unexpected_errors(cell)).sum();
    let warnings = grouped(results).len();
    let bad = |count: u64, one: &str, several: &str| {
        let words = if count == 1 { format!("1 {one}") } else { format!("{count} {several}") };
        (count > 0).then_some((words, "bad", "servers"))
    };
    let chips = [
        Some((trials::described(results), "", "method")),
        results.scenario.quick.then(|| ("quick run: the shape, not the figures".to_owned(), "warn", "cautions")),
        results.scenario.full.then(|| ("full run: all that the study measured".to_owned(), "", "method")),
        results.interrupted.then(|| ("interrupted: not everything was measured".to_owned(), "bad", "method")),
        bad(failed as u64, "server failed", "servers failed"),
        bad(errors, "request failed", "requests failed"),
        (warnings > 0).then(|| {
            let s = if warnings == 1 { "" } else { "s" };
            (format!("{warnings} warning{s}"), "warn", "cautions")
        }),
    ];
    let chips = chips.into_iter().flatten();
    chips.map(|(words, class, to)| html!("<a class=\"chip {}\" href=\"#{}\">{}</a>\n", class, to, words)).collect()
}

/// A few figures at a glance.
fn figures(page: &Page) -> Html {
    let results = page.results;
    let first = page.ranking.places.first();
    let (ok, requests) = results.cells().fold((0, 0), |sum, (_, cell)| (sum.0 + cell.ok, sum.1 + cell.requests));
    let share = first.and_then(|first| Some(first.throughput.value / ceiling(page, first)?));
    let slowest = first.and_then(|first| median_at_most(results, first));
    let lead = if page.ranking.places.len() > 1 { ", the lead" } else { "" };
    let date = results.started_at.split('T').next().unwrap_or_default();
    // A date is not broken into lines.
    let date = date.replace('-', "\u{2011}");
    let figures = [
        first.map(|first| {
            (three_digits(first.throughput.value), format!("requests/s {}{lead}", at_levels(&page.ranking)))
        }),
        share.map(|share| (percent(share), format!("of what the CPUs can do{lead}"))),
        slowest.map(|(p50, clients)| {
            (milliseconds(p50), format!("median response at {}{lead}", counted(clients, "client")))
        }),
        Some((
            requests.to_string(),
            if ok == requests {
                "requests, every answer right".to_owned()
            } else {
                format!("requests, {ok} answers right")
            },
        )),
        Some((clock(results.wall_s), format!("of measuring, {date}"))),
    ];
    let figures: Html = figures
        .into_iter()
        .flatten()
        .map(|(figure, what)| html!("<div><dd>{}</dd><dt>{}</dt></div>\n", figure, what))
        .collect();
    html!("<dl class=\"key\">\n{}</dl>\n", figures)
}

/// The median response time of a server at the highest level, over trials.
fn median_at_most(results: &Results, place: &Place) -> Option<(f64, u32)> {
    let group = highest(results, place)?;
    let p50 = group.merged(|_, cell: &Cell| cell.latency_ms.p50)?;
    Some((p50.value, group.key.concurrency))
}

fn highest<'a>(results: &'a Results, place: &Place) -> Option<trials::Group<'a>> {
    let groups = trials::groups(results).into_iter().filter(|group| group.key.line == place.line);
    groups.max_by_key(|group| group.key.concurrency)
}
