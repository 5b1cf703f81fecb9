//! A scenario's file as it is written, and what can be wrong with it. What needs a line number in messages is spanned.

use std::collections::BTreeSet;
use std::path::Path;

use serde::Deserialize;
use toml::Spanned;

use super::claim::{self, Claim, ClaimTable, Known, Published, PublishedTable};
use super::form::{Changes, Form};
use super::workers::{self, Workers};
use super::{Ask, Expect, Levels, Probe, RequestCount, Scenario, WarmUp, check_sizes, image, is_path};
use crate::catalog;
use crate::engine::Connections;

/// The whole file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct File {
    name: Spanned<String>,
    title: String,
    #[serde(default)]
    description: String,
    servers: Vec<Spanned<String>>,
    #[serde(default)]
    backends: Vec<Spanned<String>>,
    concurrency: Levels,
    sizes: Option<Spanned<Levels>>,
    workers: Option<Spanned<Workers<Spanned<String>>>>,
    #[serde(default)]
    spare_cpu: bool,
    connections: Connections,
    requests: Spanned<RequestCount>,
    warm_up: Spanned<WarmUp>,
    #[serde(default = "once")]
    trials: Spanned<u32>,
    #[serde(default)]
    pin_workers: bool,
    #[serde(default = "a_minute")]
    timeout_s: Spanned<f64>,
    request: Spanned<Ask>,
    expect: Spanned<Expect>,
    probe: Option<Spanned<Probe>>,
    #[serde(default)]
    claim: Vec<ClaimTable>,
    #[serde(default)]
    published: Vec<PublishedTable>,
    quick: Option<Changes>,
    full: Option<Changes>,
}

fn once() -> Spanned<u32> {
    Spanned::new(0..0, 1)
}

fn a_minute() -> Spanned<f64> {
    Spanned::new(0..0, 60.0)
}
/// A key that is wrong, and where.
pub(super) struct Fault {
    /// Where in the text, bytes.
    pub offset: usize,
    /// Which key.
    pub key: String,
    /// What is wrong and what would be right.
    pub reason: String,
}

/// Ends `check` with a fault unless the condition holds.
fn ensure(holds: bool, offset: usize, key: &str, reason: impl Into<String>) -> Result<(), Fault> {
    if holds { Ok(()) } else { Err(Fault { offset, key: key.into(), reason: reason.into() }) }
}

impl File {
    /// Finds the first fault.
    pub(super) fn check(&self) -> Result<(), Fault> {
        let name = self.name.get_ref();
        ensure(is_name(name), self.name.span().start, "name", format!("`{name}` {NAME_RULE}"))?;
        for server in &self.servers {
            let known = catalog::names();
            ensure(
                known.contains(&server.get_ref().as_str()),
                server.span().start,
                "servers",
                format!("there is no server `{}`; servers: {}", server.get_ref(), known.join(", ")),
            )?;
        }
        for (index, backend) in self.backends.iter().enumerate() {
            let (name, known) = (backend.get_ref(), catalog::backends());
            let offset = backend.span().start;
            ensure(
                known.contains(&name.as_str()),
                offset,
                "backends",
                format!("there is no backend `{name}`; backends: {}", known.join(", ")),
            )?;
            let first = self.backends[..index].iter().all(|other| other.get_ref() != name);
            ensure(first, offset, "backends", format!("`{name}` is there twice"))?;
        }
        check_requests("requests", &self.requests)?;
        if let Some((key, reason)) = self.warm_up.get_ref().fault() {
            ensure(false, self.warm_up.span().start, &format!("warm_up.{key}"), reason)?;
        }
        check_trials("trials", &self.trials)?;
        let timeout = *self.timeout_s.get_ref();
        ensure(
            timeout > 0.0 && timeout <= 86_400.0,
            self.timeout_s.span().start,
            "timeout_s",
            "must be more than 0 and at most a day, in seconds",
        )?;
        let ask = self.request.get_ref();
        let token = !ask.method.is_empty() && ask.method.bytes().all(|byte| byte.is_ascii_uppercase());
        ensure(token, self.request.span().start, "request.method", "must be a method such as GET")?;
        check_path("request.path", self.request.span().start, &ask.path)?;
        check_expect("expect", &self.expect)?;
        self.check_sizes()?;
        self.check_image()?;
        if let Some((probe, (key, reason))) =
            self.probe.as_ref().and_then(|probe| Some((probe, probe.get_ref().fault()?)))
        {
            ensure(false, probe.span().start, &format!("probe.{key}"), reason)?;
        }
        if let Some(workers) = &self.workers {
            workers::check("workers", workers, &self.servers)?;
        }
        self.forms().try_for_each(|(table, changes)| changes.check(table, &self.servers))?;
        self.claims()?;
        self.published().map(drop)
    }

