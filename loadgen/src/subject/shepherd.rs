//! `loadgen shepherd`: the process between loadgen and one server.
//!
//! A parent-death signal reaches only a direct child, and a process group only those that stay in it. So
//! each server gets a shepherd: it adopts every orphan below it (`PR_SET_CHILD_SUBREAPER`), and when loadgen asks for
//! it, or is gone, or the server has ended, it kills everything below it. If the shepherd itself is
//! killed, the parent-death signal takes the server.
//!
//! While the server runs it sleeps in one `poll`, so it takes nothing from what is measured.

use std::ffi::OsString;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
use nix::sys::prctl;
use nix::sys::signal::{SigHandler, SigSet, SigmaskHow, Signal, kill, signal, sigprocmask};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use nix::unistd::{Pid, getpid, getppid, read, write};

use super::descendants::{kill_all, reap};
use super::exit::ExitReport;
use super::link::{Notice, STOP, Step};

/// The status when the server could not be started, as in a shell.
const NOT_STARTED: u8 = 127;

/// Runs `command` on `cpus` (all if empty) and watches over it; returns when nothing is left of it.
///
/// To be called from the main thread, before there are others: the server's parent-death signal follows the thread
/// that started it.
pub fn shepherd(cpus: &[usize], grace: Duration, command: Vec<OsString>) -> ExitCode {
    match start(cpus, &command) {
        Ok((server, signals)) => {
            tell(Notice::Started(server.as_raw() as u32));
            let report = watch(server, &signals, grace);
            tell(Notice::Ended(report));
            ExitCode::from(report.shell_status())
        }
        Err((step, errno)) => {
            tell(Notice::Failed(step, errno as i32));
            ExitCode::from(NOT_STARTED)
        }
    }
}

/// Prepares this process and starts the server.
fn start(cpus: &[usize], command: &[OsString]) -> Result<(Pid, SignalFd), (Step, Errno)> {
    let signals = prepare().map_err(|errno| (Step::Setup, errno))?;
    pin(cpus).map_err(|errno| (Step::Cpus, errno))?;
    let server =
        spawn(command).map_err(|error| (Step::Program, error.raw_os_error().map_or(Errno::EINVAL, Errno::from_raw)))?;
    Ok((server, signals))
}

/// Makes this process a subreaper that sees signals as events.
fn prepare() -> Result<SignalFd, Errno> {
    // Only what `ps` shows.
    let _ = prctl::set_name(c"shepherd");
    prctl::set_child_subreaper(true)?;
    // SAFETY: the default action runs no code of ours. (Were SIGCHLD ignored, as a parent may have
    // left it, the kernel would reap our children and their status would be lost.)
    unsafe { signal(Signal::SIGCHLD, SigHandler::SigDfl) }?;
    let mut set = SigSet::empty();
    for signal in [Signal::SIGCHLD, Signal::SIGTERM, Signal::SIGINT, Signal::SIGHUP, Signal::SIGQUIT] {
        set.add(signal);
    }
    set.thread_block()?;
    SignalFd::with_flags(&set, SfdFlags::SFD_CLOEXEC | SfdFlags::SFD_NONBLOCK)
}

/// Sets the CPUs of this process, which the server inherits.
fn pin(cpus: &[usize]) -> Result<(), Errno> {
    if cpus.is_empty() {
        return Ok(());
    }
    let mut set = CpuSet::new();
    for &cpu in cpus {
        set.set(cpu)?;
    }
    sched_setaffinity(Pid::from_raw(0), &set)?;
    // The kernel leaves out CPUs that it has not, without an error.
    if sched_getaffinity(Pid::from_raw(0))? == set { Ok(()) } else { Err(Errno::EINVAL) }
}

fn spawn(command: &[OsString]) -> io::Result<Pid> {
    let (program, args) = command.split_first().ok_or(io::ErrorKind::InvalidInput)?;
    let shepherd = getpid();
    let mut command = Command::new(program);
    command.args(args).stdin(Stdio::null());
    // SAFETY: the closure runs between fork and exec of a process with one thread, and makes only
    // system calls that are async-signal-safe (sigprocmask, prctl, getppid); it allocates nothing and takes no lock.
    unsafe {
        command.pre_exec(move || {
            sigprocmask(SigmaskHow::SIG_SETMASK, Some(&SigSet::empty()), None)?;
            prctl::set_pdeathsig(Signal::SIGKILL)?;
            // A shepherd that died before the line above sends no signal any more.
            if getppid() == shepherd { Ok(()) } else { Err(Errno::ESRCH.into()) }
        });
    }
    let child = command.spawn()?;
    Ok(Pid::from_raw(child.id() as i32))
}

/// Waits for the end, whoever brings it, and leaves nothing behind.
fn watch(server: Pid, signals: &SignalFd, grace: Duration) -> ExitReport {
    let mut deadline: Option<Instant> = None;
    let seen = loop {
        match reap(server) {
            Ok(None) => {}
            Ok(Some(report)) | Err((Some(report), _)) => break Some(report),
            Err((None, _)) => break None,
        }
        match next_event(signals, deadline) {
            Event::Child => {}
            Event::Stop if deadline.is_none() => {
                let _ = kill(server, Signal::SIGTERM);
                deadline = Some(Instant::now() + grace);
            }
            Event::Stop => {}
            Event::End => break None,
        }
    };
    let (killed, left) = kill_all(server);
    if left > 0 {
        eprintln!("{left} processes of this server could not be killed");
    }
    seen.or(killed).unwrap_or(ExitReport::Lost)
}

enum Event {
    /// A child may have ended.
    Child,
    /// loadgen asks for a gentle stop.
    Stop,
    /// loadgen is gone, a signal came, or the grace period is over.
    End,
}

/// Sleeps until something happens.
fn next_event(signals: &SignalFd, deadline: Option<Instant>) -> Event {
    let stdin = io::stdin();
    loop {
        let mut fds = [PollFd::new(stdin.as_fd(), PollFlags::POLLIN), PollFd::new(signals.as_fd(), PollFlags::POLLIN)];
        let timeout = match deadline.map(|at| at.saturating_duration_since(Instant::now())) {
            None => PollTimeout::NONE,
            Some(Duration::ZERO) => return Event::End,
            // Rounded up, or the last millisecond would spin.
            Some(left) => PollTimeout::try_from(left + Duration::from_millis(1)).unwrap_or(PollTimeout::MAX),
        };
        match poll(&mut fds, timeout) {
            Ok(_) => {}
            Err(Errno::EINTR | Errno::EAGAIN) => continue,
            Err(_) => return Event::End,
        }
        if fds[1].any().unwrap_or(true) {
            match signals.read_signal() {
                Ok(Some(info)) if info.ssi_signo == Signal::SIGCHLD as u32 => return Event::Child,
                Ok(Some(_)) => return Event::End,
                Ok(None) | Err(Errno::EINTR) => {}
                Err(_) => return Event::End,
            }
        }
        if fds[0].any().unwrap_or(true) {
            let mut byte = [0];
            match read(&stdin, &mut byte) {
                Ok(1) if byte[0] == STOP => return Event::Stop,
                Ok(1) | Err(Errno::EINTR | Errno::EAGAIN) => {}
                Ok(_) | Err(_) => return Event::End,
            }
        }
    }
}

/// Tells loadgen. If it cannot hear any more, nobody needs to know.
fn tell(notice: Notice) {
    let _ = write(io::stdin(), notice.line().as_bytes());
}
