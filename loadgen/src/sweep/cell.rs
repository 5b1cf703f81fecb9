//! From what the engine measured to what is saved.

use crate::engine::Measured;
use crate::plan::Level;
use crate::results::{Cell, Histograms, Latency, ProbeResult, ServerUse, milliseconds};
use crate::subject::Sample;

/// When a level ran, and what it cost loadgen.
#[derive(Debug, Clone, Copy)]
pub struct Span {
    /// Seconds since the run began.
    pub started_s: f64,
    /// Seconds since the run began.
    pub ended_s: f64,
    /// CPU seconds of loadgen itself.
    pub generator_cpu_s: f64,
    /// CPU seconds of the whole machine.
    pub busy_s: Option<f64>,
    /// Of the whole machine.
    pub swapped_bytes: Option<u64>,
}

/// The level as it is saved.
pub fn cell(
    level: Level,
    measured: &Measured,
    probe: Option<ProbeResult>,
    span: Span,
    server: Option<ServerUse>,
    samples: Vec<Sample>,
) -> Cell {
    let other_cpu_s = span.busy_s.zip(server.as_ref()).map(|(busy, server)| busy - server.cpu_s - span.generator_cpu_s);
    Cell {
        concurrency: level.clients,
        size: level.size,
        started_s: span.started_s,
        ended_s: span.ended_s,
        settle_s: None,
        still_busy: false,
        interrupted: measured.started < measured.requests_asked || measured.in_flight_at_end > 0,
        requests: measured.requests(),
        ok: measured.ok,
        errors: measured.errors_total(),
        errors_by_kind: measured.errors.clone(),
        in_flight_at_end: measured.in_flight_at_end,
        reconnects: measured.reconnects,
        status_codes: measured.status_codes.clone(),
        elapsed_s: measured.elapsed.map(|elapsed| elapsed.as_secs_f64()),
        throughput_rps: measured.throughput_rps(),
        steady_rps: measured.steady_rps(),
        replies_rps: measured.replies_rps(),
        replies_mean_ms: measured.replies_mean().map(milliseconds),
        mean_in_flight: measured.mean_in_flight(),
        littles_law: measured.littles_law(),
        latency_ms: Latency::of(&measured.latency()),
        generator_cpu_s: span.generator_cpu_s,
        other_cpu_s: other_cpu_s.map(|seconds| seconds.max(0.0)),
        swapped_bytes: span.swapped_bytes,
        asked_rps: None,
        server_timing_ms: measured.server_timing.by_name(),
        server,
        probe,
        histograms: Histograms::of(&measured.outcomes),
        times: measured.times.clone(),
        failures: measured.failures.clone(),
        samples,
        warnings: Vec::new(),
    }
}
