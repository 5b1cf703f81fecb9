//! What cannot be run is refused: exit code 2, a message that names it, nothing left running and no folder left.

mod common;

use std::fs;
use std::net::TcpListener;

use common::{SHORT, Sandbox, TestServer, nothing_listens, scenario};

/// Runs loadgen and expects that it refuses, and says these things on standard error.
fn refused(sandbox: &Sandbox, arguments: &[&str], named: &[&str]) {
    let before = sandbox.contents();
    let outcome = sandbox.run(arguments);
    outcome.expect_code(2).expect_message(named);
    assert_eq!(outcome.stdout, "", "{arguments:?}");
    assert_eq!(sandbox.contents(), before, "{arguments:?} left something: {}", outcome.stderr);
}

#[test]
fn names_and_values_that_are_none() {
    let sandbox = Sandbox::new();
    let cases: &[(&[&str], &[&str])] = &[
        (&["sweep", "--scenario", "fibb"], &["`fibb`", "scenarios: fib"]),
        (&["sweep", "--scenario", "no/such.toml"], &["`no/such.toml`"]),
        (&["sweep", "--scenario", "."], &["scenario file .:"]),
        (&["sweep", "--scenario", ""], &["scenario"]),
        (&["sweep"], &["--scenario"]),
        (&["sweep", "--scenario", "fib", "--servers", "event-lop"], &["--servers", "`event-lop`", "event-loop"]),
        (&["sweep", "--scenario", "fib", "--servers", "event-loop,,"], &["--servers", "``"]),
        (&["sweep", "--scenario", "fib", "--servers", "event-loop,event-loop"], &["event-loop", "two servers"]),
        (&["sweep", "--servers", "event-loop"], &["--scenario"]),
        (&["sweep", "--scenario", "fib", "--seed", "x"], &["--seed", "'x'"]),
        (&["sweep", "--scenario", "fib", "--seed", "-1"], &["-1"]),
        (&["sweep", "--scenario", "fib", "--ready-timeout", "0"], &["--ready-timeout", "'0'"]),
        (&["sweep", "--scenario", "fib", "--ready-timeout", "NaN"], &["--ready-timeout", "'NaN'"]),
        (&["sweep", "--scenario", "fib", "--ready-timeout", "1e99"], &["--ready-timeout", "86400"]),
        (&["sweep", "--scenario", "fib", "--ready-timeout", "soon"], &["--ready-timeout", "'soon'"]),
        (&["sweep", "--scenario", "fib", "--out", ""], &["--out"]),
        (&["sweep", "--scenario", "fib", "--cpu-count", "999"], &["--cpu-count", "999", "usable"]),
        (&["sweep", "--scenario", "fib", "--workers", "0"], &["--workers", "`0`"]),
        (&["sweep", "--scenario", "fib", "--trials", "0"], &["--trials", "'0'"]),
        (&["sweep", "--scenario", "fib", "--trials", "1000000000"], &["--trials", "1000000000"]),
        (&["sweep", "--scenario", "fib", "--trials", "many"], &["--trials", "'many'"]),
        (&["sweep", "--scenario", "fib", "--cpu-count", "0"], &["--cpu-count", "`0`"]),
        (&["sweep", "--scenario", "fib", "--expect-status", "200"], &["--expect-status", "--scenario"]),
        (&["sweep", "--scenario", "fib", "--path", "/x"], &["--path"]),
        (&["sweep", "--scenario", "fib", "--nonsense"], &["--nonsense"]),
        (&["sweep", "--scenario", "fib", "--full"], &["fib", "[full]", "without --full"]),
        (&["sweep", "--scenario", "fib", "--full", "--quick"], &["--full", "--quick"]),
        (&["sweep", "--url", "http://127.0.0.1:1", "--full"], &["--scenario"]),
        (&["verify"], &["--scenario"]),
        (&["verify", "--scenario", "fibb"], &["`fibb`"]),
        (&["ceiling", "--scenario", "fibb"], &["`fibb`"]),
        (&["ceiling", "--path", "/hello"], &["`/hello`", "/fib/40"]),
        (&["ceiling", "--path", "/fib/10", "--threads", "10000"], &["--threads", "10000", "usable"]),
        (&["serve"], &["VARIANT"]),
        (&["serve", "event-lop"], &["event-lop", "event-loop"]),
        (&["list", "everything"], &["everything"]),
        (&["list", "--color", "red"], &["--color", "'red'", "never"]),
        (&["completions"], &["SHELL"]),
        (&["completions", "dosh"], &["'dosh'", "bash"]),
        (&["swep"], &["swep", "sweep"]),
        (&[], &["Usage"]),
    ];
    for (arguments, named) in cases {
        refused(&sandbox, arguments, named);
    }
}

