//! From the cells that a claim names to those that were measured, or why there are none.

use crate::analysis::job_size::{SHARED, generator_share};
use crate::analysis::limits::Limits;
use crate::analysis::trials::{Group, groups};
use crate::format::percent;
use crate::results::{Cell, Distinctions, PassResult, Results, counted};
use crate::scenario::{Levels, Metric, Selector};

/// The cells of a run, all trials of each together.
pub struct Measured<'a> {
    /// Of which.
    pub results: &'a Results,
    groups: Vec<Group<'a>>,
    show: Distinctions,
}

impl<'a> Measured<'a> {
    /// Those that were measured to their end.
    pub fn of(results: &'a Results) -> Self {
        Self { results, groups: groups(results), show: Distinctions::of(results) }
    }

    /// A cell in words: `worker-pool, 4 workers at 10 clients`.
    pub fn label(&self, group: &Group) -> String {
        let line = self.line_label(group);
        format!("{line} at {}", counted(group.key.concurrency, "client"))
    }

    /// The same without its level.
    pub fn line_label(&self, group: &Group) -> String {
        let line = group.trials.first().map(|(pass, _)| pass.label(self.show)).unwrap_or_default();
        let size = group.key.size.map(|size| format!(", size {size}")).unwrap_or_default();
        line + &size
    }

    /// The one cell that is meant.
    pub fn cell(&self, of: &Selector) -> Result<&Group<'a>, String> {
        let line = self.one_line(of)?;
        let found = match of.concurrency {
            Some(clients) => line.iter().find(|group| group.key.concurrency == clients),
            None => line.last(),
        };
        found.copied().ok_or_else(|| self.no_level(of))
    }

    /// The levels of the one line that is meant, ascending; one at least.
    pub fn levels(&self, of: &Selector, levels: Option<&Levels>) -> Result<Vec<&Group<'a>>, String> {
        let mut line = self.one_line(of)?;
        line.retain(|group| is_among(group, levels));
        if line.is_empty() { Err(format!("no level that it is about was run of {}", of.server)) } else { Ok(line) }
    }

    /// All lines that can be meant, with all their levels; one at least.
    pub fn lines(&self, of: &Selector, levels: Option<&Levels>) -> Result<Vec<&Group<'a>>, String> {
        let mut found = self.candidates(of)?;
        found.retain(|group| is_among(group, levels) && of.size.is_none_or(|size| group.key.size == Some(size)));
        if found.is_empty() { Err(format!("no level that it is about was run of {}", of.server)) } else { Ok(found) }
    }

    /// The levels of the line and the size that are meant, ascending by clients.
    fn one_line(&self, of: &Selector) -> Result<Vec<&Group<'a>>, String> {
        let mut found = self.candidates(of)?;
        let cpus = found.iter().map(|group| group.key.line.cpus).max().flatten();
        found.retain(|group| group.key.line.cpus == cpus);
        if let Some(backend) = found.first().map(|group| group.key.line.backend.clone()) {
            found.retain(|group| group.key.line.backend == backend);
        }
        let mut counts: Vec<u32> = found.iter().filter_map(|group| group.key.line.workers).collect();
        counts.sort_unstable();
        counts.dedup();
        if counts.len() > 1 {
            let default = cpus.filter(|cpus| counts.contains(cpus)).ok_or_else(|| {
                let counts: Vec<String> = counts.iter().map(u32::to_string).collect();
                format!(
                    "{} was run with {} workers, and the claim does not say with how many",
                    of.server,
                    counts.join(", ")
                )
            })?;
            found.retain(|group| group.key.line.workers == Some(default));
        }
        let size = of.size.or_else(|| found.iter().filter_map(|group| group.key.size).max());
        found.retain(|group| group.key.size == size);
        if found.is_empty() {
            return Err(format!("size {} was not run", size.unwrap_or(0)));
        }
        found.sort_by_key(|group| group.key.concurrency);
        Ok(found)
    }

    /// Every cell of the server as it is meant.
    fn candidates(&self, of: &Selector) -> Result<Vec<&Group<'a>>, String> {
        let Selector { server, backend, workers, cpus, .. } = of;
        let of_server: Vec<&Group> = self.groups.iter().filter(|group| group.key.line.server == *server).collect();
        if of_server.is_empty() {
            return Err(self.not_there(server));
        }
        let here = self.results.machine.cpus_usable.len();
        let mut found = of_server;
        if let Some(cpus) = *cpus {
            found.retain(|group| group.key.line.cpus == Some(cpus));
            if found.is_empty() {
                let short = cpus as usize > here;
                let few = if short { format!(" (there are {here} here)") } else { "; see --cpu-count".into() };
                return Err(format!("{server} was not run on {}{few}", counted(cpus, "CPU")));
            }
        }
        if let Some(workers) = *workers {
            found.retain(|group| group.key.line.workers == Some(workers));
            if found.is_empty() {
                return Err(format!("{server} was not run with {}", counted(workers, "worker")));
            }
        }
        if let Some(backend) = backend {
            found.retain(|group| group.key.line.backend.as_ref() == Some(backend));
            if found.is_empty() {
                return Err(format!("{server} was not run with the backend {backend}"));
            }
        }
        Ok(found)
    }

    /// Why a server has no cells.
    fn not_there(&self, server: &str) -> String {
        let passes = || self.results.passes.iter().filter(|pass| pass.server == server);
        if let Some(failure) = passes().find_map(|pass| pass.failure.as_ref()) {
            return format!("{server} gave no results: {}", failure.message);
        }
        let skipped = self.results.skipped.iter().find(|skipped| skipped.server == server);
        match passes().next() {
            _ if skipped.is_some() => {
                format!("{server} was skipped: {}", skipped.map_or("", |skipped| skipped.reason.as_str()))
            }
            Some(_) => format!("the run was ended before {server} had a whole level"),
            None => format!("{server} was not run"),
        }
    }

    fn no_level(&self, of: &Selector) -> String {
        let clients = counted(of.concurrency.unwrap_or(0), "client");
        let quick = if self.results.scenario.quick { " (a quick run has fewer levels)" } else { "" };
        format!("{} was not run at {clients}{quick}", of.server)
    }

    /// A figure of one trial of a cell; an error where it is not what the claim is about.
    pub fn figure(&self, pass: &PassResult, cell: &Cell, metric: Metric) -> Result<Option<f64>, String> {
        let spare = self.results.scenario.spare_cpu;
        let all = pass.cpus.is_none_or(|cpus| cpus as usize >= self.results.machine.cpus_usable.len());
        if let Some(share) = generator_share(cell).filter(|&share| spare && all && share > SHARED && metric.is_speed())
        {
            return Err(format!(
                "at {} loadgen took {} of a CPU that {} may use, so its rates are of both",
                counted(cell.concurrency, "client"),
                percent(share),
                pass.server
            ));
        }
        Ok(figure(self.results, pass, cell, metric).filter(|value| value.is_finite()))
    }
}

