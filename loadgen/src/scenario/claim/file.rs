//! `[[claim]]` as it is written, and what can be wrong with it.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use toml::Spanned;

use super::super::file::{Fault, NAME_RULE, is_name};
use super::cells::{Cells, OneCell, Selector};
use super::{Bound, Claim, Kind, Metric};
use crate::catalog;
use crate::scenario::Levels;

/// Every key that some kind of claim has.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct ClaimTable {
    id: Spanned<String>,
    text: Spanned<String>,
    source: Option<Spanned<String>>,
    kind: Spanned<String>,
    #[serde(default)]
    ours: bool,
    #[serde(default = "super::yes")]
    quick: bool,
    needs_cpus: Option<Spanned<u32>>,
    of: Option<Spanned<Cells>>,
    against: Option<Spanned<OneCell>>,
    highest_first: Option<Spanned<Cells>>,
    lowest_first: Option<Spanned<Cells>>,
    backend: Option<Spanned<String>>,
    workers: Option<Spanned<u32>>,
    cpus: Option<Spanned<u32>>,
    size: Option<Spanned<u32>>,
    concurrency: Option<Spanned<u32>>,
    levels: Option<Spanned<Levels>>,
    metric: Option<Spanned<String>>,
    against_metric: Option<Spanned<String>>,
    published: Option<Spanned<f64>>,
    published_cpus: Option<Spanned<u32>>,
    tolerance: Option<Spanned<f64>>,
    at_least: Option<Spanned<f64>>,
    at_most: Option<Spanned<f64>>,
    explain: Option<Spanned<bool>>,
    cost_us: Option<Spanned<f64>>,
}

/// What a scenario has, in any of its forms.
pub(in crate::scenario) struct Known {
    /// By name.
    pub(in crate::scenario) servers: Vec<String>,
    /// Numbers of clients.
    pub(in crate::scenario) levels: BTreeSet<u32>,
    /// Of the job; empty where there is no such axis.
    pub(in crate::scenario) sizes: BTreeSet<u32>,
    /// Numbers of workers of those servers that have a list of them in every form; others have as many as CPUs.
    pub(in crate::scenario) workers: BTreeMap<String, BTreeSet<u32>>,
}

/// Less apart is no order, unless a claim says something else.
const APART: f64 = 0.02;
/// What a context switch is taken to cost, unless a claim says something else, microseconds; docs/claims.md says why.
const SWITCH_US: f64 = 5.0;

/// The kinds with the keys that each has beside those of every claim; `?` marks those that may be left out.
pub(super) const KINDS: &[(&str, &[&str])] = &[
    ("flat", &["of", "levels?", "metric?", "tolerance"]),
    ("scales-to-cpus", &["of", "levels?", "metric?", "published", "published_cpus", "tolerance"]),
    ("ratio", &["of", "against", "concurrency?", "metric?", "against_metric?", "published", "tolerance"]),
    ("near", &["of", "against", "concurrency?", "metric?", "against_metric?", "tolerance"]),
    ("order", &["highest_first?", "lowest_first?", "concurrency?", "metric?", "tolerance?"]),
    ("no-errors", &["of?", "levels?"]),
    ("every-answer-right", &["of?", "levels?"]),
    ("share-wrong", &["of", "levels?", "at_least"]),
    ("memory-slope", &["of", "concurrency?", "at_least?", "at_most?"]),
    ("context-switches", &["of", "against", "concurrency?", "metric?", "explain", "cost_us?"]),
];

/// A key and what is wrong with it, and where.
type Wrong = (usize, String, String);

/// All claims, or the first fault.
pub(in crate::scenario) fn check(tables: &[ClaimTable], known: &Known) -> Result<Vec<Claim>, Fault> {
    let mut claims: Vec<Claim> = Vec::new();
    for table in tables {
        let id = table.id.get_ref();
        let fault = |(offset, key, reason): Wrong| Fault { offset, key: format!("claim {id}, {key}"), reason };
        let at_id = |reason: &str| (table.id.span().start, "id".to_owned(), format!("`{id}` {reason}"));
        if !is_name(id) {
            return Err(fault(at_id(NAME_RULE)));
        }
        if claims.iter().any(|claim| claim.id == *id) {
            return Err(fault(at_id("is there twice: every claim needs an id of its own")));
        }
        claims.push(table.claim(known).map_err(fault)?);
    }
    Ok(claims)
}

