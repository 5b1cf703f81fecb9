//! A server as loadgen sees it: started, watched, stopped.

use std::io::Write;
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use tokio::sync::watch;

use super::descendants::KILL_LIMIT;
use super::exit::ExitReport;
use super::launch::{self, Launch, SpawnError, Started};
use super::link::STOP;
use super::output::Output;
use super::reader;

/// How long dropping a process may wait for its end, before the shepherd is killed too.
const DROP_LIMIT: Duration = Duration::from_secs(5);

/// A server that was started. Dropping it kills it and everything it started.
#[derive(Debug)]
pub struct Process {
    name: String,
    grace: Duration,
    shepherd: u32,
    server: u32,
    /// Our end of the shepherd's standard input.
    lifeline: UnixStream,
    output: Arc<Output>,
    ended: watch::Receiver<Option<ExitReport>>,
    reader: JoinHandle<()>,
}

impl Process {
    /// Starts a server; returns once the program runs (it may not listen yet).
    pub fn spawn(launch: &Launch) -> Result<Self, SpawnError> {
        let Started { shepherd, server, link, lifeline } = launch::start(launch)?;
        let shepherd_pid = shepherd.id();
        let output = Arc::new(Output::default());
        let (tell, ended) = watch::channel(None);
        let read = {
            let output = Arc::clone(&output);
            move || {
                let report = reader::read_until_gone(shepherd, link, &output);
                tell.send_replace(Some(report));
            }
        };
        // Should that fail, the sockets are closed, which ends the server.
        let reader = thread::Builder::new().name("server-output".to_owned()).spawn(read);
        Ok(Self {
            name: launch.name.clone(),
            grace: launch.grace,
            shepherd: shepherd_pid,
            server,
            lifeline,
            output,
            ended,
            reader: reader.map_err(|reason| SpawnError::Shepherd { name: launch.name.clone(), reason })?,
        })
    }

    /// The server's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The process above the server: the root for a [`Sampler`](super::Sampler), which leaves it out itself.
    pub fn shepherd_pid(&self) -> u32 {
        self.shepherd
    }

    /// The server's own process.
    pub fn server_pid(&self) -> u32 {
        self.server
    }

    /// The first line on standard output or error, past or future, that starts with `prefix`; none if the server
    /// ended without it.
    pub async fn line_starting_with(&self, prefix: &str) -> Option<String> {
        self.output.starting_with(prefix).await.ok()
    }

    /// Waits until the server is gone, and all it had started is.
    pub async fn exited(&self) -> ExitReport {
        let mut ended = self.ended.clone();
        match ended.wait_for(Option::is_some).await {
            Ok(report) => report.unwrap_or(ExitReport::Lost),
            Err(_) => ExitReport::Lost,
        }
    }

    /// How the server ended, if it has.
    pub fn has_exited(&self) -> Option<ExitReport> {
        *self.ended.borrow()
    }

    /// The last lines that it wrote on standard output and error.
    pub fn last_words(&self) -> Vec<String> {
        self.output.last_words()
    }

    /// Ends the server: SIGTERM, and after the grace period SIGKILL to it and all below it.
    pub async fn stop(self) -> ExitReport {
        // If the shepherd is gone, `exited` knows.
        let _ = (&self.lifeline).write_all(&[STOP]);
        let limit = self.grace + KILL_LIMIT + Duration::from_secs(1);
        match tokio::time::timeout(limit, self.exited()).await {
            Ok(report) => report,
            // `drop` does the rest.
            Err(_) => ExitReport::Lost,
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.lifeline.shutdown(Shutdown::Write);
        let limit = Instant::now() + DROP_LIMIT;
        while !self.reader.is_finished() && Instant::now() < limit {
            thread::sleep(Duration::from_millis(1));
        }
        if !self.reader.is_finished() {
            let _ = killpg(Pid::from_raw(self.shepherd as i32), Signal::SIGKILL);
        }
    }
}
