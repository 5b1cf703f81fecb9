//! Products of figures, each to some power: a ratio is one figure to the power of 1 and another to that of -1. Their
//! logarithms are sums, so intervals follow for all of them alike.

use crate::analysis::statistics::{ALPHA, Estimate, student};
use crate::analysis::trials::{Group, Merged};
use crate::results::{Over, Spread};
use crate::scenario::Metric;

use super::cells::Measured;
use super::within_run;

/// A figure of a cell, to a power.
#[derive(Clone, Copy)]
pub struct Factor<'r, 'a> {
    pub cell: &'r Group<'a>,
    pub metric: Metric,
    pub power: f64,
}

/// What came out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Product {
    pub value: f64,
    pub interval: Option<Spread>,
}

impl Measured<'_> {
    /// A figure of a cell over its trials.
    pub fn value(&self, cell: &Group, metric: Metric) -> Result<f64, String> {
        let values: Vec<f64> = self.by_trial(cell, metric)?.into_iter().map(|(_, value)| value).collect();
        Merged::of(&values).map(|merged| merged.value).ok_or_else(|| self.nothing(cell, metric))
    }

    /// The figure of each trial that has it.
    fn by_trial(&self, cell: &Group, metric: Metric) -> Result<Vec<(u32, f64)>, String> {
        let mut values = Vec::new();
        for (pass, trial) in &cell.trials {
            values.extend(self.figure(pass, trial, metric)?.map(|value| (pass.trial, value)));
        }
        if values.is_empty() { Err(self.nothing(cell, metric)) } else { Ok(values) }
    }

    fn nothing(&self, cell: &Group, metric: Metric) -> String {
        format!("{} has no {}", self.label(cell), metric.name())
    }

    /// How many times the figure of one cell is that of another.
    pub fn ratio(&self, of: (&Group, Metric), against: (&Group, Metric)) -> Result<Product, String> {
        self.product(&[
            Factor { cell: of.0, metric: of.1, power: 1.0 },
            Factor { cell: against.0, metric: against.1, power: -1.0 },
        ])
    }

    /// The product.
    ///
    /// # Errors
    /// A figure is not there, or one that is divided by is 0.
    pub fn product(&self, factors: &[Factor]) -> Result<Product, String> {
        let mut trials = Vec::new();
        let mut value = 1.0;
        for factor in factors {
            let merged = self.value(factor.cell, factor.metric)?;
            if merged == 0.0 && factor.power < 0.0 {
                return Err(format!("{} of {} is 0", factor.metric.name(), self.label(factor.cell)));
            }
            value *= merged.powf(factor.power);
            trials.push(self.by_trial(factor.cell, factor.metric)?);
        }
        let interval =
            if value > 0.0 { over_trials(factors, &trials).or_else(|| self.within_run(factors)) } else { None };
        let spread = |(half, over): (f64, Over)| Spread { low: value * (-half).exp(), high: value * half.exp(), over };
        let interval = interval.map(spread);
        let whole = interval.filter(|spread| spread.low.is_finite() && spread.high.is_finite());
        if value.is_finite() { Ok(Product { value, interval: whole }) } else { Err("it is too large to say".into()) }
    }

    /// By how much each figure varied over its level.
    fn within_run(&self, factors: &[Factor]) -> Option<(f64, Over)> {
        let mut parts = Vec::new();
        for Factor { cell, metric, power } in factors {
            let count = cell.trials.len() as f64;
            for (_, trial) in &cell.trials {
                parts.push((power / count, within_run::error(trial, *metric)?));
            }
        }
        let error = within_run::sum(&parts)?;
        let half = error.variance.sqrt() * student::quantile(ALPHA, error.degrees);
        Some((if error.variance > 0.0 { half } else { 0.0 }, Over::OneRun))
    }
}

/// Trials are interleaved, so the i-th of all cells share what the machine did meanwhile: the product of each trial.
fn over_trials(factors: &[Factor], trials: &[Vec<(u32, f64)>]) -> Option<(f64, Over)> {
    let numbers = |values: &[(u32, f64)]| values.iter().map(|&(trial, _)| trial).collect::<Vec<_>>();
    let first = trials.first()?;
    if trials.iter().any(|values| numbers(values) != numbers(first)) {
        return None;
    }
    let product = |index: usize| -> f64 {
        factors.iter().zip(trials).map(|(factor, values)| values[index].1.powf(factor.power)).product()
    };
    let products: Vec<f64> = (0..first.len()).map(product).collect();
    let estimate = Estimate::over_trials(&products)?;
    let interval = estimate.interval(ALPHA)?;
    Some(((interval.high / estimate.value()).ln(), Over::Trials))
}