#[test]
fn levels_that_are_none() {
    let sandbox = Sandbox::new();
    for levels in ["0", "20-1", "1-", "100000", "", "1-20:0", "2.5", "1,,3", "99999999999999999999"] {
        let concurrency = format!("--concurrency={levels}");
        refused(
            &sandbox,
            &["sweep", "--scenario", "fib", &concurrency],
            &["--concurrency", &format!("`{levels}`"), "1-20"],
        );
    }
}

#[test]
fn scenario_files_with_line_and_key() {
    let sandbox = Sandbox::new();
    let good = scenario(&["event-loop"], 15, SHORT);
    let line_of = |needle: &str| good.lines().position(|line| line.contains(needle)).unwrap() + 1;
    let cases = [
        ("title = \"fib(15) for tests\"", "title = \"fib(15)", "title"),
        ("[request]", "[request", "[request"),
        ("servers = [\"event-loop\"]", "servers = \"event-loop\"", "servers"),
        ("servers = [\"event-loop\"]", "servers = [\"nginx\"]", "`nginx`"),
        ("name = \"small\"", "name = \"Small Fib\"", "`Small Fib`"),
        ("name = \"small\"", "nome = \"small\"", "nome"),
        ("\"1-3\"", "\"3-1\"", "`3-1`"),
        ("\"1-3\"", "100000", "concurrency"),
        ("\"1-3\"", "[1, 0]", "concurrency"),
        ("\"keep-alive\"", "\"keepalive\"", "keepalive"),
        ("per_client = 4", "per_client = -1", "per_client"),
        ("per_client = 4, least = 12", "per_client = 4", "least"),
        ("per_client = 4, least = 12", "per_client = 0, least = 0", "requests"),
        ("{ concurrency = 1, least", "{ concurrency = 0, least", "warm_up.concurrency"),
        ("least = 2, most = 2", "least = 3, most = 2", "warm_up.most"),
        ("least = 2, most = 2", "least = 2, least_s = 9.5, most_s = 2.0", "warm_up.most_s"),
        ("least = 2, most = 2", "least = 2, least_s = -1.0", "warm_up.least_s"),
        ("least = 2, most = 2", "least = 2, tolerance = nan", "warm_up.tolerance"),
        ("least = 2, most = 2", "least = 2, requests = 2", "warm_up"),
        ("title =", "trials = 0\ntitle =", "trials"),
        ("title =", "trials = 1000000000\ntitle =", "trials"),
        ("title =", "trials = -1\ntitle =", "trials"),
        ("base = 610", "base = \"610\"", "base"),
        ("base = 610", "base = 610\ntolerance = 0.5", "expect.tolerance"),
        ("base = 610", "bass = 610", "bass"),
        ("plus_salt = true", "plus_salt = 7", "plus_salt"),
        ("path = \"/fib/15?salt={salt}\"", "path = \"fib/15\"", "request.path"),
        ("path = \"/fib/15?salt={salt}\"", "path = \"/fib 15\"", "request.path"),
        ("path = \"/fib/15?salt={salt}\"", "method = \"get it\"\npath = \"/\"", "request.method"),
        ("path = \"/fib/15?salt={salt}\"", "path = /fib", "path"),
        // Tables hold keys: what is missing in one is told with the line of its head.
        ("base = 610", "status = 42", "expect.status"),
    ];
    for (from, to, key) in cases {
        assert!(good.contains(from), "{from}");
        sandbox.write("bad.toml", good.replacen(from, to, 1));
        let heads = [line_of(from), line_of("[request]"), line_of("[expect]")];
        let before = sandbox.contents();
        let outcome = sandbox.run(&["sweep", "--scenario", "bad.toml"]);
        outcome.expect_code(2).expect_message(&["bad.toml", key]);
        assert!(heads.iter().any(|line| outcome.stderr.contains(&format!("line {line}"))), "{to}: {}", outcome.stderr);
        assert_eq!(sandbox.contents(), before, "{to}");
    }
}

