//! node-behind-nginx is several processes, which begin and end together. It needs Node and nginx: where one is not installed the
//! tests are skipped by name; in CI they fail.

mod common;

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use common::{Sandbox, send, wait_for};
use nix::sys::signal::Signal;

const PROGRAM: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../servers/node/behind-nginx.mjs");
const LOOPS: usize = 2;

/// The server in a sandbox, whose folder it takes for temporary files.
struct Front {
    sandbox: Sandbox,
    server: Child,
    url: String,
    /// It began all of these.
    others: Vec<Process>,
}

#[derive(Debug, Clone)]
struct Process {
    pid: u32,
    parent: u32,
    name: String,
}

/// Every process that lives.
fn processes() -> Vec<Process> {
    let process = |entry: fs::DirEntry| {
        let pid = entry.file_name().to_str()?.parse().ok()?;
        let stat = fs::read_to_string(entry.path().join("stat")).ok()?;
        let (name, rest) = stat.split_once('(')?.1.rsplit_once(')')?;
        let mut fields = rest.split_whitespace();
        let lives = fields.next()? != "Z";
        lives.then_some(Process { pid, parent: fields.next()?.parse().ok()?, name: name.into() })
    };
    fs::read_dir("/proc").unwrap().flatten().filter_map(process).collect()
}

fn below(parent: u32) -> Vec<Process> {
    let children: Vec<_> = processes().into_iter().filter(|process| process.parent == parent).collect();
    let deeper: Vec<_> = children.iter().flat_map(|child| below(child.pid)).collect();
    [children, deeper].concat()
}

/// Whether the test can run.
fn installed(test: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<_> = std::env::split_paths(&path).chain(["/usr/sbin".into()]).collect();
    let lacks = ["node", "nginx"].into_iter().find(|name| !folders.iter().any(|folder| folder.join(name).is_file()));
    if let Some(name) = lacks {
        assert!(std::env::var_os("CI").is_none(), "CI has to install {name}");
        eprintln!("skipped: {test}: no {name}");
    }
    lacks.is_none()
}

/// The server, not started yet; what it writes to standard error goes to a file.
fn command(sandbox: &Sandbox, port: &str) -> Command {
    let mut command = Command::new("node");
    // The mark by which the sandbox finds what it has to kill where a test fails.
    command.envs(sandbox.command::<&str>(&[]).get_envs().filter_map(|(name, value)| Some((name, value?))));
    command.args([PROGRAM, "--workers", &LOOPS.to_string(), "--port", port]).env("TMPDIR", sandbox.path("."));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(fs::File::create(sandbox.path("stderr")).unwrap());
    command
}

impl Front {
    fn start() -> Self {
        let sandbox = Sandbox::new();
        let mut server = command(&sandbox, "0").spawn().expect("node starts");
        let mut line = String::new();
        BufReader::new(server.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let url = line.trim_end().strip_prefix("listening on ").expect("the line of the contract").to_owned();
        let others = below(server.id());
        Self { sandbox, server, url, others }
    }

    fn of_name(&self, name: &str) -> Vec<u32> {
        self.others.iter().filter(|process| process.name == name).map(|process| process.pid).collect()
    }

    /// Waits for its end, and for that of all others; its exit code.
    fn end_of_all(&mut self) -> Option<i32> {
        let code = wait_for("the end of the server", || self.server.try_wait().unwrap()).code();
        for Process { pid, name, .. } in &self.others {
            let same = |process: &Process| process.pid == *pid && process.name == *name;
            wait_for(&format!("the end of {name}, {pid}"), || (!processes().iter().any(same)).then_some(()));
        }
        code
    }

    /// Waits for its end and checks that nothing is left; its exit code and what it said.
    fn end(mut self) -> (Option<i32>, String) {
        let code = self.end_of_all();
        let said = self.sandbox.path("stderr");
        let left: Vec<PathBuf> = self.sandbox.contents().into_iter().filter(|path| *path != said).collect();
        assert_eq!(left, <[&Path; 0]>::default());
        (code, fs::read_to_string(said).unwrap())
    }
}

impl Drop for Front {
    fn drop(&mut self) {
        // As the user would: it ends the others.
        if matches!(self.server.try_wait(), Ok(None)) {
            send(self.server.id(), Signal::SIGTERM);
            let _ = self.server.wait();
        }
    }
}

#[test]
fn it_ends_in_order_when_it_is_told() {
    if !installed("it_ends_in_order_when_it_is_told") {
        return;
    }
    for signal in [Signal::SIGTERM, Signal::SIGINT] {
        let front = Front::start();
        assert_eq!((front.of_name("node").len(), front.of_name("nginx").len()), (LOOPS, 2), "{:?}", front.others);
        // Each loop has its turn.
        let url = format!("{}/hello", front.url);
        Sandbox::new().run(&["run", "--url", &url, "-n", "20", "-c", "4", "--expect-body", "hello"]).expect_code(0);
        send(front.server.id(), signal);
        assert_eq!(front.end(), (Some(0), String::new()), "{signal}");
    }
}

#[test]
fn the_end_of_one_is_the_end_of_all() {
    if !installed("the_end_of_one_is_the_end_of_all") {
        return;
    }
    for (name, told) in [("node", "error: event loop "), ("nginx", "error: nginx ended with SIGKILL")] {
        let front = Front::start();
        // Of nginx the master, since that makes a new worker in place of one that is gone.
        let meant = |process: &&Process| process.name == name && process.parent == front.server.id();
        send(front.others.iter().find(meant).unwrap().pid, Signal::SIGKILL);
        let (code, said) = front.end();
        assert!(code == Some(1) && said.contains(told) && said.contains("ended with SIGKILL"), "{code:?}: {said}");
    }
}

#[test]
fn nothing_runs_on_when_it_is_killed() {
    if installed("nothing_runs_on_when_it_is_killed") {
        let mut front = Front::start();
        send(front.server.id(), Signal::SIGKILL);
        assert_eq!(front.end_of_all(), None);
    }
}

#[test]
fn a_port_that_is_taken_is_named() {
    if !installed("a_port_that_is_taken_is_named") {
        return;
    }
    let (sandbox, taken) = (Sandbox::new(), std::net::TcpListener::bind("127.0.0.1:0").unwrap());
    let port = taken.local_addr().unwrap().port().to_string();
    let status = command(&sandbox, &port).status().unwrap();
    let said = fs::read_to_string(sandbox.path("stderr")).unwrap();
    assert!(status.code() == Some(1) && said.contains("EADDRINUSE") && said.contains(&port), "{status}: {said}");
    sandbox.assert_nothing_left();
}
