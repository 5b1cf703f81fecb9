//! Sweeps from end to end: what the files, the table and the messages hold.

mod common;

use std::collections::BTreeSet;
use std::fs;
use std::sync::{Arc, Mutex};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::Deserializer;
use serde_json::Value;

use common::{
    Outcome, SERVERS, SHORT, Sandbox, TestServer, array, cells, fib_answer, nothing_listens, scenario, whole,
};

/// The columns that design.md fixes.
const FIXED: &str = "scenario,server,cpus,workers,concurrency,trial,requests,ok,errors,elapsed_s,throughput_rps,\
                     steady_rps,replies_rps,mean_ms,p50_ms,p90_ms,p99_ms,max_ms,replies_mean_ms,server_cpu_s,\
                     server_peak_rss_bytes,ceiling_rps,limit_rps,efficiency,";

/// Three levels: with too few requests for p90, enough for it, and enough for p99.
const LEVELS: [(u64, u64); 3] = [(1, 8), (2, 16), (13, 104)];

fn levels(connections: &str) -> String {
    format!(
        "concurrency = \"1,2,13\"\nconnections = \"{connections}\"\nrequests = {{ per_client = 8, least = 0 }}\n\
         warm_up = {{ concurrency = 2, least = 4, most = 4 }}\n"
    )
}

#[test]
fn all_eight_with_a_connection_for_each_request() {
    let sandbox = Sandbox::new();
    sandbox.write("small.toml", scenario(&SERVERS, 17, &levels("per-request")));
    let outcome = sandbox.run(&["sweep", "--scenario", "small.toml", "--out", "out", "--seed", "7"]);
    outcome.expect_code(0);
    check_all(&sandbox, &outcome);
    let results = sandbox.results("out");
    assert_eq!((&results["seed"], &results["scenario"]["quick"]), (&7.into(), &false.into()));
    assert!(!(outcome.stderr + &outcome.stdout).contains("quick"));
    assert!(!sandbox.path("out/workers.png").exists());
}

#[test]
fn all_eight_with_connections_kept_and_quick() {
    let sandbox = Sandbox::new();
    sandbox.write("small.toml", scenario(&SERVERS, 17, &levels("keep-alive")));
    let outcome = sandbox.run(&["sweep", "--scenario", "small.toml", "--out", "out", "--quick"]);
    outcome.expect_code(0).expect_message(&["(quick)"]);
    check_all(&sandbox, &outcome);
    assert!(outcome.stdout.contains("warning: quick run"), "{}", outcome.stdout);
    let results = sandbox.results("out");
    assert_eq!(results["scenario"]["quick"], true);
    assert!(results["warnings"].to_string().contains("quick run"));
}

fn check_all(sandbox: &Sandbox, outcome: &Outcome) {
    let results = sandbox.results("out");
    check_json(&results);
    check_csv(sandbox);
    check_pictures(sandbox);
    for server in SERVERS {
        let table = outcome.stdout.lines().filter(|line| line.starts_with(&format!("{server} ")));
        let clients: Vec<&str> = table.filter_map(|line| line.split_ascii_whitespace().nth(1)).collect();
        // A line for each level, then one in the summary.
        assert_eq!((clients.len(), &clients[..3]), (4, &["1", "2", "13"][..]), "{}", outcome.stdout);
        for clients in ["1 client:", "2 clients:", "13 clients:"] {
            let told = |line: &&str| line.starts_with(server) && line.contains(&format!(", {clients} "));
            assert_eq!(outcome.stderr.lines().filter(told).count(), 1, "{server} {clients} {}", outcome.stderr);
        }
    }
    // Neither bars nor colours where there is no terminal.
    assert!(!outcome.stderr.contains(['\x1b', '\r']));
}