/// The metric of that name; without a name throughput.
pub(super) fn metric(name: Option<&Spanned<String>>) -> Result<Metric, (usize, String)> {
    let Some(name) = name else { return Ok(Metric::ThroughputRps) };
    let unknown = || {
        let known = Metric::ALL.map(Metric::name).join(", ");
        (name.span().start, format!("there is no metric `{}`; metrics: {known}", name.get_ref()))
    };
    Metric::named(name.get_ref()).ok_or_else(unknown)
}

/// Whether the scenario can have such a cell: key and reason where it cannot.
pub(super) fn check_cell(known: &Known, cell: &Selector) -> Result<(), (&'static str, String)> {
    let listed = |numbers: &BTreeSet<u32>| {
        Levels::new(numbers.iter().copied()).map_or_else(|_| "none".into(), |levels| levels.to_string())
    };
    let Selector { server, backend, workers, cpus, size, concurrency } = cell;
    if !known.servers.contains(server) {
        let servers = known.servers.join(", ");
        return Err(("server", format!("the scenario has no server `{server}`; servers: {servers}")));
    }
    if let Some(level) = concurrency.filter(|level| !known.levels.contains(level)) {
        let levels = listed(&known.levels);
        return Err(("concurrency", format!("the scenario has no level of {level} clients; levels: {levels}")));
    }
    if let Some(size) = size.filter(|size| !known.sizes.contains(size)) {
        return Err(("size", format!("the scenario has no size {size}; sizes: {}", listed(&known.sizes))));
    }
    if *cpus == Some(0) {
        return Err(("cpus", "a server has a CPU at least".into()));
    }
    let Some(entry) = catalog::find(server) else { return Ok(()) };
    if let Some((workers, counts)) =
        workers.zip(known.workers.get(server)).filter(|(workers, counts)| !counts.contains(workers))
    {
        let counts = listed(counts);
        return Err(("workers", format!("the scenario runs {server} with {counts} workers, never with {workers}")));
    }
    match (workers, backend) {
        (Some(0), _) => Err(("workers", "a server with workers has one at least".into())),
        (Some(_), _) if entry.worker_arguments.is_empty() => {
            Err(("workers", format!("{server} has no setting for the number of workers")))
        }
        (_, Some(backend)) if !entry.backends.contains(backend) => {
            Err(("backend", format!("{server} has no backend `{backend}`; backends: {}", entry.backends.join(", "))))
        }
        _ => Ok(()),
    }
}

/// A key that a kind needs; it was looked for before.
fn needed<T: Clone>(value: Option<&Spanned<T>>) -> Option<T> {
    value.map(|value| value.get_ref().clone())
}

impl ClaimTable {
    /// The keys that are there, with where.
    fn given(&self) -> Vec<(&'static str, usize)> {
        macro_rules! given {
            ($($key:ident),*) => {
                [$((stringify!($key), self.$key.as_ref().map(|value| value.span().start))),*]
            };
        }
        let keys = given!(
            of,
            against,
            highest_first,
            lowest_first,
            concurrency,
            levels,
            metric,
            against_metric,
            published,
            published_cpus,
            tolerance,
            at_least,
            at_most,
            explain,
            cost_us
        );
        keys.into_iter().filter_map(|(key, offset)| Some((key, offset?))).collect()
    }

