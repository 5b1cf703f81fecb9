//! The processes below one, and their end.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::thread;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;

use super::exit::ExitReport;
use super::procfs::Stat;

/// The longest that [`kill_all`] tries. What is left then sleeps in the kernel or belongs to another user.
pub const KILL_LIMIT: Duration = Duration::from_secs(10);

/// All processes below `root`, by the parent links in /proc; parents come before their children.
pub fn below(root: u32) -> Vec<u32> {
    let mut children: HashMap<u32, Vec<u32>> = HashMap::new();
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else {
            continue;
        };
        // A process that vanished meanwhile has no parent to tell.
        let Some(stat) = fs::read(format!("/proc/{pid}/stat")).ok().and_then(|text| Stat::parse(&text)) else {
            continue;
        };
        children.entry(stat.parent).or_default().push(pid);
    }
    let mut found = vec![root];
    let mut seen = HashSet::from([root]);
    let mut next = 0;
    while let Some(pid) = found.get(next) {
        let below = children.remove(pid).unwrap_or_default();
        found.extend(below.into_iter().filter(|&child| seen.insert(child)));
        next += 1;
    }
    found.remove(0);
    found
}

/// Takes the ended children of this process; tells how `server` ended if it is among them.
/// `Err` when there are no children any more.
pub fn reap(server: Pid) -> Result<Option<ExitReport>, (Option<ExitReport>, Errno)> {
    let mut report = None;
    loop {
        match waitpid(None, Some(WaitPidFlag::WNOHANG)) {
            Ok(WaitStatus::StillAlive) => return Ok(report),
            Ok(status) if status.pid() == Some(server) => report = ExitReport::of(status).or(report),
            Ok(_) | Err(Errno::EINTR) => {}
            Err(errno) => return Err((report, errno)),
        }
    }
}

/// Kills everything below this process, which must be a subreaper, until nothing is left.
/// Tells how `server` ended, if it had not been reaped before, and how many processes would not die.
///
/// Every orphan below a subreaper becomes its child, so "no children" means "no descendants".
pub fn kill_all(server: Pid) -> (Option<ExitReport>, usize) {
    let started = Instant::now();
    let mut report = None;
    let mut pause = Duration::from_micros(500);
    loop {
        let found = below(std::process::id());
        for &pid in &found {
            // It may have ended by itself; the next round tells.
            let _ = kill(Pid::from_raw(pid as i32), Signal::SIGKILL);
        }
        match reap(server) {
            Ok(seen) => report = seen.or(report),
            Err((seen, _)) => return (seen.or(report), 0),
        }
        if started.elapsed() > KILL_LIMIT {
            return (report, found.len());
        }
        thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(20));
    }
}
