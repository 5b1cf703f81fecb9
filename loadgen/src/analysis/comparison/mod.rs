//! Which servers are faster than they were, or than another: ratios of throughput with their intervals.
//!
//! Each server is judged by its geometric mean over the levels that both sides have, and all servers together (Holm),
//! so that a comparison of many that are the same declares a difference in 5% of all cases at the most. Levels are
//! shown and not judged: of 160 cells some differ by chance.

mod conditions;
mod line;
#[cfg(test)]
mod simulations;

use serde::Serialize;

use super::statistics::{ALPHA, Estimate, Interval, Judged, geometric_mean, judge};
use crate::results::{Distinctions, Results};
pub use conditions::{Condition, ceiling_ratio, conditions};
pub use line::LevelKey;
use line::{Figures, Line};

/// Smaller differences matter to nobody, unless the user says otherwise.
pub const THRESHOLD: f64 = 0.02;

/// Two sets of lines compared.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// Differences up to this are none.
    pub threshold: f64,
    /// Whether trials were interleaved in one sweep, so that the i-th of both are compared with each other.
    pub paired: bool,
    /// In the order of tables.
    pub servers: Vec<Compared>,
    /// Lines that have no level in common with one of the other side, each with the reason.
    pub left_out: Vec<LeftOut>,
}

/// Two lines compared.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Compared {
    /// The second of them, by its label.
    pub server: String,
    /// What it is compared with.
    pub base: String,
    /// Levels that both have.
    pub levels: usize,
    /// Trials of base and server that have all these levels.
    pub trials: (usize, usize),
    /// Throughput over all levels, server / base.
    pub throughput: Judged,
    /// The median response time over all levels likewise, for information.
    pub p50_ratio: Option<f64>,
    /// Why one of the server's processes could not be started or did not last.
    pub failure: Option<String>,
    /// For information.
    pub cells: Vec<ComparedCell>,
}

/// One level of two lines.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ComparedCell {
    /// Which.
    #[serde(flatten)]
    pub level: LevelKey,
    /// Requests a second of base and server, the geometric means over trials.
    pub throughput_rps: (f64, f64),
    /// Server / base.
    pub ratio: f64,
    /// Not corrected for the number of cells; `None` below three trials.
    pub interval: Option<Interval>,
    /// The median response time, server / base.
    pub p50_ratio: Option<f64>,
}

/// A line without its like.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LeftOut {
    /// By its label.
    pub server: String,
    /// Why.
    pub reason: String,
    /// Whether its processes failed on the second side, which is no reason to be silent.
    pub failed: bool,
}

/// Each server of `b` against the same one of `a`, an earlier sweep. With `servers`, those alone.
pub fn between(a: &Results, b: &Results, servers: &[String], threshold: f64) -> Comparison {
    let show = Distinctions::of(a).or(Distinctions::of(b));
    let (lines_a, lines_b) = (Line::all(a, show, servers), Line::all(b, show, servers));
    let same = |one: &Line, lines: &[Line]| lines.iter().position(|other| other.label() == one.label());
    let mut pairs = Vec::new();
    let mut left_out = Vec::new();
    for line in &lines_b {
        match same(line, &lines_a) {
            Some(at) => pairs.push((&lines_a[at], line)),
            None => left_out.push(LeftOut { server: line.label(), reason: "only in the second".into(), failed: false }),
        }
    }
    for line in lines_a.iter().filter(|line| same(line, &lines_b).is_none()) {
        left_out.push(LeftOut { server: line.label(), reason: "only in the first".into(), failed: false });
    }
    compare(&pairs, left_out, false, threshold)
}

/// Servers of one sweep against another of it, `base`. With `servers`, those alone. Where the base has several lines
/// (numbers of workers, say), each is compared with its like.
pub fn within(results: &Results, base: &str, servers: &[String], threshold: f64) -> Comparison {
    let show = Distinctions::of(results);
    let (bases, others): (Vec<Line>, Vec<Line>) =
        Line::all(results, show, &[]).into_iter().partition(|line| line.server == base);
    let mut pairs = Vec::new();
    let mut left_out = Vec::new();
    for line in others.iter().filter(|line| servers.is_empty() || servers.contains(&line.server)) {
        let like = bases.iter().find(|base| base.suffix == line.suffix);
        match like.or(bases.first().filter(|_| bases.len() == 1)) {
            Some(base) => pairs.push((base, line)),
            None => {
                let reason = format!("{base} was not run like that");
                left_out.push(LeftOut { server: line.label(), reason, failed: false });
            }
        }
    }
    compare(&pairs, left_out, true, threshold)
}

