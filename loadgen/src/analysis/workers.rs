//! How many workers are enough: for each server that was run with several numbers of them, the smallest number that is
//! not worse than the fastest, and what more of them cost.

use std::collections::BTreeSet;

use crate::results::{CellKey, LineKey, Results};

use super::statistics::{ALPHA, Estimate, Interval, Verdict, judge};
use super::trials::{Group, Merged, groups};

/// A difference that intervals show counts from here on.
const MATTERS: f64 = 0.02;
/// Without intervals only what is lower by more than this counts.
const MATTERS_UNPROVEN: f64 = 0.05;

/// A server with several numbers of workers, at one level.
#[derive(Debug, Clone, PartialEq)]
pub struct Choice {
    /// The server, with workers `None`.
    pub line: LineKey,
    /// The level: the highest that all numbers of workers were measured at (with the largest size, where there are several).
    pub clients: u32,
    /// By number of workers, ascending; two at least.
    pub counts: Vec<Count>,
    /// The smallest number of workers that is not worse than the fastest.
    pub best: u32,
    /// How many times the throughput of the best the most workers give, where they are more.
    pub most_to_best: Option<Ratio>,
}

/// A ratio of throughputs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ratio {
    /// As measured.
    pub value: f64,
    /// Where the truth lies with 95% probability; `None` below three trials.
    pub interval: Option<Interval>,
}

/// What a number of workers gave.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Count {
    /// The number.
    pub workers: u32,
    /// Right answers a second.
    pub throughput: Merged,
    /// Median response time in milliseconds.
    pub p50_ms: Option<Merged>,
    /// Context switches for each request.
    pub switches: Option<f64>,
}

