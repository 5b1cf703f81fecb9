//! When a reader is warned: of a run, a pass, a level.

mod grouped;

use std::collections::{BTreeMap, BTreeSet};

use crate::results::warning::{Kind, Warning};
use crate::results::{Cell, LittlesLaw, PassResult, Results};

use super::limits::{self, Limits};
pub use grouped::{Grouped, grouped};

/// The in-flight count and Little's law may differ by this much.
const LITTLES_LAW_TOLERANCE: f64 = 0.05;
/// Fewer requests than this for each client say nothing about Little's law: ends and beginnings outweigh the rest.
const LITTLES_LAW_LEAST_PER_CLIENT: u64 = 20;
/// A server faster than the ceiling by more than this was measured wrongly, or the machine changed.
const EFFICIENCY_MOST: f64 = 1.05;
/// A ceiling that moved by more than this over a run.
const DRIFT_MOST: f64 = 0.10;
/// CPUs that other programs may use before it is said.
const OTHER_CPU_MOST: f64 = 0.1;
/// Part of one CPU that loadgen may use before it is said.
const GENERATOR_CPU_MOST: f64 = 0.05;
/// Load average before a run, before it is said.
const LOAD_BEFORE_MOST: f64 = 0.5;
/// A server that computes on for longer than this after a level, seconds, before it is said.
const BACKLOG_MOST_S: f64 = 1.0;
/// Fewer right answers than this say little.
const ANSWERS_LEAST: u64 = 10;
/// Part of an open loop's requests that may be behind before it is said.
const BEHIND_MOST: f64 = 0.05;
/// From so many trials on there are intervals.
const TRIALS_LEAST: u32 = super::statistics::TRIALS_LEAST as u32;

/// Warnings of a whole run.
pub fn of_run(results: &Results) -> Vec<Warning> {
    let Results { machine, ceiling, scenario, .. } = results;
    let trials = results.passes.iter().map(|pass| pass.trial).max().unwrap_or(1);
    let usable = u32::try_from(machine.cpus_usable.len()).unwrap_or(u32::MAX);
    let kinds = [
        scenario.quick.then_some(Kind::QuickRun),
        cfg!(debug_assertions).then_some(Kind::DebugBuild),
        (trials < TRIALS_LEAST).then_some(Kind::FewTrials { trials }),
        machine.load_before.filter(|&load| load > LOAD_BEFORE_MOST).map(|load| Kind::LoadBefore { load }),
        machine.governor.as_deref().filter(|&governor| governor == "powersave").map(|_| Kind::Powersave),
        machine.cpu_quota.filter(|&quota| quota < f64::from(usable)).map(|quota| Kind::CpuQuota { quota, usable }),
        has_unequal_cpus(results).then_some(Kind::UnequalCpus),
        limits::drift(ceiling).filter(|&drift| drift > DRIFT_MOST).map(|drift| Kind::NoisyMachine { drift }),
    ];
    kinds.into_iter().flatten().map(Warning::from).collect()
}

/// Whether some server ran on CPUs on which another did not.
fn has_unequal_cpus(results: &Results) -> bool {
    let mut by_server: BTreeMap<&str, BTreeSet<Option<u32>>> = BTreeMap::new();
    for pass in results.passes.iter().filter(|pass| !pass.levels.is_empty()) {
        by_server.entry(&pass.server).or_default().insert(pass.cpus);
    }
    let mut counts = by_server.values();
    // While a sweep over several CPU counts is under way, servers that had their turn are ahead of others.
    let first = counts.next();
    first.is_some_and(|first| counts.any(|other| other.is_disjoint(first)))
}

/// Warnings of one pass.
pub fn of_pass(pass: &PassResult) -> Vec<Warning> {
    let unsettled = pass.warm_up_settled == Some(false);
    unsettled.then_some(Kind::WarmUpUnsettled { seconds: pass.warm_up_s }).map(Warning::from).into_iter().collect()
}

/// Whether Little's law speaks against a measurement of `requests` by `clients`.
pub fn littles_law_is_off(law: &LittlesLaw, requests: u64, clients: u64) -> bool {
    // A window of few ends is not steady enough for the law, however well it was measured.
    let telling = requests >= LITTLES_LAW_LEAST_PER_CLIENT * clients;
    let deviation = law.deviation();
    telling && deviation.is_finite() && deviation > LITTLES_LAW_TOLERANCE
}