fn is_among(group: &Group, levels: Option<&Levels>) -> bool {
    levels.is_none_or(|levels| levels.as_slice().contains(&group.key.concurrency))
}

/// A figure of one cell; `None` where it was not measured.
fn figure(results: &Results, pass: &PassResult, cell: &Cell, metric: Metric) -> Option<f64> {
    let server = cell.server.as_ref();
    let ended = (cell.requests > 0).then_some(cell.requests as f64);
    match metric {
        Metric::ThroughputRps => cell.throughput_rps,
        Metric::RepliesRps => cell.replies_rps,
        Metric::SteadyRps => cell.steady_rps,
        Metric::MeanMs => cell.latency_ms.mean,
        Metric::RepliesMeanMs => cell.replies_mean_ms,
        Metric::P50Ms => cell.latency_ms.p50,
        Metric::P90Ms => cell.latency_ms.p90,
        Metric::P99Ms => cell.latency_ms.p99,
        Metric::MaxMs => cell.latency_ms.max,
        Metric::ServerCpuSPerRequest => Some(server?.cpu_s / ended?),
        Metric::ServerCpusUsed => Some(server?.cpu_s / cell.elapsed_s.filter(|&elapsed| elapsed > 0.0)?),
        Metric::ServerPeakRssBytes => Some(server?.peak_rss_bytes as f64).filter(|&bytes| bytes > 0.0),
        Metric::ContextSwitchesPerRequest => Some(server?.context_switches? as f64 / ended?),
        Metric::Efficiency => Limits::of(results, pass, cell).efficiency,
    }
}