#[test]
fn scenario_files_with_workers_that_nobody_has() {
    let sandbox = Sandbox::new();
    let good = scenario(&["event-loop", "worker-pool"], 15, SHORT);
    let lines = good.lines().count();
    for (table, line, named) in [
        ("[workers]\nworker-pool = 2\nevent-loop = 2", 3, &["workers.event-loop", "no setting"][..]),
        ("[workers]\nworker-pol = 2", 2, &["workers.worker-pol", "not among the `servers`"]),
        ("[workers]\nworker-array = 2", 2, &["workers.worker-array", "not among the `servers`"]),
        ("[workers]\nworker-pool = 0", 2, &["worker-pool", "0 is not allowed"]),
        ("[workers]\nworker-pool = \"4-2\"", 2, &["worker-pool", "`4-2`"]),
        ("[workers]\nworker-pool = 5000", 2, &["workers.worker-pool", "1024"]),
        ("[workers]\nworker-pool = 2\nworker-pool = 3", 3, &["worker-pool", "duplicate"]),
        ("[workers]", 1, &["workers", "empty"]),
        ("[quick]\nworkers = \"x\"", 2, &["workers", "`x`"]),
        ("[quick]\nworkers = 5000", 2, &["quick.workers", "1024"]),
        ("[full.workers]\nevent-loop = 1", 2, &["full.workers.event-loop", "no setting"]),
        ("[full]\ntrials = 0", 2, &["full.trials"]),
        ("[full]\nsizes = 7", 2, &["full: ", "{size}"]),
        ("[full]\nlevels = 7", 2, &["levels"]),
    ] {
        sandbox.write("bad.toml", format!("{good}{table}\n"));
        let line = format!("line {}", lines + line);
        refused(&sandbox, &["sweep", "--scenario", "bad.toml"], &[&["bad.toml", &line], named].concat());
    }
    sandbox.write("bad.toml", scenario(&["event-loop"], 15, &format!("workers = 2\n{SHORT}")));
    refused(&sandbox, &["sweep", "--scenario", "bad.toml"], &["bad.toml, line 4: workers", "no server"]);
}

#[test]
fn scenario_files_without_a_key() {
    let sandbox = Sandbox::new();
    let good = scenario(&["event-loop"], 15, SHORT);
    for key in ["name", "title", "servers", "concurrency", "connections", "requests", "warm_up", "path"] {
        let without: Vec<&str> = good.lines().filter(|line| !line.starts_with(&format!("{key} ="))).collect();
        sandbox.write("bad.toml", without.join("\n"));
        refused(&sandbox, &["sweep", "--scenario", "bad.toml"], &["bad.toml", "line", &format!("`{key}`")]);
    }
    for table in ["request", "expect"] {
        sandbox.write("bad.toml", good.replacen(&format!("[{table}]"), "[quick]", 1));
        refused(&sandbox, &["sweep", "--scenario", "bad.toml"], &["bad.toml", "line"]);
    }
    sandbox.write("bad.toml", "");
    refused(&sandbox, &["verify", "--scenario", "bad.toml"], &["bad.toml", "missing"]);
    sandbox.write("bad.toml", [0xff, 0xfe, 0x00]);
    refused(&sandbox, &["sweep", "--scenario", "bad.toml"], &["bad.toml", "UTF-8"]);
    sandbox.write("bad.toml", scenario(&[], 15, SHORT));
    refused(&sandbox, &["sweep", "--scenario", "bad.toml"], &["--servers"]);
    refused(&sandbox, &["verify", "--scenario", "bad.toml"], &["no server"]);
}