fn check_json(results: &Value) {
    assert_eq!((whole(&results["schema_version"]), &results["interrupted"]), (2, &false.into()));
    let servers: BTreeSet<&str> = array(&results["passes"]).iter().filter_map(|pass| pass["server"].as_str()).collect();
    assert_eq!(servers, BTreeSet::from(SERVERS));
    assert!(array(&results["passes"]).iter().all(|pass| pass["failure"].is_null()));
    let mut seen = Vec::new();
    for (pass, cell) in cells(results) {
        let count = |key: &str| whole(&cell[key]);
        seen.push((count("concurrency"), count("requests")));
        assert_eq!(count("requests"), count("ok") + count("errors"));
        assert_eq!((count("errors"), count("in_flight_at_end"), &cell["interrupted"]), (0, 0, &false.into()));
        assert_eq!(cell["status_codes"], serde_json::json!({ "200": count("ok") }), "{pass}");
        assert_eq!(histogram(&cell["histograms"]["ok"]).len(), count("ok"));
        assert!(["wrong", "shed", "timed_out"].iter().all(|outcome| cell["histograms"][outcome].is_null()));
        assert_eq!(array(&cell["times"]).len() as u64, count("requests"));
        let latency = |key: &str| cell["latency_ms"][key].as_f64();
        assert_eq!((latency("p90").is_some(), latency("p99").is_some()), (count("ok") >= 10, count("ok") >= 100));
        assert!(latency("min") <= latency("p50") && latency("p50") <= latency("max"));
        assert!(whole(&cell["server"]["peak_rss_bytes"]) > 0 && whole(&cell["server"]["peak_threads"]) > 0);
    }
    seen.sort_unstable();
    assert_eq!(seen, LEVELS.map(|level| [level; SERVERS.len()]).concat());
}

/// A histogram as results.json holds it.
fn histogram(text: &Value) -> Histogram<u64> {
    let bytes = STANDARD.decode(text.as_str().expect("a histogram")).expect("base64");
    Deserializer::new().deserialize(&mut bytes.as_slice()).expect("an HDR histogram")
}

fn check_csv(sandbox: &Sandbox) {
    let text = fs::read_to_string(sandbox.path("out/results.csv")).unwrap();
    assert!(text.starts_with(FIXED), "{text}");
    assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
    let rows = sandbox.rows("out");
    let place = |row: &std::collections::HashMap<String, String>| (row["server"].clone(), row["concurrency"].clone());
    let expected = SERVERS.map(|server| LEVELS.map(|(clients, _)| (server.to_owned(), clients.to_string())));
    assert_eq!(rows.iter().map(place).collect::<Vec<_>>(), expected.concat());
    let mut always: Vec<&str> = FIXED.split(',').filter(|column| !column.is_empty()).collect();
    always.retain(|column| !["scenario", "server", "workers", "p90_ms", "p99_ms"].contains(column));
    for row in rows {
        let number = |column: &str| row[column].parse::<f64>().unwrap_or_else(|_| panic!("{column}: {row:?}"));
        for column in &always {
            assert!(number(column).is_finite() && number(column) >= 0.0, "{column}: {row:?}");
        }
        assert_eq!((row["p90_ms"].is_empty(), row["p99_ms"].is_empty()), (number("ok") < 10.0, number("ok") < 100.0));
        let without = ["event-loop", "thread-per-request", "spawn-blocking"].contains(&&row["server"][..]);
        assert_eq!(row["workers"].is_empty(), without, "{row:?}");
        assert_eq!((&row["scenario"][..], &row["trial"][..]), ("small", "1"));
        let efficiency = number("throughput_rps") / number("ceiling_rps");
        assert!((number("efficiency") / efficiency - 1.0).abs() < 1e-3, "{row:?}");
        let right = number("ok") / number("elapsed_s");
        assert!((number("throughput_rps") / right - 1.0).abs() < 1e-3, "{row:?}");
    }
}

