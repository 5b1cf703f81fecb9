//! What a run says of the claims of its scenario, as it is saved.

use serde::{Deserialize, Serialize};

/// On one claim.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// Of the claim.
    pub id: String,
    /// In two words.
    pub verdict: Judgement,
    /// What was measured, in the unit of the claim's kind (METHODOLOGY.md, "Verdicts").
    pub measured: Option<f64>,
    /// What it was held against, in the same unit and for this machine; `None` where the claim has no number.
    pub claimed: Option<f64>,
    /// Where the truth of what was measured lies with 95% probability.
    pub interval: Option<Spread>,
    /// The numbers, and why.
    pub sentence: String,
}

/// Whether what was claimed is what came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Judgement {
    /// Within the tolerance.
    #[serde(rename = "reproduced")]
    Reproduced,
    /// As claimed, but not as much.
    #[serde(rename = "direction only")]
    DirectionOnly,
    /// Something else.
    #[serde(rename = "contradicted")]
    Contradicted,
    /// Nothing came out; the sentence says why.
    #[serde(rename = "not testable here")]
    NotTestable,
}

impl Judgement {
    /// As it is saved and shown.
    pub fn words(self) -> &'static str {
        match self {
            Self::Reproduced => "reproduced",
            Self::DirectionOnly => "direction only",
            Self::Contradicted => "contradicted",
            Self::NotTestable => "not testable here",
        }
    }
}

/// A 95% interval, and what is known by it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// From.
    pub low: f64,
    /// To.
    pub high: f64,
    /// What varied.
    pub over: Over,
}

/// What an interval tells of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Over {
    /// How much results vary from one process of the servers to the next.
    Trials,
    /// How much they varied over the time of a level: what differs from run to run is not in it.
    OneRun,
}
