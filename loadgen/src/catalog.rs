//! The servers that loadgen can start: servers/servers.toml, embedded.

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

static TEXT: &str = include_str!("../../servers/servers.toml");

/// The catalogue is part of the program and tested with it.
static SERVERS: LazyLock<Vec<Entry>> = LazyLock::new(|| {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct File {
        server: Vec<Entry>,
    }
    toml::from_str::<File>(TEXT).map(|file| file.server).unwrap_or_default()
});

/// One `[[server]]` of servers.toml; the meaning of each key is told at the head of that file.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs, reason = "told at the head of servers.toml")]
pub struct Entry {
    pub name: String,
    pub description: String,
    pub runtime: Runtime,
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
}

/// What has to be installed for a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Runtime {
    /// Nothing: it is a part of this program.
    BuiltIn,
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
    &SERVERS
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
        assert!(toml::from_str::<toml::Table>(TEXT).is_ok());
        let mut names = names();
        assert!(names.len() >= 8);
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all().len());
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