/// Warnings of one level of a pass.
pub fn of_cell(pass: &PassResult, cell: &Cell, limits: &Limits) -> Vec<Warning> {
    let wrong = pass.expected_errors(cell);
    let seconds = cell.ended_s - cell.started_s;
    let per_second = |amount: f64, seconds: Option<f64>| Some(amount / seconds.filter(|&seconds| seconds > 0.0)?);
    let (requests, clients) = (cell.requests, cell.concurrency);
    let law = cell.littles_law.filter(|law| littles_law_is_off(law, requests, u64::from(clients)));
    let generator = per_second(cell.generator_cpu_s, cell.elapsed_s).filter(|&cpus| cpus > GENERATOR_CPU_MOST);
    let other = cell.other_cpu_s.and_then(|other| per_second(other, Some(seconds)));
    let ended = per_second(requests as f64, cell.elapsed_s);
    let behind = cell.asked_rps.zip(ended).filter(|(asked, ended)| ended / asked < 1.0 - BEHIND_MOST);
    let backlog = cell.settle_s.and_then(|seconds| match cell.still_busy {
        true => Some(Kind::StillBusy { seconds }),
        false => (seconds > BACKLOG_MOST_S).then_some(Kind::Backlog { seconds }),
    });
    let kinds = [
        cell.interrupted.then_some(Kind::EndedEarly { in_flight: cell.in_flight_at_end }),
        (!cell.interrupted && requests < u64::from(clients)).then_some(Kind::IdleClients { requests, clients }),
        backlog,
        (!cell.interrupted && wrong == 0 && cell.ok < ANSWERS_LEAST).then_some(Kind::FewSamples { answers: cell.ok }),
        limits.efficiency.filter(|&each| each > EFFICIENCY_MOST).map(|efficiency| Kind::AboveCeiling { efficiency }),
        generator.map(|cpus| Kind::GeneratorBusy { cpus }),
        other.filter(|&cpus| seconds > 1.0 && cpus > OTHER_CPU_MOST).map(|cpus| Kind::OtherLoad { cpus }),
        cell.swapped_bytes.filter(|&bytes| bytes > 0).map(|bytes| Kind::Swapped { bytes }),
        law.map(|law| Kind::LittlesLaw {
            deviation: law.deviation(),
            mean_in_flight: law.mean_in_flight,
            expected_in_flight: law.expected_in_flight(),
        }),
        behind.map(|(asked_rps, ended_rps)| Kind::NotKeptUp { asked_rps, ended_rps }),
        (wrong > 0).then_some(Kind::WrongAsDeclared { wrong, requests }),
    ];
    kinds.into_iter().flatten().map(Warning::from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::warning::Scope;
    use crate::results::{Detail, parse};

    /// Two servers with two levels each, which nobody is warned of but for the build and the one pass.
    pub fn results() -> Results {
        let json = include_bytes!("../../../tests/fixtures/results-schema-1.json");
        let mut results = parse(json, Detail::Whole).unwrap();
        results.machine.load_before = Some(0.2);
        results.scenario.quick = false;
        results.ceiling.iter_mut().for_each(|sample| sample.rate_rps = 100.0);
        for cell in results.passes.iter_mut().flat_map(|pass| &mut pass.levels) {
            cell.warnings.clear();
            (cell.other_cpu_s, cell.littles_law, cell.generator_cpu_s) = (Some(0.0), None, 0.0);
        }
        results.warnings.clear();
        results
    }

    fn kinds(warnings: &[Warning]) -> Vec<Kind> {
        let kinds = warnings.iter().map(|warning| warning.kind);
        kinds.filter(|kind| !matches!(kind, Kind::DebugBuild)).collect()
    }

    /// Warnings of the run after a change to it.
    fn of_changed(change: impl Fn(&mut Results)) -> Vec<Kind> {
        let mut results = results();
        for pass in &mut results.passes {
            pass.trial = 3;
        }
        change(&mut results);
        let warnings = of_run(&results);
        assert!(warnings.iter().all(|warning| warning.kind.scope() == Scope::Run && !warning.text.is_empty()));
        kinds(&warnings)
    }

    #[test]
    fn a_run_is_warned_of_for_each_reason() {
        assert_eq!(of_changed(|_| {}), []);
        let kinds = of_changed(|results| {
            results.scenario.quick = true;
            results.passes.iter_mut().for_each(|pass| pass.trial = 2);
            results.machine.load_before = Some(3.0);
            results.machine.governor = Some("powersave".into());
            results.machine.cpu_quota = Some(0.5);
            results.passes[0].cpus = None;
            results.ceiling[0].rate_rps = 80.0;
        });
        let expected = [
            Kind::QuickRun,
            Kind::FewTrials { trials: 2 },
            Kind::LoadBefore { load: 3.0 },
            Kind::Powersave,
            Kind::CpuQuota { quota: 0.5, usable: 2 },
            Kind::UnequalCpus,
            Kind::NoisyMachine { drift: 0.2 },
        ];
        assert_eq!(kinds, expected);
        // An axis of CPU counts is no inequality, also when it is not through yet.
        let axis = |results: &mut Results| {
            results.passes.push(PassResult { cpus: Some(1), ..results.passes[0].clone() });
        };
        assert_eq!(of_changed(axis), []);
    }

    /// Warnings of a level after a change to it.
    fn of_changed_cell(limits: Limits, change: impl Fn(&mut Cell)) -> Vec<Kind> {
        let mut cell = results().passes[0].levels[0].clone();
        change(&mut cell);
        let warnings = of_cell(&results().passes[0], &cell, &limits);
        assert!(warnings.iter().all(|warning| warning.kind.scope() == Scope::Level && !warning.text.is_empty()));
        kinds(&warnings)
    }

    #[test]
    fn a_level_is_warned_of_for_each_reason() {
        assert_eq!(of_changed_cell(Limits::default(), |_| {}), []);
        let limits = Limits { efficiency: Some(1.2), ..Limits::default() };
        let kinds = of_changed_cell(limits, |cell| {
            (cell.requests, cell.ok, cell.errors, cell.concurrency) = (8, 8, 0, 9);
            (cell.started_s, cell.ended_s, cell.elapsed_s) = (0.0, 2.0, Some(2.0));
            (cell.generator_cpu_s, cell.other_cpu_s, cell.swapped_bytes) = (0.5, Some(1.0), Some(4096));
            cell.asked_rps = Some(10.0);
        });
        let expected = [
            Kind::IdleClients { requests: 8, clients: 9 },
            Kind::FewSamples { answers: 8 },
            Kind::AboveCeiling { efficiency: 1.2 },
            Kind::GeneratorBusy { cpus: 0.25 },
            Kind::OtherLoad { cpus: 0.5 },
            Kind::Swapped { bytes: 4096 },
            Kind::NotKeptUp { asked_rps: 10.0, ended_rps: 4.0 },
        ];
        assert_eq!(kinds, expected);
        let ended = of_changed_cell(Limits::default(), |cell| (cell.interrupted, cell.in_flight_at_end) = (true, 3));
        assert_eq!(ended, [Kind::EndedEarly { in_flight: 3 }]);
    }

    #[test]
    fn wrong_answers_are_warned_of_where_they_are_declared() {
        let mut results = results();
        let (mut pass, limits) = (results.passes.remove(0), Limits::default());
        let mut cell = pass.levels[0].clone();
        (cell.requests, cell.ok, cell.errors) = (40, 10, 30);
        cell.errors_by_kind = [(crate::engine::ErrorKind::Body, 29), (crate::engine::ErrorKind::Reset, 1)].into();
        assert_eq!(kinds(&of_cell(&pass, &cell, &limits)), []);
        pass.fault = Some("it guesses".into());
        let declared = Kind::WrongAsDeclared { wrong: 29, requests: 40 };
        assert_eq!(kinds(&of_cell(&pass, &cell, &limits)), [declared]);
        // A wrong body is expected, a broken connection is not.
        results.passes = vec![pass];
        results.passes[0].levels = vec![cell.clone()];
        assert!(!results.all_good());
        (cell.errors, cell.errors_by_kind) = (29, [(crate::engine::ErrorKind::Body, 29)].into());
        results.passes[0].levels = vec![cell];
        assert!(results.all_good());
        results.passes[0].fault = None;
        assert!(!results.all_good());
    }

    #[test]
    fn littles_law_is_told_where_a_level_is_long_enough() {
        let law = |cell: &mut Cell, requests| {
            cell.littles_law = Some(LittlesLaw { mean_in_flight: 2.0, rate: 1.0, mean_s: 1.0 });
            (cell.requests, cell.ok, cell.concurrency) = (requests, requests, 2);
        };
        let off = Kind::LittlesLaw { deviation: 0.5, mean_in_flight: 2.0, expected_in_flight: 1.0 };
        assert_eq!(of_changed_cell(Limits::default(), |cell| law(cell, 40)), [off]);
        assert_eq!(of_changed_cell(Limits::default(), |cell| law(cell, 39)), []);
    }
}
