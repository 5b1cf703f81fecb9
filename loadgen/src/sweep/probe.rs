//! The side probe of a level: an open loop beside the load, on a thread and connections of its own.

use std::time::{Duration, Instant};

use anyhow::Context as _;

use crate::engine::{self, Arrivals, Connections, Live, Load, Measured, Pace, Request, Timed};
use crate::results::{Latency, ProbeResult, encoded};
use crate::running::Running;
use crate::scenario::{Expect, Probe, Scenario};

/// Probes that wait for an answer at the same time. One more waits for one of them to end, and its clock runs.
pub const OPEN_MOST: u32 = 500;

/// Probes a server until `over` resolves. Whoever waits for an answer then is in the result as having waited so long.
///
/// # Errors
/// The engine cannot work.
pub async fn probe(
    scenario: &Scenario,
    probe: &Probe,
    running: &Running,
    over: impl Future<Output = ()>,
) -> anyhow::Result<ProbeResult> {
    let request = Request::get(probe.path.clone());
    let load = Load {
        pace: Pace::Open { rate: probe.rate, arrivals: Arrivals::Constant, seed: 0 },
        clients: OPEN_MOST as usize,
        connections: Connections::PerRequest,
        timeout: Duration::from_secs_f64(scenario.timeout_s),
        keep_times_up_to: u64::MAX,
        ..Load::new(running.address, running.host.clone(), request, Expect::status_only(200))
    };
    let begun = Instant::now();
    let measured = engine::run(&load, &Live::default(), over).await.context("load engine, side probe")?;
    Ok(result(probe, &measured, begun.elapsed()))
}

/// The probe as it is saved; it lasted so long.
fn result(probe: &Probe, measured: &Measured, elapsed: Duration) -> ProbeResult {
    let mut times = measured.latency();
    let ended = measured.times.as_deref().unwrap_or_default();
    for waited in unanswered(probe.rate, measured.in_flight_at_end, ended, elapsed) {
        times.record(waited);
    }
    ProbeResult {
        path: probe.path.clone(),
        rate: probe.rate,
        sent: measured.started,
        ok: measured.ok,
        errors: measured.errors_total(),
        errors_by_kind: measured.errors.clone(),
        in_flight_at_end: measured.in_flight_at_end,
        latency_ms: Latency::of(&times),
        histogram: encoded(&times),
        failures: measured.failures.clone(),
    }
}

/// How long the probes that have no end had waited when all was over. Their times are known by the schedule: they are
/// those at which a probe was due and none of `ended` began.
fn unanswered(rate: f64, count: u64, ended: &[Timed], elapsed: Duration) -> Vec<Duration> {
    let gap_us = 1e6 / rate;
    // The schedule began when the thread did: some microseconds after the clock of `elapsed`.
    let first_us = ended.iter().map(|timed| timed.start_us as f64 % gap_us).reduce(f64::min).unwrap_or(0.0);
    let number = |timed: &Timed| ((timed.start_us as f64 - first_us) / gap_us).round() as u64;
    let known: std::collections::BTreeSet<u64> = ended.iter().map(number).collect();
    let due = |number: u64| Duration::from_secs_f64((first_us + number as f64 * gap_us) / 1e6);
    let missing = (0..).filter(|number| !known.contains(number)).take(usize::try_from(count).unwrap_or(usize::MAX));
    missing.map(|number| elapsed.saturating_sub(due(number))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Outcome;

    fn ended(starts_us: &[u64]) -> Vec<Timed> {
        let timed = |&start_us: &u64| Timed { start_us, duration_us: 1, outcome: Outcome::Ok, client: 0 };
        starts_us.iter().map(timed).collect()
    }

    fn waited_ms(count: u64, starts_us: &[u64], elapsed_ms: u64) -> Vec<u64> {
        let waits = unanswered(20.0, count, &ended(starts_us), Duration::from_millis(elapsed_ms));
        waits.iter().map(|wait| wait.as_secs_f64() * 1000.0).map(|ms| ms.round() as u64).collect()
    }

    #[test]
    fn who_waits_has_waited_since_it_was_due() {
        assert!(waited_ms(0, &[0, 50_000, 100_000], 120).is_empty());
        // The last two of four.
        assert_eq!(waited_ms(2, &[0, 50_000], 170), [70, 20]);
        // One between others that ended out of order, with a schedule that began late.
        assert_eq!(waited_ms(1, &[200_300, 300, 50_300, 150_300], 1000), [900]);
        // All of them: nothing ever came back.
        assert_eq!(waited_ms(3, &[], 8000), [8000, 7950, 7900]);
    }
}
