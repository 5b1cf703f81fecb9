//! What a comparison needs of results: for each line and level the figures of every trial.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::analysis::statistics::geometric_mean;
use crate::results::{Cell, Distinctions, Results, counted};

/// What levels of two lines have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct LevelKey {
    /// Of the job.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<u32>,
    /// Clients.
    pub concurrency: u32,
}

impl LevelKey {
    fn of(cell: &Cell) -> Self {
        Self { size: cell.size, concurrency: cell.concurrency }
    }

    /// `4 clients`, `size 20, 4 clients`.
    pub fn describe(self) -> String {
        let size = self.size.map(|size| format!("size {size}, ")).unwrap_or_default();
        size + &counted(self.concurrency, "client")
    }
}

/// A level of one trial.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Figures {
    pub rps: f64,
    pub p50_ms: Option<f64>,
}

/// A server as it was run, over levels and trials.
#[derive(Debug, Clone, Default)]
pub(super) struct Line {
    pub server: String,
    /// What tells it from other lines of that server: `, 2 workers`.
    pub suffix: String,
    /// Why one of its processes could not be started or did not last.
    pub failure: Option<String>,
    pub levels: BTreeMap<LevelKey, BTreeMap<u32, Figures>>,
}

impl Line {
    /// The lines of these servers (all, where none are named), in the order of tables. Levels that were ended early
    /// or had no right answer are left out.
    pub fn all(results: &Results, show: Distinctions, servers: &[String]) -> Vec<Self> {
        let mut lines: Vec<Self> = Vec::new();
        for pass in results.passes_sorted() {
            if !servers.is_empty() && !servers.contains(&pass.server) {
                continue;
            }
            let label = pass.label(show);
            let at = lines.iter().position(|line| line.label() == label).unwrap_or_else(|| {
                let suffix = label.strip_prefix(&pass.server).unwrap_or_default().to_owned();
                lines.push(Self { server: pass.server.clone(), suffix, ..Self::default() });
                lines.len() - 1
            });
            let line = &mut lines[at];
            if let Some(failure) = &pass.failure {
                line.failure.get_or_insert_with(|| failure.message.clone());
            }
            for cell in pass.levels.iter().filter(|cell| !cell.interrupted) {
                if let Some(rps) = cell.throughput_rps.filter(|&rps| rps > 0.0) {
                    let figures = Figures { rps, p50_ms: cell.latency_ms.p50 };
                    line.levels.entry(LevelKey::of(cell)).or_default().insert(pass.trial, figures);
                }
            }
        }
        lines
    }

    /// As in tables.
    pub fn label(&self) -> String {
        format!("{}{}", self.server, self.suffix)
    }

    /// The levels that both have.
    pub fn shared_levels(&self, other: &Self) -> Vec<LevelKey> {
        self.levels.keys().filter(|level| other.levels.contains_key(level)).copied().collect()
    }

    /// Trials that have all these levels: one that was ended early has no mean over them.
    pub fn whole_trials(&self, levels: &[LevelKey]) -> Vec<u32> {
        let has = |level: &LevelKey, trial| self.levels.get(level).is_some_and(|trials| trials.contains_key(trial));
        let Some(first) = levels.first().and_then(|level| self.levels.get(level)) else { return Vec::new() };
        first.keys().filter(|trial| levels.iter().all(|level| has(level, trial))).copied().collect()
    }

    /// A figure of a trial over these levels: the geometric mean, so that slow levels count as much as fast ones.
    pub fn over_levels(
        &self,
        levels: &[LevelKey],
        trial: u32,
        figure: impl Fn(&Figures) -> Option<f64>,
    ) -> Option<f64> {
        let values = levels.iter().map(|level| figure(self.levels.get(level)?.get(&trial)?));
        geometric_mean(&values.collect::<Option<Vec<f64>>>()?)
    }
}
