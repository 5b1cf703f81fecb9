//! What can be measured of a cell, by the names of the columns of results.csv.

use serde::{Deserialize, Serialize};

/// A figure of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "docs/claims.md and METHODOLOGY.md say it")]
pub enum Metric {
    ThroughputRps,
    RepliesRps,
    SteadyRps,
    MeanMs,
    RepliesMeanMs,
    P50Ms,
    P90Ms,
    P99Ms,
    MaxMs,
    ServerCpuSPerRequest,
    ServerCpusUsed,
    ServerPeakRssBytes,
    ContextSwitchesPerRequest,
    Efficiency,
}

impl Metric {
    /// All of them.
    pub const ALL: [Self; 14] = [
        Self::ThroughputRps,
        Self::RepliesRps,
        Self::SteadyRps,
        Self::MeanMs,
        Self::RepliesMeanMs,
        Self::P50Ms,
        Self::P90Ms,
        Self::P99Ms,
        Self::MaxMs,
        Self::ServerCpuSPerRequest,
        Self::ServerCpusUsed,
        Self::ServerPeakRssBytes,
        Self::ContextSwitchesPerRequest,
        Self::Efficiency,
    ];

    /// As in scenario files.
    pub fn name(self) -> &'static str {
        match self {
            Self::ThroughputRps => "throughput_rps",
            Self::RepliesRps => "replies_rps",
            Self::SteadyRps => "steady_rps",
            Self::MeanMs => "mean_ms",
            Self::RepliesMeanMs => "replies_mean_ms",
            Self::P50Ms => "p50_ms",
            Self::P90Ms => "p90_ms",
            Self::P99Ms => "p99_ms",
            Self::MaxMs => "max_ms",
            Self::ServerCpuSPerRequest => "server_cpu_s_per_request",
            Self::ServerCpusUsed => "server_cpus_used",
            Self::ServerPeakRssBytes => "server_peak_rss_bytes",
            Self::ContextSwitchesPerRequest => "context_switches_per_request",
            Self::Efficiency => "efficiency",
        }
    }

    /// In a sentence.
    pub fn title(self) -> &'static str {
        match self {
            Self::ThroughputRps => "throughput",
            Self::RepliesRps => "rate of replies, right or wrong",
            Self::SteadyRps => "steady throughput",
            Self::MeanMs => "mean response time",
            Self::RepliesMeanMs => "mean response time, right or wrong",
            Self::P50Ms => "median response time",
            Self::P90Ms => "p90 of response times",
            Self::P99Ms => "p99 of response times",
            Self::MaxMs => "longest response time",
            Self::ServerCpuSPerRequest => "CPU time per request",
            Self::ServerCpusUsed => "CPUs used",
            Self::ServerPeakRssBytes => "most memory",
            Self::ContextSwitchesPerRequest => "context switches per request",
            Self::Efficiency => "efficiency",
        }
    }

    /// The metric of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|metric| metric.name() == name)
    }

    /// Requests a second.
    pub fn is_rate(self) -> bool {
        matches!(self, Self::ThroughputRps | Self::RepliesRps | Self::SteadyRps)
    }

    /// A mean response time: in a closed loop as good as a rate.
    pub fn is_mean_time(self) -> bool {
        matches!(self, Self::MeanMs | Self::RepliesMeanMs)
    }

    /// Whether it depends on how fast requests are answered, so that a load generator that takes CPU from the server
    /// spoils it.
    pub fn is_speed(self) -> bool {
        let time = matches!(self, Self::P50Ms | Self::P90Ms | Self::P99Ms | Self::MaxMs | Self::Efficiency);
        time || self.is_rate() || self.is_mean_time()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_that_are_saved() {
        for metric in Metric::ALL {
            assert_eq!(Metric::named(metric.name()), Some(metric));
            assert_eq!(serde_json::to_value(metric).unwrap(), metric.name());
        }
    }
}
