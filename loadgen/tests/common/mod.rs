//! What the tests of the real binary share: a folder to run it in, where nothing that it starts can hide.
#![allow(dead_code, unused_imports, reason = "each test file uses a part of it")]

mod installed;
mod results;
mod scenario;
mod schema;
mod server;
mod started;
mod synthetic;
mod wild;

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;
use tempfile::TempDir;

pub use installed::{needs, on_other_runtimes, servers_folder};
pub use results::Sweep;
pub use scenario::{SHORT, fib, scenario};
pub use schema::assert_as_the_schema_says;
pub use server::{TestServer, fib_answer, nothing_listens};
pub use started::{Started, send};
pub use synthetic::Synthetic;
pub use wild::{Received, Then, Transport, WildServer, response};

/// Every built-in server.
pub const SERVERS: [&str; 8] = [
    "event-loop",
    "thread-per-request",
    "worker-pool",
    "worker-array",
    "wasm-worker",
    "multi-event-loop",
    "reuse-port",
    "spawn-blocking",
];
/// Far more than anything here takes; only a failure waits so long.
pub const LONG: Duration = Duration::from_secs(120);
/// An environment variable that all descendants of a run inherit; its value is the folder of the sandbox.
const MARK: &str = "LOADGEN_TEST_SANDBOX";

/// Waits until there is a value.
pub fn wait_for<T>(what: &str, mut poll: impl FnMut() -> Option<T>) -> T {
    let limit = Instant::now() + LONG;
    loop {
        if let Some(value) = poll() {
            return value;
        }
        assert!(Instant::now() < limit, "waited in vain for {what}");
        thread::sleep(Duration::from_millis(10));
    }
}

/// A folder where loadgen runs. Dropping it kills whatever was started there.
pub struct Sandbox(TempDir);

/// A run that is over.
#[derive(Debug)]
pub struct Outcome {
    /// Exit code; `None`: killed by a signal.
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

/// A process of a sandbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    pub pid: u32,
    /// The program first.
    pub arguments: Vec<String>,
}

impl Sandbox {
    pub fn new() -> Self {
        Self(tempfile::tempdir().expect("a temporary folder"))
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        fs::write(self.path(name), text).unwrap();
    }

    /// loadgen in this folder, not started yet.
    pub fn command<Argument: AsRef<OsStr>>(&self, arguments: &[Argument]) -> Command {
        self.program(env!("CARGO_BIN_EXE_loadgen"), arguments)
    }

    /// Any program in this folder, not started yet.
    pub fn program<Argument: AsRef<OsStr>>(&self, program: impl AsRef<OsStr>, arguments: &[Argument]) -> Command {
        let mut command = Command::new(program);
        command.args(arguments).current_dir(self.0.path()).env(MARK, self.0.path()).stdin(Stdio::null());
        command.env_remove("NO_COLOR").env_remove("CLICOLOR").env_remove("CLICOLOR_FORCE");
        command
    }

    /// Runs loadgen to its end, and checks what holds for every run: no panic, and no process is left.
    pub fn run<Argument: AsRef<OsStr>>(&self, arguments: &[Argument]) -> Outcome {
        let command = self.command(arguments);
        let output = assert_cmd::Command::from_std(command).timeout(LONG).output().expect("loadgen starts");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let outcome =
            Outcome { code: output.status.code(), stdout: text(&output.stdout), stderr: text(&output.stderr) };
        assert_eq!(self.processes(), [], "left running by {outcome:?}");
        assert!(!outcome.stderr.contains("panicked"), "{outcome:?}");
        outcome
    }

    /// All processes that were started here and live; zombies do not.
    pub fn processes(&self) -> Vec<Found> {
        let mark = [MARK.as_bytes(), b"=", self.0.path().as_os_str().as_encoded_bytes()].concat();
        let words = |bytes: Vec<u8>| -> Vec<String> {
            let words = bytes.split(|&byte| byte == 0).filter(|word| !word.is_empty());
            words.map(|word| String::from_utf8_lossy(word).into_owned()).collect()
        };
        let found = |entry: fs::DirEntry| {
            let pid = entry.file_name().to_str()?.parse().ok()?;
            let environment = fs::read(entry.path().join("environ")).ok()?;
            let arguments = words(fs::read(entry.path().join("cmdline")).ok()?);
            environment.split(|&byte| byte == 0).any(|word| word == mark).then_some(Found { pid, arguments })
        };
        fs::read_dir("/proc").unwrap().flatten().filter_map(found).collect()
    }

    /// Waits until nothing that was started here lives.
    pub fn assert_nothing_left(&self) {
        wait_for("the end of every process", || self.processes().is_empty().then_some(()));
    }

    /// Every file and folder here, to see what a run left.
    pub fn contents(&self) -> BTreeSet<PathBuf> {
        fn below(folder: &Path, found: &mut BTreeSet<PathBuf>) {
            for entry in fs::read_dir(folder).unwrap().flatten() {
                found.insert(entry.path());
                if entry.path().is_dir() {
                    below(&entry.path(), found);
                }
            }
        }
        let mut found = BTreeSet::new();
        below(self.0.path(), &mut found);
        found
    }

    /// results.json in a folder of this one, as its schema says.
    pub fn results(&self, out: &str) -> Value {
        let bytes = fs::read(self.path(out).join("results.json")).expect("results.json is there");
        let results = serde_json::from_slice(&bytes).expect("results.json is JSON");
        assert_as_the_schema_says(&results);
        results
    }

    /// The rows of results.csv, each a map from column to cell.
    pub fn rows(&self, out: &str) -> Vec<std::collections::HashMap<String, String>> {
        let mut reader = csv::Reader::from_path(self.path(out).join("results.csv")).expect("results.csv is there");
        reader.deserialize().map(|row| row.expect("every row has a cell for every column")).collect()
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        // What dies may have started more: until none is left, but a few times at the most.
        for _ in 0..100 {
            let left = self.processes();
            if left.is_empty() {
                break;
            }
            for process in left {
                // It may be gone by now.
                let _ = kill(Pid::from_raw(process.pid as i32), Signal::SIGKILL);
            }
            thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Outcome {
    /// Checks the exit code, and shows everything if it is another.
    pub fn expect_code(&self, code: i32) -> &Self {
        assert_eq!(self.code, Some(code), "\n{}\n{}", self.stdout, self.stderr);
        self
    }

    /// Checks that standard error names all of these.
    pub fn expect_message(&self, parts: &[&str]) -> &Self {
        for part in parts {
            assert!(self.stderr.contains(part), "no `{part}` in: {}", self.stderr);
        }
        self
    }
}

/// The cells of results.json, each with the pass that it belongs to.
pub fn cells(results: &Value) -> Vec<(&Value, &Value)> {
    let passes = array(&results["passes"]).iter();
    passes.flat_map(|pass| array(&pass["levels"]).iter().map(move |cell| (pass, cell))).collect()
}

/// The elements of an array, which it must be.
pub fn array(value: &Value) -> &[Value] {
    value.as_array().unwrap_or_else(|| panic!("{value} is no array"))
}

/// A whole number, which it must be.
pub fn whole(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("{value} is no whole number"))
}