fn check_pictures(sandbox: &Sandbox) {
    for name in ["throughput.png", "latency.png", "resources.png"] {
        let bytes = fs::read(sandbox.path("out").join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(bytes.starts_with(b"\x89PNG\r\n\x1a\n"), "{name}");
        let side = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap());
        assert!((400..10_000).contains(&side(16)) && (300..10_000).contains(&side(20)), "{name}");
        assert!(bytes.len() > 5_000 && bytes.ends_with(b"IEND\xaeB`\x82"), "{name}");
    }
}

#[test]
fn the_same_seed_gives_the_same_order() {
    let (sandbox, server) = (Sandbox::new(), TestServer::right());
    sandbox.write("small.toml", scenario(&[], 15, &SHORT.replace("1-3", "1-6")));
    let order = |seed: &str, out: &str| -> Vec<(String, u64)> {
        let urls: Vec<String> = (1..=5).map(|number| format!("--url=s{number}={}", server.url())).collect();
        let mut sweep = vec!["sweep", "--scenario", "small.toml", "--seed", seed, "--out", out];
        sweep.extend(urls.iter().map(String::as_str));
        sandbox.run(&sweep).expect_code(0);
        let results = sandbox.results(out);
        let cells = cells(&results);
        cells.iter().map(|(pass, cell)| (pass["server"].to_string(), whole(&cell["concurrency"]))).collect()
    };
    let first = order("11", "a");
    assert_eq!(first.len(), 30);
    assert_eq!(order("11", "b"), first);
    assert_ne!(order("12", "c"), first);
}

#[test]
fn json_is_all_that_is_on_standard_output() {
    let (sandbox, server) = (Sandbox::new(), TestServer::right());
    sandbox.write("small.toml", scenario(&[], 15, SHORT));
    let outcome = sandbox.run(&["sweep", "--scenario", "small.toml", "--url", &server.url(), "--json", "--out", "out"]);
    outcome.expect_code(0);
    let printed: Value = serde_json::from_str(&outcome.stdout).expect("JSON and nothing else");
    assert_eq!(printed, sandbox.results("out"));
}

#[test]
fn workers_are_an_axis() {
    let sandbox = Sandbox::new();
    sandbox.write("small.toml", scenario(&["worker-array", "event-loop"], 15, SHORT));
    let sweep = ["sweep", "--scenario", "small.toml", "--workers", "1,2", "--concurrency", "2", "--quick"];
    let outcome = sandbox.run(&[&sweep[..], &["--out", "out"]].concat());
    outcome.expect_code(0).expect_message(&["--workers means nothing to event-loop"]);
    let rows = sandbox.rows("out");
    let found: Vec<_> = rows.iter().map(|row| (&row["server"][..], &row["workers"][..])).collect();
    assert_eq!(found, [("worker-array", "1"), ("worker-array", "2"), ("event-loop", "")]);
    assert!(outcome.stdout.contains("worker-array, 1 worker ") && outcome.stdout.contains("worker-array, 2 workers "));
    assert!(!outcome.stdout.contains("one CPU"));
    assert!(outcome.stdout.contains("worker-array, of 1, 2 workers at 2 clients: "), "{}", outcome.stdout);
    assert!(
        outcome.stdout.contains("context switches per request") && outcome.stdout.contains("one pass, no interval")
    );
    assert!(sandbox.path("out/workers.png").exists());
}

