//! When a reader is warned, and how warnings of many levels are told together.

use std::collections::{BTreeMap, BTreeSet};

use crate::results::warning::{Kind, Warning};
use crate::results::{Cell, Distinctions, Results};

use super::limits::{self, Limits};

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

/// Warnings of one level.
pub fn of_cell(cell: &Cell, limits: &Limits) -> Vec<Warning> {
    let seconds = cell.ended_s - cell.started_s;
    let per_second = |amount: f64, seconds: Option<f64>| Some(amount / seconds.filter(|&seconds| seconds > 0.0)?);
    let (requests, clients) = (cell.requests, cell.concurrency);
    // A window of few ends is not steady enough for the law, however well it was measured.
    let telling = requests >= LITTLES_LAW_LEAST_PER_CLIENT * u64::from(clients);
    let off = |deviation: f64| deviation.is_finite() && deviation > LITTLES_LAW_TOLERANCE;
    let law = cell.littles_law.filter(|law| telling && off(law.deviation()));
    let generator = per_second(cell.generator_cpu_s, cell.elapsed_s).filter(|&cpus| cpus > GENERATOR_CPU_MOST);
    let other = cell.other_cpu_s.and_then(|other| per_second(other, Some(seconds)));
    let ended = per_second(requests as f64, cell.elapsed_s);
    let behind = cell.asked_rps.zip(ended).filter(|(asked, ended)| ended / asked < 1.0 - BEHIND_MOST);
    let kinds = [
        cell.interrupted.then_some(Kind::EndedEarly { in_flight: cell.in_flight_at_end }),
        (!cell.interrupted && requests < u64::from(clients)).then_some(Kind::IdleClients { requests, clients }),
        (!cell.interrupted && cell.ok < ANSWERS_LEAST).then_some(Kind::FewSamples { answers: cell.ok }),
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
    ];
    kinds.into_iter().flatten().map(Warning::from).collect()
}

/// All warnings of one kind.
#[derive(Debug, Clone, PartialEq)]
pub struct Grouped {
    /// The worst of them.
    pub worst: Warning,
    /// How many levels (of all trials) it is about; 0: about the run.
    pub levels: usize,
    /// Where: lines, each with its numbers of clients.
    pub places: Vec<(String, BTreeSet<u32>)>,
}

impl Grouped {
    fn new(worst: Warning) -> Self {
        Self { worst, levels: 0, places: Vec::new() }
    }

    /// One more of the same kind.
    fn add(&mut self, warning: &Warning, line: String, clients: u32) {
        if warning.kind.severity() > self.worst.kind.severity() {
            self.worst = warning.clone();
        }
        self.levels += 1;
        match self.places.last_mut().filter(|(last, _)| *last == line) {
            Some((_, levels)) => _ = levels.insert(clients),
            None => self.places.push((line, BTreeSet::from([clients]))),
        }
    }
}

/// All warnings, each kind once: those of the run, then those of levels.
pub fn grouped(results: &Results) -> Vec<Grouped> {
    let show = Distinctions::of(results);
    let mut of_levels: Vec<Grouped> = Vec::new();
    for (pass, cell) in results.rows() {
        for warning in &cell.warnings {
            let at = of_levels.iter().position(|group| same_kind(&group.worst, warning)).unwrap_or_else(|| {
                of_levels.push(Grouped::new(warning.clone()));
                of_levels.len() - 1
            });
            of_levels[at].add(warning, pass.label(show), cell.concurrency);
        }
    }
    results.warnings.iter().cloned().map(Grouped::new).chain(of_levels).collect()
}

/// Whether two are of one kind. Those of older results are texts, whose first word tells what they are about.
fn same_kind(one: &Warning, other: &Warning) -> bool {
    let first_word = |warning: &Warning| warning.text.split(' ').next().map(str::to_owned);
    let kind = std::mem::discriminant(&one.kind) == std::mem::discriminant(&other.kind);
    kind && (one.kind != Kind::Other || first_word(one) == first_word(other))
}
