//! Servers on other runtimes keep nothing of requests that are over: after thousands of them they hold no more memory,
//! threads, workers or listeners than before. The two faithful copies of a faulty benchmark must keep listeners. Skipped by
//! name where something is missing; where `CI` is set, that is a failure.
//!
//! A probe that is loaded into each process of a server makes it collect its garbage and say what is left, so that nothing
//! here depends on when a runtime sees fit to, or on how fast a machine is.

mod common;

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, Command};
use std::thread;
use std::time::{Duration, Instant};

use loadgen::catalog::{self, Runtime};
use loadgen::server::{Server, Settings};
use nix::sys::signal::Signal;
use serde::Deserialize;

use common::{LONG, Sandbox, needs, send, wait_for};

/// Requests before the first look: compilers, caches and pools are at work.
const BEFORE: u32 = 1000;
/// Requests between the two looks.
const REQUESTS: u32 = 2000;
/// Clients at once.
const CLIENTS: u32 = 4;
/// Bytes that may be left for each request once garbage is collected: compilers are not done with a thousand requests, which
/// makes up to 200 here. The two that keep two listeners for each request keep 660.
const BYTES_MOST: i64 = 400;
/// Resident bytes that a server may have gained: heaps grow by steps, and are not given back at once. A worker that is
/// left takes several MiB, so a few of two thousand are too much.
const RESIDENT_MOST: i64 = 64 << 20;
/// Threads that a runtime may have started for itself meanwhile.
const THREADS_MOST: i64 = 8;

/// What a process says of itself.
#[derive(Debug, Clone, Copy, Deserialize)]
struct Told {
    pid: u32,
    heap: i64,
    workers: i64,
    listeners: i64,
}

/// What a server holds, all its processes together.
#[derive(Debug, Clone, Copy)]
struct Held {
    heap: i64,
    workers: i64,
    listeners: i64,
    threads: i64,
    resident: i64,
}

struct Running {
    sandbox: Sandbox,
    child: Child,
    address: SocketAddr,
}

impl Running {
    fn start(server: &Server, runtime: Runtime) -> Self {
        let sandbox = Sandbox::new();
        let settings = Settings { workers: server.has_workers().then_some(2), ..Settings::default() };
        let mut words = server.command_line(Path::new("loadgen"), 0, &settings).unwrap();
        let probe = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/leaks/probe.mjs");
        let mut own: Vec<std::ffi::OsString> = Vec::new();
        match runtime {
            Runtime::Bun => own.extend(["--preload".into(), probe.clone().into()]),
            Runtime::Deno => {
                own.extend(["run".into(), "--preload".into(), probe.clone().into(), "--v8-flags=--expose-gc".into()]);
                own.push("--allow-read".into());
                words.remove(1);
            }
            _ => {}
        }
        let arguments: Vec<_> = own.into_iter().chain(words.drain(1..)).collect();
        let mut command: Command = sandbox.program(&words[0], &arguments);
        if runtime == Runtime::Node {
            command.env("NODE_OPTIONS", format!("--import={}", probe.display()));
        }
        let (stdout, stderr) = (sandbox.path("stdout"), sandbox.path("stderr"));
        command.stdout(File::create(&stdout).unwrap()).stderr(File::create(&stderr).unwrap());
        let mut child = command.spawn().expect("the server starts");
        let address = wait_for("the announcement", || {
            let said = std::fs::read_to_string(&stdout).unwrap();
            assert_eq!(child.try_wait().unwrap(), None, "it ended: {}", std::fs::read_to_string(&stderr).unwrap());
            said.lines().find_map(|line| line.strip_prefix("listening on http://")?.parse().ok())
        });
        Self { sandbox, child, address }
    }

    /// Lines of standard error that begin with a word.
    fn said(&self, word: &str) -> Vec<String> {
        let text = std::fs::read_to_string(self.sandbox.path("stderr")).unwrap();
        let lines = text.split_inclusive('\n').filter(|line| line.ends_with('\n'));
        lines.filter_map(|line| Some(line.strip_prefix(word)?.trim().to_owned())).collect()
    }

    /// What it holds now.
    fn held(&self) -> Held {
        let probed: Vec<u32> = self.said("probed ").iter().map(|pid| pid.parse().unwrap()).collect();
        let before = self.said("probe ").len();
        probed.iter().for_each(|&pid| send(pid, Signal::SIGUSR2));
        let told = wait_for("what every process says", || {
            let told = self.said("probe ").split_off(before);
            (told.len() == probed.len()).then_some(told)
        });
        let told: Vec<Told> = told.iter().map(|line| serde_json::from_str(line).unwrap()).collect();
        let by_pid: BTreeMap<u32, Told> = told.iter().map(|told| (told.pid, *told)).collect();
        assert_eq!(by_pid.len(), probed.len());
        let sum = |figure: fn(&Told) -> i64| told.iter().map(figure).sum();
        let status = |name: &str| -> i64 {
            let of = |found: &common::Found| {
                let text = std::fs::read_to_string(format!("/proc/{}/status", found.pid)).unwrap_or_default();
                text.lines().find_map(|line| line.strip_prefix(name)?.split_whitespace().next()?.parse::<i64>().ok())
            };
            self.sandbox.processes().iter().filter_map(of).sum()
        };
        Held {
            heap: sum(|told| told.heap),
            workers: sum(|told| told.workers),
            listeners: sum(|told| told.listeners),
            threads: status("Threads:"),
            resident: status("VmRSS:") * 1024,
        }
    }

