//! One level: load on one side, samples of the server on the other.

use std::time::Duration;

use anyhow::Context as _;
use tokio::sync::Notify;

use crate::analysis::limits;
use crate::engine::{self, Live, Load, Measured};
use crate::plan::{Level, Pass};
use crate::report::format::{milliseconds, or_nothing, three_digits};
use crate::results::machine::{busy_s, own_cpu_s, swapped_bytes};
use crate::results::{Cell, ProbeResult, ServerUse, counted};
use crate::running::Running;
use crate::subject::{Sample, Sampler};

use super::cell::{Span, cell};
use super::probe::probe;
use super::{PASS_OVERHEAD_S, Sweep, UNKNOWN_LEVEL_S};

/// How often a server is sampled.
const EVERY: Duration = Duration::from_millis(100);

impl Sweep {
    /// Measures one level. A server that ends, or an interrupt, ends it early; what was measured counts.
    pub(super) async fn level(
        &mut self,
        pass: &Pass,
        level: Level,
        load: &Load,
        running: &Running,
    ) -> anyhow::Result<Cell> {
        let sampler = running.process().map(|process| Sampler::start(process.shepherd_pid(), EVERY));
        let switches_before = self.own_switches(pass, running).await;
        let before = sampler.as_ref().and_then(Sampler::sample_now);
        let live = Live::default();
        let expected = self.expected_s(pass, level, load.requests);
        let (busy_before, swapped_before) = (busy_s(), swapped_bytes());
        let (cpu_before, started_s) = (own_cpu_s(), self.begun.elapsed().as_secs_f64());
        let (measured, probe) = {
            let trial = self.trial(pass);
            let what = format!("{}{trial} at {}", self.servers[pass.server].name, described(level));
            let follow = self.progress.follow(&what, &live, load.requests, expected);
            tokio::select! {
                both = self.load_and_probe(load, &live, running) => both?,
                never = follow => match never {},
            }
        };
        let span = Span {
            started_s,
            ended_s: self.begun.elapsed().as_secs_f64(),
            generator_cpu_s: own_cpu_s() - cpu_before,
            busy_s: busy_s().zip(busy_before).map(|(after, before)| after - before),
            swapped_bytes: swapped_bytes().zip(swapped_before).map(|(after, before)| after.saturating_sub(before)),
        };
        self.progress.advance(expected);
        let after = sampler.as_ref().and_then(Sampler::sample_now);
        let switches_after = self.own_switches(pass, running).await;
        let samples = sampler.map(Sampler::stop).unwrap_or_default();
        let own_switches = switches_after.zip(switches_before).map(|(after, before)| after.saturating_sub(before));
        let server = server_use(before.as_ref(), after.as_ref(), &samples, own_switches);
        Ok(cell(level, &measured, probe, span, server, samples))
    }

    /// The load to its end, and the side probe, where there is one, as long as that.
    async fn load_and_probe(
        &self,
        load: &Load,
        live: &Live,
        running: &Running,
    ) -> anyhow::Result<(Measured, Option<ProbeResult>)> {
        let over = Notify::new();
        let measured = async {
            let measured = engine::run(load, live, self.stop_signal(running)).await;
            over.notify_one();
            measured.context("load engine")
        };
        let scenario = &self.results.scenario;
        let probed = async {
            match &scenario.probe {
                Some(asked) => probe(scenario, asked, running, over.notified()).await.map(Some),
                None => Ok(None),
            }
        };
        // The probe first: it is there when the load begins.
        let (probed, measured) = tokio::join!(biased; probed, measured);
        Ok((measured?, probed?))
    }

    /// The server's own count of context switches, where the contract says that it has one. A loop that still computes
    /// for requests that were given up may not answer for minutes: an interrupt does not wait for it.
    async fn own_switches(&self, pass: &Pass, running: &Running) -> Option<u64> {
        if !self.servers[pass.server].parts.contains(&crate::catalog::Part::Metrics) {
            return None;
        }
        tokio::select! {
            biased;
            () = self.stop_signal(running) => None,
            counters = self.control.counters(running.address) => Some(counters?.context_switches),
        }
    }

