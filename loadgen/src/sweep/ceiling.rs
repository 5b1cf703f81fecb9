//! Ceiling samples over a sweep, taken while the servers are idle.

use std::ffi::OsString;
use std::time::{Duration, Instant};

use serde::Deserialize;

use crate::catalog::ComputesOn;
use crate::contract;
use crate::plan::Pass;
use crate::results::CeilingSample;
use crate::scenario::Scenario;
use crate::server::Server;
use crate::subject::{Launch, Process};

use super::Sweep;

/// Between the levels of a server a sample is taken when the last one is this many times its own length ago, so that
/// samples cost at most 5% of the time.
const APART: u32 = 20;
/// How long each number of threads computes.
const SECONDS: f64 = 1.0;
/// The same for a quick run.
const QUICK_SECONDS: f64 = 0.3;

/// What to sample, and when it was last done.
pub struct CeilingMeter {
    path: String,
    threads: Vec<u32>,
    seconds: f64,
    last: Option<(Instant, Duration)>,
}

/// A line of `loadgen ceiling --json`.
#[derive(Deserialize)]
struct Line {
    threads: u32,
    elapsed_s: f64,
    rate_rps: f64,
}

impl CeilingMeter {
    /// A meter for the thread counts that the levels are compared with; `None` where no server is to be compared.
    pub fn new(scenario: &Scenario, servers: &[Server], passes: &[Pass], usable: usize) -> Option<Self> {
        let mut threads = std::collections::BTreeSet::new();
        for pass in passes {
            let Some(kind) = servers[pass.server].computes_on else { continue };
            let cpus = pass.cpus.min(u32::try_from(usable).unwrap_or(u32::MAX));
            threads.insert(cpus);
            threads.extend(pass.levels.iter().map(|&clients| ComputesOn::threads(kind, clients, cpus, pass.workers)));
        }
        let seconds = if scenario.quick { QUICK_SECONDS } else { SECONDS };
        let computes = contract::is_computation(&scenario.request.path);
        let needed = cfg!(feature = "serve") && computes && !threads.is_empty();
        needed.then(|| Self {
            path: scenario.request.path.replace("{salt}", "0"),
            threads: threads.into_iter().collect(),
            seconds,
            last: None,
        })
    }

    fn is_due(&self) -> bool {
        self.last.is_none_or(|(end, length)| end.elapsed() > length * APART)
    }
}

impl Sweep {
    /// Samples the ceiling with every number of threads; unless `always`, only if the last sample is long ago.
    pub(super) async fn sample_ceiling(&mut self, always: bool) {
        let Some(meter) = self.ceiling.as_ref().filter(|meter| always || meter.is_due()) else { return };
        let begun = Instant::now();
        let mut broken = None;
        for &threads in &meter.threads.clone() {
            if self.interrupt.is_set() {
                return;
            }
            self.progress.show(&format!("ceiling of {threads} threads"));
            match self.one_sample(threads).await {
                Some(Ok(sample)) => self.results.ceiling.push(sample),
                Some(Err(reason)) => broken = Some(reason),
                None => return,
            }
        }
        if let Some(reason) = broken {
            self.progress.line(&format!("loadgen: the ceiling cannot be measured: {reason}"));
            self.ceiling = None;
        } else if let Some(meter) = &mut self.ceiling {
            meter.last = Some((Instant::now(), begun.elapsed()));
        }
    }

    /// `None` when interrupted.
    async fn one_sample(&self, threads: u32) -> Option<Result<CeilingSample, String>> {
        let meter = self.ceiling.as_ref()?;
        let (count, seconds) = (threads.to_string(), meter.seconds.to_string());
        let arguments = ["ceiling", "--path", &meter.path, "--threads", &count, "--seconds", &seconds, "--json"]
            .map(OsString::from);
        let launch = Launch {
            name: "ceiling".into(),
            program: match std::env::current_exe() {
                Ok(path) => path.into_os_string(),
                Err(error) => return Some(Err(error.to_string())),
            },
            args: arguments.to_vec(),
            env: Vec::new(),
            cpus: None,
            working_dir: None,
            grace: Duration::ZERO,
            shepherd_executable: None,
        };
        let process = match Process::spawn(&launch) {
            Ok(process) => process,
            Err(error) => return Some(Err(error.to_string())),
        };
        tokio::select! {
            _ = process.exited() => {}
            () = self.interrupt.wait() => return None,
        }
        let words = process.last_words();
        let line = words.iter().find_map(|line| serde_json::from_str::<Line>(line).ok());
        Some(line.ok_or_else(|| words.join("; ")).map(|line| CeilingSample {
            at_s: self.begun.elapsed().as_secs_f64() - line.elapsed_s / 2.0,
            threads: line.threads,
            rate_rps: line.rate_rps,
        }))
    }
}