    fn claim(&self, known: &Known) -> Result<Claim, Wrong> {
        let start = self.id.span().start;
        if self.text.get_ref().trim().is_empty() {
            return Err((self.text.span().start, "text".into(), "is empty: say in words what is claimed".into()));
        }
        let source = self.source.as_ref().map_or("", |source| source.get_ref().trim());
        if source.is_empty() && !self.ours {
            let reason = "is missing: where was it published? (a control of your own has `ours = true`)";
            return Err((
                self.source.as_ref().map_or(start, |source| source.span().start),
                "source".into(),
                reason.into(),
            ));
        }
        if let Some(cpus) = self.needs_cpus.as_ref().filter(|cpus| *cpus.get_ref() == 0) {
            return Err((cpus.span().start, "needs_cpus".into(), "must be 1 or more".into()));
        }
        self.check_keys()?;
        self.check_numbers()?;
        Ok(Claim {
            id: self.id.get_ref().clone(),
            text: self.text.get_ref().trim().to_owned(),
            source: source.to_owned(),
            ours: self.ours,
            quick: self.quick,
            needs_cpus: needed(self.needs_cpus.as_ref()),
            kind: self.kind(known)?,
        })
    }

    /// Whether the keys are those of the kind.
    fn check_keys(&self) -> Result<(), Wrong> {
        let name = self.kind.get_ref().as_str();
        let Some((_, keys)) = KINDS.iter().find(|(known, _)| *known == name) else {
            let known: Vec<&str> = KINDS.iter().map(|(name, _)| *name).collect();
            let reason = format!("there is no kind `{name}`; kinds: {}", known.join(", "));
            return Err((self.kind.span().start, "kind".into(), reason));
        };
        let given = self.given();
        let has = |wanted: &str| given.iter().any(|(key, _)| *key == wanted);
        for &(key, offset) in &given {
            if !keys.iter().any(|known| known.trim_end_matches('?') == key) {
                let hint = match key {
                    "concurrency" if keys.contains(&"levels?") => "; it is over levels: `levels`".to_owned(),
                    _ => format!("; its keys: {}", keys.join(", ").replace('?', "")),
                };
                return Err((offset, key.into(), format!("`{name}` has no such key{hint}")));
            }
        }
        for key in keys.iter().filter(|key| !key.ends_with('?')) {
            if !has(key) {
                return Err((self.id.span().start, (*key).into(), format!("is missing: `{name}` needs it")));
            }
        }
        let one_of = |a: &str, b: &str| {
            let fine = has(a) != has(b);
            if fine {
                Ok(())
            } else {
                Err((self.id.span().start, format!("{a}, {b}"), format!("`{name}` needs one of them")))
            }
        };
        match name {
            "order" => one_of("highest_first", "lowest_first"),
            "memory-slope" => one_of("at_least", "at_most"),
            _ => Ok(()),
        }
    }

    /// Whether the numbers are in their ranges.
    fn check_numbers(&self) -> Result<(), Wrong> {
        let check = |key: &str, value: Option<&Spanned<f64>>, fine: fn(f64) -> bool, what: &str| match value {
            Some(value) if !(value.get_ref().is_finite() && fine(*value.get_ref())) => {
                Err((value.span().start, key.to_owned(), format!("{} must be {what}", value.get_ref())))
            }
            _ => Ok(()),
        };
        check("tolerance", self.tolerance.as_ref(), |value| value >= 0.0, "0 or more, such as 0.2 for 20%")?;
        check("published", self.published.as_ref(), |value| value > 0.0, "more than 0")?;
        check("cost_us", self.cost_us.as_ref(), |value| value > 0.0, "more than 0 microseconds")?;
        if self.kind.get_ref() == "share-wrong" {
            check(
                "at_least",
                self.at_least.as_ref(),
                |value| value > 0.0 && value <= 1.0,
                "a share: more than 0, at most 1",
            )?;
        }
        check("at_least", self.at_least.as_ref(), |_| true, "a finite number")?;
        check("at_most", self.at_most.as_ref(), |_| true, "a finite number")?;
        match &self.published_cpus {
            Some(cpus) if *cpus.get_ref() < 2 => {
                Err((cpus.span().start, "published_cpus".into(), "must be 2 or more: nothing grows with one".into()))
            }
            _ => Ok(()),
        }
    }

