//! Curves that a study published, to be drawn beside the measured ones.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use toml::Spanned;

use super::super::file::Fault;
use super::Metric;
use super::cells::{OneCell, Selector};
use super::file::{Known, check_cell, metric};
use crate::scenario::Levels;

/// One `[[published]]` of a scenario. Its figures are of another machine, so they are only shown relative to those of
/// the fewest clients.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Published {
    /// The line that it is drawn beside.
    pub of: Selector,
    /// Where it was published.
    pub source: String,
    /// What it is a curve of.
    pub metric: Metric,
    /// By number of clients.
    pub points: BTreeMap<u32, f64>,
}

/// As it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct PublishedTable {
    of: Spanned<OneCell>,
    source: String,
    metric: Option<Spanned<String>>,
    points: Spanned<BTreeMap<String, f64>>,
}

impl PublishedTable {
    /// The curve, or what is wrong with it.
    pub(in crate::scenario) fn check(&self, known: &Known) -> Result<Published, Fault> {
        let at = |offset: usize, key: &str, reason: String| Fault { offset, key: format!("published.{key}"), reason };
        let of = self.of.get_ref().0.clone();
        check_cell(known, &of).map_err(|(key, reason)| at(self.of.span().start, &format!("of.{key}"), reason))?;
        if of.concurrency.is_some() {
            return Err(at(self.of.span().start, "of.concurrency", "a curve is over the clients: leave it out".into()));
        }
        let offset = self.points.span().start;
        let mut points = BTreeMap::new();
        for (key, &value) in self.points.get_ref() {
            let clients = key.parse::<u32>().ok().filter(|clients| (1..=Levels::MOST).contains(clients));
            let reason = || format!("`{key}` is no number of clients: a whole number from 1 to {}", Levels::MOST);
            let clients = clients.ok_or_else(|| at(offset, "points", reason()))?;
            if !(value > 0.0 && value.is_finite()) {
                return Err(at(offset, "points", format!("{value} at {clients} must be more than 0 and finite")));
            }
            points.insert(clients, value);
        }
        if points.len() < 2 {
            return Err(at(offset, "points", "a curve has two points at least, as in { 1 = 0.48, 8 = 3.84 }".into()));
        }
        let metric = metric(self.metric.as_ref()).map_err(|(offset, reason)| at(offset, "metric", reason))?;
        Ok(Published { of, source: self.source.clone(), metric, points })
    }
}
