//! Who is fastest when there is work enough, and who cannot be told from the fastest.

use std::collections::BTreeSet;

use crate::results::{Cell, CellKey, LineKey, PassResult, Results};

use super::limits;
use super::statistics::{Estimate, Judged, Verdict, geometric_mean, judge};
use super::summary::BUSY;
use super::trials::Merged;

/// Without intervals a difference below this is taken for none; of a machine that drifts more, below the drift.
const TOLD_APART: f64 = 0.05;
/// With intervals a difference below this is of no interest, however certain.
const MATTERS: f64 = 0.02;

/// The servers by throughput.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranking {
    /// The levels whose geometric mean is compared, ascending.
    pub levels: Vec<u32>,
    /// How many sizes of the job are in that mean.
    pub sizes: usize,
    /// The fastest first.
    pub places: Vec<Place>,
    /// Those of whom not every level was measured.
    pub unranked: Vec<LineKey>,
    /// What was taken for equal where there are no intervals: a part of the throughput.
    pub told_apart: f64,
}

/// One server, as it was run, over all its trials.
#[derive(Debug, Clone, PartialEq)]
pub struct Place {
    /// Who.
    pub line: LineKey,
    /// Requests a second.
    pub throughput: Merged,
    /// How many times the throughput of the first; `None` for the first itself, and where there is none to divide.
    pub of_first: Option<Judged>,
    /// Whether it cannot be told from the first. The first is.
    pub leads: bool,
}

impl Ranking {
    /// Of a run.
    pub fn of(results: &Results) -> Self {
        let lines = lines(results);
        let busy = results.cells().any(|(_, cell)| whole(cell) && cell.concurrency >= BUSY);
        let counts = |cell: &Cell| whole(cell) && (!busy || cell.concurrency >= BUSY);
        // Keys without what tells lines apart.
        let points = |line: &Line| -> BTreeSet<CellKey> {
            let cells = line.passes.iter().flat_map(|pass| pass.levels.iter().map(|cell| (*pass, cell)));
            cells.filter(|(_, cell)| counts(cell)).map(|(pass, cell)| point(&lines[0], pass, cell)).collect()
        };
        let wanted = lines.iter().map(points).max_by_key(BTreeSet::len).unwrap_or_default();
        let mut scored: Vec<(LineKey, Vec<f64>)> = Vec::new();
        let mut unranked = Vec::new();
        for line in &lines {
            let trials = line.passes.iter().filter_map(|pass| {
                let cells = pass.levels.iter().filter(|cell| counts(cell));
                let cells: Vec<&Cell> = cells.filter(|cell| wanted.contains(&point(&lines[0], pass, cell))).collect();
                (cells.len() == wanted.len()).then(|| score(&cells)).flatten()
            });
            match trials.collect::<Vec<f64>>() {
                none if none.is_empty() => unranked.push(line.key.clone()),
                trials => scored.push((line.key.clone(), trials)),
            }
        }
        let told_apart = TOLD_APART.max(limits::drift(&results.ceiling).unwrap_or(0.0));
        let levels: BTreeSet<u32> = wanted.iter().map(|key| key.concurrency).collect();
        let sizes = wanted.iter().map(|key| key.size).collect::<BTreeSet<_>>().len();
        Self { levels: levels.into_iter().collect(), sizes, places: places(scored, told_apart), unranked, told_apart }
    }

    /// Those who cannot be told from the first, it included.
    pub fn leaders(&self) -> &[Place] {
        let count = self.places.iter().take_while(|place| place.leads).count();
        &self.places[..count]
    }
}

/// A server with its passes in the order of trials.
struct Line<'a> {
    key: LineKey,
    passes: Vec<&'a PassResult>,
}

fn lines(results: &Results) -> Vec<Line<'_>> {
    let mut lines: Vec<Line<'_>> = Vec::new();
    for pass in results.passes_sorted() {
        let key = pass.line_key();
        match lines.last_mut().filter(|last| last.key == key) {
            Some(line) => line.passes.push(pass),
            None => lines.push(Line { key, passes: vec![pass] }),
        }
    }
    lines
}

fn whole(cell: &Cell) -> bool {
    !cell.interrupted && cell.throughput_rps.is_some()
}

/// The key of a cell as if all were of one line.
fn point(line: &Line<'_>, pass: &PassResult, cell: &Cell) -> CellKey {
    CellKey { line: line.key.clone(), ..pass.cell_key(cell) }
}

/// One trial: the geometric mean over its levels; with a level that has no right answer, the plain one.
fn score(cells: &[&Cell]) -> Option<f64> {
    let rates: Vec<f64> = cells.iter().filter_map(|cell| cell.throughput_rps).collect();
    geometric_mean(&rates)
        .or_else(|| Some(rates.iter().sum::<f64>() / rates.len() as f64))
        .filter(|rate| rate.is_finite())
}

