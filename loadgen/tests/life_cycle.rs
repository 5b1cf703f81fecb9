//! However a sweep ends, what was measured is kept and nobody is left running.

mod common;

use std::fs;
use std::process::Stdio;

use nix::sys::signal::Signal;
use serde_json::Value;

use common::{SHORT, Sandbox, Started, TestServer, array, cells, scenario, send, wait_for, whole};

/// Never over within a test, on any machine: requests of microseconds, but billions of them. No time-out either.
const ENDLESS: &str = "
concurrency = \"2\"
connections = \"keep-alive\"
requests = { per_client = 0, least = 4000000000 }
warm_up = { concurrency = 1, least = 2, most = 2 }
timeout_s = 86400
";
const SWEEP: [&str; 6] = ["sweep", "--scenario", "endless.toml", "--quick", "--out", "out"];

/// A sweep over these servers that only a signal ends.
fn endless(sandbox: &Sandbox, servers: &[&str]) -> Started {
    sandbox.write("endless.toml", scenario(servers, 15, ENDLESS));
    Started::new(sandbox, &SWEEP)
}

/// A cell of which only a part was measured.
fn check_partial(cell: &Value) {
    assert_eq!(cell["interrupted"], true);
    let count = |key: &str| whole(&cell[key]);
    assert!(count("ok") > 0 && count("requests") == count("ok") + count("errors"));
    assert!(count("requests") < 4_000_000_000);
}

fn failure(pass: &Value) -> &str {
    pass["failure"]["message"].as_str().unwrap_or_default()
}

#[test]
fn a_server_killed_in_the_middle_fails_and_the_sweep_goes_on() {
    let sandbox = Sandbox::new();
    let sweep = endless(&sandbox, &["event-loop", "worker-pool"]);
    let first = sweep.busy_server(&sandbox, None);
    send(first.pid, Signal::SIGKILL);
    let second = sweep.busy_server(&sandbox, Some(first.pid));
    assert_ne!(first.arguments, second.arguments);
    send(second.pid, Signal::SIGKILL);
    let outcome = sweep.end();
    outcome.expect_code(1).expect_message(&["event-loop", "worker-pool", "SIGKILL", "in the middle, at 2 clients"]);
    sandbox.assert_nothing_left();

    let results = sandbox.results("out");
    assert_eq!(results["interrupted"], false);
    for pass in array(&results["passes"]) {
        assert!(failure(pass).contains("was killed by SIGKILL in the middle"), "{pass}");
        assert_eq!(array(&pass["levels"]).len(), 1);
        check_partial(&pass["levels"][0]);
    }
    let rows = sandbox.rows("out");
    assert_eq!(rows.len(), 2);
    for row in rows {
        assert!(row["ok"].parse::<u64>().unwrap() > 0 && row["throughput_rps"].parse::<f64>().unwrap() > 0.0);
    }
    for name in ["throughput.png", "latency.png", "resources.png"] {
        assert!(sandbox.path("out").join(name).exists(), "{name}");
    }
    assert!(outcome.stdout.contains("SIGKILL"), "{}", outcome.stdout);
}

#[test]
fn a_server_killed_in_the_warm_up_is_not_measured() {
    let sandbox = Sandbox::new();
    let warm_up = ENDLESS.replace("least = 2, most = 2 }", "least = 4000000000, most = 4000000000 }");
    sandbox.write("endless.toml", scenario(&["event-loop"], 15, &warm_up));
    let sweep = Started::new(&sandbox, &SWEEP);
    send(sweep.busy_server(&sandbox, None).pid, Signal::SIGKILL);
    sweep.end().expect_code(2).expect_message(&["event-loop was killed by SIGKILL in the warm-up"]);
    assert_eq!(sandbox.processes(), []);
    assert!(!sandbox.path("out").exists());
}

