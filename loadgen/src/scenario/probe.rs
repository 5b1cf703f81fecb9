//! The side probe: while a level runs, another path is asked on a schedule of its own.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::is_path;

/// The `[probe]` table of a scenario, or `PATH@RATE`. Each probe has a connection of its own, as those of orchestrators do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Probe {
    /// What is asked, by GET; 200 is right.
    pub path: String,
    /// How often, per second.
    #[serde(default = "usual")]
    pub rate: f64,
}

fn usual() -> f64 {
    Probe::RATE
}

impl Probe {
    /// How often, where nothing else is said: often enough for percentiles, and no load.
    pub const RATE: f64 = 20.0;
    /// A probe that asks more often would be a load.
    const RATE_MOST: f64 = 1000.0;

    /// What is wrong with it, as key and reason.
    pub fn fault(&self) -> Option<(&'static str, String)> {
        if !is_path(&self.path) {
            return Some(("path", format!("`{}` must begin with / and hold no spaces (write %20)", self.path)));
        }
        let fine = self.rate > 0.0 && self.rate <= Self::RATE_MOST;
        let most = Self::RATE_MOST;
        (!fine).then(|| ("rate", format!("{} must be more than 0 and at most {most} per second", self.rate)))
    }
}

impl FromStr for Probe {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (path, rate) = match text.rsplit_once('@') {
            Some((path, rate)) => (path, rate.parse().map_err(|_| format!("`{rate}` is not a number per second"))?),
            None => (text, Self::RATE),
        };
        let probe = Self { path: path.into(), rate };
        match probe.fault() {
            Some((_, reason)) => Err(reason),
            None => Ok(probe),
        }
    }
}

impl fmt::Display for Probe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} times a second", self.path, self.rate)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_alone_is_asked_at_the_usual_rate() {
        let probe = |text: &str| text.parse::<Probe>().map(|probe| (probe.path, probe.rate));
        assert_eq!(probe("/healthz"), Ok(("/healthz".into(), 20.0)));
        assert_eq!(probe("/healthz@0.5"), Ok(("/healthz".into(), 0.5)));
        assert_eq!(probe("/a@b@5"), Ok(("/a@b".into(), 5.0)));
        for (bad, named) in [
            ("healthz", "`healthz`"),
            ("", "``"),
            ("/a b", "%20"),
            ("/a@", "``"),
            ("/a@fast", "`fast`"),
            ("/a@0", "0 must"),
            ("/a@-1", "-1 must"),
            ("/a@NaN", "NaN must"),
            ("/a@1e9", "1000"),
        ] {
            let reason = probe(bad).unwrap_err();
            assert!(reason.contains(named), "{bad}: {reason}");
        }
    }
}