    /// What claims can name: what there is in any form of the scenario.
    fn known(&self) -> Known {
        let changes: Vec<&Changes> = self.forms().map(|(_, changes)| changes).collect();
        let levels = changes.iter().filter_map(|changes| changes.concurrency.as_ref()).chain([&self.concurrency]);
        let sizes = changes.iter().filter_map(|changes| changes.sizes.as_ref()).chain(&self.sizes);
        let forms = changes.iter().map(|changes| changes.workers.as_ref().or(self.workers.as_ref()));
        let workers: Vec<_> = forms.chain([self.workers.as_ref()]).collect();
        let counts = |server: &str| -> Option<BTreeSet<u32>> {
            let of = |workers: &Option<&Spanned<Workers<Spanned<String>>>>| {
                Some(workers.as_ref()?.get_ref().numbers(server)?.as_slice().to_vec())
            };
            Some(workers.iter().map(of).collect::<Option<Vec<_>>>()?.into_iter().flatten().collect())
        };
        let servers: Vec<String> = self.servers.iter().map(|server| server.get_ref().clone()).collect();
        Known {
            workers: servers.iter().filter_map(|server| Some((server.clone(), counts(server)?))).collect(),
            servers,
            levels: levels.flat_map(|levels| levels.as_slice().to_vec()).collect(),
            sizes: sizes.flat_map(|sizes| sizes.get_ref().as_slice().to_vec()).collect(),
        }
    }

    fn claims(&self) -> Result<Vec<Claim>, Fault> {
        claim::check(&self.claim, &self.known())
    }

    fn published(&self) -> Result<Vec<Published>, Fault> {
        let known = self.known();
        self.published.iter().map(|curve| curve.check(&known)).collect()
    }

    /// The tables of other forms, by name.
    fn forms(&self) -> impl Iterator<Item = (&'static str, &Changes)> {
        [("quick", &self.quick), ("full", &self.full)]
            .into_iter()
            .filter_map(|(table, changes)| Some((table, changes.as_ref()?)))
    }

    /// Whether it has more than what is run as it stands.
    pub(super) fn has_full(&self) -> bool {
        self.full.is_some()
    }

    /// Pictures sent and pictures expected go together, in every form.
    fn check_image(&self) -> Result<(), Fault> {
        let of = |prefix: &str, path: &str, expect: &Expect| {
            let image = self.request.get_ref().image.as_ref();
            image::check(image, expect.image.as_ref(), path, self.sizes.is_some()).map_err(|(key, reason)| {
                let at = if key.starts_with("expect") { self.expect.span() } else { self.request.span() };
                Fault { offset: at.start, key: format!("{prefix}{key}"), reason }
            })
        };
        let (path, expect) = (&self.request.get_ref().path, self.expect.get_ref());
        of("", path, expect)?;
        self.forms().try_for_each(|(table, changes)| {
            let path = changes.path.as_ref().map_or(path, Spanned::get_ref);
            of(&format!("{table}: "), path, changes.expect.as_ref().map_or(expect, Spanned::get_ref))
        })
    }

    /// Reads the photograph of a file without faults, where it has one; relative paths begin at `base`.
    pub(super) fn load(&mut self, base: Option<&Path>) -> Result<(), Fault> {
        let offset = self.request.span().start;
        let Some(image) = &mut self.request.get_mut().image else { return Ok(()) };
        image.load(base).map_err(|reason| Fault { offset, key: "request.image.file".into(), reason })
    }

