//! From what the engine measured to what is saved.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hdrhistogram::serialization::{Serializer, V2Serializer};

use crate::engine::{Latencies, Measured};
use crate::plan::Level;
use crate::results::{Cell, Histograms, Latency, ServerUse};
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
pub fn cell(level: Level, measured: &Measured, span: Span, server: Option<ServerUse>, samples: Vec<Sample>) -> Cell {
    let other_cpu_s = span.busy_s.zip(server.as_ref()).map(|(busy, server)| busy - server.cpu_s - span.generator_cpu_s);
    Cell {
        concurrency: level.clients,
        size: level.size,
        started_s: span.started_s,
        ended_s: span.ended_s,
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
        latency_ms: latency(&measured.latency()),
        generator_cpu_s: span.generator_cpu_s,
        other_cpu_s: other_cpu_s.map(|seconds| seconds.max(0.0)),
        swapped_bytes: span.swapped_bytes,
        asked_rps: None,
        server_timing_ms: server_timing_ms(measured),
        server,
        histograms: Histograms {
            ok: encoded(&measured.outcomes.ok),
            wrong: encoded(&measured.outcomes.wrong),
            shed: encoded(&measured.outcomes.shed),
            timed_out: encoded(&measured.outcomes.timed_out),
        },
        times: measured.times.clone(),
        failures: measured.failures.clone(),
        samples,
        warnings: Vec::new(),
    }
}

fn server_timing_ms(measured: &Measured) -> BTreeMap<String, f64> {
    measured.server_timing.means_ms().map(|(name, ms)| (name.to_owned(), ms)).collect()
}

fn milliseconds(time: std::time::Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

fn latency(times: &Latencies) -> Latency {
    Latency {
        min: times.min().map(milliseconds),
        mean: times.mean().map(milliseconds),
        p50: times.p50().map(milliseconds),
        p90: times.p90().map(milliseconds),
        p99: times.p99().map(milliseconds),
        p999: times.p999().map(milliseconds),
        max: times.max().map(milliseconds),
    }
}

fn encoded(times: &Latencies) -> Option<String> {
    let mut bytes = Vec::new();
    let written = V2Serializer::new().serialize(times.histogram(), &mut bytes);
    (!times.is_empty() && written.is_ok()).then(|| STANDARD.encode(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_saved_histogram_reads_back_whole() {
        let mut times = Latencies::new();
        (1..=200).for_each(|step| times.record(Duration::from_micros(step * 37)));
        let text = encoded(&times).unwrap();
        let bytes = STANDARD.decode(text).unwrap();
        let mut reader = hdrhistogram::serialization::Deserializer::new();
        let back: hdrhistogram::Histogram<u64> = reader.deserialize(&mut bytes.as_slice()).unwrap();
        assert_eq!(&back, times.histogram());
        assert_eq!(encoded(&Latencies::new()), None);
    }
}
