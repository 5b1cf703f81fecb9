//! What tells cells from each other: everything but the trial.

use super::{Cell, PassResult};

/// A server as it was run: a line in charts. Axes that a scenario has not are `None`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LineKey {
    /// By name.
    pub server: String,
    /// As in [`PassResult::backend`].
    pub backend: Option<String>,
    /// As in [`PassResult::cpus`].
    pub cpus: Option<u32>,
    /// As in [`PassResult::workers`].
    pub workers: Option<u32>,
}

/// A point of that line.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CellKey {
    /// The server.
    pub line: LineKey,
    /// Of the job.
    pub size: Option<u32>,
    /// Clients.
    pub concurrency: u32,
}

impl PassResult {
    /// The line that this pass is one trial of.
    pub fn line_key(&self) -> LineKey {
        let Self { server, backend, cpus, workers, .. } = self;
        LineKey { server: server.clone(), backend: backend.clone(), cpus: *cpus, workers: *workers }
    }

    /// The point that one of its cells is one trial of.
    pub fn cell_key(&self, cell: &Cell) -> CellKey {
        CellKey { line: self.line_key(), size: cell.size, concurrency: cell.concurrency }
    }
}
