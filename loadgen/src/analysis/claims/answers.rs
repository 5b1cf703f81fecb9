//! Right and wrong answers, and requests that failed: counts.

use std::collections::BTreeMap;

use crate::analysis::trials::Group;
use crate::format::percent;
use crate::results::{Cell, Judgement, Spread};
use crate::scenario::{Levels, Selector};

use super::cells::Measured;
use super::memory::interval_of_mean;
use super::{Found, words};

/// Counts of cells together, and the cell with the most of them.
struct Sum {
    all: u64,
    of: u64,
    /// `5 of 24 at worker-pool at 8 clients`
    worst: Option<(u64, String)>,
    /// `4 body, 1 timeout`
    kinds: BTreeMap<&'static str, u64>,
    /// What else has to be said.
    remarks: Vec<String>,
}

impl Measured<'_> {
    /// Counts over every trial of the lines that are meant; none named: over every server that gave any.
    fn sum(
        &self,
        of: &[Selector],
        levels: Option<&Levels>,
        all: impl Fn(&Cell) -> u64,
        part: impl Fn(&Cell) -> u64,
    ) -> Result<Sum, String> {
        let mut sum = Sum { all: 0, of: 0, worst: None, kinds: BTreeMap::new(), remarks: Vec::new() };
        let mut count = |group: &Group| {
            let own: u64 = group.trials.iter().map(|(_, cell)| part(cell)).sum();
            sum.of += own;
            sum.all += group.trials.iter().map(|(_, cell)| all(cell)).sum::<u64>();
            for (kind, count) in group.trials.iter().flat_map(|(_, cell)| &cell.errors_by_kind) {
                *sum.kinds.entry(kind.as_str()).or_default() += count;
            }
            if own > sum.worst.as_ref().map_or(0, |worst| worst.0) {
                sum.worst = Some((own, self.label(group)));
            }
        };
        if of.is_empty() {
            for server in &self.results.scenario.servers {
                match self.lines(&named(server), levels) {
                    Ok(groups) => groups.into_iter().for_each(&mut count),
                    Err(reason) => sum.remarks.push(reason),
                }
            }
        }
        for cell in of {
            self.lines(cell, levels)?.into_iter().for_each(&mut count);
        }
        // One that died has no level after that: nothing to count, and no good sign.
        for pass in self.results.passes.iter().filter(|pass| !pass.levels.is_empty()) {
            let meant = of.is_empty() || of.iter().any(|cell| cell.server == pass.server);
            sum.remarks.extend(pass.failure.iter().filter(|_| meant).map(|failure| failure.message.clone()));
        }
        if sum.all == 0 { Err("nobody answered any request that it is about".into()) } else { Ok(sum) }
    }
}

fn named(server: &str) -> Selector {
    Selector { server: server.to_owned(), backend: None, workers: None, cpus: None, size: None, concurrency: None }
}

/// Complete replies, right or wrong.
fn replies(cell: &Cell) -> u64 {
    cell.status_codes.values().sum::<u64>().max(cell.ok)
}

fn wrong(cell: &Cell) -> u64 {
    replies(cell) - cell.ok
}

/// Not one request failed.
pub fn no_errors(measured: &Measured, of: &[Selector], levels: Option<&Levels>) -> Result<Found, String> {
    let sum = measured.sum(of, levels, |cell| cell.requests, |cell| cell.errors)?;
    let kinds: Vec<String> =
        sum.kinds.iter().filter(|(_, count)| **count > 0).map(|(kind, count)| format!("{count} {kind}")).collect();
    let kinds = if kinds.is_empty() { String::new() } else { format!(" ({})", kinds.join(", ")) };
    Ok(none_of(&sum, &format!("{} of {} requests failed{kinds}", sum.of, sum.all)))
}

/// No complete reply was wrong.
pub fn every_answer_right(measured: &Measured, of: &[Selector], levels: Option<&Levels>) -> Result<Found, String> {
    let sum = measured.sum(of, levels, replies, wrong)?;
    Ok(none_of(&sum, &format!("{} of {} replies were wrong", sum.of, sum.all)))
}

/// Of which there should be none.
fn none_of(sum: &Sum, told: &str) -> Found {
    let worst =
        sum.worst.as_ref().map(|(count, place)| format!(", most of them ({count}) by {place}")).unwrap_or_default();
    let remarks: String = sum.remarks.iter().map(|remark| format!(" {}", words::sentence(remark))).collect();
    Found {
        judgement: if sum.of == 0 { Judgement::Reproduced } else { Judgement::Contradicted },
        measured: sum.of as f64,
        claimed: Some(0.0),
        interval: None,
        sentence: format!("{told}{worst}.{remarks}"),
    }
}

/// So much of the replies was wrong.
pub fn share_wrong(measured: &Measured, of: &Selector, levels: Option<&Levels>, least: f64) -> Result<Found, String> {
    let groups = measured.lines(of, levels)?;
    let sum = measured.sum(std::slice::from_ref(of), levels, replies, wrong)?;
    let share = sum.of as f64 / sum.all as f64;
    let mut by_trial: BTreeMap<u32, (u64, u64)> = BTreeMap::new();
    for (pass, cell) in groups.iter().flat_map(|group| &group.trials) {
        let counts = by_trial.entry(pass.trial).or_default();
        *counts = (counts.0 + wrong(cell), counts.1 + replies(cell));
    }
    let shares: Vec<f64> =
        by_trial.values().filter(|counts| counts.1 > 0).map(|&(wrong, all)| wrong as f64 / all as f64).collect();
    let interval = interval_of_mean(&shares);
    let interval = interval.map(|spread| Spread { low: spread.low.max(0.0), high: spread.high.min(1.0), ..spread });
    let judge = |share: f64| match share {
        share if share >= least => Judgement::Reproduced,
        share if share > 0.0 => Judgement::DirectionOnly,
        _ => Judgement::Contradicted,
    };
    let judgement = judge(share);
    let sentence = format!(
        "{} of {} replies were wrong, {} ({}); claimed were {} at least.{}",
        sum.of,
        sum.all,
        percent(share),
        words::interval(interval),
        percent(least),
        words::doubt(judgement, interval, judge)
    );
    Ok(Found { judgement, measured: share, claimed: Some(least), interval, sentence })
}