/// Choices in the order of tables; none where the number of workers is no axis.
pub fn choices(results: &Results) -> Vec<Choice> {
    let mut groups = groups(results);
    // What a server with a fault does is no advice.
    groups.retain(|group| group.trials.iter().all(|(pass, _)| pass.fault.is_none()));
    let mut lines: Vec<LineKey> = Vec::new();
    for key in groups.iter().filter(|group| group.key.line.workers.is_some()).map(|group| &group.key) {
        let line = LineKey { workers: None, ..key.line.clone() };
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    lines.into_iter().filter_map(|line| choice(line, &groups)).collect()
}

fn choice(line: LineKey, groups: &[Group]) -> Option<Choice> {
    let of_line = || groups.iter().filter(|group| LineKey { workers: None, ..group.key.line.clone() } == line);
    let numbers: BTreeSet<u32> = of_line().filter_map(|group| group.key.line.workers).collect();
    let at = |&(size, concurrency): &(Option<u32>, u32), workers: u32| {
        let key = CellKey { line: LineKey { workers: Some(workers), ..line.clone() }, size, concurrency };
        of_line().find(|group| group.key == key)
    };
    let levels: BTreeSet<_> = of_line().map(|group| (group.key.size, group.key.concurrency)).collect();
    let level = levels.into_iter().rev().find(|level| numbers.iter().all(|&workers| at(level, workers).is_some()))?;
    let measured: Vec<(Count, Vec<f64>)> =
        numbers.iter().filter_map(|&workers| count(workers, at(&level, workers)?)).collect();
    let best = best(&measured)?;
    let most_to_best = measured.iter().find(|(count, _)| count.workers == best).zip(measured.last());
    let most_to_best = most_to_best.filter(|(_, (most, _))| most.workers > best).and_then(|((_, best), (_, most))| {
        let ratio = ratio(best, most)?;
        Some(Ratio { value: ratio.value(), interval: ratio.interval(ALPHA) })
    });
    let counts: Vec<Count> = measured.iter().map(|(count, _)| *count).collect();
    (counts.len() > 1).then_some(Choice { line, clients: level.1, counts, best, most_to_best })
}

/// The figures of a number of workers, and the throughput of each trial.
fn count(workers: u32, group: &Group) -> Option<(Count, Vec<f64>)> {
    let rates: Vec<f64> = group.trials.iter().filter_map(|(_, cell)| cell.throughput_rps).collect();
    let sum = |figure: fn(&crate::results::Cell) -> Option<u64>| -> Option<u64> {
        group.trials.iter().map(|(_, cell)| figure(cell)).sum()
    };
    let (switches, requests) = (
        sum(|cell| cell.server.as_ref()?.context_switches),
        sum(|cell| Some(cell.requests).filter(|&count| count > 0)),
    );
    let count = Count {
        workers,
        throughput: Merged::of(&rates)?,
        p50_ms: group.merged(|_, cell| cell.latency_ms.p50),
        switches: switches.zip(requests).map(|(switches, requests)| switches as f64 / requests as f64),
    };
    Some((count, rates))
}

/// The smallest number of workers that is not worse than the fastest: significantly so where there are intervals, else
/// by more than a few percent.
fn best(measured: &[(Count, Vec<f64>)]) -> Option<u32> {
    let rate = |(count, _): &(Count, Vec<f64>)| count.throughput.value;
    let fastest = measured.iter().max_by(|a, b| rate(a).total_cmp(&rate(b)))?;
    let others: Vec<_> = measured.iter().filter(|(count, _)| count.workers != fastest.0.workers).collect();
    let ratios: Vec<Option<Estimate>> = others.iter().map(|(_, rates)| ratio(&fastest.1, rates)).collect();
    let mut judged = judge(&ratios.iter().copied().flatten().collect::<Vec<_>>(), MATTERS).into_iter();
    let mut best = fastest.0.workers;
    for (other, ratio) in others.into_iter().zip(&ratios) {
        let worse = match ratio.and_then(|_| judged.next()).map(|judged| judged.verdict) {
            None | Some(Verdict::TooFewTrials) => rate(other) < rate(fastest) * (1.0 - MATTERS_UNPROVEN),
            Some(verdict) => verdict == Verdict::Slower,
        };
        if !worse {
            best = best.min(other.0.workers);
        }
    }
    Some(best)
}

/// How many times the base. Trials are interleaved, so the i-th of all numbers share what the machine did meanwhile.
fn ratio(base: &[f64], other: &[f64]) -> Option<Estimate> {
    Estimate::paired_ratio(base, other).or_else(|| Estimate::unpaired_ratio(base, other))
}

impl Choice {
    /// The figures of the best.
    pub fn best_count(&self) -> Option<&Count> {
        self.counts.iter().find(|count| count.workers == self.best)
    }

    /// The figures of the most workers, where they are more than the best.
    pub fn most_count(&self) -> Option<&Count> {
        self.counts.last().filter(|count| count.workers > self.best)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn best_of(measured: &[(u32, &[f64])]) -> Option<u32> {
        let count = |&(workers, rates): &(u32, &[f64])| {
            let throughput = Merged::of(rates).unwrap();
            (Count { workers, throughput, p50_ms: None, switches: None }, rates.to_vec())
        };
        best(&measured.iter().map(count).collect::<Vec<_>>())
    }

    #[test]
    fn of_one_pass_each_a_few_percent_are_no_reason_for_more() {
        assert_eq!(best_of(&[(1, &[5.0]), (2, &[9.6]), (4, &[10.0])]), Some(2));
        assert_eq!(best_of(&[(1, &[5.0]), (2, &[9.4]), (4, &[10.0])]), Some(4));
        assert_eq!(best_of(&[(1, &[9.8]), (2, &[10.0]), (4, &[7.0])]), Some(1));
        assert_eq!(best_of(&[(1, &[0.0]), (2, &[3.0])]), Some(2));
        assert_eq!(best_of(&[]), None);
    }

    #[test]
    fn of_several_trials_what_is_significant_is() {
        // 4% less each time, whatever the machine did: that is no chance.
        let (most, less) = ([10.0, 12.0, 8.0, 11.0], [9.61, 11.5, 7.69, 10.55]);
        assert_eq!(best_of(&[(2, &less), (4, &most)]), Some(4));
        // 20% less on average, and all of it by one trial.
        assert_eq!(best_of(&[(2, &[10.1, 4.0, 10.1, 9.9]), (4, &[10.0; 4])]), Some(2));
        // Always less, but by too little to matter.
        assert_eq!(best_of(&[(2, &most.map(|rate| rate * 0.99)), (4, &most)]), Some(2));
        // A trial is missing.
        assert_eq!(best_of(&[(2, &[5.0, 5.1, 4.9]), (4, &most)]), Some(4));
    }
}
