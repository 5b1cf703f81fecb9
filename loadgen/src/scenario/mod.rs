//! Scenarios: what to ask, of whom, how often, and what the right answer is.
//!
//! A scenario is a TOML file. Those that come with the program are embedded, so that an installed `loadgen` works in
//! any folder; a path on the command line wins. Everything is checked here, once: past this door a [`Scenario`] is
//! valid.

pub mod claim;
pub mod expect;
mod file;
mod form;
mod image;
pub mod levels;
mod probe;
pub mod sizes;
mod warm_up;
pub mod workers;

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::engine::Connections;
use crate::image::Size;
pub use claim::{Claim, Metric, Published, Selector};
pub use expect::Expect;
use file::{Fault, File};
pub use form::Form;
pub use image::{ExpectImage, ImageInput, Sending};
pub use levels::Levels;
pub use probe::Probe;
use sizes::{Base, SIZE};
pub use warm_up::WarmUp;
pub use workers::Workers;

/// The scenarios that come with the program: name and text.
const EMBEDDED: &[(&str, &str)] = &[
    ("fib", include_str!("../../../scenarios/fib.toml")),
    ("convolution", include_str!("../../../scenarios/convolution.toml")),
    ("convolution-large", include_str!("../../../scenarios/convolution-large.toml")),
    ("job-size", include_str!("../../../scenarios/job-size.toml")),
    ("responsiveness", include_str!("../../../scenarios/responsiveness.toml")),
    ("fabric-2011", include_str!("../../../scenarios/fabric-2011.toml")),
    ("worker-threads", include_str!("../../../scenarios/worker-threads.toml")),
    ("worker-threads-long", include_str!("../../../scenarios/worker-threads-long.toml")),
];

/// A valid scenario.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Scenario {
    /// Lower-case letters, digits and hyphens; names the folder of results.
    pub name: String,
    /// One line, the headline of the charts.
    pub title: String,
    /// What it is for.
    #[serde(default)]
    pub description: String,
    /// Servers by name, of servers.toml.
    pub servers: Vec<String>,
    /// What computes, for servers that can be told; empty: each server's default.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub backends: Vec<String>,
    /// Numbers of clients.
    pub concurrency: Levels,
    /// Sizes of the job, a second axis, in the place of `{size}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sizes: Option<Levels>,
    /// Numbers of workers, for servers that have them; `None`: as many as CPUs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workers: Option<Workers>,
    /// One CPU is kept for loadgen, where there are more than two: its requests are so light that it needs one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub spare_cpu: bool,
    /// Kept between requests, or new for each.
    pub connections: Connections,
    /// How many requests a level has.
    pub requests: RequestCount,
    /// What is sent first and not counted.
    pub warm_up: WarmUp,
    /// How often all is done, each time with a fresh process of every server.
    #[serde(default = "one")]
    pub trials: u32,
    /// Whether each worker keeps to one CPU, in servers that can do that.
    #[serde(default)]
    pub pin_workers: bool,
    /// A request that takes longer is an error, seconds.
    pub timeout_s: f64,
    /// What is asked.
    pub request: Ask,
    /// The right answer.
    pub expect: Expect,
    /// What is asked beside the load, and how often.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub probe: Option<Probe>,
    /// What a study published, and controls of ours: each gets a verdict.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub claims: Vec<Claim>,
    /// Curves that a study published.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub published: Vec<Published>,
    /// Whether this is the shrunk form, made by `--quick`.
    #[serde(default)]
    pub quick: bool,
    /// Whether this is the form with all that a study measured, made by `--full`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub full: bool,
}

/// Requests of a level: `max(per_client * clients, least)`, and as many as last `least_s` where that is given.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RequestCount {
    /// For each client.
    pub per_client: u32,
    /// At the least.
    pub least: u32,
    /// The level should last this long, judged by the rate of the warm-up, seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub least_s: Option<f64>,
}