#[test]
fn workers_where_there_are_none() {
    let sandbox = Sandbox::new();
    for variant in ["event-loop", "thread-per-request", "spawn-blocking"] {
        refused(&sandbox, &["serve", variant, "--port", "0", "--workers", "2"], &["--workers", variant, "worker-pool"]);
    }
    for variant in ["event-loop", "thread-per-request", "spawn-blocking"] {
        refused(
            &sandbox,
            &["serve", variant, "--port", "0", "--pin-workers"],
            &["--pin-workers", variant, "worker-pool"],
        );
    }
    let sweep = ["sweep", "--scenario", "fib", "--servers", "event-loop,spawn-blocking", "--pin-workers"];
    refused(&sandbox, &sweep, &["--pin-workers", "event-loop, spawn-blocking"]);
    let sweep = ["sweep", "--scenario", "fib", "--servers", "event-loop,spawn-blocking", "--workers", "1,2"];
    refused(&sandbox, &sweep, &["--workers", "event-loop, spawn-blocking"]);
    refused(&sandbox, &["serve", "worker-pool", "--port", "0", "--workers", "0"], &["--workers"]);
    let server = TestServer::right();
    refused(&sandbox, &["sweep", "--url", &server.url(), "--workers", "2"], &["--workers", "127.0.0.1"]);
}

#[test]
fn what_serve_cannot_have() {
    let sandbox = Sandbox::new();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    for variant in ["event-loop", "worker-pool", "multi-event-loop", "reuse-port"] {
        refused(&sandbox, &["serve", variant, "--port", &port], &[&format!("127.0.0.1:{port}"), "--port"]);
    }
    for (flag, value) in [
        ("--port", "65536"),
        ("--port", "http"),
        ("--host", "not-a-host"),
        ("--cpus", "99999"),
        ("--cpus", "x"),
        ("--cpus", ""),
        ("--max-n", "94"),
    ] {
        refused(&sandbox, &["serve", "event-loop", flag, value], &[flag, value]);
    }
    // Not an address of this machine: TEST-NET-1 is nobody's.
    refused(&sandbox, &["serve", "event-loop", "--port", "0", "--host", "192.0.2.1"], &["192.0.2.1"]);
    // As likely as not beyond the machine, and an error also where another CPU of the list is there.
    for cpus in ["900", "0,900"] {
        refused(&sandbox, &["serve", "event-loop", "--port", "0", "--cpus", cpus], &["--cpus", "900", "usable"]);
    }
}

#[test]
fn output_folders_that_cannot_be_used() {
    let sandbox = Sandbox::new();
    sandbox.write("small.toml", scenario(&["event-loop"], 15, SHORT));
    sandbox.write("a-file", "kept");
    fs::create_dir(sandbox.path("full")).unwrap();
    sandbox.write("full/something", "kept");
    let cases: &[(&str, &[&str])] = &[
        ("a-file", &["a-file", "--out"]),
        ("a-file/below", &["a-file/below", "--out"]),
        ("full", &["full", "not empty", "--force"]),
        ("/proc/nobody-makes-folders-here", &["/proc/nobody-makes-folders-here", "--out"]),
    ];
    for (out, named) in cases {
        refused(&sandbox, &["sweep", "--scenario", "small.toml", "--out", out], named);
    }
    refused(&sandbox, &["sweep", "--scenario", "small.toml", "--out", "a-file", "--force"], &["a-file"]);
    assert_eq!(fs::read(sandbox.path("a-file")).unwrap(), b"kept");
}

#[test]
fn addresses_that_are_none() {
    let sandbox = Sandbox::new();
    sandbox.write("small.toml", scenario(&["event-loop"], 15, SHORT));
    let cases: &[(&str, &[&str])] = &[
        ("not a url", &["--url", "not a url"]),
        ("127.0.0.1:80", &["--url", "127.0.0.1:80"]),
        ("http://", &["--url", "http://"]),
        ("https://127.0.0.1:1/", &["--url", "https", "only http"]),
        ("ftp://127.0.0.1/", &["--url", "ftp", "only http"]),
        ("", &["--url"]),
        ("name=", &["--url"]),
    ];
    for (url, named) in cases {
        refused(&sandbox, &["sweep", "--url", url], named);
    }
    refused(
        &sandbox,
        &["sweep", "--scenario", "small.toml", "--url", "http://127.0.0.1:1/fib/15"],
        &["--url", "/fib/15", "--scenario"],
    );
    let same = ["sweep", "--url", "a=http://127.0.0.1:1/", "--url", "a=http://127.0.0.1:2/"];
    refused(&sandbox, &same, &["`a`", "NAME="]);
    refused(&sandbox, &["sweep", "--scenario", "fib", "--url", "x=http://[::1"], &["--url", "http://[::1"]);
}

