//! What a run found out, as it is saved. Every table, chart and verdict is made from this and nothing else.

mod check;
mod figures;
pub mod folder;
mod key;
pub mod machine;
mod read;
pub mod verdict;
pub mod warning;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::engine::{ErrorKind, FailureExample};
pub use crate::engine::{LittlesLaw, Outcome, Timed};
use crate::scenario::Scenario;
pub use crate::subject::Sample;
pub use figures::{encoded, milliseconds};
pub use folder::Folder;
pub use key::{CellKey, LineKey};
pub use machine::Machine;
pub use read::{Detail, ReadError, parse};
pub use verdict::{Judgement, Over, Spread, Verdict};
pub use warning::Warning;

/// Version of this layout, raised with every change that an older reader would misread.
///
/// 2: warnings have kinds and figures; they were texts.
pub const SCHEMA_VERSION: u32 = 2;

/// results.json.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Results {
    /// [`SCHEMA_VERSION`].
    pub schema_version: u32,
    /// Version and commit of loadgen.
    pub program: String,
    /// When the run began, with offset (RFC 3339).
    pub started_at: String,
    /// How long it took so far, seconds.
    pub wall_s: f64,
    /// Whether it was ended before it was done.
    pub interrupted: bool,
    /// As typed.
    pub command_line: Vec<String>,
    /// Of every shuffle and of the salts.
    pub seed: u64,
    /// What was run, with the changes that the command line made.
    pub scenario: Scenario,
    /// Where.
    pub machine: Machine,
    /// What the CPUs could do with no server in the way, over the run.
    pub ceiling: Vec<CeilingSample>,
    /// One for each server process, in the order in which they ran.
    pub passes: Vec<PassResult>,
    /// Servers that were asked for and cannot run here.
    #[serde(default)]
    pub skipped: Vec<Skipped>,
    /// What a reader should know before believing.
    pub warnings: Vec<Warning>,
    /// On each claim of the scenario, in its order.
    #[serde(default)]
    pub verdicts: Vec<Verdict>,
}

/// The native kernel alone on `threads` threads at once, each on a CPU of its own.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct CeilingSample {
    /// Middle of the sample, seconds since the run began.
    pub at_s: f64,
    /// Of the job; `None` where the scenario has no such axis.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<u32>,
    /// Threads, and CPUs.
    pub threads: u32,
    /// Jobs a second of all threads together.
    pub rate_rps: f64,
    /// What it took of the run's time, with start and end of its process, seconds.
    #[serde(default)]
    pub took_s: f64,
}

/// A server that was not measured.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Skipped {
    /// By name.
    pub server: String,
    /// What is missing, and how to get it.
    pub reason: String,
}

/// One server process over the levels.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct PassResult {
    /// By name.
    pub server: String,
    /// One line.
    pub description: String,
    /// What ran it, with its version; `None`: it is a part of loadgen, or not known.
    #[serde(default)]
    pub runtime: Option<String>,
    /// What it does wrong, where that is its point: wrong answers are expected then.
    #[serde(default)]
    pub fault: Option<String>,
    /// CPUs that it may use; `None`: not chosen by loadgen.
    pub cpus: Option<u32>,
    /// Its workers; `None`: it has no such setting.
    pub workers: Option<u32>,
    /// Whether each of them kept to one CPU.
    #[serde(default)]
    pub pinned: bool,
    /// What computed; `None`: not known.
    #[serde(default)]
    pub backend: Option<String>,
    /// From 1.
    pub trial: u32,
    /// How many of its threads can compute at once with clients enough; `None`: not known.
    pub computing_threads: Option<u32>,
    /// The command that started it.
    pub command: Option<String>,
    /// Requests that were sent first and not counted.
    pub warm_up_requests: u64,
    /// How long that took, seconds.
    #[serde(default)]
    pub warm_up_s: f64,
    /// Whether the rate settled before the most that the scenario allows; `None`: it was not watched, or did not end.
    #[serde(default)]
    pub warm_up_settled: Option<bool>,
    /// What a reader should know before believing any of its levels.
    #[serde(default)]
    pub warnings: Vec<Warning>,
    /// Why it could not be started or did not last.
    pub failure: Option<Failure>,
    /// In the order in which they were measured.
    pub levels: Vec<Cell>,
}

/// The end of a server that was not asked to end, or never began.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Failure {
    /// What happened.
    pub message: String,
    /// The last lines that it wrote.
    pub last_words: Vec<String>,
}

