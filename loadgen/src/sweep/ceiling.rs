//! Ceiling samples over a sweep, taken while the servers are idle.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::fs::File;
use std::io::Write;
use std::os::fd::AsRawFd;
use std::time::{Duration, Instant};

use anyhow::Context;
use nix::sys::memfd::{MFdFlags, memfd_create};
use serde::Deserialize;

use crate::analysis::limits::Kind;
use crate::catalog::ComputesOn;
use crate::contract;
use crate::image::Expected;
use crate::plan::{Level, Pass};
use crate::results::{CeilingSample, counted};
use crate::scenario::{Scenario, sizes::with_size};
use crate::server::Server;
use crate::subject::{Launch, Process};

use super::Sweep;

/// The part of a run's time that samples may take, but for the first ones, which every run needs.
const SHARE: f64 = 0.05;
/// How long each number of threads computes, for all sizes together.
const SECONDS: f64 = 1.0;
/// The same for a quick run.
const QUICK_SECONDS: f64 = 0.3;

/// What to sample, and what that took so far.
pub struct CeilingMeter {
    path: String,
    /// An input, where it is a picture: a file without a name, so that nothing is left of it however loadgen ends.
    input: Option<File>,
    /// Of each sample.
    seconds: f64,
    budget: Budget,
}

/// Decides what is sampled when.
#[derive(Debug)]
struct Budget {
    /// Every size with every number of threads, the one that was sampled longest ago first, with what its last sample
    /// took in seconds.
    due: VecDeque<(Kind, f64)>,
    /// Seconds that all samples took.
    spent_s: f64,
}

impl Budget {
    fn new(kinds: impl IntoIterator<Item = Kind>) -> Self {
        Self { due: kinds.into_iter().map(|kind| (kind, 0.0)).collect(), spent_s: 0.0 }
    }

    /// What may be sampled so long after the run began.
    fn next(&self, elapsed_s: f64) -> Option<Kind> {
        let &(kind, cost_s) = self.due.front()?;
        (self.spent_s + cost_s <= SHARE * elapsed_s).then_some(kind)
    }

    /// The front has been sampled.
    fn pay(&mut self, seconds: f64) {
        self.spent_s += seconds;
        if let Some((kind, _)) = self.due.pop_front() {
            self.due.push_back((kind, seconds));
        }
    }
}

/// A line of `loadgen ceiling --json`.
#[derive(Deserialize)]
struct Line {
    threads: u32,
    elapsed_s: f64,
    rate_rps: f64,
}

impl CeilingMeter {
    /// A meter for the sizes and the thread counts that the levels are compared with; `None` where no server is to be compared.
    ///
    /// # Errors
    /// There is no memory for an input.
    pub fn new(
        scenario: &Scenario,
        expected: Option<&Expected>,
        servers: &[Server],
        passes: &[Pass],
        usable: usize,
    ) -> anyhow::Result<Option<Self>> {
        let mut threads = std::collections::BTreeSet::new();
        for pass in passes {
            let Some(kind) = servers[pass.server].computes_on else { continue };
            let cpus = pass.cpus.min(u32::try_from(usable).unwrap_or(u32::MAX));
            threads.insert(cpus);
            let of_level = |level: &Level| ComputesOn::threads(kind, level.clients, cpus, pass.workers);
            threads.extend(pass.levels.iter().map(of_level));
        }
        let sizes = scenario.sizes();
        let seconds = if scenario.quick { QUICK_SECONDS } else { SECONDS };
        let computes = contract::is_computation(&scenario.request.path);
        let needed = cfg!(feature = "serve") && computes && !threads.is_empty();
        let input = expected.filter(|_| needed).and_then(|expected| expected.inputs().first());
        let input = input.map(|input| unnamed(input)).transpose().context("a picture for the ceiling")?;
        Ok(needed.then(|| Self {
            path: scenario.request.path.replace("{salt}", "0"),
            input,
            seconds: seconds / sizes.len() as f64,
            budget: Budget::new(sizes.iter().flat_map(|&size| threads.iter().map(move |&threads| (size, threads)))),
        }))
    }

    fn arguments(&self, (size, threads): Kind) -> Vec<OsString> {
        let (count, seconds) = (threads.to_string(), self.seconds.to_string());
        let path = with_size(&self.path, size);
        let mut arguments: Vec<OsString> =
            ["ceiling", "--path", &path, "--threads", &count, "--seconds", &seconds, "--json"]
                .map(OsString::from)
                .to_vec();
        if let Some(input) = &self.input {
            let place = format!("/proc/{}/fd/{}", std::process::id(), input.as_raw_fd());
            arguments.extend(["--input".into(), place.into()]);
        }
        arguments
    }
}

/// These bytes as a file in memory that has no name.
fn unnamed(bytes: &[u8]) -> anyhow::Result<File> {
    let mut file = File::from(memfd_create(c"input", MFdFlags::MFD_CLOEXEC)?);
    file.write_all(bytes)?;
    Ok(file)
}

impl Sweep {
    /// Samples the ceiling of every size with every number of threads, if it was never sampled, else with those whose turn it is and
    /// that there is time for: each once at the most.
    pub(super) async fn sample_ceiling(&mut self) {
        let Some(meter) = &self.ceiling else { return };
        let first = self.results.ceiling.is_empty();
        for _ in 0..meter.budget.due.len() {
            let elapsed_s = if first { f64::INFINITY } else { self.begun.elapsed().as_secs_f64() };
            let due = self.ceiling.as_ref().and_then(|meter| meter.budget.next(elapsed_s));
            let Some(kind) = due.filter(|_| !self.interrupt.is_set()) else { return };
            self.progress.show(&format!("ceiling of {}", counted(kind.1, "thread")));
            match self.one_sample(kind).await {
                Some(Ok(sample)) => {
                    self.results.ceiling.push(sample);
                    if let Some(meter) = &mut self.ceiling {
                        meter.budget.pay(sample.took_s);
                    }
                }
                Some(Err(reason)) => {
                    self.progress.line(&format!("loadgen: the ceiling cannot be measured: {reason}"));
                    self.ceiling = None;
                }
                None => return,
            }
        }
    }

    /// `None` when interrupted.
    async fn one_sample(&self, kind: Kind) -> Option<Result<CeilingSample, String>> {
        let meter = self.ceiling.as_ref()?;
        let begun = Instant::now();
        let launch = Launch {
            name: "ceiling".into(),
            program: match std::env::current_exe() {
                Ok(path) => path.into_os_string(),
                Err(error) => return Some(Err(error.to_string())),
            },
            args: meter.arguments(kind),
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
            size: kind.0,
            threads: line.threads,
            rate_rps: line.rate_rps,
            took_s: begun.elapsed().as_secs_f64(),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_take_turns_and_a_twentieth_of_the_time() {
        let (mut budget, mut taken) = (Budget::new([1, 2, 4].map(|threads| (None, threads))), Vec::new());
        // At first all, whatever it costs.
        for threads in [1, 2, 4] {
            assert_eq!(budget.next(f64::INFINITY), Some((None, threads)));
            budget.pay(0.5);
        }
        for second in 0..1000 {
            if let Some((_, threads)) = budget.next(f64::from(second)) {
                budget.pay(0.5);
                taken.push((second, threads));
            }
            assert!(budget.spent_s <= f64::max(1.5, 0.05 * f64::from(second)), "{second}: {budget:?}");
        }
        assert_eq!(taken[..4], [(40, 1), (50, 2), (60, 4), (70, 1)]);
        assert_eq!(taken.len(), 96);
        assert_eq!(Budget::new([]).next(f64::INFINITY), None);
    }
}