/// The request; `{salt}` in the path is replaced by the salt of each request, `{size}` by its size.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ask {
    /// `GET` if absent.
    #[serde(default = "get")]
    pub method: String,
    /// Path and query, from `/` on.
    pub path: String,
    /// Its input, where that is a picture; `{input}` in the path is replaced by its number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image: Option<ImageInput>,
}

fn one() -> u32 {
    1
}

fn get() -> String {
    "GET".into()
}

/// Why a scenario cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ScenarioError {
    /// Neither a name that we know nor a file that is there.
    #[error("there is no scenario `{name}`, and no file of that name; scenarios: {}", names().join(", "))]
    Unknown {
        /// As given.
        name: String,
    },
    /// The file is there and cannot be read.
    #[error("scenario file {path}: {reason}")]
    Unreadable {
        /// As given.
        path: String,
        /// The reason.
        reason: std::io::Error,
    },
    /// Not TOML, a key missing, unknown or of the wrong type. The message shows line and key.
    #[error("scenario {origin}: {reason}")]
    Malformed {
        /// File or embedded name.
        origin: String,
        /// With line, column and the line itself.
        reason: Box<toml::de::Error>,
    },
    /// `--full` was asked for, and there is no such form.
    #[error("scenario {origin} has no larger form (`[full]`): without --full it is run in full")]
    NotLarger {
        /// File or embedded name.
        origin: String,
    },
    /// Well-formed, and wrong.
    #[error("scenario {origin}, line {line}: {key}: {reason}")]
    Invalid {
        /// File or embedded name.
        origin: String,
        /// From 1.
        line: usize,
        /// Which key.
        key: String,
        /// What is wrong and what would be right.
        reason: String,
    },
}

/// Names of the embedded scenarios.
pub fn names() -> Vec<&'static str> {
    EMBEDDED.iter().map(|&(name, _)| name).collect()
}

impl Scenario {
    /// Most trials: beyond that nobody waits for the end.
    pub const TRIALS_MOST: u32 = 100;

