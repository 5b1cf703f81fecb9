//! loadgen while it runs.

use std::fs::{self, File};
use std::process::{Child, Command, Stdio};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use tempfile::TempDir;

use super::{Found, Outcome, Sandbox, wait_for};

/// A run under way; what it writes goes to files, so that it never waits for a reader. Dropped, it is killed.
pub struct Started {
    child: Child,
    words: TempDir,
}

impl Started {
    /// Starts loadgen in a sandbox.
    pub fn new(sandbox: &Sandbox, arguments: &[&str]) -> Self {
        let words = tempfile::tempdir().unwrap();
        let file = |name| File::create(words.path().join(name)).unwrap();
        let mut command: Command = sandbox.command(arguments);
        let child = command.stdout(file("stdout")).stderr(file("stderr")).stdin(Stdio::null()).spawn().unwrap();
        Self { child, words }
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    fn written(&self, name: &str) -> String {
        String::from_utf8_lossy(&fs::read(self.words.path().join(name)).unwrap()).into_owned()
    }

    pub fn stdout(&self) -> String {
        self.written("stdout")
    }

    pub fn stderr(&self) -> String {
        self.written("stderr")
    }

    pub fn signal(&self, signal: Signal) {
        send(self.pid(), signal);
    }

    /// Waits for its end.
    pub fn end(mut self) -> Outcome {
        let status = wait_for("the end of loadgen", || self.child.try_wait().unwrap());
        Outcome { code: status.code(), stdout: self.stdout(), stderr: self.stderr() }
    }

    /// Waits for the address that `loadgen serve` announces: `http://HOST:PORT`.
    pub fn announced(&mut self) -> String {
        wait_for("the announcement", || {
            assert_eq!(self.child.try_wait().unwrap(), None, "it ended: {}", self.stderr());
            let text = self.stdout();
            let line = text.split_inclusive('\n').find(|line| line.ends_with('\n'))?;
            Some(line.strip_prefix("listening on ").expect("the line of the contract").trim_end().to_owned())
        })
    }

    /// Waits until a server of this run has computed for half a second: with a computation of microseconds that is far
    /// beyond verification and warm-up, so in the middle of a level.
    pub fn busy_server(&self, sandbox: &Sandbox, except: Option<u32>) -> Found {
        self.busy(sandbox, "serve", except)
    }

    /// The same for any process of loadgen's, by its command.
    pub fn busy(&self, sandbox: &Sandbox, command: &str, except: Option<u32>) -> Found {
        wait_for(&format!("a busy `{command}`"), || {
            let is_meant = |found: &Found| found.arguments.get(1).is_some_and(|word| word == command);
            let mut meant = sandbox.processes().into_iter().filter(is_meant);
            meant.find(|found| Some(found.pid) != except && cpu_ticks(found.pid) >= Some(50))
        })
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        // It may have ended: then both fail.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub fn send(pid: u32, signal: Signal) {
    kill(Pid::from_raw(pid as i32), signal).unwrap();
}

/// CPU time of a process in hundredths of a second.
fn cpu_ticks(pid: u32) -> Option<u64> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name in parentheses may hold anything.
    let after_name = stat.rsplit_once(')')?.1;
    let number = |index| after_name.split_ascii_whitespace().nth(index)?.parse::<u64>().ok();
    Some(number(11)? + number(12)?)
}