    /// What the claim says of all its cells.
    fn of_all_cells(&self) -> Selector {
        Selector {
            server: String::new(),
            backend: needed(self.backend.as_ref()),
            workers: needed(self.workers.as_ref()),
            cpus: needed(self.cpus.as_ref()),
            size: needed(self.size.as_ref()),
            concurrency: needed(self.concurrency.as_ref()),
        }
    }

    /// A cell with what the claim says of all of them, checked.
    fn cell(&self, known: &Known, (offset, key): (usize, &str), own: &Selector) -> Result<Selector, Wrong> {
        let cell = own.clone().or(&self.of_all_cells());
        check_cell(known, &cell).map_err(|(part, reason)| {
            macro_rules! of_claim {
                ($($name:ident),*) => {
                    match part {
                        $(stringify!($name) if own.$name.is_none() => self.$name.as_ref().map(|value| value.span().start),)*
                        _ => None,
                    }
                };
            }
            match of_claim!(backend, workers, cpus, size, concurrency) {
                Some(offset) => (offset, part.to_owned(), reason),
                None => (offset, format!("{key}.{part}"), reason),
            }
        })?;
        if cell.concurrency.is_some()
            && KINDS.iter().any(|(name, keys)| name == self.kind.get_ref() && keys.contains(&"levels?"))
        {
            let reason = format!("`{}` is over levels: `levels`", self.kind.get_ref());
            return Err((offset, format!("{key}.concurrency"), reason));
        }
        Ok(cell)
    }

    fn cells(&self, known: &Known, key: &str, cells: Option<&Spanned<Cells>>) -> Result<Vec<Selector>, Wrong> {
        let Some(cells) = cells else { return Ok(Vec::new()) };
        let start = cells.span().start;
        if cells.get_ref().0.is_empty() {
            return Err((start, key.into(), "the list is empty".into()));
        }
        cells.get_ref().0.iter().map(|(offset, cell)| self.cell(known, (offset.unwrap_or(start), key), cell)).collect()
    }

    /// `of`, where it must be one cell.
    fn of_one(&self, known: &Known) -> Result<Selector, Wrong> {
        let mut cells = self.cells(known, "of", self.of.as_ref())?;
        let start = self.of.as_ref().map_or(self.id.span().start, |of| of.span().start);
        match (cells.pop(), cells.is_empty()) {
            (Some(cell), true) => Ok(cell),
            _ => Err((start, "of".into(), format!("`{}` is about one cell, not a list", self.kind.get_ref()))),
        }
    }

    fn against_one(&self, known: &Known) -> Result<Selector, Wrong> {
        match &self.against {
            Some(cell) => self.cell(known, (cell.span().start, "against"), &cell.get_ref().0),
            None => Err((self.id.span().start, "against".into(), "is missing".into())),
        }
    }

    /// Of a range only the ends must be there: what lies between is what was run.
    fn levels(&self, known: &Known) -> Result<Option<Levels>, Wrong> {
        let Some(levels) = &self.levels else { return Ok(None) };
        let numbers = levels.get_ref().as_slice();
        let ends = [numbers.first(), numbers.last()].into_iter().flatten().copied();
        let missing = ends.filter(|level| !known.levels.contains(level));
        match (Levels::new(missing), Levels::new(known.levels.iter().copied())) {
            (Ok(missing), Ok(known)) => {
                let reason = format!("the scenario has no level of {missing} clients; levels: {known}");
                Err((levels.span().start, "levels".into(), reason))
            }
            _ => Ok(Some(levels.get_ref().clone())),
        }
    }

    fn metric(&self) -> Result<Metric, Wrong> {
        metric(self.metric.as_ref()).map_err(|(offset, reason)| (offset, "metric".into(), reason))
    }

    fn against_metric(&self) -> Result<Option<Metric>, Wrong> {
        let Some(name) = &self.against_metric else { return Ok(None) };
        metric(Some(name)).map(Some).map_err(|(offset, reason)| (offset, "against_metric".into(), reason))
    }