    /// A scenario by name or by path. A name that we know is taken as such unless it looks like a path.
    ///
    /// # Errors
    /// Unknown name, unreadable file, malformed or invalid contents.
    pub fn load(name: &str, form: Form) -> Result<Self, ScenarioError> {
        if let Some((_, text)) = EMBEDDED.iter().find(|&&(known, _)| known == name) {
            return Self::read(text, name, None, form);
        }
        match std::fs::read_to_string(Path::new(name)) {
            Ok(text) => Self::parse(&text, name, form),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                Err(ScenarioError::Unknown { name: name.into() })
            }
            Err(reason) => Err(ScenarioError::Unreadable { path: name.into(), reason }),
        }
    }

    /// Reads and checks a scenario's text; `origin` names it in messages.
    ///
    /// # Errors
    /// Malformed or invalid contents.
    pub fn parse(text: &str, origin: &str, form: Form) -> Result<Self, ScenarioError> {
        Self::read(text, origin, Some(Path::new(origin).parent().unwrap_or(Path::new(""))), form)
    }

    /// Files that it names lie in the folder `base`; `None`: they come with the program.
    fn read(text: &str, origin: &str, base: Option<&Path>, form: Form) -> Result<Self, ScenarioError> {
        let mut file: File = toml::from_str(text)
            .map_err(|error| ScenarioError::Malformed { origin: origin.into(), reason: error.into() })?;
        let at = |offset: usize, key: &str, reason: String| ScenarioError::Invalid {
            origin: origin.into(),
            line: text[..offset].matches('\n').count() + 1,
            key: key.into(),
            reason,
        };
        let checked = file.check().and_then(|()| file.load(base));
        checked.map_err(|Fault { offset, key, reason }| at(offset, &key, reason))?;
        if form == Form::Full && !file.has_full() {
            return Err(ScenarioError::NotLarger { origin: origin.into() });
        }
        Ok(file.scenario(form))
    }

    /// In a word, where it is not run as it stands.
    pub fn form(&self) -> Option<&'static str> {
        match self {
            Self { quick: true, .. } => Some("quick"),
            Self { full: true, .. } => Some("full"),
            _ => None,
        }
    }

    /// The sizes of the job; `None` alone where it has no such axis.
    pub fn sizes(&self) -> Vec<Option<u32>> {
        match &self.sizes {
            Some(sizes) => sizes.as_slice().iter().copied().map(Some).collect(),
            None => vec![None],
        }
    }

    /// Takes other sizes.
    ///
    /// # Errors
    /// The request has no place for a size, or a size has no answer.
    pub fn set_sizes(&mut self, sizes: &Levels) -> Result<(), String> {
        check_sizes(Some(sizes), &self.request.path, &self.expect).map_err(|(_, reason)| reason)?;
        self.sizes = Some(sizes.clone());
        Ok(())
    }

    /// How many distinct inputs there are: as many as the highest level has clients, unless it is said.
    pub fn inputs(&self) -> usize {
        let said = self.request.image.as_ref().and_then(|image| image.inputs);
        said.unwrap_or(self.concurrency.highest()) as usize
    }

    /// Takes another photograph (a file), another size or another way of sending.
    ///
    /// # Errors
    /// The scenario sends no pictures, or there is no such photograph.
    pub fn set_image(&mut self, file: Option<&str>, size: Option<Size>, send: Option<Sending>) -> Result<(), String> {
        let name = &self.name;
        let image = self.request.image.as_mut();
        let image = image.ok_or_else(|| format!("scenario {name} sends no pictures; convolution does"))?;
        if let Some(file) = file {
            image.file = file.into();
            image.bytes = None;
            image.load(Some(Path::new("")))?;
        }
        if size.is_some() {
            image.bytes = None;
        }
        image.size = size.or(image.size);
        image.send = send.unwrap_or(image.send);
        // The title was written for other pictures.
        let mut told = Vec::new();
        told.extend(file.map(|file| file.rsplit('/').next().unwrap_or(file).to_owned()));
        told.extend(size.map(|size| size.to_string()));
        told.extend(send.filter(|&send| send == Sending::Store).map(|_| "stored".to_owned()));
        if !told.is_empty() {
            self.title += &format!(" (here: {})", told.join(", "));
        }
        Ok(())
    }

    /// Requests of a level of `clients`, by count alone.
    pub fn requests_at(&self, clients: u32) -> u64 {
        let RequestCount { per_client, least, .. } = self.requests;
        (u64::from(per_client) * u64::from(clients)).max(u64::from(least)).max(1)
    }
}

/// Whether sizes, request and answers go together; which key does not, and why.
fn check_sizes(sizes: Option<&Levels>, path: &str, expect: &Expect) -> Result<(), (&'static str, String)> {
    let by_size = matches!(expect.base, Some(Base::BySize(_)));
    match sizes {
        Some(_) if !path.contains(SIZE) => Err(("path", format!("`{path}` has no {SIZE}, the place of the size"))),
        Some(sizes) => match expect.base.as_ref().and_then(|base| base.unanswered(sizes)) {
            Some((missing, known)) => {
                Err(("sizes", format!("there is no answer for {missing} in expect.base, which has {known}")))
            }
            None => Ok(()),
        },
        None if path.contains(SIZE) => Err(("path", format!("`{path}` has a {SIZE}, but there are no `sizes`"))),
        None if by_size => Err(("expect.base", "is a table by size, but there are no `sizes`".into())),
        None => Ok(()),
    }
}

/// A GET request.
pub fn request(path: String) -> Ask {
    Ask { method: get(), path, image: None }
}

