//! From which size of job on does a server beat the one that it is compared with? The first server of the scenario is
//! what others are compared with.

use std::collections::BTreeSet;

use super::crossover::{Span, spans_above};
use super::limits::job_s;
use super::trials::{self, Group};
use crate::results::{Cell, Distinctions, Results};

/// A server beats another from this ratio of throughputs on: less is noise.
pub const BEATS: f64 = 1.05;
/// Where loadgen used more of a CPU than this, rates are of loadgen and server together.
pub const SHARED: f64 = 0.10;

/// A server at one concurrency, over the sizes.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    /// As in tables.
    pub label: String,
    /// Its name alone.
    pub server: String,
    /// At once.
    pub clients: u32,
    /// Ascending by size.
    pub points: Vec<Point>,
}

/// One size of a [`Curve`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// Of the job.
    pub size: u32,
    /// How long the job takes by itself, milliseconds; the size where no ceiling says it.
    pub place: f64,
    /// Throughput against that of the first server (the geometric mean of the trials of each).
    pub ratio: f64,
    /// Whether loadgen wanted so much CPU that the rates are not the servers' alone.
    pub shared: bool,
}

impl Curve {
    /// Where the server is ahead by more than [`BEATS`].
    pub fn ahead(&self) -> Vec<Span> {
        let points: Vec<(f64, f64)> = self.points.iter().map(|point| (point.place, point.ratio)).collect();
        spans_above(&points, BEATS)
    }

    /// Whether rates around a place are of loadgen and server together.
    pub fn is_shared_at(&self, place: f64) -> bool {
        let after = self.points.partition_point(|point| point.place < place);
        let around = after.saturating_sub(1)..(after + 1).min(self.points.len());
        self.points.get(around).is_some_and(|points| points.iter().any(|point| point.shared))
    }
}

/// Where a size stands on an axis: the time that the job takes by itself, milliseconds; without a ceiling the size itself.
pub fn place(results: &Results, size: u32) -> f64 {
    job_s(&results.ceiling, Some(size)).map_or(f64::from(size), |seconds| seconds * 1000.0)
}

/// The part of a CPU that loadgen used.
pub fn generator_share(cell: &Cell) -> Option<f64> {
    Some(cell.generator_cpu_s / cell.elapsed_s.filter(|&elapsed| elapsed > 0.0)?)
}

/// Every server but the first against the first, in the order of tables, by concurrency.
pub fn curves(results: &Results) -> Vec<Curve> {
    let show = Distinctions::of(results);
    let groups = trials::groups(results);
    let first = results.scenario.servers.first();
    let mut curves: Vec<Curve> = Vec::new();
    for group in groups.iter().filter(|group| Some(&group.key.line.server) != first) {
        let Some(point) = point(results, &groups, group) else { continue };
        let (label, clients) = (group.trials[0].0.label(show), group.key.concurrency);
        match curves.iter_mut().find(|curve| (&curve.label, curve.clients) == (&label, clients)) {
            Some(curve) => curve.points.push(point),
            None => {
                let server = group.key.line.server.clone();
                curves.push(Curve { label, server, clients, points: vec![point] });
            }
        }
    }
    curves
}

/// A cell of some server against the same cell of the first: on as many CPUs, with as many clients.
fn point(results: &Results, groups: &[Group], own: &Group) -> Option<Point> {
    let first = results.scenario.servers.first()?;
    let alike = |group: &&Group| {
        let (a, b) = (&group.key, &own.key);
        &a.line.server == first && (a.line.cpus, a.size, a.concurrency) == (b.line.cpus, b.size, b.concurrency)
    };
    let other = groups.iter().find(alike)?;
    let rate = |group: &Group| group.merged(|_, cell| cell.throughput_rps).map(|rate| rate.value);
    let shared =
        |group: &Group| group.trials.iter().any(|(_, cell)| generator_share(cell).is_some_and(|share| share > SHARED));
    let size = own.key.size?;
    Some(Point {
        size,
        place: place(results, size),
        ratio: rate(own)? / rate(other).filter(|&rate| rate > 0.0)?,
        shared: shared(own) || shared(other),
    })
}

/// The concurrency levels that were measured, ascending.
pub fn levels(results: &Results) -> BTreeSet<u32> {
    results.cells().map(|(_, cell)| cell.concurrency).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::{CeilingSample, Detail, parse};

    /// Two servers with jobs of 1 and of 100 milliseconds.
    fn results() -> Results {
        let json = include_bytes!("../../tests/fixtures/results-schema-1.json");
        let mut results = parse(json, Detail::Whole).unwrap();
        let ceiling =
            |size, threads, rate_rps| CeilingSample { at_s: 0.0, size: Some(size), threads, rate_rps, took_s: 0.1 };
        results.ceiling = vec![ceiling(10, 1, 1000.0), ceiling(10, 2, 1500.0), ceiling(20, 2, 20.0)];
        results.scenario.servers = results.passes.iter().map(|pass| pass.server.clone()).collect();
        for (pass, rates) in results.passes.iter_mut().zip([[100.0, 10.0], [80.0, 20.0]]) {
            for (cell, (size, rate)) in pass.levels.iter_mut().zip([10, 20].into_iter().zip(rates)) {
                (cell.size, cell.concurrency, cell.throughput_rps) = (Some(size), 4, Some(rate));
                (cell.elapsed_s, cell.generator_cpu_s) = (Some(1.0), if size == 10 { 0.4 } else { 0.01 });
            }
        }
        results
    }

    #[test]
    fn every_server_is_compared_with_the_first() {
        let curves = curves(&results());
        assert_eq!(curves.len(), 1);
        let points: Vec<_> =
            curves[0].points.iter().map(|point| (point.size, point.place, (point.ratio * 1e6).round())).collect();
        assert_eq!((curves[0].clients, points), (4, vec![(10, 1.0, 0.8e6), (20, 100.0, 2e6)]));
        let ahead = curves[0].ahead();
        let from = ahead[0].from.unwrap();
        assert!(ahead.len() == 1 && ahead[0].to.is_none() && (3.9..4.0).contains(&from), "{ahead:?}");
        // Of the light job loadgen took its part; beyond the heavy one nothing is shared.
        assert_eq!([0.5, from, 200.0].map(|place| curves[0].is_shared_at(place)), [true, true, false]);
    }

    #[test]
    fn without_the_first_there_is_nothing_to_compare_with() {
        let mut results = results();
        results.passes.remove(0);
        assert_eq!(curves(&results), []);
    }

    #[test]
    fn without_a_ceiling_sizes_stand_for_themselves() {
        let mut results = results();
        results.ceiling.clear();
        assert_eq!(curves(&results)[0].points[1].place, 20.0);
    }
}