#[test]
fn a_scenario_says_how_many_workers_each_server_has() {
    let sandbox = Sandbox::new();
    let servers = ["worker-array", "worker-pool", "event-loop"];
    let text =
        scenario(&servers, 15, SHORT) + "[workers]\nworker-array = \"1,3\"\n[full]\nworkers = 2\nconcurrency = 4\n";
    sandbox.write("small.toml", text);
    let sweep = ["sweep", "--scenario", "small.toml", "--concurrency", "2", "--cpu-count", "1", "--out"];
    let found = |out: &str, more: &[&str]| -> Vec<(String, String)> {
        sandbox.run(&[&sweep[..], &[out], more].concat()).expect_code(0);
        sandbox.rows(out).into_iter().map(|row| (row["server"].clone(), row["workers"].clone())).collect()
    };
    let pair = |server: &str, workers: &str| (server.to_owned(), workers.to_owned());
    let (pool, alone) = (pair("worker-pool", "1"), pair("event-loop", ""));
    let array = |workers: &str| pair("worker-array", workers);
    assert_eq!(found("table", &[]), [array("1"), array("3"), pool, alone.clone()]);
    assert_eq!(sandbox.results("table")["scenario"]["workers"]["worker-array"], "1,3");
    let all = |workers: &str| [array(workers), pair("worker-pool", workers), alone.clone()];
    assert_eq!(found("full", &["--full"]), all("2"));
    // The command line wins over every table.
    assert_eq!(found("asked", &["--workers", "4"]), all("4"));
    assert_eq!(sandbox.results("asked")["scenario"]["workers"], "4");
}

#[test]
fn the_full_form_says_so_everywhere() {
    let sandbox = Sandbox::new();
    sandbox.write("small.toml", scenario(&["event-loop"], 15, SHORT) + "[full]\nconcurrency = \"4,5\"\n");
    let outcome = sandbox.run(&["sweep", "--scenario", "small.toml", "--full", "--out", "out"]);
    outcome.expect_code(0).expect_message(&["(full)", "concurrency 4,5"]);
    assert!(outcome.stdout.contains("full run"), "{}", outcome.stdout);
    let results = sandbox.results("out");
    assert_eq!((&results["scenario"]["full"], &results["scenario"]["quick"]), (&true.into(), &false.into()));
    assert!(sandbox.rows("out").iter().all(|row| row["full"] == "true" && row["quick"] == "false"));
    let page = fs::read_to_string(sandbox.path("out/report.html")).unwrap();
    assert!(page.contains("small, full") && page.contains("full run"));
}

#[test]
fn backends_are_an_axis() {
    let sandbox = Sandbox::new();
    let more = format!("{SHORT}backends = [\"native\", \"wasm\"]\n");
    sandbox.write("small.toml", scenario(&["worker-pool", "wasm-worker"], 15, &more));
    let sweep = ["sweep", "--scenario", "small.toml", "--concurrency", "1,2", "--out"];
    let outcome = sandbox.run(&[&sweep[..], &["out"]].concat());
    outcome.expect_code(0).expect_message(&["worker-pool, wasm, "]);
    let found = |out: &str| -> Vec<(String, String)> {
        let rows = sandbox.rows(out).into_iter().filter(|row| row["concurrency"] == "1");
        rows.map(|row| (row["server"].clone(), row["backend"].clone())).collect()
    };
    let pair = |server: &str, backend: &str| (server.to_owned(), backend.to_owned());
    let wasm = pair("wasm-worker", "wasm");
    assert_eq!(found("out"), [pair("worker-pool", "native"), pair("worker-pool", "wasm"), wasm.clone()]);
    assert!(outcome.stdout.contains("worker-pool, native ") && outcome.stdout.contains("worker-pool, wasm "));
    let asked =
        |pass: &Value| pass["command"].as_str().unwrap_or_default().split("--backend ").nth(1).map(str::to_owned);
    let passes = array(&sandbox.results("out")["passes"]).to_vec();
    assert!(
        passes.iter().all(|pass| pass["server"] == "wasm-worker" || asked(pass).as_deref() == pass["backend"].as_str())
    );
    // The command line wins; a server without the backend is skipped and named.
    let outcome = sandbox.run(&[&sweep[..], &["native", "--backends", "native"]].concat());
    outcome.expect_code(0).expect_message(&["wasm-worker is skipped: it computes with wasm only"]);
    assert_eq!(found("native"), [pair("worker-pool", "native")]);
    sandbox.run(&[&sweep[..], &["none", "--backends", "jit"]].concat()).expect_code(2).expect_message(&["--backends"]);
    let bad = more.replace("wasm", "wsm");
    sandbox.write("small.toml", scenario(&["worker-pool"], 15, &bad));
    let outcome = sandbox.run(&[&sweep[..], &["none"]].concat());
    outcome.expect_code(2).expect_message(&["small.toml, line 9: backends", "`wsm`", "native, wasm"]);
}

