//! What a study published beside what was measured: curves relative to their own beginning, and ratios.

use ::charts::{Axis, Bar, Figure, Panel, Point, Scale, Segment, Series};

use crate::analysis::claims::Measured;
use crate::analysis::trials::Group;
use crate::results::{Distinctions, Results, Spread, counted};
use crate::scenario::claim::Kind;
use crate::scenario::{Claim, Metric, Published, Selector};

use super::super::verdicts::pairs;
use super::lines;

/// The chart; `None` where nothing was published that could be drawn.
pub fn figure(results: &Results) -> Option<Figure> {
    let mut notes = Vec::new();
    let mut panels = curves(results, &mut notes);
    panels.extend(ratios(results));
    if panels.is_empty() {
        return None;
    }
    let columns = panels.len().min(2);
    let columns = if panels.iter().any(|panel| !panel.bars.is_empty()) { 1 } else { columns };
    let mut figure = super::figure(results, "published (dashed) and measured", panels, columns);
    figure.notes.extend(notes);
    Some(figure)
}

/// The published curves of each metric: over the clients, or, of one or two levels, as bars.
fn curves(results: &Results, notes: &mut Vec<String>) -> Vec<Panel> {
    let measured = Measured::of(results);
    let of_metric = |metric| {
        let all = results.scenario.published.iter().filter(|curve| curve.metric == metric);
        let all: Vec<&Published> = all.collect();
        match is_over_clients(results) {
            true => over_clients(results, &measured, &all, notes).into_iter().collect(),
            false => at_levels(results, &measured, &all),
        }
    };
    Metric::ALL.into_iter().flat_map(of_metric).collect()
}

/// Whether there are levels enough to see a curve.
fn is_over_clients(results: &Results) -> bool {
    results.scenario.concurrency.as_slice().len() > 2
}

/// A panel with a measured and a published line for each curve.
fn over_clients(
    results: &Results,
    measured: &Measured,
    curves: &[&Published],
    notes: &mut Vec<String>,
) -> Option<Panel> {
    let mut series = Vec::new();
    for curve in curves {
        match both(results, measured, curve) {
            Ok(pair) => series.extend(pair),
            Err(reason) => notes.push(format!("A curve of {} is not drawn: {reason}.", curve.of.server)),
        }
    }
    let mut levels: Vec<f64> = series.iter().flat_map(|line| &line.points).map(|point| point.x).collect();
    levels.sort_by(f64::total_cmp);
    levels.dedup();
    let metric = curves.first()?.metric;
    (!series.is_empty()).then(|| Panel {
        title: None,
        x: Axis::new("concurrent clients", Scale::LinearTight).with_ticks(levels),
        y: Axis::new(format!("{}, with the fewest clients = 1", metric.title()), Scale::Linear),
        series,
        ..Panel::default()
    })
}

/// A panel for each level, the highest first, with a pair of bars for each curve: relative to the first of them.
fn at_levels(results: &Results, measured: &Measured, curves: &[&Published]) -> Vec<Panel> {
    let Some((base, others)) = curves.split_first() else { return Vec::new() };
    let at = |clients: u32| {
        let cell = |of: &Selector| measured.cell(&Selector { concurrency: Some(clients), ..of.clone() }).ok();
        let (base_cell, base_value) = (cell(&base.of)?, base.points.get(&clients)?);
        let pair = |curve: &&Published| {
            let (cell, published) = (cell(&curve.of)?, curve.points.get(&clients)? / base_value);
            let ratio = measured.ratio((cell, curve.metric), (base_cell, curve.metric)).ok()?;
            Some(bars(results, measured, cell, (ratio.value, ratio.interval), published))
        };
        let bars: Vec<Bar> = others.iter().filter_map(pair).flatten().collect();
        let title = format!("{} at {}", base.metric.title(), counted(clients, "client"));
        let x = Axis::new(format!("that of {} = 1", measured.line_label(base_cell)), Scale::Linear);
        (!bars.is_empty()).then(|| Panel { title: Some(title), x, bars, ..Panel::default() })
    };
    results.scenario.concurrency.as_slice().iter().rev().filter_map(|&clients| at(clients)).collect()
}

/// What was measured, and what was published of it.
fn bars(
    results: &Results,
    measured: &Measured,
    cell: &Group,
    (value, spread): (f64, Option<Spread>),
    published: f64,
) -> [Bar; 2] {
    let (_, style) = look(results, cell);
    let bar = |label: String, value: f64| Bar::new(label, vec![Segment::new("", style, value)]);
    let interval = spread.map(|spread| (spread.low, spread.high));
    [
        Bar { interval, ..bar(measured.line_label(cell), value) },
        Bar { dashed: true, ..bar("published".to_owned(), published) },
    ]
}