/// One level of one pass.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Cell {
    /// Clients.
    pub concurrency: u32,
    /// Of the job; `None` where the scenario has no such axis.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<u32>,
    /// Start, seconds since the run began.
    pub started_s: f64,
    /// End, seconds since the run began.
    pub ended_s: f64,
    /// How long the server went on computing before this level could begin, for requests that were answered or given
    /// up, seconds; `None`: not known.
    #[serde(default)]
    pub settle_s: Option<f64>,
    /// Whether it still did when the level began, since nobody waits for ever.
    #[serde(default)]
    pub still_busy: bool,
    /// Ended before all requests were sent: the figures are of a part.
    pub interrupted: bool,
    /// `ok + errors`.
    pub requests: u64,
    /// Right answers.
    pub ok: u64,
    /// All others that ended.
    pub errors: u64,
    /// The same by kind.
    pub errors_by_kind: BTreeMap<ErrorKind, u64>,
    /// Requests without an end: started = requests + in_flight_at_end.
    pub in_flight_at_end: u64,
    /// Requests sent again because the server had closed an idle connection.
    pub reconnects: u64,
    /// Complete replies by status.
    pub status_codes: BTreeMap<u16, u64>,
    /// First request sent to the end of the last, by its response or by a failure.
    pub elapsed_s: Option<f64>,
    /// `ok / elapsed_s`.
    pub throughput_rps: Option<f64>,
    /// Without ramp-up and tail.
    pub steady_rps: Option<f64>,
    /// Of complete replies, right or wrong.
    pub replies_rps: Option<f64>,
    /// Of complete replies, right or wrong.
    pub replies_mean_ms: Option<f64>,
    /// Requests under way, integrated over the steady part.
    pub mean_in_flight: Option<f64>,
    /// Little's law over the steady part.
    pub littles_law: Option<LittlesLaw>,
    /// Right answers and time-outs.
    pub latency_ms: Latency,
    /// CPU that loadgen itself used.
    pub generator_cpu_s: f64,
    /// CPU that programs other than the server and loadgen used; `None`: not known.
    pub other_cpu_s: Option<f64>,
    /// Bytes that went to or came from swap, of any program; `None`: not known.
    #[serde(default)]
    pub swapped_bytes: Option<u64>,
    /// Requests a second that were asked for; `None`: a closed loop, which sends as fast as it is answered.
    #[serde(default)]
    pub asked_rps: Option<f64>,
    /// What the server said of its right answers by `Server-Timing`: mean milliseconds by name; empty where it says nothing.
    #[serde(default)]
    pub server_timing_ms: BTreeMap<String, f64>,
    /// What the server used, where loadgen started it.
    pub server: Option<ServerUse>,
    /// What the side probe met, where there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub probe: Option<ProbeResult>,
    /// Whole, by outcome.
    #[serde(deserialize_with = "read::bulk")]
    pub histograms: Histograms,
    /// Every request of levels of up to 1,000.
    #[serde(default, deserialize_with = "read::bulk")]
    pub times: Option<Vec<Timed>>,
    /// The first of each kind that went wrong.
    pub failures: Vec<FailureExample>,
    /// The server over the level.
    #[serde(deserialize_with = "read::bulk")]
    pub samples: Vec<Sample>,
    /// What a reader should know before believing.
    pub warnings: Vec<Warning>,
}

/// Response times in milliseconds; `None` where there is nothing to say.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the names say it")]
pub struct Latency {
    pub min: Option<f64>,
    pub mean: Option<f64>,
    pub p50: Option<f64>,
    /// From 10 samples up.
    pub p90: Option<f64>,
    /// From 100 samples up.
    pub p99: Option<f64>,
    /// From 1,000 samples up.
    pub p999: Option<f64>,
    pub max: Option<f64>,
}

/// What the side probe of a level met: an open loop, each probe on a connection of its own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProbeResult {
    /// What was asked.
    pub path: String,
    /// How often, per second.
    pub rate: f64,
    /// Probes that were due before the level ended: `ok + errors + in_flight_at_end`.
    pub sent: u64,
    /// Right answers.
    pub ok: u64,
    /// All others that ended.
    pub errors: u64,
    /// The same by kind.
    pub errors_by_kind: BTreeMap<ErrorKind, u64>,
    /// Probes without an end.
    pub in_flight_at_end: u64,
    /// From when they were due: right answers, time-outs, and those without an end, which took at least as long as they had waited.
    pub latency_ms: Latency,
    /// The same as HDR histogram in nanoseconds, V2, base64; absent where empty.
    pub histogram: Option<String>,
    /// The first of each kind that went wrong.
    pub failures: Vec<FailureExample>,
}

/// What a server used over a level, all its processes together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ServerUse {
    /// CPU seconds, user and system.
    pub cpu_s: f64,
    /// Most memory of any sample: RSS of one process, PSS summed over several.
    pub peak_rss_bytes: u64,
    /// Most threads of any sample.
    pub peak_threads: u32,
    /// Context switches, voluntary and involuntary.
    pub context_switches: Option<u64>,
    /// Whether they are the server's own count, which threads that ended are in.
    pub context_switches_exact: bool,
}

