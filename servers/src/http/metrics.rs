//! `GET /metrics`: what the process has used and what became of requests, as Prometheus text.

use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use nix::sys::resource::{Usage, UsageWho, getrusage};
use nix::sys::time::TimeValLike;

/// What became of a request for a computation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RequestEnd {
    Ok,
    /// The request itself was wrong (400, 404, 413, 415, 422, 501).
    Invalid,
    /// The job failed (500).
    Failed,
    /// The executor could not take the job (503).
    Refused,
    /// The job was not begun before its deadline (503).
    Expired,
    /// The client went away.
    Cancelled,
}

const REQUEST_ENDS: [(RequestEnd, &str); 6] = [
    (RequestEnd::Ok, "ok"),
    (RequestEnd::Invalid, "invalid"),
    (RequestEnd::Failed, "failed"),
    (RequestEnd::Refused, "refused"),
    (RequestEnd::Expired, "expired"),
    (RequestEnd::Cancelled, "cancelled"),
];

/// The counters of one server, shared by all its threads.
#[derive(Debug, Default)]
pub(crate) struct Metrics {
    started: AtomicU64,
    finished: [AtomicU64; REQUEST_ENDS.len()],
    computed: AtomicU64,
    skipped: AtomicU64,
}

impl Metrics {
    pub(crate) fn job_computed(&self) {
        self.computed.fetch_add(1, Relaxed);
    }

    pub(crate) fn job_skipped(&self) {
        self.skipped.fetch_add(1, Relaxed);
    }

    /// Jobs computed and skipped so far.
    #[cfg(test)]
    pub(crate) fn jobs(&self) -> (u64, u64) {
        (self.computed.load(Relaxed), self.skipped.load(Relaxed))
    }

    /// Counts a request in; it is counted out when the value returned is dropped, as `Cancelled` unless another end was set.
    pub(crate) fn request_started(self: &Arc<Self>) -> CountedRequest {
        self.started.fetch_add(1, Relaxed);
        CountedRequest { metrics: Arc::clone(self), end: RequestEnd::Cancelled }
    }

    /// All figures, as Prometheus text.
    pub(crate) fn render(&self) -> String {
        let mut text = Text::default();
        if let Ok(usage) = getrusage(UsageWho::RUSAGE_SELF) {
            text.process(&usage);
        }
        if let Some(threads) = threads() {
            text.figure("process_threads", "gauge", "Threads of the process now.", threads);
        }
        text.figure(
            "cpubound_requests_started_total",
            "counter",
            "Requests for a computation.",
            self.started.load(Relaxed),
        );
        let name = "cpubound_requests_finished_total";
        text.head(name, "counter", "Requests for a computation that ended, by how.");
        for (end, label) in REQUEST_ENDS {
            let count = self.finished[end as usize].load(Relaxed);
            text.line(format_args!("{name}{{outcome=\"{label}\"}} {count}"));
        }
        let computed = self.computed.load(Relaxed);
        text.figure("cpubound_jobs_computed_total", "counter", "Jobs that were begun.", computed);
        let skipped = self.skipped.load(Relaxed);
        text.figure("cpubound_jobs_skipped_total", "counter", "Jobs that nobody waited for any more.", skipped);
        text.0
    }
}

/// A request under way.
pub(crate) struct CountedRequest {
    metrics: Arc<Metrics>,
    end: RequestEnd,
}

impl CountedRequest {
    pub(crate) fn ended(mut self, end: RequestEnd) {
        self.end = end;
    }
}

impl Drop for CountedRequest {
    fn drop(&mut self) {
        self.metrics.finished[self.end as usize].fetch_add(1, Relaxed);
    }
}

/// Prometheus text in the making.
#[derive(Default)]
struct Text(String);

impl Text {
    fn process(&mut self, usage: &Usage) {
        let cpu = (usage.user_time() + usage.system_time()).num_microseconds();
        self.figure("process_cpu_seconds_total", "counter", "CPU time, of ended threads too.", cpu as f64 / 1e6);
        self.figure(
            "process_voluntary_context_switches_total",
            "counter",
            "Times that a thread gave up its CPU to wait, of ended threads too.",
            usage.voluntary_context_switches(),
        );
        self.figure(
            "process_involuntary_context_switches_total",
            "counter",
            "Times that a thread was made to give up its CPU, of ended threads too.",
            usage.involuntary_context_switches(),
        );
        // Linux counts in KiB.
        let peak = usage.max_rss() * 1024;
        self.figure("process_resident_memory_peak_bytes", "gauge", "Largest resident memory so far.", peak);
    }

    fn head(&mut self, name: &str, kind: &str, help: &str) {
        self.line(format_args!("# HELP {name} {help}\n# TYPE {name} {kind}"));
    }

    fn figure(&mut self, name: &str, kind: &str, help: &str, value: impl std::fmt::Display) {
        self.head(name, kind, help);
        self.line(format_args!("{name} {value}"));
    }

    fn line(&mut self, line: std::fmt::Arguments<'_>) {
        // Writing to a String cannot fail.
        let _ = writeln!(self.0, "{line}");
    }
}

/// Threads of this process, where the system tells.
fn threads() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    status.lines().find_map(|line| line.strip_prefix("Threads:")).and_then(|count| count.trim().parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_end_has_its_place() {
        for (index, (end, _)) in REQUEST_ENDS.into_iter().enumerate() {
            assert_eq!(end as usize, index);
        }
    }

    #[test]
    fn requests_are_counted_in_and_out() {
        let metrics = Arc::new(Metrics::default());
        metrics.request_started().ended(RequestEnd::Ok);
        drop(metrics.request_started());
        let _under_way = metrics.request_started();
        let text = metrics.render();
        for line in [
            "cpubound_requests_started_total 3",
            "cpubound_requests_finished_total{outcome=\"ok\"} 1",
            "cpubound_requests_finished_total{outcome=\"cancelled\"} 1",
            "# TYPE process_cpu_seconds_total counter",
        ] {
            assert!(text.lines().any(|given| given == line), "{line} in\n{text}");
        }
    }
}
