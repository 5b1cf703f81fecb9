//! How much is sent before anything counts.

use serde::{Deserialize, Serialize};

use super::Levels;

/// The `[warm_up]` table of a scenario: requests are sent until the rate has settled, within bounds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WarmUp {
    /// Clients at once.
    pub concurrency: u32,
    /// Requests at the least. Scenarios of before call it `requests`.
    #[serde(alias = "requests")]
    pub least: u32,
    /// Requests at the most; the same as `least`: so many, settled or not.
    #[serde(default = "most")]
    pub most: u32,
    /// Time at the least, seconds.
    #[serde(default)]
    pub least_s: f64,
    /// No window begins later than this, seconds.
    #[serde(default = "most_s")]
    pub most_s: f64,
    /// It has settled when the rates of the last windows differ by no more than this part.
    #[serde(default = "tolerance")]
    pub tolerance: f64,
}

fn most() -> u32 {
    1_000_000
}

fn most_s() -> f64 {
    5.0
}

fn tolerance() -> f64 {
    0.1
}

impl WarmUp {
    /// A quick run has no more time for it than this, seconds.
    const QUICK_MOST_S: f64 = 1.0;

    /// Until the rate has settled, with the defaults for what is not given.
    pub fn new(concurrency: u32, least: u32) -> Self {
        Self { concurrency, least, most: most(), least_s: 0.0, most_s: most_s(), tolerance: tolerance() }
    }

    /// The form for a quick run.
    #[must_use]
    pub fn quick(self) -> Self {
        Self { most_s: self.most_s.min(Self::QUICK_MOST_S).max(self.least_s), ..self }
    }

    /// What is wrong with the table itself, as key and reason.
    pub fn fault(&self) -> Option<(&'static str, String)> {
        let seconds = |seconds: f64| (0.0..=86_400.0).contains(&seconds);
        let fault = match *self {
            Self { concurrency, .. } if !(1..=Levels::MOST).contains(&concurrency) => {
                ("concurrency", format!("must be 1 to {}", Levels::MOST))
            }
            Self { least, most, .. } if most < least => ("most", format!("{most} is less than `least`, {least}")),
            Self { least_s, .. } if !seconds(least_s) => {
                ("least_s", "must be 0 or more and at most a day, in seconds".into())
            }
            Self { most_s, .. } if !seconds(most_s) => {
                ("most_s", "must be 0 or more and at most a day, in seconds".into())
            }
            Self { least_s, most_s, .. } if most_s < least_s => {
                ("most_s", format!("{most_s} is less than `least_s`, {least_s}"))
            }
            Self { tolerance, .. } if !(tolerance > 0.0 && tolerance < 1.0) => {
                ("tolerance", "must be more than 0 and less than 1, such as 0.1".into())
            }
            _ => return None,
        };
        Some(fault)
    }
}
