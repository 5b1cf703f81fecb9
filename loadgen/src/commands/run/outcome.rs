//! What a run came to, as `--json` prints it; every other output is made from this.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::engine::{Connections, ErrorKind, FailureExample, LittlesLaw, Measured, Pace, Schedule};
use crate::results::{Histograms, Latency, Machine, milliseconds};

use crate::commands::provenance::PROGRAM;

use super::plan::{Plan, shown};

/// The result of `loadgen run`. Names that a cell of a sweep has too mean the same there.
#[derive(Debug, Serialize)]
pub(super) struct Outcome {
    /// Version and commit of loadgen.
    pub(super) program: String,
    /// When it began, with offset (RFC 3339).
    pub(super) started_at: String,
    pub(super) command_line: Vec<String>,
    pub(super) url: String,
    pub(super) method: String,
    /// Address, or path of a socket.
    pub(super) address: String,
    /// What is checked of answers.
    pub(super) checks: String,
    pub(super) seed: u64,
    pub(super) pace: Pace,
    pub(super) connections: Connections,
    /// Clients that sent; in open loop the most that could.
    pub(super) clients: usize,
    pub(super) threads: usize,
    pub(super) timeout_s: f64,
    pub(super) warm_up: Option<WarmUp>,
    /// Ended by Ctrl-C or SIGTERM.
    pub(super) interrupted: bool,
    /// `ok + errors`.
    pub(super) requests: u64,
    pub(super) ok: u64,
    pub(super) errors: u64,
    pub(super) errors_by_kind: BTreeMap<ErrorKind, u64>,
    /// Of the errors: not even tried, since nothing could be reached for two seconds.
    pub(super) given_up: u64,
    /// Begun and cut off by the end: started = requests + in_flight_at_end.
    pub(super) in_flight_at_end: u64,
    pub(super) reconnects: u64,
    pub(super) status_codes: BTreeMap<u16, u64>,
    /// From the first request sent to the end of the last.
    pub(super) elapsed_s: Option<f64>,
    /// `ok / elapsed_s`.
    pub(super) throughput_rps: Option<f64>,
    /// Without ramp-up and tail.
    pub(super) steady_rps: Option<f64>,
    /// Of complete replies, right or wrong.
    pub(super) replies_rps: Option<f64>,
    pub(super) replies_mean_ms: Option<f64>,
    pub(super) mean_in_flight: Option<f64>,
    pub(super) littles_law: Option<LittlesLaw>,
    /// Right answers and time-outs; in open loop from when a request was due.
    pub(super) latency_ms: Latency,
    /// How the schedule was kept; open loop only.
    pub(super) schedule: Option<Kept>,
    pub(super) bytes_received: u64,
    /// CPU of loadgen, all its threads.
    pub(super) generator_cpu_s: f64,
    /// The same for each request, microseconds.
    pub(super) generator_cpu_us_per_request: Option<f64>,
    /// What the server says by `Server-Timing`: mean milliseconds by name.
    pub(super) server_timing_ms: BTreeMap<String, f64>,
    /// By the server's own count, where it has one.
    pub(super) server_requests_started: Option<u64>,
    /// The first failure of each kind.
    pub(super) failures: Vec<FailureExample>,
    /// What a reader should know before believing, and what to do about it.
    pub(super) warnings: Vec<String>,
    /// Whole, by outcome.
    pub(super) histograms: Histograms,
    pub(super) machine: Machine,
}

/// What was sent first and not counted.
#[derive(Debug, Serialize)]
pub(super) struct WarmUp {
    pub(super) requests: u64,
    pub(super) errors: u64,
    pub(super) in_flight_at_end: u64,
    pub(super) elapsed_s: Option<f64>,
}

/// How an open loop kept its schedule.
#[derive(Debug, Serialize)]
pub(super) struct Kept {
    pub(super) asked_rps: f64,
    /// As requests were sent.
    pub(super) sent_rps: Option<f64>,
    /// The same requests as they were due.
    pub(super) due_rps: Option<f64>,
    /// Requests that found every connection in use.
    pub(super) waited: u64,
    /// How late the others were sent.
    pub(super) lateness_ms: Latency,
    /// Right answers, from when they were sent.
    pub(super) service_ms: Latency,
}

/// What is known of a run beside what the engine measured.
pub(super) struct Around {
    pub(super) started_at: String,
    pub(super) command_line: Vec<String>,
    pub(super) warm_up: Option<WarmUp>,
    pub(super) interrupted: bool,
    pub(super) generator_cpu_s: f64,
    pub(super) server_requests_started: Option<u64>,
    pub(super) machine: Machine,
}

impl Outcome {
    /// Without warnings: they follow from it.
    pub(super) fn new(plan: &Plan, measured: &Measured, around: Around) -> Self {
        let load = &plan.load;
        let requests = measured.requests();
        // Those that were not tried cost nothing.
        let tried = requests.saturating_sub(measured.given_up);
        let per_request = around.generator_cpu_s * 1e6 / tried as f64;
        Self {
            program: PROGRAM.into(),
            started_at: around.started_at,
            command_line: around.command_line,
            url: shown(&plan.url),
            method: load.request.method.clone(),
            address: load.target.to_string(),
            checks: plan.checks.clone(),
            seed: plan.seed,
            pace: load.pace,
            connections: load.connections,
            clients: measured.clients,
            threads: measured.threads,
            timeout_s: load.timeout.as_secs_f64(),
            warm_up: around.warm_up,
            interrupted: around.interrupted,
            requests,
            ok: measured.ok,
            errors: measured.errors_total(),
            errors_by_kind: measured.errors.clone(),
            given_up: measured.given_up,
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
            schedule: measured.schedule.as_ref().map(Kept::new),
            bytes_received: measured.bytes_received,
            generator_cpu_s: around.generator_cpu_s,
            generator_cpu_us_per_request: (tried > 0).then_some(per_request),
            server_timing_ms: measured.server_timing.by_name(),
            server_requests_started: around.server_requests_started,
            failures: measured.failures.clone(),
            warnings: Vec::new(),
            histograms: Histograms::of(&measured.outcomes),
            machine: around.machine,
        }
    }

    /// Whether every request that ended was answered rightly, and there was one.
    pub(super) fn all_good(&self) -> bool {
        self.errors == 0 && self.ok > 0
    }
}

impl Kept {
    fn new(schedule: &Schedule) -> Self {
        Self {
            asked_rps: schedule.asked_rps,
            sent_rps: schedule.sent_rps(),
            due_rps: schedule.due_rps(),
            waited: schedule.waited,
            lateness_ms: Latency::of(&schedule.lateness),
            service_ms: Latency::of(&schedule.service),
        }
    }
}

/// Results as they follow from flags and from what was measured.
#[cfg(test)]
pub(super) mod for_tests {
    use clap::Parser as _;

    use super::*;
    use crate::cli::{Cli, Command};

    pub(in super::super) fn outcome(flags: &[&str], measured: Measured) -> (Outcome, Measured) {
        let typed = [&["loadgen", "run", "--url", "http://127.0.0.1:1/"], flags].concat();
        let Ok(Cli { command: Command::Run(arguments), .. }) = Cli::try_parse_from(typed) else { panic!("{flags:?}") };
        let around = Around {
            started_at: String::new(),
            command_line: Vec::new(),
            warm_up: None,
            interrupted: false,
            generator_cpu_s: 0.5,
            server_requests_started: None,
            machine: Machine::here(),
        };
        (Outcome::new(&Plan::new(&arguments).unwrap(), &measured, around), measured)
    }
}