#[test]
fn commands_that_are_none() {
    let sandbox = Sandbox::new();
    let cases: &[(&[&str], &[&str])] = &[
        (&["--command", "sleep 1", "--path", "/"], &["--command", "sleep 1", "{port}"]),
        (&["--command", "sleep {port}"], &["--command", "--path"]),
        (&["--command", "", "--path", "/"], &["--command", "empty"]),
        (&["--command", "mine=", "--path", "/"], &["--command", "empty"]),
        (&["--command", "sleep {port}", "--path", "x"], &["--path", "x"]),
        (&["--command", "sleep {port}", "--path", "/a b"], &["--path", "%20"]),
        (&["--command", "sleep {port}", "--path", "/", "--expect-status", "99"], &["--expect-status", "99"]),
        (&["--command", "a=x {port}", "--command", "a=y {port}", "--path", "/"], &["`a`"]),
    ];
    for (arguments, named) in cases {
        refused(&sandbox, &[&["sweep"], *arguments].concat(), named);
    }
}

#[test]
fn servers_that_do_not_start() {
    let sandbox = Sandbox::new();
    let ends = "broken=echo the config is missing >&2; exit 7 # {port}";
    refused(&sandbox, &["sweep", "--command", ends, "--path", "/"], &["broken", "status 7", "the config is missing"]);
    let missing = "no-such-program-anywhere --port {port}";
    refused(&sandbox, &["sweep", "--command", missing, "--path", "/"], &["no-such-program-anywhere", "not found"]);
    let silent = "silent=echo still thinking; sleep 100000 # {port}";
    refused(
        &sandbox,
        &["sweep", "--command", silent, "--path", "/", "--ready-timeout", "1"],
        &["silent", "1s", "still thinking", "--ready-timeout"],
    );
    let killed = "killed=kill -9 $$ # {port}";
    refused(&sandbox, &["sweep", "--command", killed, "--path", "/"], &["killed", "SIGKILL"]);
}

#[test]
fn servers_that_do_not_answer() {
    let sandbox = Sandbox::new();
    let (_holder, nobody) = nothing_listens();
    let url = format!("http://{nobody}/work");
    let named = [&nobody.to_string(), "nothing listens", "--command"];
    refused(&sandbox, &["sweep", "--url", &url], &named);
    sandbox.write("small.toml", scenario(&["event-loop"], 15, SHORT));
    refused(&sandbox, &["sweep", "--scenario", "small.toml", "--url", &format!("http://{nobody}")], &named);

    // Accepts, by the kernel, and never reads.
    let deaf = TcpListener::bind("127.0.0.1:0").unwrap();
    let deaf_address = deaf.local_addr().unwrap().to_string();
    refused(
        &sandbox,
        &["sweep", "--url", &format!("http://{deaf_address}/"), "--ready-timeout", "1"],
        &["GET /", &deaf_address, "--ready-timeout"],
    );

    refused(&sandbox, &["sweep", "--url", "http://no-such-host.invalid/"], &["no-such-host.invalid"]);
}

#[test]
fn servers_that_answer_nothing_rightly() {
    let sandbox = Sandbox::new();
    sandbox.write("small.toml", scenario(&["event-loop"], 15, SHORT));
    let wrong = TestServer::start(|_, path| Some((200, format!("{path} is 7"))));
    let small = ["sweep", "--scenario", "small.toml", "--url"];
    refused(&sandbox, &[&small[..], &[&format!("wrong={}", wrong.url())]].concat(), &["wrong", "expected", "is 7"]);
    let absent = TestServer::start(|_, _| Some((404, "who knows".into())));
    refused(&sandbox, &["sweep", "--url", &absent.url()], &["404", "200"]);
    let other = ["sweep", "--url", &absent.url(), "--expect-status", "404", "--expect-body", "nobody knows"];
    refused(&sandbox, &other, &["who knows", "nobody knows"]);
}
