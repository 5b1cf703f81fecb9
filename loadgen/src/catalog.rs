//! The servers that loadgen can start: servers/servers.toml, embedded.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

static TEXT: &str = include_str!("../../servers/servers.toml");

/// The catalogue is part of the program and tested with it.
static CATALOGUE: LazyLock<File> = LazyLock::new(|| toml::from_str(TEXT).unwrap_or_default());

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    server: Vec<Entry>,
    need: BTreeMap<String, Need>,
}

/// One `[[server]]` of servers.toml; the meaning of each key is told at the head of that file.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs, reason = "told at the head of servers.toml")]
pub struct Entry {
    pub name: String,
    pub description: String,
    pub runtime: Runtime,
    #[serde(default)]
    pub needs: Vec<String>,
    pub command: Vec<String>,
    #[serde(default)]
    pub worker_arguments: Vec<String>,
    #[serde(default)]
    pub pin_arguments: Vec<String>,
    #[serde(default)]
    pub backends: Vec<String>,
    #[serde(default)]
    pub backend_arguments: Vec<String>,
    pub computes_on: ComputesOn,
    pub parts: Vec<Part>,
    pub fault: Option<String>,
}

/// What runs a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[allow(missing_docs, reason = "they are called so")]
pub enum Runtime {
    /// Nothing else: it is a part of this program.
    BuiltIn,
    Node,
    Bun,
    Deno,
}

impl Runtime {
    /// The `[need]` of that name; `None` for what is built in.
    pub fn need(self) -> Option<&'static str> {
        match self {
            Runtime::BuiltIn => None,
            Runtime::Node => Some("node"),
            Runtime::Bun => Some("bun"),
            Runtime::Deno => Some("deno"),
        }
    }
}

/// One `[need]` of servers.toml: a program or a file that loadgen does not bring.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs, reason = "told at the head of servers.toml")]
pub struct Need {
    pub title: String,
    pub program: Option<String>,
    #[serde(default)]
    pub below: Vec<String>,
    #[serde(default = "version_argument")]
    pub version_argument: String,
    pub least: Option<String>,
    pub file: Option<String>,
    pub get: String,
}

fn version_argument() -> String {
    "--version".into()
}

impl Entry {
    /// All that it needs, by name; its runtime first.
    pub fn all_needs(&self) -> impl Iterator<Item = &str> {
        self.runtime.need().into_iter().chain(self.needs.iter().map(String::as_str))
    }
}

/// How many threads of a server can compute at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ComputesOn {
    /// One, whatever the machine.
    OneThread,
    /// As many as there are workers.
    Workers,
    /// As many as there are requests.
    Unlimited,
}

impl ComputesOn {
    /// Threads that compute at once while `clients` ask, on `cpus` CPUs: what bounds the throughput of a level.
    pub fn threads(self, clients: u32, cpus: u32, workers: Option<u32>) -> u32 {
        let own = match self {
            ComputesOn::OneThread => 1,
            ComputesOn::Workers => workers.unwrap_or(cpus),
            ComputesOn::Unlimited => u32::MAX,
        };
        own.min(clients).min(cpus)
    }
}

/// A part of servers/CONTRACT.md.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Part {
    /// `/healthz`, `/hello`, `/fib`, `/atan-tan`.
    Core,
    /// `/convolve`.
    Image,
    /// `/images/{name}`.
    Store,
    /// `/metrics`.
    Metrics,
}

/// All servers, in the order of the file.
pub fn all() -> &'static [Entry] {
    &CATALOGUE.server
}

/// The `[need]` of that name.
pub fn need(name: &str) -> Option<&'static Need> {
    CATALOGUE.need.get(name)
}

/// The server of that name.
pub fn find(name: &str) -> Option<&'static Entry> {
    all().iter().find(|entry| entry.name == name)
}

/// Every backend that some server has.
pub fn backends() -> Vec<&'static str> {
    let mut backends = Vec::new();
    for backend in all().iter().flat_map(|entry| &entry.backends) {
        if !backends.contains(&backend.as_str()) {
            backends.push(backend);
        }
    }
    backends
}

/// All names.
pub fn names() -> Vec<&'static str> {
    all().iter().map(|entry| entry.name.as_str()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_catalogue_reads_and_names_are_distinct() {
        toml::from_str::<File>(TEXT).unwrap();
        let mut names = names();
        assert!(names.len() >= 8);
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all().len());
    }

    #[test]
    fn every_need_is_known_and_is_a_program_or_a_file() {
        for entry in all() {
            for name in entry.all_needs() {
                let need = need(name).unwrap_or_else(|| panic!("{}: there is no [need.{name}]", entry.name));
                assert!(need.program.is_some() != need.file.is_some(), "{name}");
            }
        }
    }

    #[test]
    fn computing_threads_are_bounded_by_clients_cpus_and_kind() {
        assert_eq!(ComputesOn::OneThread.threads(20, 8, None), 1);
        assert_eq!(ComputesOn::Workers.threads(20, 8, Some(3)), 3);
        assert_eq!(ComputesOn::Workers.threads(20, 8, None), 8);
        assert_eq!(ComputesOn::Workers.threads(2, 8, Some(16)), 2);
        assert_eq!(ComputesOn::Unlimited.threads(5, 8, None), 5);
    }
}