fn places(scored: Vec<(LineKey, Vec<f64>)>, told_apart: f64) -> Vec<Place> {
    let mut scored: Vec<(LineKey, Vec<f64>, Merged)> = scored
        .into_iter()
        .filter_map(|(line, trials)| Merged::of(&trials).map(|merged| (line, trials, merged)))
        .collect();
    scored.sort_by(|a, b| b.2.value.total_cmp(&a.2.value));
    let Some((_, first, _)) = scored.first() else { return Vec::new() };
    let ratio =
        |trials: &[f64]| Estimate::paired_ratio(first, trials).or_else(|| Estimate::unpaired_ratio(first, trials));
    let ratios: Vec<Option<Estimate>> = scored.iter().skip(1).map(|(_, trials, _)| ratio(trials)).collect();
    let found: Vec<Estimate> = ratios.iter().flatten().copied().collect();
    let mut judged = judge(&found, MATTERS).into_iter();
    let judged = ratios.into_iter().map(|ratio| ratio.and_then(|_| judged.next()));
    let of_first: Vec<Option<Judged>> = std::iter::once(None).chain(judged).collect();
    let mut together = true;
    let place = |((line, _, throughput), of_first): ((LineKey, _, Merged), Option<Judged>)| {
        let equal = of_first.is_none_or(|judged| match judged.verdict {
            Verdict::NoDifference => true,
            Verdict::TooFewTrials => judged.ratio >= 1.0 - told_apart,
            Verdict::Slower | Verdict::Faster => false,
        });
        // Who cannot be told from the first but stands behind somebody who can is an accident of its own spread.
        together &= equal && (throughput.value > 0.0 || of_first.is_none());
        Place { line, throughput, of_first, leads: together }
    };
    scored.into_iter().zip(of_first).map(place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::{Detail, parse};

    fn line(server: &str) -> LineKey {
        LineKey { server: server.into(), backend: None, cpus: None, workers: None }
    }

    fn ranked(scored: &[(&str, &[f64])], told_apart: f64) -> Vec<(String, bool)> {
        let scored = scored.iter().map(|(name, trials)| (line(name), trials.to_vec())).collect();
        places(scored, told_apart).into_iter().map(|place| (place.line.server, place.leads)).collect()
    }

    fn expected(places: &[(&str, bool)]) -> Vec<(String, bool)> {
        places.iter().map(|&(name, leads)| (name.to_owned(), leads)).collect()
    }

    #[test]
    fn one_pass_tells_apart_what_exceeds_the_noise() {
        let scored: [(&str, &[f64]); 4] = [("c", &[5.0]), ("a", &[10.0]), ("b", &[9.6]), ("d", &[0.0])];
        assert_eq!(ranked(&scored, 0.05), expected(&[("a", true), ("b", true), ("c", false), ("d", false)]));
        assert_eq!(ranked(&scored, 0.03), expected(&[("a", true), ("b", false), ("c", false), ("d", false)]));
        assert_eq!(ranked(&[], 0.05), []);
    }

    #[test]
    fn trials_tell_apart_what_no_chance_explains() {
        let scored: [(&str, &[f64]); 3] =
            [("a", &[10.0, 10.1, 9.9, 10.0]), ("b", &[9.8, 9.9, 9.7, 9.8]), ("c", &[9.9, 11.0, 8.0, 10.3])];
        // What b lacks is small and certain; what c lacks is large and may be chance, but it does not stand at the top.
        assert_eq!(ranked(&scored, 0.05), expected(&[("a", true), ("b", false), ("c", false)]));
        let wide: [(&str, &[f64]); 2] = [("a", &[10.0, 12.0, 11.0]), ("b", &[11.5, 9.5, 10.8])];
        assert_eq!(ranked(&wide, 0.05), expected(&[("a", true), ("b", true)]));
    }

    #[test]
    fn nobody_is_ranked_by_a_part_of_the_levels() {
        let json = include_bytes!("../../tests/fixtures/results-schema-1.json");
        let mut results = parse(json, Detail::Figures).unwrap();
        let cell = |concurrency, rate| Cell { concurrency, throughput_rps: Some(rate), ..Cell::default() };
        let like = results.passes[0].clone();
        let pass = |server: &str, levels| PassResult { server: server.into(), levels, ..like.clone() };
        let whole = pass("whole", vec![cell(1, 1.0), cell(4, 4.0), cell(16, 9.0)]);
        let part = pass("part", vec![cell(4, 100.0), Cell { interrupted: true, ..cell(16, 100.0) }]);
        let key = part.line_key();
        results.passes = vec![whole, part];
        let ranking = Ranking::of(&results);
        assert_eq!((ranking.levels.as_slice(), ranking.unranked.as_slice()), (&[4, 16][..], &[key][..]));
        // The geometric mean of the levels with clients enough.
        assert_eq!(ranking.leaders().len(), 1);
        assert!((ranking.places[0].throughput.value - 6.0).abs() < 1e-9);
    }
}