    /// The kind, whose keys were looked at before.
    fn kind(&self, known: &Known) -> Result<Kind, Wrong> {
        let (levels, metric, against_metric) = (self.levels(known)?, self.metric()?, self.against_metric()?);
        let tolerance = needed(self.tolerance.as_ref());
        let published = needed(self.published.as_ref()).unwrap_or(1.0);
        Ok(match self.kind.get_ref().as_str() {
            "flat" => Kind::Flat { of: self.of_one(known)?, levels, metric, tolerance: tolerance.unwrap_or(0.0) },
            "scales-to-cpus" => Kind::ScalesToCpus {
                of: self.of_one(known)?,
                levels,
                metric: self.rate(metric)?,
                published,
                published_cpus: needed(self.published_cpus.as_ref()).unwrap_or(2),
                tolerance: tolerance.unwrap_or(0.0),
            },
            "ratio" => Kind::Ratio {
                of: self.of_one(known)?,
                against: self.against_one(known)?,
                metric,
                against_metric,
                published,
                tolerance: tolerance.unwrap_or(0.0),
            },
            "near" => Kind::Near {
                of: self.of_one(known)?,
                against: self.against_one(known)?,
                metric,
                against_metric,
                tolerance: tolerance.unwrap_or(0.0),
            },
            "order" => self.order(known, metric, tolerance.unwrap_or(APART))?,
            "no-errors" => Kind::NoErrors { of: self.cells(known, "of", self.of.as_ref())?, levels },
            "every-answer-right" => Kind::EveryAnswerRight { of: self.cells(known, "of", self.of.as_ref())?, levels },
            "share-wrong" => {
                let at_least = needed(self.at_least.as_ref()).unwrap_or(1.0);
                Kind::ShareWrong { of: self.of_one(known)?, levels, at_least }
            }
            "memory-slope" => {
                let least = needed(self.at_least.as_ref()).map(Bound::AtLeast);
                let bound = least.or_else(|| needed(self.at_most.as_ref()).map(Bound::AtMost));
                Kind::MemorySlope { of: self.of_one(known)?, bound: bound.unwrap_or(Bound::AtMost(0.0)) }
            }
            // Of the kinds that are known no other is left.
            _ => Kind::ContextSwitches {
                of: self.of_one(known)?,
                against: self.against_one(known)?,
                metric: if metric.is_mean_time() { metric } else { self.rate(metric)? },
                explain: needed(self.explain.as_ref()).unwrap_or(true),
                cost_us: needed(self.cost_us.as_ref()).unwrap_or(SWITCH_US),
            },
        })
    }

    fn rate(&self, metric: Metric) -> Result<Metric, Wrong> {
        let start = self.metric.as_ref().map_or(self.id.span().start, |name| name.span().start);
        let reason = || {
            let kind = self.kind.get_ref();
            let or = if kind == "context-switches" { ", or a mean time: mean_ms, replies_mean_ms" } else { "" };
            format!("`{kind}` is about a rate: throughput_rps, replies_rps, steady_rps{or}")
        };
        if metric.is_rate() { Ok(metric) } else { Err((start, "metric".into(), reason())) }
    }

    fn order(&self, known: &Known, metric: Metric, tolerance: f64) -> Result<Kind, Wrong> {
        let (key, cells) = match &self.lowest_first {
            Some(cells) => ("lowest_first", Some(cells)),
            None => ("highest_first", self.highest_first.as_ref()),
        };
        let start = cells.map_or(self.id.span().start, |cells| cells.span().start);
        let cells = self.cells(known, key, cells)?;
        for (index, cell) in cells.iter().enumerate() {
            if cells[..index].contains(cell) {
                return Err((start, key.into(), format!("`{cell}` is there twice")));
            }
        }
        if cells.len() < 2 {
            return Err((start, key.into(), "an order needs two cells at least".into()));
        }
        Ok(Kind::Order { cells, lowest_first: key == "lowest_first", metric, tolerance })
    }
}
