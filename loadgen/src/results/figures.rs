//! From what the engine measured to what is saved of response times.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hdrhistogram::serialization::{Serializer, V2Serializer};

use super::{Histograms, Latency};
use crate::engine::{Latencies, Outcomes};

impl Latency {
    /// The figures of these times.
    pub fn of(times: &Latencies) -> Self {
        Self {
            min: times.min().map(milliseconds),
            mean: times.mean().map(milliseconds),
            p50: times.p50().map(milliseconds),
            p90: times.p90().map(milliseconds),
            p99: times.p99().map(milliseconds),
            p999: times.p999().map(milliseconds),
            max: times.max().map(milliseconds),
        }
    }
}

impl Histograms {
    /// The histograms of each outcome.
    pub fn of(outcomes: &Outcomes) -> Self {
        Self {
            ok: encoded(&outcomes.ok),
            wrong: encoded(&outcomes.wrong),
            shed: encoded(&outcomes.shed),
            timed_out: encoded(&outcomes.timed_out),
        }
    }
}

/// A time as results hold it.
pub fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

/// An HDR histogram in nanoseconds, V2, base64; `None` where it is empty.
pub fn encoded(times: &Latencies) -> Option<String> {
    let mut bytes = Vec::new();
    let written = V2Serializer::new().serialize(times.histogram(), &mut bytes);
    (!times.is_empty() && written.is_ok()).then(|| STANDARD.encode(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

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