/// Whether a text can stand as the target of a request line.
pub fn is_path(path: &str) -> bool {
    path.starts_with('/') && path.bytes().all(|byte| byte.is_ascii_graphic())
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIB: &str = include_str!("../../../scenarios/fib.toml");

    #[test]
    fn every_embedded_scenario_is_valid_in_every_form_and_named_as_its_file() {
        for &(name, text) in EMBEDDED {
            for form in [Form::Usual, Form::Quick] {
                assert_eq!(Scenario::parse(text, name, form).unwrap().name, name);
            }
            match Scenario::parse(text, name, Form::Full) {
                Ok(scenario) => assert!(text.contains("[full]") && scenario.full && !scenario.quick),
                Err(error) => assert!(!text.contains("[full]") && error.to_string().contains("without --full")),
            }
        }
    }

    #[test]
    fn quick_replaces_and_says_so() {
        let full = Scenario::parse(FIB, "fib", Form::Usual).unwrap();
        let quick = Scenario::parse(FIB, "fib", Form::Quick).unwrap();
        assert!(!full.quick && quick.quick);
        assert_ne!(full.request.path, quick.request.path);
        assert!(quick.concurrency.as_slice().len() < full.concurrency.as_slice().len());
        assert_eq!((full.requests_at(1), full.requests_at(20)), (24, 80));
    }

    #[test]
    fn faults_are_named_with_line_and_key() {
        let line_of = |needle: &str| FIB.lines().position(|line| line.contains(needle)).unwrap() + 1;
        for (from, to, line, key) in [
            ("\"event-loop\"", "\"evnt-loop\"", line_of("\"event-loop\""), "servers"),
            ("\"1-20\"", "\"20-1\"", line_of("\"1-20\""), "concurrency"),
            ("\"1-20\"", "0", line_of("\"1-20\""), "concurrency"),
            ("name = \"fib\"", "name = \"../fib\"", line_of("name = \"fib\""), "name"),
            ("timeout_s = 120", "timeout_s = 0.0", line_of("timeout_s"), "timeout_s"),
            ("timeout_s = 120", "timeout_s = 120\ntrials = 0", line_of("timeout_s") + 1, "trials"),
            ("timeout_s = 120", "timeout_s = 120\ntrials = 1000000000", line_of("timeout_s") + 1, "trials"),
            ("least = 4 }", "least = 4, most = 3 }", line_of("warm_up"), "warm_up.most"),
            ("least = 4 }", "least = 4, least_s = 9.0 }", line_of("warm_up"), "warm_up.most_s"),
            ("least = 4 }", "least = 4, tolerance = 0.0 }", line_of("warm_up"), "warm_up.tolerance"),
            ("plus_salt = true ", "plus_pepper = 1 ", line_of("plus_salt = true "), "plus_pepper"),
            ("\"/fib/40", "\"fib/40", line_of("[request]"), "request.path"),
            ("per_client = 4, least = 24", "per_client = 0, least = 0", line_of("per_client = 4"), "requests"),
            ("per_client = 4,", "per_client = -4,", line_of("per_client = 4"), "per_client"),
            ("[request]", "[request", line_of("[request]"), "[request"),
        ] {
            assert!(FIB.contains(from), "{from}");
            let text = FIB.replacen(from, to, 1);
            let message = Scenario::parse(&text, "x.toml", Form::Usual).unwrap_err().to_string();
            let named = message.contains(key) && message.contains("x.toml");
            assert!(named && message.contains(&format!("line {line}")), "{from} -> {to}: {message}");
        }
    }

    #[test]
    fn a_missing_key_is_named() {
        let text = FIB.replacen("[request]", "[quick_request]", 1);
        let message = Scenario::parse(&text, "x.toml", Form::Usual).unwrap_err().to_string();
        assert!(message.contains("quick_request"), "{message}");
        let message = Scenario::parse("name = \"x\"\n", "x.toml", Form::Usual).unwrap_err().to_string();
        assert!(message.contains("missing field"), "{message}");
    }
}
