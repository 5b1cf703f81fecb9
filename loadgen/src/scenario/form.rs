//! The forms of a scenario: as it stands, shrunk by `--quick`, or with the counts of a whole study by `--full`.

use serde::Deserialize;
use toml::Spanned;

use super::file::{Fault, check_expect, check_path, check_requests, check_trials};
use super::workers::{self, Workers};
use super::{Expect, Levels, RequestCount, Scenario};

/// Which form of a scenario is run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Form {
    /// As it stands.
    #[default]
    Usual,
    /// A smaller computation and fewer levels, about a minute.
    Quick,
    /// All that the study measured.
    Full,
}

impl Form {
    /// By the flags; at most one of them is given.
    pub fn of_flags(quick: bool, full: bool) -> Self {
        match (quick, full) {
            (true, _) => Self::Quick,
            (_, true) => Self::Full,
            _ => Self::Usual,
        }
    }
}

/// What `[quick]` or `[full]` puts in the place of what stands above it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Changes {
    pub title: Option<String>,
    pub path: Option<Spanned<String>>,
    pub expect: Option<Spanned<Expect>>,
    pub concurrency: Option<Levels>,
    pub sizes: Option<Spanned<Levels>>,
    pub workers: Option<Spanned<Workers<Spanned<String>>>>,
    pub requests: Option<Spanned<RequestCount>>,
    pub trials: Option<Spanned<u32>>,
}

impl Changes {
    /// Finds the first fault in what can be judged by itself; `table` is `quick` or `full`.
    pub fn check(&self, table: &str, servers: &[Spanned<String>]) -> Result<(), Fault> {
        let key = |key: &str| format!("{table}.{key}");
        let Self { path, expect, workers, requests, trials, .. } = self;
        path.iter().try_for_each(|path| check_path(&key("path"), path.span().start, path.get_ref()))?;
        trials.iter().try_for_each(|trials| check_trials(&key("trials"), trials))?;
        expect.iter().try_for_each(|expect| check_expect(&key("expect"), expect))?;
        requests.iter().try_for_each(|requests| check_requests(&key("requests"), requests))?;
        workers.iter().try_for_each(|workers| workers::check(&key("workers"), workers, servers))
    }

    /// The scenario with these changes.
    pub fn apply(self, scenario: &mut Scenario) {
        let Self { title, path, expect, concurrency, sizes, workers, requests, trials } = self;
        replace(&mut scenario.title, title);
        replace(&mut scenario.request.path, path.map(Spanned::into_inner));
        replace(&mut scenario.expect, expect.map(Spanned::into_inner));
        replace(&mut scenario.concurrency, concurrency);
        replace(&mut scenario.requests, requests.map(Spanned::into_inner));
        replace(&mut scenario.trials, trials.map(Spanned::into_inner));
        scenario.sizes = sizes.map(Spanned::into_inner).or(scenario.sizes.take());
        scenario.workers = workers.map(|workers| workers.into_inner().plain()).or(scenario.workers.take());
    }
}

fn replace<T>(place: &mut T, with: Option<T>) {
    if let Some(with) = with {
        *place = with;
    }
}
