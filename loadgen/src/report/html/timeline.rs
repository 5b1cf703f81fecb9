//! What one server used while it was measured, over time.

use ::charts::{Axis, Figure, Panel, Point, Scale, Series};

use crate::results::PassResult;

/// More points than this are thinned: a chart has no more pixels to show them.
const POINTS_MOST: usize = 150;

/// The clock of CPU time is too coarse for less than this.
const SHORTEST_S: f64 = 0.04;

/// A stretch of time, and what was used in it.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Stretch {
    at_s: f64,
    cpus: Option<f64>,
    rss_bytes: u64,
    threads: u32,
}

/// CPU, memory and threads of a server process from its first level to its last; `None` where nothing was sampled.
pub(super) fn figure(pass: &PassResult, style: usize) -> Option<Figure> {
    let levels = levels(pass);
    if levels.is_empty() {
        return None;
    }
    let panel = |title: &str, unit: &str, value: fn(&Stretch) -> Option<f64>| Panel {
        title: Some(title.into()),
        x: Axis::new("seconds", Scale::Linear),
        y: Axis::new(unit, Scale::Linear),
        series: vec![Series::new("", style, points(&levels, value))],
        ..Panel::default()
    };
    let panels = vec![
        panel("CPU", "CPUs in use", |stretch| stretch.cpus),
        panel("memory", "MiB", |stretch| Some(stretch.rss_bytes as f64 / f64::from(1 << 20))),
        panel("threads", "threads", |stretch| Some(f64::from(stretch.threads))),
    ];
    Some(Figure { panels, columns: 3, ..Figure::default() })
}

/// The samples of each level, thinned, in the order of time from the start of the first.
fn levels(pass: &PassResult) -> Vec<Vec<Stretch>> {
    let start = pass.levels.iter().map(|cell| cell.started_s).fold(f64::INFINITY, f64::min);
    let all: usize = pass.levels.iter().map(|cell| cell.samples.len()).sum();
    let step = all.div_ceil(POINTS_MOST).max(1);
    let mut cells: Vec<_> = pass.levels.iter().filter(|cell| cell.samples.len() > 1).collect();
    cells.sort_by(|a, b| a.started_s.total_cmp(&b.started_s));
    let stretches = cells.into_iter().map(|cell| {
        let mut before = cell.samples.first();
        let stretch = cell.samples.chunks(step).filter_map(|samples| {
            let (last, first) = (samples.last()?, before?);
            let seconds = last.at.as_secs_f64() - first.at.as_secs_f64();
            let long_enough = seconds >= SHORTEST_S;
            if long_enough {
                before = Some(last);
            }
            Some(Stretch {
                at_s: cell.started_s - start + last.at.as_secs_f64(),
                cpus: long_enough.then(|| (last.cpu_s - first.cpu_s) / seconds),
                rss_bytes: samples.iter().map(|sample| sample.rss_bytes).max()?,
                threads: samples.iter().map(|sample| sample.threads).max()?,
            })
        });
        stretch.collect()
    });
    stretches.collect()
}

/// A line for each level, with a gap between them.
fn points(levels: &[Vec<Stretch>], value: fn(&Stretch) -> Option<f64>) -> Vec<Point> {
    let gap = Point::new(f64::NAN, f64::NAN);
    let line = |level: &Vec<Stretch>| {
        let points = level.iter().filter_map(|stretch| Some(Point::new(stretch.at_s, value(stretch)?)));
        points.chain([gap]).collect::<Vec<_>>()
    };
    levels.iter().flat_map(line).collect()
}