#[test]
fn the_command_line_wins_over_the_scenario() {
    let sandbox = Sandbox::new();
    sandbox.write("small.toml", scenario(&["worker-pool", "event-loop"], 15, SHORT));
    let sweep = ["sweep", "--scenario", "small.toml", "--servers", "event-loop", "--concurrency", "1-7:3"];
    sandbox.run(&[&sweep[..], &["--quick", "--cpu-count", "1", "--out", "out"]].concat()).expect_code(0);
    let rows = sandbox.rows("out");
    let found: Vec<_> =
        rows.iter().map(|row| (&row["server"][..], &row["cpus"][..], &row["concurrency"][..])).collect();
    assert_eq!(found, [("event-loop", "1", "1"), ("event-loop", "1", "4"), ("event-loop", "1", "7")]);
}

#[test]
fn a_folder_with_something_in_it_is_written_to_by_force() {
    let (sandbox, server) = (Sandbox::new(), TestServer::right());
    sandbox.write("small.toml", scenario(&[], 15, SHORT));
    fs::create_dir(sandbox.path("out")).unwrap();
    sandbox.write("out/notes", "kept");
    let sweep = ["sweep", "--scenario", "small.toml", "--out", "out", "--url"];
    sandbox.run(&[&sweep[..], &[&server.url(), "--force"]].concat()).expect_code(0);
    assert_eq!(sandbox.rows("out").len(), 3);
    // A run that measured nothing takes nothing away.
    let (_holder, nobody) = nothing_listens();
    let failed = sandbox.run(&[&sweep[..], &[&format!("http://{nobody}"), "--force"]].concat());
    failed.expect_code(2);
    assert_eq!((sandbox.rows("out").len(), fs::read(sandbox.path("out/notes")).unwrap()), (3, b"kept".to_vec()));
}

#[test]
fn a_folder_is_named_after_scenario_and_time() {
    let (sandbox, server) = (Sandbox::new(), TestServer::right());
    sandbox.write("small.toml", scenario(&[], 15, SHORT));
    sandbox.run(&["sweep", "--scenario", "small.toml", "--url", &server.url()]).expect_code(0);
    let runs: Vec<_> = fs::read_dir(sandbox.path("results")).unwrap().flatten().map(|run| run.file_name()).collect();
    assert!(runs.len() == 1 && runs[0].to_str().unwrap().starts_with("small-2"), "{runs:?}");
}

#[test]
fn trials_have_fresh_servers_and_salts_and_go_around() {
    let sandbox = Sandbox::new();
    sandbox.write("small.toml", scenario(&["event-loop", "worker-pool"], 15, SHORT));
    let sweep = ["sweep", "--scenario", "small.toml", "--trials", "3", "--concurrency", "1,2", "--quick"];
    let outcome = sandbox.run(&[&sweep[..], &["--out", "out"]].concat());
    outcome.expect_code(0).expect_message(&["6 server runs (3 trials)", ", trial 1 of 3, ", ", trial 3 of 3, "]);
    let results = sandbox.results("out");
    assert_eq!(results["scenario"]["trials"], 3);
    // Every server once before any has its next turn.
    let turns: Vec<u64> = array(&results["passes"]).iter().map(|pass| whole(&pass["trial"])).collect();
    assert_eq!(turns, [1, 1, 2, 2, 3, 3]);
    let rows = sandbox.rows("out");
    let found: Vec<_> = rows.iter().map(|row| (&row["concurrency"][..], &row["trial"][..])).collect();
    let of_one = ["1", "2"].map(|level| ["1", "2", "3"].map(|trial| (level, trial))).concat();
    assert_eq!(found, [of_one.clone(), of_one].concat());
    // A line for each level, not for each trial.
    let lines = outcome.stdout.lines().filter(|line| line.starts_with("worker-pool ")).count();
    assert_eq!((lines, outcome.stdout.matches("95% interval ").count()), (3, 2), "{}", outcome.stdout);
    assert!(outcome.stdout.contains("3 trials, 95% intervals") && !outcome.stdout.contains("one pass"));
}

