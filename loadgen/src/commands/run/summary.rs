//! The result as people read it.

use std::fmt::Display;

use crate::engine::{Arrivals, Connections, Pace};
use crate::report::format::{bytes, milliseconds, or_nothing, three_digits};
use crate::results::{Latency, counted};

use super::outcome::Outcome;

/// Lines of a label and what there is to say.
#[derive(Default)]
struct Lines(String);

impl Lines {
    fn add(&mut self, label: &str, text: impl Display) {
        self.0 += format!("{label:<12}{text}").trim_end();
        self.0.push('\n');
    }
}

/// The whole result.
pub(super) fn render(outcome: &Outcome) -> String {
    let mut lines = Lines(format!("{} {}\n{}; {}\n\n", outcome.method, outcome.url, loop_of(outcome), outcome.checks));
    lines.add("requests", requests(outcome));
    lines.add("rate", rate(outcome));
    let counts_from = if outcome.schedule.is_some() { "   from when they were due" } else { "" };
    lines.add("latency", format!("{}{counts_from}", latency(&outcome.latency_ms)));
    if let Some(kept) = &outcome.schedule {
        lines.add("service", format!("{}   from when they were sent", latency(&kept.service_ms)));
        let (mean, max) = (kept.lateness_ms.mean, kept.lateness_ms.max);
        let late =
            format!("{} late on average, {} at most", or_nothing(mean, milliseconds), or_nothing(max, milliseconds));
        let (asked, sent) = (three_digits(kept.asked_rps), or_nothing(kept.sent_rps, three_digits));
        lines.add("sent", format!("{sent}/s of {asked}/s asked for, {late}"));
    }
    let in_flight = or_nothing(outcome.mean_in_flight, |mean| format!("{mean:.2}"));
    lines.add("in flight", format!("{in_flight} on average, {} cut off by the end", outcome.in_flight_at_end));
    let reconnects = counted(u32::try_from(outcome.reconnects).unwrap_or(u32::MAX), "reconnect");
    lines.add("received", format!("{}, {reconnects}{}", bytes(outcome.bytes_received), statuses(outcome)));
    lines.add("loadgen", generator(outcome));
    if let Some(warm_up) = &outcome.warm_up {
        let seconds = or_nothing(warm_up.elapsed_s, |seconds| milliseconds(seconds * 1000.0));
        lines.add(
            "warm-up",
            format!("{} requests in {seconds}, {} errors; not counted", warm_up.requests, warm_up.errors),
        );
    }
    let count = outcome.server_requests_started.map(|count| format!("{count} requests started"));
    let means = outcome.server_timing_ms.iter().map(|(name, &ms)| format!("{name} {}", milliseconds(ms)));
    let says: Vec<String> = count.into_iter().chain(means).collect();
    if !says.is_empty() {
        lines.add("server says", says.join(", "));
    }
    format!("{}{}{}", lines.0, failures(outcome), warnings(outcome))
}

fn loop_of(outcome: &Outcome) -> String {
    let clients = |what| counted(u32::try_from(outcome.clients).unwrap_or(u32::MAX), what);
    let threads = counted(u32::try_from(outcome.threads).unwrap_or(u32::MAX), "thread");
    let connections = match outcome.connections {
        Connections::KeepAlive => "keep-alive",
        Connections::PerRequest => "a connection for each request",
    };
    match outcome.pace {
        Pace::Closed => format!("closed loop, {}, {threads}, {connections}", clients("client")),
        Pace::Open { rate, arrivals, .. } => {
            let arrivals = match arrivals {
                Arrivals::Constant => "evenly",
                Arrivals::Poisson => "at random",
            };
            let most = clients("connection");
            format!("open loop, {} requests/s {arrivals}, at most {most}, {threads}, {connections}", three_digits(rate))
        }
    }
}

fn requests(outcome: &Outcome) -> String {
    let elapsed =
        outcome.elapsed_s.map(|seconds| format!(" in {}", milliseconds(seconds * 1000.0))).unwrap_or_default();
    let early = if outcome.interrupted { "; ended early" } else { "" };
    format!("{}{elapsed}: {} ok, {} errors{early}", outcome.requests, outcome.ok, outcome.errors)
}

fn rate(outcome: &Outcome) -> String {
    let mut text = format!("{} right answers/s", or_nothing(outcome.throughput_rps, three_digits));
    if outcome.replies_rps != outcome.throughput_rps {
        text += &format!(", {} answers/s with wrong ones", or_nothing(outcome.replies_rps, three_digits));
    }
    text
}

fn latency(latency: &Latency) -> String {
    let Latency { min, mean, p50, p90, p99, p999, max } = *latency;
    let figures =
        [("min", min), ("mean", mean), ("p50", p50), ("p90", p90), ("p99", p99), ("p99.9", p999), ("max", max)];
    figures.map(|(name, value)| format!("{name} {}", or_nothing(value, milliseconds))).join("   ")
}

/// Where there is more to say than one status for all.
fn statuses(outcome: &Outcome) -> String {
    let statuses = outcome.status_codes.iter().map(|(status, count)| format!("{status} ({count})"));
    let statuses: Vec<String> = statuses.collect();
    if statuses.is_empty() { String::new() } else { format!("; status {}", statuses.join(", ")) }
}

fn generator(outcome: &Outcome) -> String {
    let each = or_nothing(outcome.generator_cpu_us_per_request, |us| milliseconds(us / 1000.0));
    let share = outcome.elapsed_s.filter(|&elapsed| elapsed > 0.0).map(|elapsed| outcome.generator_cpu_s / elapsed);
    format!("{each} of CPU for each request, {} of a CPU", or_nothing(share, |share| format!("{:.1}%", share * 100.0)))
}

fn failures(outcome: &Outcome) -> String {
    let mut out = String::new();
    for (kind, count) in outcome.errors_by_kind.iter().filter(|&(_, &count)| count > 0) {
        if out.is_empty() {
            out.push_str("\nerrors, each kind with its first\n");
        }
        let first = outcome.failures.iter().find(|failure| failure.kind == *kind);
        let first = first.map(|failure| {
            format!("{}: expected {}, received {}", failure.request, failure.expected, failure.received)
        });
        out += format!("{kind:>16} {count:>8}   {}", first.unwrap_or_default()).trim_end();
        out.push('\n');
    }
    out
}

fn warnings(outcome: &Outcome) -> String {
    let lines = outcome.warnings.iter().map(|warning| format!("warning: {warning}\n"));
    let text: String = lines.collect();
    if text.is_empty() { text } else { format!("\n{text}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::run::outcome::for_tests::outcome;
    use crate::engine::Measured;

    #[test]
    fn an_empty_run_has_no_figures() {
        let (outcome, _) = outcome(&[], Measured::default());
        let text = render(&outcome);
        assert!(text.contains("requests    0: 0 ok, 0 errors\nrate        - right answers/s\n"), "{text}");
        assert!(text.contains("min -   mean -   p50 -   p90 -   p99 -   p99.9 -   max -\n"), "{text}");
        assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
        let json = serde_json::to_value(&outcome).unwrap();
        assert!(json["generator_cpu_us_per_request"].is_null() && json["throughput_rps"].is_null(), "{json}");
    }
}
