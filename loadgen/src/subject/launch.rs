//! Starting a server: what to start, through a shepherd, and what can go wrong on the way.

use std::ffi::OsString;
use std::io::{self, Read};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;

use super::link::{Link, Notice, Step};

/// How long a shepherd may take to say that the server runs.
const START_LIMIT: Duration = Duration::from_secs(10);

/// What to start, and how.
#[derive(Debug, Clone)]
pub struct Launch {
    /// The server's name, for messages.
    pub name: String,
    /// A path, relative ones from `working_dir`; or a name to be looked up in `PATH`.
    pub program: OsString,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// Variables set in addition to loadgen's own.
    pub env: Vec<(OsString, OsString)>,
    /// The CPUs it may use; all that loadgen may, if absent.
    pub cpus: Option<Vec<usize>>,
    /// Where it runs; loadgen's own folder if absent.
    pub working_dir: Option<PathBuf>,
    /// How long it may take to end after SIGTERM.
    pub grace: Duration,
    /// The executable that has the `shepherd` command, if it is not the running one (as in tests).
    pub shepherd_executable: Option<PathBuf>,
}

/// Why a server could not be started.
#[derive(Debug, thiserror::Error)]
pub enum SpawnError {
    /// The program is missing, or is none.
    #[error("server {name}: cannot run `{}`: {reason}; {}", program.display(), advice(reason))]
    Program {
        /// The server.
        name: String,
        /// What was to be run.
        program: OsString,
        /// The system's reason.
        #[source]
        reason: io::Error,
    },
    /// The folder to run in is not there.
    #[error("server {name}: cannot run in folder {}: {reason}", folder.display())]
    WorkingDir {
        /// The server.
        name: String,
        /// The folder.
        folder: PathBuf,
        /// The system's reason.
        #[source]
        reason: io::Error,
    },
    /// Not all of the CPUs can be used.
    #[error("server {name}: cannot use CPUs {cpus:?}: {reason}; `nproc` and `taskset -p $$` tell which there are")]
    Cpus {
        /// The server.
        name: String,
        /// The CPUs asked for.
        cpus: Vec<usize>,
        /// The system's reason.
        #[source]
        reason: io::Error,
    },
    /// Something went wrong on the way, before the program was tried.
    #[error("server {name}: could not be started: {reason}")]
    Shepherd {
        /// The server.
        name: String,
        /// What went wrong.
        #[source]
        reason: io::Error,
    },
}

fn advice(reason: &io::Error) -> &'static str {
    match reason.kind() {
        io::ErrorKind::NotFound => "is it installed, and in PATH?",
        io::ErrorKind::PermissionDenied => "is it an executable file?",
        _ => "is it a program for this machine?",
    }
}

/// A shepherd whose server runs.
pub struct Started {
    pub shepherd: Child,
    pub server: u32,
    pub link: Link,
    /// A second handle of the link's socket, to write to.
    pub lifeline: UnixStream,
}

/// Starts a server; returns once its program runs, or could not be run.
pub fn start(launch: &Launch) -> Result<Started, SpawnError> {
    let shepherd_error = |reason| SpawnError::Shepherd { name: launch.name.clone(), reason };
    if let Some(folder) = &launch.working_dir {
        std::fs::metadata(folder.join(".")).map_err(|reason| SpawnError::WorkingDir {
            name: launch.name.clone(),
            folder: folder.clone(),
            reason,
        })?;
    }
    let (mut shepherd, stream) = start_shepherd(launch).map_err(shepherd_error)?;
    match await_start(stream) {
        Ok((server, link, lifeline)) => Ok(Started { shepherd, server, link, lifeline }),
        Err(trouble) => {
            end(&mut shepherd);
            Err(match trouble {
                Trouble::Told(step, errno) => failure(launch, step, errno),
                Trouble::Silent => shepherd_error(complaint(&mut shepherd)),
                Trouble::Link(reason) => shepherd_error(reason),
            })
        }
    }
}

/// Why there is no news of a start, or bad news.
enum Trouble {
    Told(Step, i32),
    Silent,
    Link(io::Error),
}

impl From<io::Error> for Trouble {
    fn from(error: io::Error) -> Self {
        Self::Link(error)
    }
}

fn await_start(stream: UnixStream) -> Result<(u32, Link, UnixStream), Trouble> {
    let lifeline = stream.try_clone()?;
    stream.set_read_timeout(Some(START_LIMIT))?;
    let mut link = Link::new(stream);
    loop {
        match link.next_notice() {
            Some(Notice::Started(server)) => {
                link.stream().set_read_timeout(None)?;
                return Ok((server, link, lifeline));
            }
            Some(Notice::Failed(step, errno)) => return Err(Trouble::Told(step, errno)),
            Some(Notice::Ended(_)) => {}
            None if link.read_some()? => {}
            None => return Err(Trouble::Silent),
        }
    }
}

fn start_shepherd(launch: &Launch) -> io::Result<(Child, UnixStream)> {
    let (ours, theirs) = UnixStream::pair()?;
    // Not the path of this executable, which a build may replace while a sweep runs.
    let executable = launch.shepherd_executable.as_deref().unwrap_or(Path::new("/proc/self/exe"));
    let mut command = Command::new(executable);
    command.arg0("loadgen").arg("shepherd").arg("--grace-ms").arg(launch.grace.as_millis().to_string());
    if let Some(cpus) = launch.cpus.as_ref().filter(|cpus| !cpus.is_empty()) {
        let list: Vec<String> = cpus.iter().map(usize::to_string).collect();
        command.arg("--cpus").arg(list.join(","));
    }
    command.arg("--").arg(&launch.program).args(&launch.args);
    command.envs(launch.env.iter().map(|(name, value)| (name, value)));
    if let Some(folder) = &launch.working_dir {
        command.current_dir(folder);
    }
    command.stdin(OwnedFd::from(theirs)).stdout(Stdio::piped()).stderr(Stdio::piped());
    // Ctrl-C in a terminal goes to the group in the foreground: loadgen decides what it means for servers.
    command.process_group(0);
    let child = command.spawn()?;
    Ok((child, ours))
}

fn failure(launch: &Launch, step: Step, errno: i32) -> SpawnError {
    let (name, reason) = (launch.name.clone(), io::Error::from_raw_os_error(errno));
    match step {
        Step::Setup => SpawnError::Shepherd { name, reason },
        Step::Cpus => SpawnError::Cpus { name, cpus: launch.cpus.clone().unwrap_or_default(), reason },
        Step::Program => SpawnError::Program { name, program: launch.program.clone(), reason },
    }
}

/// What a shepherd wrote that ended without a notice.
fn complaint(shepherd: &mut Child) -> io::Error {
    let mut text = Vec::new();
    if let Some(errors) = shepherd.stderr.take() {
        // Half of it is better than nothing.
        let _ = errors.take(4096).read_to_end(&mut text);
    }
    let text = String::from_utf8_lossy(&text);
    io::Error::other(format!("`loadgen shepherd` failed: {}", text.trim()))
}

/// Kills a shepherd that is of no use.
fn end(shepherd: &mut Child) {
    let _ = killpg(Pid::from_raw(shepherd.id() as i32), Signal::SIGKILL);
    let _ = shepherd.wait();
}