/// HDR histograms of response times in nanoseconds, V2, base64; absent where empty.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Histograms {
    /// Right answers.
    pub ok: Option<String>,
    /// Complete replies that were wrong.
    pub wrong: Option<String>,
    /// Refused by the server under load (503).
    pub shed: Option<String>,
    /// Timed out.
    pub timed_out: Option<String>,
}

impl Results {
    /// All cells with the pass that each belongs to.
    pub fn cells(&self) -> impl Iterator<Item = (&PassResult, &Cell)> {
        self.passes.iter().flat_map(|pass| pass.levels.iter().map(move |cell| (pass, cell)))
    }

    /// Whether every server ran and every answer was right, those to probes too. Wrong answers of servers whose point they
    /// are do not count.
    pub fn all_good(&self) -> bool {
        let right = |(pass, cell): (&PassResult, &Cell)| {
            pass.unexpected_errors(cell) == 0 && cell.probe.as_ref().is_none_or(|probe| probe.errors == 0)
        };
        self.passes.iter().all(|pass| pass.failure.is_none()) && self.cells().all(right)
    }

    /// Whether nothing at all was measured.
    pub fn is_empty(&self) -> bool {
        self.cells().next().is_none()
    }
}

impl PassResult {
    /// Errors of a level that are the point of a server with a fault: replies to other requests.
    pub fn expected_errors(&self, cell: &Cell) -> u64 {
        let wrong = cell.errors_by_kind.get(&ErrorKind::Body).copied();
        self.fault.as_ref().and(wrong).unwrap_or(0)
    }

    /// Errors of a level that are not the point of its server.
    pub fn unexpected_errors(&self, cell: &Cell) -> u64 {
        cell.errors.saturating_sub(self.expected_errors(cell))
    }

    /// The server's name, with what else tells it from its neighbours in this run.
    pub fn label(&self, show: Distinctions) -> String {
        let mut label = self.server.clone();
        if let (true, Some(backend)) = (show.backend, &self.backend) {
            label += &format!(", {backend}");
        }
        if let (true, Some(workers)) = (show.workers, self.workers) {
            label += &format!(", {}", counted(workers, "worker"));
        }
        if let (true, Some(cpus)) = (show.cpus, self.cpus) {
            label += &format!(", {}", counted(cpus, "CPU"));
        }
        label
    }
}

/// `1 worker`, `2 workers`.
pub fn counted(number: u32, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

/// Which axes have more than one value, so that labels must name them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub struct Distinctions {
    pub backend: bool,
    pub workers: bool,
    pub cpus: bool,
}

impl Distinctions {
    /// What labels have to show where those of both stand side by side.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self {
            backend: self.backend || other.backend,
            workers: self.workers || other.workers,
            cpus: self.cpus || other.cpus,
        }
    }

    /// What labels of these results have to show.
    pub fn of(results: &Results) -> Self {
        fn more_than_one<'a, T: PartialEq>(results: &'a Results, value: fn(&'a PassResult) -> T) -> bool {
            let mut by_server: BTreeMap<&str, T> = BTreeMap::new();
            let mut passes = results.passes.iter();
            passes.any(|pass| *by_server.entry(&pass.server).or_insert_with(|| value(pass)) != value(pass))
        }
        Self {
            backend: more_than_one(results, |pass| &pass.backend),
            workers: more_than_one(results, |pass| pass.workers),
            cpus: more_than_one(results, |pass| pass.cpus),
        }
    }
}

impl Results {
    /// All cells in the order of tables: servers as the scenario has them, then backends, CPUs, workers, size,
    /// concurrency, trial.
    pub fn rows(&self) -> Vec<(&PassResult, &Cell)> {
        let mut rows: Vec<_> = self.cells().collect();
        rows.sort_by_key(|(pass, cell)| {
            (self.rank(&pass.server), &pass.backend, pass.cpus, pass.workers, cell.size, cell.concurrency, pass.trial)
        });
        rows
    }

    /// Passes in the order of tables.
    pub fn passes_sorted(&self) -> Vec<&PassResult> {
        let mut passes: Vec<_> = self.passes.iter().collect();
        passes.sort_by_key(|pass| (self.rank(&pass.server), &pass.backend, pass.cpus, pass.workers, pass.trial));
        passes
    }

    /// The place of a server in the scenario, the same in every table and chart.
    pub fn rank(&self, server: &str) -> usize {
        self.scenario.servers.iter().position(|name| name == server).unwrap_or(usize::MAX)
    }
}
