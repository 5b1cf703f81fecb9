//! Claims: what a study published about its servers, or what this project adds as a control, in a form that results
//! can be held against. The vocabulary is told in docs/claims.md.

mod cells;
mod file;
mod metric;
mod published;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

use super::Levels;
pub use cells::Selector;
pub(super) use file::{ClaimTable, Known, check};
pub use metric::Metric;
pub use published::Published;
pub(super) use published::PublishedTable;

/// One `[[claim]]` of a scenario.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Claim {
    /// Its name within the scenario.
    pub id: String,
    /// What is claimed, in words.
    pub text: String,
    /// Where it was published; empty for a control of ours.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub source: String,
    /// Whether it is a control of this project and was never published.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ours: bool,
    /// Whether the shrunk form of the scenario can say anything about it.
    #[serde(default = "yes", skip_serializing_if = "is_true")]
    pub quick: bool,
    /// CPUs that the servers must have for it to be tested at all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub needs_cpus: Option<u32>,
    /// What has to hold.
    #[serde(flatten)]
    pub kind: Kind,
}

fn yes() -> bool {
    true
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_true(value: &bool) -> bool {
    *value
}

/// What a claim says has to hold. Tolerances are factors less 1: with 0.2 everything from p / 1.2 to p * 1.2 is p.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Kind {
    /// A metric is the same at every level.
    Flat {
        /// The line.
        of: Selector,
        /// At these levels; `None`: at all.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        levels: Option<Levels>,
        /// What is the same.
        metric: Metric,
        /// How far a level may be off the mean of all.
        tolerance: f64,
    },
    /// A metric grows with the clients up to the CPUs (or workers, where they are fewer), then stays.
    ScalesToCpus {
        /// The line.
        of: Selector,
        /// At these levels; `None`: at all.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        levels: Option<Levels>,
        /// What grows.
        metric: Metric,
        /// How many times the rate of one client was reached.
        published: f64,
        /// With so many CPUs.
        published_cpus: u32,
        /// How far growth, and then each level, may be off.
        tolerance: f64,
    },
    /// A metric of one cell is so many times that of another.
    Ratio {
        /// The cell that is more, or less.
        of: Selector,
        /// The other.
        against: Selector,
        /// Of the first.
        metric: Metric,
        /// Of the other, where it is not the same.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        against_metric: Option<Metric>,
        /// So many times.
        published: f64,
        /// How far off it may be.
        tolerance: f64,
    },
    /// A metric of one cell is about that of another.
    Near {
        /// One cell.
        of: Selector,
        /// The other.
        against: Selector,
        /// Of the first.
        metric: Metric,
        /// Of the other, where it is not the same.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        against_metric: Option<Metric>,
        /// How far apart they may be.
        tolerance: f64,
    },
    /// Cells in the order of a metric.
    Order {
        /// As claimed.
        cells: Vec<Selector>,
        /// Whether the least is the first.
        #[serde(default)]
        lowest_first: bool,
        /// What orders them.
        metric: Metric,
        /// Cells that are less apart are no order.
        tolerance: f64,
    },
    /// Not one request failed.
    NoErrors {
        /// The lines; none: every server.
        of: Vec<Selector>,
        /// At these levels; `None`: at all.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        levels: Option<Levels>,
    },
    /// No complete reply was wrong.
    EveryAnswerRight {
        /// The lines; none: every server.
        of: Vec<Selector>,
        /// At these levels; `None`: at all.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        levels: Option<Levels>,
    },
    /// So much of the complete replies was wrong.
    ShareWrong {
        /// The line.
        of: Selector,
        /// At these levels; `None`: at all.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        levels: Option<Levels>,
        /// The least share, 0 to 1.
        at_least: f64,
    },
    /// Memory grows with the requests answered, or does not.
    MemorySlope {
        /// The cell.
        of: Selector,
        /// In bytes for each request.
        #[serde(flatten)]
        bound: Bound,
    },
    /// Context switches explain that one cell is slower than another, or do not.
    ContextSwitches {
        /// The slower cell.
        of: Selector,
        /// The faster one.
        against: Selector,
        /// By which it is slower: a rate or a mean time.
        metric: Metric,
        /// Whether they are claimed to explain it.
        explain: bool,
        /// What one is taken to cost, microseconds.
        cost_us: f64,
    },
}

/// From one side.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Bound {
    /// No less.
    AtLeast(f64),
    /// No more.
    AtMost(f64),
}

impl Kind {
    /// As in scenario files.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Flat { .. } => "flat",
            Self::ScalesToCpus { .. } => "scales-to-cpus",
            Self::Ratio { .. } => "ratio",
            Self::Near { .. } => "near",
            Self::Order { .. } => "order",
            Self::NoErrors { .. } => "no-errors",
            Self::EveryAnswerRight { .. } => "every-answer-right",
            Self::ShareWrong { .. } => "share-wrong",
            Self::MemorySlope { .. } => "memory-slope",
            Self::ContextSwitches { .. } => "context-switches",
        }
    }
}