    /// How long a level should take: by the ceiling where the server has one, else by the level before.
    fn expected_s(&self, pass: &Pass, level: Level, requests: u64) -> f64 {
        let by_ceiling = self.servers[pass.server].computes_on.and_then(|kind| {
            let threads = kind.threads(level.clients, pass.cpus, pass.workers);
            limits::median_rate(&self.results.ceiling, (level.size, threads))
        });
        let alike = self.results.cells().filter(|(_, cell)| cell.size == level.size);
        let before = alike.last().and_then(|(_, cell)| cell.throughput_rps);
        match by_ceiling.or(before).filter(|&rate| rate > 0.0) {
            Some(rate) => requests as f64 / rate,
            None => UNKNOWN_LEVEL_S,
        }
    }

    /// Tells the progress what all passes from here on are expected to take.
    pub(super) fn guess_time_left(&self, passes: &[Pass]) {
        // A level that is stretched to a least length takes about that long.
        let least = self.results.scenario.requests.least_s.unwrap_or(0.0);
        let of =
            |pass: &Pass, level: Level| self.expected_s(pass, level, self.requests(level.clients, None)).max(least);
        let of_pass = |pass: &Pass| pass.levels.iter().map(|&level| of(pass, level)).sum::<f64>();
        // Ceiling samples come on top, at most a twentieth.
        let levels = passes.iter().map(of_pass).sum::<f64>() * 1.05;
        let each = PASS_OVERHEAD_S + self.expected_warm_up_s();
        self.progress.expect_remaining(levels + passes.len() as f64 * each);
    }

    /// Which trial it is, where there are several.
    fn trial(&self, pass: &Pass) -> String {
        match self.results.scenario.trials {
            1 => String::new(),
            trials => format!(", trial {} of {trials}", pass.trial),
        }
    }

    /// The line of a finished level.
    pub(super) fn line(&self, pass: &Pass, cell: &Cell) -> String {
        // A backend is told where it is a question of the run.
        let told = self.results.scenario.backends.len() > 1;
        let backend = pass.backend.as_ref().filter(|_| told).map(|backend| format!(", {backend}")).unwrap_or_default();
        let workers = pass.workers.map(|workers| format!(", {}", counted(workers, "worker"))).unwrap_or_default();
        let fewer = pass.cpus as usize != self.results.machine.cpus_usable.len();
        let cpus = if fewer { format!(", {}", counted(pass.cpus, "CPU")) } else { String::new() };
        format!(
            "{}{backend}{workers}{cpus}{}, {}: {} requests/s, p50 {}, {}",
            self.servers[pass.server].name,
            self.trial(pass),
            described(Level { clients: cell.concurrency, size: cell.size }),
            or_nothing(cell.throughput_rps, three_digits),
            or_nothing(cell.latency_ms.p50, milliseconds),
            counted(u32::try_from(cell.errors).unwrap_or(u32::MAX), "error"),
        )
    }
}

/// A level in words: `4 clients`, `size 20, 4 clients`.
fn described(level: Level) -> String {
    let size = level.size.map(|size| format!("size {size}, ")).unwrap_or_default();
    format!("{size}{}", counted(level.clients, "client"))
}

/// What the server used between two samples at the edges of a level.
fn server_use(
    before: Option<&Sample>,
    after: Option<&Sample>,
    samples: &[Sample],
    own_switches: Option<u64>,
) -> Option<ServerUse> {
    // A server that died in the middle has no sample at the end: the last one before stands for it.
    let before = before?;
    let after = after.or(samples.last().filter(|last| last.at > before.at))?;
    let switches = |sample: &Sample| Some(sample.voluntary_switches? + sample.involuntary_switches?);
    let sampled = switches(after).zip(switches(before)).map(|(after, before)| after.saturating_sub(before));
    let all = || samples.iter().chain([before, after]);
    Some(ServerUse {
        cpu_s: (after.cpu_s - before.cpu_s).max(0.0),
        peak_rss_bytes: all().map(|sample| sample.rss_bytes).max().unwrap_or(0),
        peak_threads: all().map(|sample| sample.threads).max().unwrap_or(0),
        context_switches: own_switches.or(sampled),
        context_switches_exact: own_switches.is_some(),
    })
}