#[test]
fn a_signal_ends_the_sweep_and_what_was_measured_is_kept() {
    for deadly in [Signal::SIGINT, Signal::SIGTERM] {
        let sandbox = Sandbox::new();
        let sweep = endless(&sandbox, &["worker-array", "multi-event-loop"]);
        sweep.busy_server(&sandbox, None);
        sweep.signal(deadly);
        let outcome = sweep.end();
        outcome.expect_code(130).expect_message(&["ending", "out"]);
        assert_eq!(sandbox.processes(), []);

        let results = sandbox.results("out");
        assert_eq!(results["interrupted"], true);
        let cells = cells(&results);
        assert_eq!((cells.len(), array(&results["passes"]).len()), (1, 1));
        check_partial(cells[0].1);
        assert_eq!(sandbox.rows("out").len(), 1);
        assert!(outcome.stdout.contains("ended early") && sandbox.path("out/throughput.png").exists());
    }
}

#[test]
fn a_frozen_server_does_not_keep_the_sweep_from_ending() {
    let sandbox = Sandbox::new();
    let sweep = endless(&sandbox, &["event-loop"]);
    let server = sweep.busy_server(&sandbox, None);
    send(server.pid, Signal::SIGSTOP);
    sweep.signal(Signal::SIGINT);
    sweep.end().expect_code(130);
    assert_eq!(sandbox.processes(), []);
    assert_eq!(sandbox.results("out")["interrupted"], true);
}

#[test]
fn a_second_signal_ends_at_once() {
    let sandbox = Sandbox::new();
    let sweep = endless(&sandbox, &["event-loop"]);
    // Frozen, it will not end when it is asked to.
    send(sweep.busy_server(&sandbox, None).pid, Signal::SIGSTOP);
    sweep.signal(Signal::SIGINT);
    wait_for("the word of the first signal", || sweep.stderr().contains("ending").then_some(()));
    sweep.signal(Signal::SIGTERM);
    sweep.end().expect_code(130);
    sandbox.assert_nothing_left();
}

#[test]
fn a_signal_before_anything_was_measured_leaves_nothing() {
    let sandbox = Sandbox::new();
    let before = sandbox.contents();
    // It waits for a server that will not be ready.
    let never = "never=sleep 100000; true {port}";
    let sweep = Started::new(&sandbox, &["sweep", "--command", never, "--path", "/", "--out", "deep/out"]);
    let asleep = |found: &common::Found| found.arguments[0] == "sleep";
    wait_for("the server", || sandbox.processes().iter().any(asleep).then_some(()));
    sweep.signal(Signal::SIGTERM);
    let outcome = sweep.end();
    outcome.expect_code(130);
    assert_eq!((sandbox.processes(), &outcome.stdout[..]), (vec![], ""));
    assert_eq!(sandbox.contents(), before);
}

#[test]
fn nobody_outlives_a_killed_loadgen() {
    let deadly = [Signal::SIGKILL, Signal::SIGHUP, Signal::SIGQUIT];
    // Below nohup, or in the background of a script, loadgen inherits that some are ignored.
    for deadly in deadly.into_iter().filter(|&signal| !is_ignored(signal)) {
        let sandbox = Sandbox::new();
        let sweep = endless(&sandbox, &["wasm-worker"]);
        sweep.busy_server(&sandbox, None);
        sweep.signal(deadly);
        assert_eq!(sweep.end().code, None);
        sandbox.assert_nothing_left();
    }
}

/// Whether this process ignores a signal, and its children with it.
fn is_ignored(signal: Signal) -> bool {
    let status = fs::read_to_string("/proc/self/status").expect("the kernel tells");
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).expect("also which signals are ignored");
    let mask = u64::from_str_radix(mask.trim(), 16).expect("a mask");
    mask >> (signal as u32 - 1) & 1 == 1
}

/// What takes minutes to compute on any machine.
const LONG_PATH: &str = "/fib/50";

#[test]
fn nobody_outlives_a_loadgen_killed_while_a_server_computes() {
    let sandbox = Sandbox::new();
    let command = format!("mine={} serve event-loop --port {{port}}", env!("CARGO_BIN_EXE_loadgen"));
    let sweep = Started::new(&sandbox, &["sweep", "--command", &command, "--path", LONG_PATH, "--out", "out"]);
    sweep.busy_server(&sandbox, None);
    sweep.signal(Signal::SIGKILL);
    assert_eq!(sweep.end().code, None);
    sandbox.assert_nothing_left();
}

