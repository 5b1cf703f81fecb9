//! One server over its levels: flat, or growing to the CPUs.

use crate::analysis::limits::median_rate;
use crate::analysis::trials::Group;
use crate::format::{percent, three_digits};
use crate::results::{Judgement, counted};
use crate::scenario::Metric;

use super::cells::Measured;
use super::contrast::Factor;
use super::ratios::within;
use super::{Found, words};

/// The same at every level.
pub fn flat(measured: &Measured, levels: &[&Group], metric: Metric, tolerance: f64) -> Result<Found, String> {
    let (first, last) = match levels {
        [first, .., last] => (*first, *last),
        [one] => return Err(format!("{} is its only level that was run", measured.label(one))),
        [] => return Err("no level was run".into()),
    };
    let values: Vec<f64> = levels.iter().map(|level| measured.value(level, metric)).collect::<Result<_, _>>()?;
    if let Some(level) = levels.iter().zip(&values).find(|(_, value)| **value <= 0.0).map(|(level, _)| level) {
        return Err(format!("{} of {} is 0", metric.name(), measured.label(level)));
    }
    let count = values.len() as f64;
    let mean = (values.iter().map(|value| value.ln()).sum::<f64>() / count).exp();
    let off = |value: f64| (value / mean).ln().abs();
    let farthest = (0..values.len()).max_by(|&a, &b| off(values[a]).total_cmp(&off(values[b]))).unwrap_or(0);
    let power = |index: usize| if index == farthest { 1.0 - 1.0 / count } else { -1.0 / count };
    let factors: Vec<Factor> =
        levels.iter().enumerate().map(|(index, cell)| Factor { cell, metric, power: power(index) }).collect();
    let product = measured.product(&factors)?;
    let ends_agree = within(values[values.len() - 1], values[0], tolerance);
    let judge = |value: f64| match within(value, 1.0, tolerance) {
        true => Judgement::Reproduced,
        false if ends_agree => Judgement::DirectionOnly,
        false => Judgement::Contradicted,
    };
    let judgement = judge(product.value);
    let (low, high) =
        (values.iter().copied().fold(f64::INFINITY, f64::min), values.iter().copied().fold(0.0, f64::max));
    let sentence = words::capital(&format!(
        "{} of {} is {} to {} from {} to {}; the level farthest from their mean, {}, is {} times it ({}); {} to {} is \
         taken for flat.{}{}",
        metric.title(),
        measured.line_label(first),
        words::shown(metric, low),
        words::shown(metric, high),
        first.key.concurrency,
        counted(last.key.concurrency, "client"),
        counted(levels[farthest].key.concurrency, "client"),
        three_digits(product.value),
        words::interval(product.interval),
        three_digits(1.0 / (1.0 + tolerance)),
        three_digits(1.0 + tolerance),
        if judgement == Judgement::DirectionOnly { " It ends where it began." } else { "" },
        words::doubt(judgement, product.interval, judge),
    ));
    Ok(Found { judgement, measured: product.value, claimed: Some(1.0), interval: product.interval, sentence })
}

/// What was published of growth.
#[derive(Clone, Copy)]
pub struct Growth {
    /// So many times.
    pub published: f64,
    /// On so many CPUs.
    pub cpus: u32,
    pub tolerance: f64,
}

/// It grows with the clients up to the CPUs, then stays.
pub fn scales(measured: &Measured, levels: &[&Group], metric: Metric, growth: Growth) -> Result<Found, String> {
    let Growth { published, cpus: published_cpus, tolerance } = growth;
    let one = levels.iter().find(|level| level.key.concurrency == 1).ok_or("it was not run at 1 client")?;
    let line = &one.key.line;
    let cpus = line.cpus.ok_or_else(|| format!("loadgen did not start {}, so its CPUs are not known", line.server))?;
    let most = line.workers.map_or(cpus, |workers| workers.min(cpus));
    let what = if most < cpus { "worker" } else { "CPU" };
    if most < 2 {
        return Err(format!("{} had one {what}: there is nothing to grow to", line.server));
    }
    let at = levels.iter().find(|level| level.key.concurrency >= most);
    let at = at.ok_or_else(|| format!("{} was not run at {most} clients or more", line.server))?;
    let job = |threads: u32| {
        let rate = |threads| median_rate(&measured.results.ceiling, (one.key.size, threads)).filter(|&rate| rate > 0.0);
        Some(rate(threads)? / rate(1)?)
    };
    let ideal = |clients: u32| job(clients.min(most)).unwrap_or(f64::from(clients.min(most)));
    let share = published / f64::from(published_cpus);
    let expected = ideal(most) * share;
    let product = measured.ratio((at, metric), (one, metric))?;
    let mut strays = Vec::new();
    for level in levels {
        let clients = level.key.concurrency;
        let (of, to) = if clients > at.key.concurrency {
            (measured.ratio((level, metric), (at, metric))?.value, 1.0)
        } else {
            (
                measured.ratio((level, metric), (one, metric))?.value,
                if clients == 1 { 1.0 } else { ideal(clients) * share },
            )
        };
        // That of the most CPUs is judged by itself.
        if clients != at.key.concurrency && !within(of, to, tolerance) {
            strays.push(format!(
                "{} ({} instead of {})",
                counted(clients, "client"),
                three_digits(of),
                three_digits(to)
            ));
        }
    }
    let judge = |value: f64| match value {
        value if within(value, expected, tolerance) && strays.is_empty() => Judgement::Reproduced,
        // A hair less, for the last digit.
        value if value - 1.0 >= (expected - 1.0) * 0.499_999 && expected > 1.0 => Judgement::DirectionOnly,
        _ => Judgement::Contradicted,
    };
    let judgement = judge(product.value);
    let by = if job(most).is_some() { ", by their ceiling" } else { "" };
    let after: Vec<&&Group> = levels.iter().filter(|level| level.key.concurrency > at.key.concurrency).collect();
    let then = match (after.last(), strays.is_empty()) {
        (None, true) => " No higher level was run, so whether it stays is not known.".to_owned(),
        (Some(last), true) => format!(" Up to {} it stays.", counted(last.key.concurrency, "client")),
        (_, false) => format!(" More than {} off: {}.", percent(tolerance), strays.join(", ")),
    };
    let sentence = words::capital(&format!(
        "{} of {} at {} is {} times that at 1 client ({}); {} times on {published_cpus} CPUs would be {} times with {}{by}, \
         and {} to {} is taken for that.{then}{}",
        metric.title(),
        measured.line_label(one),
        counted(at.key.concurrency, "client"),
        three_digits(product.value),
        words::interval(product.interval),
        three_digits(published),
        three_digits(expected),
        counted(most, what),
        three_digits(expected / (1.0 + tolerance)),
        three_digits(expected * (1.0 + tolerance)),
        words::doubt(judgement, product.interval, judge),
    ));
    Ok(Found { judgement, measured: product.value, claimed: Some(expected), interval: product.interval, sentence })
}
