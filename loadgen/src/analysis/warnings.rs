//! What a reader should know before believing a number: each with what it means.

use crate::results::{CeilingSample, Cell, Machine};

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

/// Warnings of a whole run.
pub fn of_run(machine: &Machine, ceiling: &[CeilingSample], quick: bool) -> Vec<String> {
    let mut warnings = Vec::new();
    if quick {
        warnings.push(
            "quick run: fewer levels and requests, and a smaller computation where the scenario has one; it shows the shape, not \
             the figures".into(),
        );
    }
    if cfg!(debug_assertions) {
        warnings.push("debug build: the built-in servers and kernels are not optimised; use --release".into());
    }
    if let Some(load) = machine.load_before.filter(|&load| load > 0.5) {
        warnings.push(format!(
            "load average was {load:.1} before the run: other programs may have taken CPU from the servers"
        ));
    }
    if let Some(governor) = machine.governor.as_deref().filter(|&governor| governor == "powersave") {
        warnings.push(format!("frequency governor is `{governor}`: the clock follows the load; prefer `performance`"));
    }
    if let Some(quota) = machine.cpu_quota.filter(|&quota| quota < machine.cpus_usable.len() as f64) {
        warnings.push(format!(
            "a control group allows {quota:.2} CPUs of the {} usable: threads will be throttled",
            machine.cpus_usable.len()
        ));
    }
    if let Some(drift) = limits::drift(ceiling).filter(|&drift| drift > DRIFT_MOST) {
        warnings.push(format!(
            "the ceiling moved by {:.0}% over the run: the machine is noisy, differences below that mean little",
            drift * 100.0
        ));
    }
    warnings
}

/// Warnings of one level.
pub fn of_cell(cell: &Cell, limits: &Limits) -> Vec<String> {
    let mut warnings = Vec::new();
    if cell.interrupted {
        warnings.push(format!("ended early, with {} requests under way", cell.in_flight_at_end));
    }
    if !cell.interrupted && cell.requests < u64::from(cell.concurrency) {
        warnings.push(format!("only {} clients had something to do: there were no more requests", cell.requests));
    }
    if let Some(efficiency) = limits.efficiency.filter(|&efficiency| efficiency > EFFICIENCY_MOST) {
        warnings.push(format!(
            "efficiency {efficiency:.2} is above 1: the machine was faster than when its ceiling was sampled"
        ));
    }
    if let Some(busy) = cell.elapsed_s.filter(|&elapsed| elapsed > 0.0).map(|elapsed| cell.generator_cpu_s / elapsed)
        && busy > GENERATOR_CPU_MOST
    {
        warnings.push(format!("loadgen itself used {:.0}% of a CPU, which the server may have wanted", busy * 100.0));
    }
    let seconds = cell.ended_s - cell.started_s;
    if let Some(other) =
        cell.other_cpu_s.map(|other| other / seconds).filter(|&other| seconds > 1.0 && other > OTHER_CPU_MOST)
    {
        warnings.push(format!("other programs used {other:.2} CPUs meanwhile, which the server may have wanted"));
    }
    // A window of few ends is not steady enough for the law, however well it was measured.
    let telling = cell.requests >= LITTLES_LAW_LEAST_PER_CLIENT * u64::from(cell.concurrency);
    if let Some(law) = cell.littles_law.filter(|law| telling && law.deviation() > LITTLES_LAW_TOLERANCE) {
        warnings.push(format!(
            "Little's law is off by {:.0}%: {:.2} requests under way, but rate times response time is {:.2}",
            law.deviation() * 100.0,
            law.mean_in_flight,
            law.expected_in_flight()
        ));
    }
    warnings
}
