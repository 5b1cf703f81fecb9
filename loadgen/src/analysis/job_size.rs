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
    /// How long the job takes by itself, seconds; the size where no ceiling says it.
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

/// Where a size stands on an axis: the time that the job takes by itself, seconds; without a ceiling the size itself.
pub fn place(results: &Results, size: u32) -> f64 {
    job_s(&results.ceiling, Some(size)).unwrap_or(f64::from(size))
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
