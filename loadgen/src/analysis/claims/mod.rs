//! Verdicts on the claims of a scenario. The rule for each kind is told in docs/METHODOLOGY.md ("Verdicts").

mod answers;
mod cells;
mod contrast;
mod levels;
mod memory;
mod ratios;
mod switches;
mod within_run;
mod words;

use crate::results::{Judgement, Results, Spread, Verdict};
use crate::scenario::claim::{Claim, Kind};

pub use cells::Measured;

/// Two figures that are less apart than this are no difference in any direction.
pub const NO_DIFFERENCE: f64 = 0.05;

/// What was found of a claim that could be tested.
struct Found {
    judgement: Judgement,
    measured: f64,
    claimed: Option<f64>,
    interval: Option<Spread>,
    sentence: String,
}

/// A verdict on each claim, in the order of the scenario.
pub fn verdicts(results: &Results) -> Vec<Verdict> {
    let measured = Measured::of(results);
    results.scenario.claims.iter().map(|claim| verdict(&measured, claim)).collect()
}

fn verdict(measured: &Measured, claim: &Claim) -> Verdict {
    let id = claim.id.clone();
    match found(measured, claim) {
        Ok(Found { judgement, measured, claimed, interval, sentence }) => {
            Verdict { id, verdict: judgement, measured: Some(measured), claimed, interval, sentence }
        }
        Err(reason) => Verdict {
            id,
            verdict: Judgement::NotTestable,
            measured: None,
            claimed: None,
            interval: None,
            sentence: words::sentence(&reason),
        },
    }
}

/// What was found, or why nothing can be.
fn found(measured: &Measured, claim: &Claim) -> Result<Found, String> {
    let results = measured.results;
    if results.scenario.quick && !claim.quick {
        return Err("a quick run says nothing about it".into());
    }
    let here = results.machine.cpus_usable.len();
    if let Some(needed) = claim.needs_cpus.filter(|&needed| (needed as usize) > here) {
        return Err(format!("it needs {needed} CPUs; usable here: {here}"));
    }
    match &claim.kind {
        Kind::Flat { of, levels, metric, tolerance } => {
            levels::flat(measured, &measured.levels(of, levels.as_ref())?, *metric, *tolerance)
        }
        Kind::ScalesToCpus { of, levels, metric, published, published_cpus, tolerance } => {
            let growth = levels::Growth { published: *published, cpus: *published_cpus, tolerance: *tolerance };
            levels::scales(measured, &measured.levels(of, levels.as_ref())?, *metric, growth)
        }
        Kind::Ratio { of, against, metric, against_metric, published, tolerance } => {
            let of = (measured.cell(of)?, *metric);
            let against = (measured.cell(against)?, against_metric.unwrap_or(*metric));
            ratios::ratio(measured, of, against, *published, *tolerance)
        }
        Kind::Near { of, against, metric, against_metric, tolerance } => {
            let of = (measured.cell(of)?, *metric);
            let against = (measured.cell(against)?, against_metric.unwrap_or(*metric));
            ratios::near(measured, of, against, *tolerance)
        }
        Kind::Order { cells, lowest_first, metric, tolerance } => {
            let cells: Vec<_> = cells.iter().map(|cell| measured.cell(cell)).collect::<Result<_, _>>()?;
            ratios::order(measured, &cells, *metric, *lowest_first, *tolerance)
        }
        Kind::NoErrors { of, levels } => answers::no_errors(measured, of, levels.as_ref()),
        Kind::EveryAnswerRight { of, levels } => answers::every_answer_right(measured, of, levels.as_ref()),
        Kind::ShareWrong { of, levels, at_least } => answers::share_wrong(measured, of, levels.as_ref(), *at_least),
        Kind::MemorySlope { of, bound } => memory::slope(measured, measured.cell(of)?, *bound),
        Kind::ContextSwitches { of, against, metric, explain, cost_us } => {
            let (of, against) = (measured.cell(of)?, measured.cell(against)?);
            switches::explain(measured, of, against, *metric, (*explain, *cost_us))
        }
    }
}
