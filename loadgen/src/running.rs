//! A server that answers: started, or found running, and waited for.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use crate::control::Control;
use crate::results::Failure;
use crate::scenario::{Scenario, sizes::with_size};
use crate::server::{Access, Server, Settings};
use crate::subject::{ExitReport, Launch, Process, Ready, ReadyError, free_port, wait_ready};
use crate::target;

/// How long a server may take to end after SIGTERM.
const GRACE: Duration = Duration::from_secs(2);
/// Pause between two questions whether a server answers.
const POLL: Duration = Duration::from_millis(20);

/// A server that answers.
#[derive(Debug)]
pub struct Running {
    /// Where it listens.
    pub address: SocketAddr,
    /// For the Host header.
    pub host: String,
    /// The command line that started it.
    pub command: Option<String>,
    process: Option<Process>,
}

/// How to start servers.
#[derive(Debug, Clone)]
pub struct Starter {
    /// For polling.
    pub control: Control,
    /// How long a server may take until it answers.
    pub ready_limit: Duration,
}

/// Why there is no server: what the user reads, and what the server wrote last.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct StartError {
    message: String,
    last_words: Vec<String>,
}

impl From<StartError> for Failure {
    fn from(error: StartError) -> Self {
        Self { message: error.message, last_words: error.last_words }
    }
}

impl StartError {
    /// The last lines that the server wrote.
    pub fn last_words(&self) -> &[String] {
        &self.last_words
    }

    fn new(message: impl ToString) -> Self {
        Self { message: message.to_string(), last_words: Vec::new() }
    }
}

impl Starter {
    /// Starts a server, or finds it running, and waits until it answers `probe` (a path).
    ///
    /// # Errors
    /// It cannot be started, ends at once, does not listen, or does not answer in time; with its last words.
    pub async fn start(
        &self,
        server: &Server,
        cpus: &[u32],
        settings: &Settings,
        probe: &str,
    ) -> Result<Running, StartError> {
        let begun = Instant::now();
        let running = match &server.access {
            Access::Running(url) => self.find(&server.name, url).await?,
            Access::Catalogued { .. } | Access::Shell(_) => self.launch(server, cpus, settings).await?,
        };
        self.wait_for_answer(&server.name, &running, probe, begun).await?;
        Ok(running)
    }

    async fn find(&self, name: &str, url: &reqwest::Url) -> Result<Running, StartError> {
        let fail = |reason: String| StartError::new(format!("server {name}: {url}: {reason}"));
        let addresses = target::addresses(url).map_err(fail)?;
        let address = target::reachable(&addresses).await.map_err(|reason| {
            fail(format!("nothing listens there ({reason}); start the server first, or let loadgen do it by --command"))
        })?;
        Ok(Running { address, host: target::host(url), command: None, process: None })
    }

    async fn launch(&self, server: &Server, cpus: &[u32], settings: &Settings) -> Result<Running, StartError> {
        let announces = matches!(server.access, Access::Catalogued { .. });
        let port = if announces { 0 } else { free_port().map_err(StartError::new)? };
        let loadgen = std::env::current_exe().map_err(StartError::new)?;
        let line = server.command_line(&loadgen, port, settings).unwrap_or_default();
        let shown = shown(&line);
        let mut words = line.into_iter();
        let launch = Launch {
            name: server.name.clone(),
            program: words.next().unwrap_or_default(),
            args: words.collect(),
            // What it says goes into files.
            env: vec![("NO_COLOR".into(), "1".into())],
            cpus: Some(cpus.iter().map(|&cpu| cpu as usize).collect()),
            working_dir: None,
            grace: GRACE,
            shepherd_executable: None,
        };
        let process = Process::spawn(&launch).map_err(StartError::new)?;
        let how = if announces { Ready::Announced } else { Ready::Polled(SocketAddr::from(([127, 0, 0, 1], port))) };
        let address = match wait_ready(&process, how, self.ready_limit).await {
            Ok(address) => address,
            Err(error) => {
                let failure = self.not_ready(&process, &error);
                process.stop().await;
                return Err(failure);
            }
        };
        Ok(Running { address, host: address.to_string(), command: Some(shown), process: Some(process) })
    }

    fn not_ready(&self, process: &Process, error: &ReadyError) -> StartError {
        StartError { message: error.to_string(), last_words: process.last_words() }
    }

    /// Listening is not answering: a connection may be accepted long before anybody reads from it.
    async fn wait_for_answer(
        &self,
        name: &str,
        running: &Running,
        probe: &str,
        begun: Instant,
    ) -> Result<(), StartError> {
        let mut reason = "it did not answer".to_owned();
        let poll = async {
            loop {
                match self.control.ask("GET", running.address, probe, Some(&running.host)).await {
                    Ok(_) => return,
                    Err(error) => reason = error,
                }
                tokio::time::sleep(POLL).await;
            }
        };
        let left = self.ready_limit.saturating_sub(begun.elapsed());
        let ended = async {
            match &running.process {
                Some(process) => process.exited().await,
                None => std::future::pending().await,
            }
        };
        let what = tokio::select! {
            () = poll => return Ok(()),
            report = ended => report.describe(),
            () = tokio::time::sleep(left) => format!(
                "did not answer GET {probe} at {} within {:.0} s ({reason}); --ready-timeout allows more",
                running.address,
                self.ready_limit.as_secs_f64(),
            ),
        };
        let last_words = running.last_words();
        Err(StartError { message: format!("server {name} {what}"), last_words })
    }
}

/// A command line as one would type it; this program by its plain name, for the reader does not care where it is.
fn shown(line: &[std::ffi::OsString]) -> String {
    let mut words = line.iter().map(|word| word.to_string_lossy().into_owned());
    let first = words.next().unwrap_or_default();
    if first == "sh" {
        return words.nth(1).unwrap_or_default();
    }
    let name = first.rsplit('/').next().unwrap_or_default().to_owned();
    std::iter::once(name).chain(words).collect::<Vec<_>>().join(" ")
}

impl Running {
    /// The process, where loadgen started it.
    pub fn process(&self) -> Option<&Process> {
        self.process.as_ref()
    }

    /// How the server ended; never resolves while it runs or where loadgen did not start it.
    pub async fn ended(&self) -> ExitReport {
        match &self.process {
            Some(process) => process.exited().await,
            None => std::future::pending().await,
        }
    }

    /// The last lines that it wrote.
    pub fn last_words(&self) -> Vec<String> {
        self.process.as_ref().map(Process::last_words).unwrap_or_default()
    }

    /// Ends it, if loadgen started it.
    pub async fn stop(self) {
        if let Some(process) = self.process {
            process.stop().await;
        }
    }
}

/// The path that shows whether a server answers: cheap where the contract is kept, else that of the requests.
pub fn probe_path(server: &Server, scenario: &Scenario) -> String {
    if server.parts.is_empty() {
        let path = server.path.as_deref().unwrap_or(&scenario.request.path);
        with_size(&path.replace("{salt}", "0"), scenario.sizes()[0])
    } else {
        "/healthz".into()
    }
}