    /// Asks for so many small computations, half of them on connections of their own.
    fn ask(&self, requests: u32) {
        let address = self.address;
        let client = |client: u32| {
            let mut kept = None;
            for number in 0..requests / CLIENTS {
                let connection = kept.take().unwrap_or_else(|| BufReader::new(TcpStream::connect(address).unwrap()));
                let keep = number % 2 == 0;
                let connection = ask_one(connection, number % 10 + 1, client, keep);
                kept = keep.then_some(connection);
            }
        };
        thread::scope(|scope| {
            for number in 0..CLIENTS {
                scope.spawn(move || client(number));
            }
        });
    }
}

impl Running {
    /// Asks it to end, as the contract has it, and waits for that.
    fn end(&mut self) -> Option<i32> {
        send(self.child.id(), Signal::SIGTERM);
        wait_for("the end of the server", || self.child.try_wait().unwrap()).code()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // What it started ends with it only where it is asked; the sandbox ends whatever is left.
        if self.child.try_wait().is_ok_and(|status| status.is_none()) {
            let ended = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| self.end()));
            if ended.is_err() {
                let _ = self.child.kill();
                let _ = self.child.wait();
            }
        }
    }
}

/// One request; the answer has to be complete, right or wrong.
fn ask_one(mut connection: BufReader<TcpStream>, n: u32, salt: u32, keep: bool) -> BufReader<TcpStream> {
    let close = if keep { "" } else { "Connection: close\r\n" };
    let request = format!("GET /fib/{n}?salt={salt} HTTP/1.1\r\nHost: test\r\n{close}\r\n");
    connection.get_mut().write_all(request.as_bytes()).unwrap();
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        assert_ne!(connection.read_until(b'\n', &mut head).unwrap(), 0, "{}", String::from_utf8_lossy(&head));
    }
    let head = String::from_utf8(head).unwrap().to_ascii_lowercase();
    assert!(head.starts_with("http/1.1 200 "), "{head}");
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse().ok()).unwrap();
    connection.read_exact(&mut vec![0; length]).unwrap();
    connection
}

/// Threads and workers take a moment to end: looks until no more are left than before, or gives up.
fn settled(running: &Running, before: &Held) -> Held {
    let limit = Instant::now() + LONG;
    loop {
        let held = running.held();
        if (held.workers <= before.workers && held.threads <= before.threads + THREADS_MOST) || Instant::now() > limit {
            return held;
        }
        thread::sleep(Duration::from_millis(100));
    }
}

fn check(test: &str, name: &str) {
    let Some(server) = needs(test, name) else { return };
    let runtime = catalog::find(name).map(|entry| entry.runtime).expect("it is in servers.toml");
    let mut running = Running::start(&server, runtime);
    running.ask(BEFORE);
    let before = running.held();
    running.ask(REQUESTS);
    let after = settled(&running, &before);
    let story = format!("{name}: before {before:?}, after {after:?}");
    assert!(after.workers <= before.workers, "{story}");
    assert!(after.threads <= before.threads + THREADS_MOST, "{story}");
    assert!(after.resident <= before.resident + RESIDENT_MOST, "{story}");
    let kept = after.listeners - before.listeners;
    if server.fault.is_some() {
        // One for the message and one for the error of each request: that is the leak that was published.
        assert_eq!(kept, 2 * i64::from(REQUESTS), "{story}");
    } else {
        assert!(kept <= 0, "{story}");
        assert!(after.heap <= before.heap + BYTES_MOST * i64::from(REQUESTS), "{story}");
    }
    assert_eq!(running.end(), Some(0), "{name}: its exit code");
    running.sandbox.assert_nothing_left();
}

/// A test for each server, so that they run beside each other and are named where they fail.
macro_rules! servers {
    ($($test:ident: $name:literal,)*) => {
        $(#[test]
        fn $test() {
            check(stringify!($test), $name);
        })*

        #[test]
        fn every_server_on_another_runtime_is_tried() {
            let others = catalog::all().iter().filter(|entry| entry.runtime != Runtime::BuiltIn);
            for entry in others {
                assert!([$($name),*].contains(&entry.name.as_str()), "{} has no test of its own", entry.name);
            }
        }
    };
}

servers! {
    node_event_loop: "node-event-loop",
    node_cluster: "node-cluster",
    node_behind_nginx: "node-behind-nginx",
    node_worker_per_request: "node-worker-per-request",
    node_single_worker: "node-single-worker",
    node_worker_array: "node-worker-array",
    node_static_pool: "node-static-pool",
    node_poolifier: "node-poolifier",
    node_piscina: "node-piscina",
    node_native: "node-native",
    node_single_worker_first_message: "node-single-worker-first-message",
    node_worker_array_first_message: "node-worker-array-first-message",
    bun_event_loop: "bun-event-loop",
    deno_event_loop: "deno-event-loop",
}
