//! The trials of a cell together: what table, charts and report show where there are several.

use serde::Serialize;

use crate::results::{Cell, CellKey, PassResult, Results};

use super::statistics::{ALPHA, Estimate, Interval};

/// A figure over trials.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Merged {
    /// The geometric mean; where a trial has 0 the arithmetic one.
    pub value: f64,
    /// Where the truth lies with 95% probability; `None` below three trials, and where a trial has 0.
    pub interval: Option<Interval>,
    /// How many.
    pub trials: usize,
}

impl Merged {
    /// Of the values that trials gave; `None` where there are none, or one that is no number.
    pub fn of(values: &[f64]) -> Option<Self> {
        let (value, interval) = match Estimate::over_trials(values) {
            Some(estimate) => (estimate.value(), estimate.interval(ALPHA)),
            None => (values.iter().sum::<f64>() / values.len() as f64, None),
        };
        value.is_finite().then_some(Self { value, interval, trials: values.len() })
    }
}

/// All trials of one cell.
#[derive(Debug)]
pub struct Group<'a> {
    /// What they have in common.
    pub key: CellKey,
    /// In the order of trials.
    pub trials: Vec<(&'a PassResult, &'a Cell)>,
}

impl Group<'_> {
    /// A figure over those trials that have it.
    pub fn merged(&self, figure: impl Fn(&PassResult, &Cell) -> Option<f64>) -> Option<Merged> {
        let values: Vec<f64> = self.trials.iter().filter_map(|(pass, cell)| figure(pass, cell)).collect();
        Merged::of(&values)
    }

    /// The most of any trial.
    pub fn most(&self, figure: impl Fn(&Cell) -> Option<f64>) -> Option<f64> {
        self.trials.iter().filter_map(|(_, cell)| figure(cell)).reduce(f64::max)
    }
}

/// The cells by what they have in common, in the order of tables. Levels that were ended early are left out.
pub fn groups(results: &Results) -> Vec<Group<'_>> {
    grouped(results.rows().into_iter().filter(|(_, cell)| !cell.interrupted))
}

/// The same, but a cell of which no trial was whole is there, with what was measured of it.
pub fn groups_with_parts(results: &Results) -> Vec<Group<'_>> {
    let mut groups = grouped(results.rows().into_iter());
    for group in &mut groups {
        if group.trials.iter().any(|(_, cell)| !cell.interrupted) {
            group.trials.retain(|(_, cell)| !cell.interrupted);
        }
    }
    groups
}

fn grouped<'a>(rows: impl Iterator<Item = (&'a PassResult, &'a Cell)>) -> Vec<Group<'a>> {
    let mut groups: Vec<Group> = Vec::new();
    for (pass, cell) in rows {
        let key = pass.cell_key(cell);
        match groups.last_mut().filter(|last| last.key == key) {
            Some(last) => last.trials.push((pass, cell)),
            None => groups.push(Group { key, trials: vec![(pass, cell)] }),
        }
    }
    groups
}

/// How many trials there are, and what that means: `one pass, no interval`.
pub fn described(results: &Results) -> String {
    match results.passes.iter().map(|pass| pass.trial).max().unwrap_or(1) {
        1 => "one pass, no interval".into(),
        2 => "2 trials, no interval".into(),
        several => format!("{several} trials, 95% intervals"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_needs_three_trials_and_no_zero() {
        let merged = |values: &[f64]| {
            Merged::of(values).map(|merged| (merged.value.round(), merged.interval.is_some(), merged.trials))
        };
        assert_eq!(merged(&[]), None);
        assert_eq!(merged(&[7.0]), Some((7.0, false, 1)));
        assert_eq!(merged(&[1.0, 100.0]), Some((10.0, false, 2)));
        assert_eq!(merged(&[1.0, 10.0, 100.0]), Some((10.0, true, 3)));
        assert_eq!(merged(&[0.0, 3.0, 6.0]), Some((3.0, false, 3)));
        assert_eq!(merged(&[f64::NAN, 3.0, 6.0]), None);
    }
}