fn compare(pairs: &[(&Line, &Line)], mut left_out: Vec<LeftOut>, paired: bool, threshold: f64) -> Comparison {
    let mut found = Vec::new();
    for (base, other) in pairs {
        match over_levels(base, other, paired) {
            Some(pair) => found.push(pair),
            None => {
                let failure = other.failure.as_ref().or(base.failure.as_ref());
                let reason = failure.map_or("no level in common that a trial has whole".to_owned(), Clone::clone);
                left_out.push(LeftOut { server: other.label(), reason, failed: other.failure.is_some() });
            }
        }
    }
    let ratios: Vec<Estimate> = found.iter().map(|(_, ratio)| *ratio).collect();
    let servers = found.into_iter().zip(judge(&ratios, threshold));
    let servers = servers.map(|((compared, _), throughput)| Compared { throughput, ..compared }).collect();
    Comparison { threshold, paired, servers, left_out }
}

/// The ratio of two figures of trials.
fn ratio(base: &[f64], other: &[f64], paired: bool) -> Option<Estimate> {
    if paired { Estimate::paired_ratio(base, other) } else { Estimate::unpaired_ratio(base, other) }
}

/// Two lines over all levels that they share, not judged yet. `None` where there is nothing to compare.
fn over_levels(base: &Line, other: &Line, paired: bool) -> Option<(Compared, Estimate)> {
    let levels = base.shared_levels(other);
    let (of_base, of_other) = trials(base, other, &levels, paired);
    let mean = |line: &Line, trials: &[u32], figure: fn(&Figures) -> Option<f64>| -> Option<Vec<f64>> {
        trials.iter().map(|&trial| line.over_levels(&levels, trial, figure)).collect()
    };
    let figure = |figure| ratio(&mean(base, &of_base, figure)?, &mean(other, &of_other, figure)?, paired);
    let throughput = figure(|figures| Some(figures.rps))?;
    let compared = Compared {
        server: other.label(),
        base: base.label(),
        levels: levels.len(),
        trials: (of_base.len(), of_other.len()),
        throughput: judge(&[throughput], 0.0).into_iter().next()?,
        p50_ratio: figure(|figures| figures.p50_ms).map(|ratio| ratio.value()),
        failure: other.failure.clone(),
        cells: levels.iter().filter_map(|&level| cell(base, other, level, paired)).collect(),
    };
    Some((compared, throughput))
}

/// Trials of both that have all these levels; where they are paired, the same of both.
fn trials(base: &Line, other: &Line, levels: &[LevelKey], paired: bool) -> (Vec<u32>, Vec<u32>) {
    let (mut of_base, mut of_other) = (base.whole_trials(levels), other.whole_trials(levels));
    if paired {
        of_base.retain(|trial| of_other.contains(trial));
        of_other.clone_from(&of_base);
    }
    (of_base, of_other)
}

fn cell(base: &Line, other: &Line, level: LevelKey, paired: bool) -> Option<ComparedCell> {
    let (of_base, of_other) = trials(base, other, &[level], paired);
    let values = |line: &Line, trials: &[u32], figure: fn(&Figures) -> Option<f64>| -> Option<Vec<f64>> {
        trials.iter().map(|&trial| line.over_levels(&[level], trial, figure)).collect()
    };
    let pair = |figure| Some((values(base, &of_base, figure)?, values(other, &of_other, figure)?));
    let (base_rps, other_rps) = pair(|figures| Some(figures.rps))?;
    let throughput = ratio(&base_rps, &other_rps, paired)?;
    Some(ComparedCell {
        level,
        throughput_rps: (geometric_mean(&base_rps)?, geometric_mean(&other_rps)?),
        ratio: throughput.value(),
        interval: throughput.interval(ALPHA),
        p50_ratio: pair(|figures| figures.p50_ms).and_then(|(base, other)| Some(ratio(&base, &other, paired)?.value())),
    })
}
