//! A server as a sweep sees it: a name, a way to get at it, and what is known of it.

use std::ffi::OsString;
use std::path::Path;

use crate::catalog::{ComputesOn, Entry, Part};

/// A system under test, from servers.toml or from `--url` or `--command`.
#[derive(Debug, Clone)]
pub struct Server {
    /// As in every output.
    pub name: String,
    /// One line.
    pub description: String,
    /// How to get at it.
    pub access: Access,
    /// How many threads of it can compute at once; `None`: not known, so it has no limit to be compared with.
    pub computes_on: Option<ComputesOn>,
    /// What of the contract it serves; empty: unknown.
    pub parts: Vec<Part>,
    /// What can compute its jobs, its default first; empty: not known.
    pub backends: Vec<String>,
    /// The path of its requests where it is not the scenario's.
    pub path: Option<String>,
    /// What runs it, with its version; `None`: it is a part of loadgen, or not known.
    pub runtime: Option<String>,
    /// What it does wrong, where that is its point: its wrong answers are expected ones.
    pub fault: Option<String>,
}

/// How to get at a server.
#[derive(Debug, Clone)]
pub enum Access {
    /// Started by a command of servers.toml; it announces its address.
    Catalogued {
        /// With placeholders, but for what is installed (see [`crate::installed`]).
        command: Vec<String>,
        /// Appended with the number of workers; empty: it has no such setting.
        worker_arguments: Vec<String>,
        /// Appended where workers shall keep to a CPU each; empty: it cannot do that.
        pin_arguments: Vec<String>,
        /// Appended with the backend; empty: it has no such setting.
        backend_arguments: Vec<String>,
    },
    /// Started by a shell command of the user's, on a port that loadgen picks for `{port}`.
    Shell(String),
    /// Already running.
    Running(reqwest::Url),
}

/// What of a server can be set when it is started; `None`: left to the server.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Settings {
    /// Its workers.
    pub workers: Option<u32>,
    /// What computes its jobs.
    pub backend: Option<String>,
    /// Whether each worker keeps to one CPU.
    pub pinned: bool,
}

impl From<&Entry> for Server {
    fn from(entry: &Entry) -> Self {
        Self {
            name: entry.name.clone(),
            description: entry.description.clone(),
            access: Access::Catalogued {
                command: entry.command.clone(),
                worker_arguments: entry.worker_arguments.clone(),
                pin_arguments: entry.pin_arguments.clone(),
                backend_arguments: entry.backend_arguments.clone(),
            },
            computes_on: Some(entry.computes_on),
            parts: entry.parts.clone(),
            backends: entry.backends.clone(),
            path: None,
            runtime: None,
            fault: entry.fault.clone(),
        }
    }
}

impl Server {
    /// A server of the user's, started by `command`.
    pub fn shell(name: String, command: String, path: Option<String>) -> Self {
        let description = format!("`{command}`");
        Self::own(name, description, Access::Shell(command), path)
    }

    /// A server that is already running; its path is that of the requests unless a scenario gives one.
    pub fn running(name: String, url: reqwest::Url, path: Option<String>) -> Self {
        let description = format!("already running at {url}");
        Self::own(name, description, Access::Running(url), path)
    }

    /// A server of the user's: nothing is known of it.
    fn own(name: String, description: String, access: Access, path: Option<String>) -> Self {
        Self {
            name,
            description,
            access,
            computes_on: None,
            parts: Vec::new(),
            backends: Vec::new(),
            path,
            runtime: None,
            fault: None,
        }
    }

    /// Whether the number of workers can be set.
    pub fn has_workers(&self) -> bool {
        match &self.access {
            Access::Catalogued { worker_arguments, .. } => !worker_arguments.is_empty(),
            Access::Shell(command) => command.contains("{workers}"),
            Access::Running(_) => false,
        }
    }

    /// Whether its workers can be made to keep to a CPU each.
    pub fn can_pin(&self) -> bool {
        matches!(&self.access, Access::Catalogued { pin_arguments, .. } if !pin_arguments.is_empty())
    }

    /// Whether loadgen starts it, and so chooses its CPUs.
    pub fn is_started(&self) -> bool {
        !matches!(self.access, Access::Running(_))
    }

    /// Program and arguments with every placeholder filled; `None` for a server that is already running.
    pub fn command_line(&self, loadgen: &Path, port: u16, settings: &Settings) -> Option<Vec<OsString>> {
        let Settings { workers, backend, pinned } = settings;
        let fill = |text: &str| {
            let workers = workers.map_or_else(String::new, |workers| workers.to_string());
            let text = text.replace("{port}", &port.to_string()).replace("{workers}", &workers);
            text.replace("{backend}", backend.as_deref().unwrap_or_default())
        };
        match &self.access {
            Access::Catalogued { command, worker_arguments, pin_arguments, backend_arguments } => {
                let worker_arguments = worker_arguments.iter().filter(|_| workers.is_some());
                let backend_arguments = backend_arguments.iter().filter(|_| backend.is_some());
                let pin_arguments = pin_arguments.iter().filter(|_| *pinned);
                let extra = worker_arguments.chain(pin_arguments).chain(backend_arguments);
                let word = |word: &String| match word.as_str() {
                    "{loadgen}" => loadgen.as_os_str().to_owned(),
                    word => fill(word).into(),
                };
                Some(command.iter().chain(extra).map(word).collect())
            }
            Access::Shell(command) => {
                // A shell that only waits would be measured as a part of the server.
                let command = if is_simple(command) { format!("exec {command}") } else { command.clone() };
                Some(vec!["sh".into(), "-c".into(), fill(&command).into()])
            }
            Access::Running(_) => None,
        }
    }
}

/// Whether a shell command is one program with its arguments, so that the shell can become that program.
fn is_simple(command: &str) -> bool {
    let first = command.split_whitespace().next().unwrap_or_default();
    let compound = command.contains([';', '&', '|', '(', ')', '<', '>', '\n', '`']);
    !compound
        && !first.contains('=')
        && !["exec", "cd", "if", "while", "for", "until", "case", "{", "!"].contains(&first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog;

    #[test]
    fn placeholders_are_filled() {
        let pool = Server::from(catalog::find("worker-pool").unwrap());
        let workers = Settings { workers: Some(3), ..Settings::default() };
        let line = pool.command_line(Path::new("/bin/lg"), 0, &workers).unwrap();
        assert_eq!(line, ["/bin/lg", "serve", "worker-pool", "--port", "0", "--workers", "3"]);
        let both = Settings { backend: Some("wasm".into()), ..workers };
        let line = pool.command_line(Path::new("/bin/lg"), 0, &both).unwrap();
        assert_eq!(line[5..], ["--workers", "3", "--backend", "wasm"]);
        let own = Server::shell("mine".into(), "node a.js {port} {workers}".into(), None);
        assert!(own.has_workers());
        let line = own.command_line(Path::new("x"), 81, &Settings { workers: Some(2), ..Settings::default() }).unwrap();
        assert_eq!(line, ["sh", "-c", "exec node a.js 81 2"]);
        for compound in ["cd x && node a.js {port}", "PORT={port} node a.js", "exec node {port}", "a {port} & wait"] {
            let own = Server::shell("mine".into(), compound.into(), None);
            assert_eq!(
                own.command_line(Path::new("x"), 81, &Settings::default()).unwrap()[2],
                *compound.replace("{port}", "81")
            );
        }
    }
}