#[test]
fn no_two_trials_ask_the_same() {
    let (sandbox, asked) = (Sandbox::new(), Arc::new(Mutex::new(Vec::new())));
    let heard = Arc::clone(&asked);
    let server = TestServer::start(move |_, path| {
        heard.lock().unwrap().push(path.to_owned());
        Some((200, fib_answer(path)))
    });
    sandbox.write("small.toml", format!("trials = 3\n{}", scenario(&[], 15, SHORT)));
    sandbox.run(&["sweep", "--scenario", "small.toml", "--url", &server.url(), "--seed", "5"]).expect_code(0);
    let mut asked = asked.lock().unwrap().clone();
    // Its checks before the first level are the same each time, and not measured.
    let checks = 2 + 1;
    let all = asked.len();
    asked.sort_unstable();
    asked.dedup();
    assert!(all >= 3 * (2 + 3 * 12) && all - asked.len() <= 2 * checks, "{} of {all} differ", asked.len());
}

#[test]
fn warm_up_is_recorded() {
    let (sandbox, server) = (Sandbox::new(), TestServer::right());
    let warm_up = |keys: &str, out: &str| {
        let table = format!("warm_up = {{ concurrency = 2, {keys} }}");
        sandbox.write(
            "small.toml",
            scenario(&[], 15, &SHORT.replace("warm_up = { concurrency = 1, least = 2, most = 2 }", &table)),
        );
        sandbox.run(&["sweep", "--scenario", "small.toml", "--url", &server.url(), "--out", out]).expect_code(0);
        let pass = sandbox.results(out)["passes"][0].clone();
        assert!(pass["warm_up_s"].as_f64() > Some(0.0));
        (whole(&pass["warm_up_requests"]), pass["warm_up_settled"].clone())
    };
    assert_eq!(warm_up("least = 7, most = 7", "fixed").0, 7);
    // Any three windows agree within 99%, and none within nearly nothing.
    let (requests, settled) = warm_up("least = 4, tolerance = 0.99, most_s = 60", "settled");
    assert!(requests >= 12 && settled == true, "{requests} {settled}");
    let (requests, settled) = warm_up("requests = 4, tolerance = 1e-9, most_s = 0.3", "restless");
    assert!(requests >= 4 && settled == false, "{requests} {settled}");
}

#[test]
fn pinned_workers_are_told_of() {
    let sandbox = Sandbox::new();
    sandbox.write("small.toml", scenario(&["reuse-port", "event-loop"], 15, SHORT));
    let sweep = ["sweep", "--scenario", "small.toml", "--pin-workers", "--concurrency", "2", "--quick", "--out", "out"];
    let outcome = sandbox.run(&[&sweep[..], &["--color", "always"]].concat());
    assert!(outcome.stdout.starts_with("\x1b[1mserver ") && outcome.stdout.contains("\x1b[33m"), "{}", outcome.stdout);
    outcome.expect_code(0).expect_message(&["--pin-workers means nothing to event-loop"]);
    let results = sandbox.results("out");
    for pass in array(&results["passes"]) {
        assert_eq!(pass["pinned"], pass["server"] == "reuse-port");
        let command = pass["command"].as_str().expect("the command that started it");
        assert_eq!(command.contains("--pin-workers"), pass["server"] == "reuse-port", "{command}");
    }
    assert!(outcome.stdout.contains("Each worker keeps to one CPU: reuse-port"), "{}", outcome.stdout);
}
