//! Response times as a histogram that loses neither counts nor extremes.

use std::time::Duration;

use hdrhistogram::Histogram;

/// Response times of one outcome.
///
/// An HDR histogram of three significant digits in **nanoseconds**: in microseconds, three digits
/// would be fewer below one millisecond, and `/hello` on loopback takes tens of microseconds. A
/// histogram that reaches from there to a minute takes about 200 KB; it grows as it needs to.
/// Least, greatest and sum are kept beside it, so minimum, mean and maximum are exact.
#[derive(Debug, Clone)]
pub struct Latencies {
    histogram: Histogram<u64>,
    min_ns: u64,
    max_ns: u64,
    sum_ns: u128,
}

const SIGNIFICANT_DIGITS: u8 = 3;

impl Latencies {
    /// An empty one.
    pub fn new() -> Self {
        let histogram = Histogram::new(SIGNIFICANT_DIGITS).expect("three digits are allowed");
        Self { histogram, min_ns: u64::MAX, max_ns: 0, sum_ns: 0 }
    }

    /// What was saved: a histogram in nanoseconds and the exact figures beside it.
    pub fn from_saved(histogram: Histogram<u64>, min: Duration, max: Duration, sum: Duration) -> Self {
        Self { histogram, min_ns: nanoseconds(min), max_ns: nanoseconds(max), sum_ns: sum.as_nanos() }
    }

    /// Adds one response time.
    pub fn record(&mut self, duration: Duration) {
        self.record_ns(nanoseconds(duration));
    }

    /// The same in nanoseconds.
    pub(in super::super) fn record_ns(&mut self, ns: u64) {
        if self.histogram.record(ns).is_err() {
            self.histogram.saturating_record(ns);
        }
        self.min_ns = self.min_ns.min(ns);
        self.max_ns = self.max_ns.max(ns);
        self.sum_ns += u128::from(ns);
    }

    /// Adds all that `other` holds, as if it had been recorded here.
    pub fn merge(&mut self, other: &Self) {
        if self.histogram.add(&other.histogram).is_err() {
            // Saved histograms may have bounds of their own.
            for value in other.histogram.iter_recorded() {
                self.histogram.saturating_record_n(value.value_iterated_to(), value.count_at_value());
            }
        }
        self.min_ns = self.min_ns.min(other.min_ns);
        self.max_ns = self.max_ns.max(other.max_ns);
        self.sum_ns += other.sum_ns;
    }

    /// Forgets all of them, but keeps the memory.
    pub(super) fn clear(&mut self) {
        self.histogram.reset();
        (self.min_ns, self.max_ns, self.sum_ns) = (u64::MAX, 0, 0);
    }

    /// How many response times it holds.
    pub fn count(&self) -> u64 {
        self.histogram.len()
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.count() == 0
    }

    /// The shortest, exactly.
    pub fn min(&self) -> Option<Duration> {
        (!self.is_empty()).then(|| Duration::from_nanos(self.min_ns))
    }

    /// The longest, exactly.
    pub fn max(&self) -> Option<Duration> {
        (!self.is_empty()).then(|| Duration::from_nanos(self.max_ns))
    }

    /// The arithmetic mean, exactly.
    pub fn mean(&self) -> Option<Duration> {
        let mean = self.sum_ns.checked_div(u128::from(self.count()))?;
        Some(Duration::from_nanos(u64::try_from(mean).unwrap_or(u64::MAX)))
    }

    /// All response times added up, exactly.
    pub fn sum(&self) -> Duration {
        duration(self.sum_ns)
    }

    /// The response time that the fraction `quantile` (0.5, 0.99, …) of all did not exceed, within
    /// `min` and `max`. Nothing where there are too few for it to mean something: p90 needs 10, p99
    /// needs 100, p99.9 needs 1,000.
    pub fn quantile(&self, quantile: f64) -> Option<Duration> {
        if self.is_empty() || !(0.0..=1.0).contains(&quantile) {
            return None;
        }
        // One in how many lies above? Rounded, for 1 / (1 - 0.99) is a little more than 100.
        let needed = (1.0 / (1.0 - quantile)).round();
        if quantile > 0.5 && quantile < 1.0 && (self.count() as f64) < needed {
            return None;
        }
        let ns = self.histogram.value_at_quantile(quantile).clamp(self.min_ns, self.max_ns);
        Some(Duration::from_nanos(ns))
    }

    /// The median.
    pub fn p50(&self) -> Option<Duration> {
        self.quantile(0.5)
    }

    /// The 90th percentile, from 10 response times up.
    pub fn p90(&self) -> Option<Duration> {
        self.quantile(0.9)
    }

    /// The 99th percentile, from 100 response times up.
    pub fn p99(&self) -> Option<Duration> {
        self.quantile(0.99)
    }

    /// The 99.9th percentile, from 1,000 response times up.
    pub fn p999(&self) -> Option<Duration> {
        self.quantile(0.999)
    }

    /// The histogram itself, in nanoseconds, to be saved or drawn.
    pub fn histogram(&self) -> &Histogram<u64> {
        &self.histogram
    }
}

impl Default for Latencies {
    fn default() -> Self {
        Self::new()
    }
}

fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

/// The inverse of `Duration::as_nanos`, for sums that may exceed `u64` nanoseconds.
pub(super) fn duration(ns: u128) -> Duration {
    const SECOND: u128 = 1_000_000_000;
    let seconds = u64::try_from(ns / SECOND).unwrap_or(u64::MAX);
    Duration::new(seconds, (ns % SECOND) as u32)
}