/// The measured line and the published one, each relative to its own figure with the fewest clients that both have.
fn both(results: &Results, measured: &Measured, curve: &Published) -> Result<[Series; 2], String> {
    let cells = measured.levels(&curve.of, None)?;
    let values: Vec<(&Group, f64)> =
        cells.iter().filter_map(|cell| Some((*cell, measured.value(cell, curve.metric).ok()?))).collect();
    let is_first = |value: &&(&Group, f64)| value.1 > 0.0 && curve.points.contains_key(&value.0.key.concurrency);
    let &(first, first_value) = values.iter().find(is_first).ok_or("no level of it was measured")?;
    let published = curve.points.get(&first.key.concurrency).copied().unwrap_or(1.0);
    let (name, style) = look(results, first);
    let points = values.iter().map(|(cell, value)| {
        let (x, y) = (f64::from(cell.key.concurrency), value / first_value);
        let ratio = measured.ratio((cell, curve.metric), (first, curve.metric)).ok();
        match ratio.and_then(|ratio| ratio.interval).filter(|_| cell.key != first.key) {
            Some(spread) => Point::new(x, y).with_interval(spread.low, spread.high),
            None => Point::new(x, y),
        }
    });
    let line = Series::new(name.clone(), style, points.collect());
    let points = curve.points.iter().map(|(&clients, value)| Point::new(f64::from(clients), value / published));
    let dashed = Series { dashed: true, ..Series::new(format!("{name}, published"), style, points.collect()) };
    Ok([line, dashed])
}

/// How the other charts call a line, and its style there.
fn look(results: &Results, group: &Group) -> (String, usize) {
    let show = Distinctions::of(results);
    let label = group.trials.first().map(|(pass, _)| pass.label(show)).unwrap_or_default();
    let drawn = lines(results, None, |cell| Some(f64::from(cell.concurrency)), |_, _| Some(1.0));
    let style = drawn.iter().find(|line| line.key == label).map(|line| line.style);
    (label, style.unwrap_or_else(|| results.rank(&group.key.line.server)))
}

/// A panel of bars for each cell that others are compared with.
fn ratios(results: &Results) -> Vec<Panel> {
    let measured = Measured::of(results);
    let mut panels: Vec<(Base, Panel)> = Vec::new();
    for (claim, verdict) in pairs(results) {
        let Some(ratio) = published_ratio(claim) else { continue };
        // They are there as what was published of these levels.
        let curves = results.scenario.published.iter().filter(|curve| curve.metric == ratio.metric).count();
        if curves > 1 && !is_over_clients(results) {
            continue;
        }
        let Some(value) = verdict.measured else { continue };
        let Ok(cell) = measured.cell(ratio.of) else { continue };
        let bars = bars(results, &measured, cell, (value, verdict.interval), ratio.published);
        let base = (ratio.metric, ratio.against_metric, ratio.against.clone(), cell.key.concurrency);
        match panels.iter_mut().find(|(other, _)| *other == base) {
            Some((_, panel)) => panel.bars.extend(bars),
            None => {
                let against = measured.cell(ratio.against).map(|cell| measured.label(cell)).unwrap_or_default();
                let title = format!("{} at {}", ratio.metric.title(), counted(cell.key.concurrency, "client"));
                let x = Axis::new(format!("that of {against} = 1"), Scale::Linear);
                panels.push((base, Panel { title: Some(title), x, bars: bars.to_vec(), ..Panel::default() }));
            }
        }
    }
    panels.into_iter().map(|(_, panel)| panel).collect()
}

/// What bars have in common that stand in one panel: metrics, the other cell, and clients.
type Base = (Metric, Option<Metric>, Selector, u32);

/// A ratio that a study published.
struct Ratio<'a> {
    of: &'a Selector,
    against: &'a Selector,
    metric: Metric,
    against_metric: Option<Metric>,
    published: f64,
}

fn published_ratio(claim: &Claim) -> Option<Ratio<'_>> {
    match &claim.kind {
        Kind::Ratio { of, against, metric, against_metric, published, .. } if !claim.ours => {
            Some(Ratio { of, against, metric: *metric, against_metric: *against_metric, published: *published })
        }
        _ => None,
    }
}
