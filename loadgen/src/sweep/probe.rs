//! The side probe of a level: an open loop beside the load, on a thread and connections of its own.

use std::time::Duration;

use anyhow::Context as _;

use crate::engine::{self, Arrivals, Connections, Live, Load, Measured, Pace, Request};
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
        keep_times_up_to: 0,
        ..Load::new(running.address, running.host.clone(), request, Expect::status_only(200))
    };
    let measured = engine::run(&load, &Live::default(), over).await.context("load engine, side probe")?;
    Ok(result(probe, &measured))
}

/// The probe as it is saved.
fn result(probe: &Probe, measured: &Measured) -> ProbeResult {
    let mut times = measured.latency();
    times.merge(&measured.cut_off);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_still_waits_is_in_the_times() {
        let mut measured = Measured { started: 3, ok: 1, in_flight_at_end: 2, ..Default::default() };
        measured.outcomes.ok.record(Duration::from_millis(1));
        [70, 20].into_iter().for_each(|ms| measured.cut_off.record(Duration::from_millis(ms)));
        let result = result(&Probe { path: "/healthz".into(), rate: 20.0 }, &measured);
        assert_eq!((result.sent, result.ok, result.in_flight_at_end), (3, 1, 2));
        assert_eq!((result.latency_ms.min, result.latency_ms.max), (Some(1.0), Some(70.0)));
    }
}