    /// Sizes, request and answers go together, in every form.
    fn check_sizes(&self) -> Result<(), Fault> {
        let of = |prefix: &str, sizes: Option<&Spanned<Levels>>, path: &str, expect: &Expect| {
            check_sizes(sizes.map(Spanned::get_ref), path, expect).map_err(|(key, reason)| {
                let at = if key == "expect.base" { self.expect.span() } else { self.request.span() };
                let offset = sizes.map_or(at, Spanned::span).start;
                let table = if key == "path" { "request." } else { "" };
                Fault { offset, key: format!("{prefix}{table}{key}"), reason }
            })
        };
        let (path, expect) = (&self.request.get_ref().path, self.expect.get_ref());
        of("", self.sizes.as_ref(), path, expect)?;
        self.forms().try_for_each(|(table, changes)| {
            let path = changes.path.as_ref().map_or(path, Spanned::get_ref);
            let expect = changes.expect.as_ref().map_or(expect, Spanned::get_ref);
            of(&format!("{table}: "), changes.sizes.as_ref().or(self.sizes.as_ref()), path, expect)
        })
    }

    /// The scenario of a file without faults, in one of its forms.
    pub(super) fn scenario(self, form: Form) -> Scenario {
        // They were checked with the rest.
        let (claims, published) = (self.claims().unwrap_or_default(), self.published().unwrap_or_default());
        let mut scenario = Scenario {
            name: self.name.into_inner(),
            title: self.title,
            description: self.description.trim().to_owned(),
            servers: self.servers.into_iter().map(Spanned::into_inner).collect(),
            backends: self.backends.into_iter().map(Spanned::into_inner).collect(),
            concurrency: self.concurrency,
            sizes: self.sizes.map(Spanned::into_inner),
            workers: self.workers.map(|workers| workers.into_inner().plain()),
            spare_cpu: self.spare_cpu,
            connections: self.connections,
            requests: self.requests.into_inner(),
            warm_up: self.warm_up.into_inner(),
            trials: self.trials.into_inner(),
            pin_workers: self.pin_workers,
            timeout_s: self.timeout_s.into_inner(),
            request: self.request.into_inner(),
            expect: self.expect.into_inner(),
            probe: self.probe.map(Spanned::into_inner),
            claims,
            published,
            quick: form == Form::Quick,
            full: form == Form::Full,
        };
        match (form, self.quick, self.full) {
            (Form::Quick, quick, _) => {
                scenario.warm_up = scenario.warm_up.quick();
                scenario.trials = 1;
                match quick {
                    Some(changes) => changes.apply(&mut scenario),
                    None => scenario.concurrency = scenario.concurrency.thinned(),
                }
            }
            (Form::Full, _, Some(changes)) => changes.apply(&mut scenario),
            _ => {}
        }
        scenario
    }
}

/// What is said of a name that is none.
pub(super) const NAME_RULE: &str = "must be 1 to 64 lower-case letters, digits and hyphens";

/// Whether a scenario or a claim can be called so.
pub(super) fn is_name(name: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    !name.is_empty() && name.len() <= 64 && name.bytes().all(plain)
}

pub(super) fn check_path(key: &str, offset: usize, path: &str) -> Result<(), Fault> {
    ensure(is_path(path), offset, key, format!("`{path}` must begin with / and hold no spaces (write %20)"))
}

pub(super) fn check_expect(key: &str, expect: &Spanned<Expect>) -> Result<(), Fault> {
    match expect.get_ref().fault() {
        Some((part, reason)) => ensure(false, expect.span().start, &format!("{key}.{part}"), reason),
        None => Ok(()),
    }
}

pub(super) fn check_trials(key: &str, trials: &Spanned<u32>) -> Result<(), Fault> {
    let fine = (1..=Scenario::TRIALS_MOST).contains(trials.get_ref());
    ensure(fine, trials.span().start, key, format!("must be 1 to {}", Scenario::TRIALS_MOST))
}

pub(super) fn check_requests(key: &str, requests: &Spanned<RequestCount>) -> Result<(), Fault> {
    let RequestCount { per_client, least, least_s } = *requests.get_ref();
    let offset = requests.span().start;
    ensure(per_client > 0 || least > 0, offset, key, "per_client and least cannot both be 0")?;
    let fine = least_s.is_none_or(|seconds| seconds > 0.0 && seconds <= 86_400.0);
    ensure(fine, offset, &format!("{key}.least_s"), "must be more than 0 and at most a day, in seconds")
}
