//! Whether context switches explain that one cell is slower than another: they must have become more, and what they
//! cost must be a good part of what is lost.

use crate::analysis::trials::Group;
use crate::format::{milliseconds, percent, three_digits};
use crate::results::Judgement;
use crate::scenario::Metric;

use super::cells::Measured;
use super::{Found, NO_DIFFERENCE, words};

/// From here on a part of the loss is most of it.
const MOST: f64 = 0.5;
/// Below this it is next to nothing.
const LITTLE: f64 = 0.1;

/// `of` is the slower cell; `explain` with what a switch is taken to cost, microseconds.
pub fn explain(
    measured: &Measured,
    of: &Group,
    against: &Group,
    metric: Metric,
    (explain, cost_us): (bool, f64),
) -> Result<Found, String> {
    // How many times as fast; of mean times in a closed loop the clients have to be the same.
    let speed = match metric.is_mean_time() {
        true if of.key.concurrency != against.key.concurrency => {
            return Err("mean response times compare at the same number of clients only".into());
        }
        true => measured.ratio((against, metric), (of, metric))?,
        false => measured.ratio((of, metric), (against, metric))?,
    };
    let switches = |cell: &Group| measured.value(cell, Metric::ContextSwitchesPerRequest);
    let (many, few) = (switches(of)?, switches(against)?);
    let sampled = [of, against].into_iter().any(|group| !are_exact(group));
    // What a request takes of the CPUs, seconds.
    let rate = |cell: &Group| -> Result<f64, String> {
        let value = measured.value(cell, metric)?;
        let rate = if metric.is_mean_time() { f64::from(cell.key.concurrency) / value * 1000.0 } else { value };
        if rate > 0.0 && rate.is_finite() { Ok(rate) } else { Err(format!("{} gave no answers", measured.label(cell))) }
    };
    let cpus =
        |cell: &Group| f64::from(cell.key.line.cpus.unwrap_or(measured.results.machine.cpus_usable.len() as u32));
    let lost_s = cpus(of) / rate(of)? - cpus(against) / rate(against)?;
    let cost_s = (many - few) * cost_us / 1e6;
    let slower = 1.0 - speed.value;
    let told = words::capital(&format!(
        "{} is {} {} than {} by {} ({}: {}), with {} context switches for each request against {}",
        measured.label(of),
        percent(slower.abs()),
        if slower >= 0.0 { "slower" } else { "faster" },
        measured.label(against),
        metric.title(),
        three_digits(speed.value),
        words::interval(speed.interval),
        three_digits(many),
        three_digits(few)
    ));
    let source = if sampled { " (sampled from /proc, where threads that ended are missing)" } else { "" };
    let is_slower = speed.value * (1.0 + NO_DIFFERENCE) < 1.0 && lost_s > 0.0;
    let part = if is_slower { (cost_s / lost_s).max(0.0) } else { 0.0 };
    let judgement = match (explain, part) {
        (true, part) if part >= MOST => Judgement::Reproduced,
        (true, part) if part >= LITTLE => Judgement::DirectionOnly,
        (true, _) => Judgement::Contradicted,
        (false, part) if part < LITTLE => Judgement::Reproduced,
        (false, part) if part < MOST => Judgement::DirectionOnly,
        (false, _) => Judgement::Contradicted,
    };
    let unproven = match speed.interval {
        Some(spread) if is_slower && spread.high >= 1.0 => " The interval does not exclude that both are equally fast.",
        _ => "",
    };
    let then = match cost_s {
        _ if !is_slower => "so there is nothing to explain".to_owned(),
        cost_s if cost_s <= 0.0 => "it does not switch more often".to_owned(),
        _ => format!(
            "at {} us each, the difference is {} of the {} that a request takes more of the CPUs",
            three_digits(cost_us),
            percent(part),
            milliseconds(lost_s * 1000.0)
        ),
    };
    let sentence = format!("{told}{source}: {then}.{unproven}");
    Ok(Found { judgement, measured: part, claimed: None, interval: None, sentence })
}

fn are_exact(group: &Group) -> bool {
    let exact = |cell: &crate::results::Cell| cell.server.as_ref().is_some_and(|server| server.context_switches_exact);
    group.trials.iter().all(|(_, cell)| exact(cell))
}