#[test]
fn a_signal_ends_what_comes_before_the_levels() {
    let sandbox = Sandbox::new();
    sandbox.write("long.toml", scenario(&["event-loop"], 50, ENDLESS));
    // Short enough to be verified, and long beside the half second that shows the ceiling at work.
    sandbox.write("seconds.toml", scenario(&["event-loop"], 41, ENDLESS));
    let command = format!("mine={} serve event-loop --port {{port}}", env!("CARGO_BIN_EXE_loadgen"));
    let cases: &[(&str, &[&str])] = &[
        ("ceiling", &["sweep", "--scenario", "seconds.toml", "--out", "out"]),
        ("serve", &["sweep", "--scenario", "long.toml", "--out", "out"]),
        ("serve", &["sweep", "--command", &command, "--path", LONG_PATH, "--out", "out"]),
        ("serve", &["verify", "--scenario", "long.toml"]),
    ];
    for (busy, arguments) in cases {
        let run = Started::new(&sandbox, arguments);
        run.busy(&sandbox, busy, None);
        run.signal(Signal::SIGINT);
        run.end().expect_code(130);
        assert_eq!(sandbox.processes(), []);
        assert!(!sandbox.path("out").exists());
    }
}

#[test]
fn results_are_there_after_every_level() {
    let (sandbox, server) = (Sandbox::new(), TestServer::right());
    // Beside a server that is never ready, so that the sweep is likely under way when it is killed.
    let (url, never) = (format!("--url=right={}", server.url()), "--command=never=sleep 100000; true {port}");
    sandbox.write("small.toml", scenario(&[], 15, SHORT));
    let sweep = ["sweep", "--scenario", "small.toml", "--out", "out", "--ready-timeout", "2", &url, never];
    let sweep = Started::new(&sandbox, &sweep);
    wait_for("three levels in both files", || {
        let bytes = fs::read(sandbox.path("out/results.json")).ok()?;
        // Files are replaced whole: never is there half of one.
        let results: Value = serde_json::from_slice(&bytes).expect("all of it");
        // The second of the two comes a moment later, the first time too.
        let rows = sandbox.path("out/results.csv").exists().then(|| sandbox.rows("out").len());
        (cells(&results).len() == 3 && rows == Some(3)).then_some(())
    });
    sweep.signal(Signal::SIGKILL);
    sweep.end();
    sandbox.assert_nothing_left();
}

#[test]
fn a_reader_that_went_away_changes_nothing() {
    let (sandbox, server) = (Sandbox::new(), TestServer::right());
    sandbox.write("small.toml", scenario(&["event-loop"], 15, SHORT));
    let url = server.url();
    let cases: &[(&[&str], i32)] = &[
        (&["list"], 0),
        (&["sweep", "--help"], 0),
        (&["verify", "--scenario", "small.toml"], 0),
        (&["ceiling", "--path", "/fib/10", "--threads", "1", "--seconds", "0.01"], 0),
        (&["sweep", "--scenario", "small.toml", "--url", &url, "--out", "table"], 0),
        (&["sweep", "--scenario", "small.toml", "--url", &url, "--out", "json", "--json"], 0),
        (&["sweep", "--scenario", "nothing"], 2),
    ];
    for (arguments, code) in cases {
        let mut child =
            sandbox.command(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("loadgen starts");
        // Both closed before it writes: the worst that `2>&1 | head -0` can do.
        drop((child.stdout.take(), child.stderr.take()));
        let status = wait_for("its end", || child.try_wait().unwrap());
        assert_eq!(status.code(), Some(*code), "{arguments:?}");
        sandbox.assert_nothing_left();
    }
    assert_eq!((sandbox.rows("table").len(), sandbox.rows("json").len()), (3, 3));
}
