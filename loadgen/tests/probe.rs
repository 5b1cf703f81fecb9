//! The side probe, through the command line.

mod common;

use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use base64::Engine as _;
use serde_json::Value;

use common::{SERVERS, SHORT, Sandbox, TestServer, cells, scenario, whole};

const PROBE: &str = "[probe]\npath = \"/healthz\"\nrate = 100\n";

fn probed(servers: &[&str]) -> String {
    format!("{}{PROBE}", scenario(servers, 17, &SHORT.replace("least = 12", "least = 12, least_s = 0.2")))
}

/// A server whose requests take 50 ms, and whose health checks are answered, by their number, as told.
fn slow(health: impl Fn(u64) -> u16 + Send + Sync + 'static) -> TestServer {
    let checks = AtomicU64::new(0);
    TestServer::start(move |_, path| match path {
        "/health" => Some((health(checks.fetch_add(1, Ordering::SeqCst)), "well".into())),
        _ => {
            thread::sleep(Duration::from_millis(50));
            Some((200, "done".into()))
        }
    })
}

/// One level of one client that lasts a second and a half.
fn sweep(sandbox: &Sandbox, server: &TestServer, probe: &str) -> (common::Outcome, Option<Value>) {
    let url = format!("mine={}/work", server.url());
    let sweep = ["sweep", "--url", &url, "--concurrency", "1", "--probe", probe, "--quick", "--out", "out"];
    let outcome = sandbox.run(&sweep);
    let results = sandbox.path("out/results.json").exists().then(|| sandbox.results("out"));
    let probe = results.map(|results| cells(&results)[0].1["probe"].clone());
    (outcome, probe)
}

#[test]
fn every_level_of_every_server_is_probed() {
    let sandbox = Sandbox::new();
    sandbox.write("small.toml", probed(&SERVERS));
    let outcome = sandbox.run(&["sweep", "--scenario", "small.toml", "--concurrency", "1,3", "--out", "out"]);
    outcome.expect_code(0);
    let results = sandbox.results("out");
    assert_eq!(cells(&results).len(), 16);
    for (_, cell) in cells(&results) {
        let probe = &cell["probe"];
        let count = |key: &str| whole(&probe[key]);
        assert_eq!((probe["path"].as_str(), probe["rate"].as_f64()), (Some("/healthz"), Some(100.0)));
        assert!(count("sent") > 0, "{probe}");
        assert_eq!(count("sent"), count("ok") + count("errors") + count("in_flight_at_end"));
        assert_eq!(count("errors"), 0, "{probe}");
        let bytes = base64::engine::general_purpose::STANDARD.decode(probe["histogram"].as_str().unwrap()).unwrap();
        let histogram: hdrhistogram::Histogram<u64> =
            hdrhistogram::serialization::Deserializer::new().deserialize(&mut bytes.as_slice()).unwrap();
        assert_eq!(histogram.len(), count("sent"));
        // The load is accounted for by itself.
        assert_eq!(whole(&cell["ok"]), whole(&cell["requests"]));
    }
    for row in sandbox.rows("out") {
        let number = |column: &str| row[column].parse::<f64>().unwrap();
        assert!(number("probe_p50_ms") > 0.0 && number("probe_p50_ms") <= number("probe_max_ms"), "{row:?}");
        assert_eq!(row["probe_errors"], "0");
    }
    assert!(sandbox.path("out/responsiveness.png").exists());
    assert!(outcome.stdout.contains("GET /healthz: median, longest"), "{}", outcome.stdout);
    let again = sandbox.run(&["report", "out"]);
    assert_eq!(again.expect_code(0).stdout, outcome.stdout);
}

#[test]
fn who_is_not_answered_before_the_level_ends_has_waited_so_long() {
    let (sandbox, server) = (Sandbox::new(), slow(|number| if number == 0 { 200 } else { wait() }));
    fn wait() -> u16 {
        thread::sleep(Duration::from_secs(30));
        200
    }
    let (outcome, probe) = sweep(&sandbox, &server, "/health");
    let probe = probe.unwrap_or_else(|| panic!("{}", outcome.stderr));
    outcome.expect_code(0);
    let (sent, waiting) = (whole(&probe["sent"]), whole(&probe["in_flight_at_end"]));
    // 24 requests of 50 ms at the least: 1.2 s, 24 probes.
    assert!(sent >= 20 && waiting == sent && whole(&probe["ok"]) == 0, "{probe}");
    let ms = |key: &str| probe["latency_ms"][key].as_f64().unwrap();
    assert!(ms("max") >= 1150.0 && ms("p50") >= 500.0, "{probe}");
    let told = format!("{waiting} were not answered");
    assert!(outcome.stdout.contains(&told), "{}", outcome.stdout);
}

#[test]
fn a_health_check_that_fails_meanwhile_is_an_error_of_the_run() {
    let (sandbox, server) = (Sandbox::new(), slow(|number| if number == 0 { 200 } else { 500 }));
    let (outcome, probe) = sweep(&sandbox, &server, "/health@50");
    let probe = probe.unwrap_or_else(|| panic!("{}", outcome.stderr));
    outcome.expect_code(1);
    assert_eq!(probe["rate"], 50.0);
    assert_eq!((whole(&probe["ok"]), whole(&probe["errors_by_kind"]["status"])), (0, whole(&probe["errors"])));
    assert!(
        whole(&probe["errors"]) > 0 && probe["latency_ms"]["p50"].is_null() == (whole(&probe["in_flight_at_end"]) == 0)
    );
    assert_eq!(probe["failures"][0]["request"], "GET /health");
    assert_ne!(sandbox.rows("out")[0]["probe_errors"], "0");
    assert!(outcome.stdout.contains("probes failed"), "{}", outcome.stdout);
}

#[test]
fn a_health_check_that_is_not_there_is_found_before_anything_is_measured() {
    let (sandbox, server) = (Sandbox::new(), slow(|_| 404));
    let (outcome, probe) = sweep(&sandbox, &server, "/health");
    outcome.expect_code(2).expect_message(&["GET /health", "404", "mine"]);
    assert!(probe.is_none());
}

#[test]
fn probes_that_are_none() {
    let sandbox = Sandbox::new();
    for (probe, named) in [("healthz", "`healthz`"), ("/a@0", "0 must"), ("/a@x", "`x`"), ("/a b", "%20")] {
        let outcome = sandbox.run(&["sweep", "--scenario", "fib", "--probe", probe]);
        outcome.expect_code(2).expect_message(&["--probe", named]);
    }
    let good = probed(&["event-loop"]);
    let line_of = |needle: &str| good.lines().position(|line| line.contains(needle)).unwrap() + 1;
    for (from, to, line, key) in [
        ("\"/healthz\"", "\"healthz\"", line_of("[probe]"), "probe.path"),
        ("rate = 100", "rate = 0", line_of("[probe]"), "probe.rate"),
        ("rate = 100", "rate = \"often\"", line_of("rate = 100"), "rate"),
        ("rate = 100", "rat = 100", line_of("rate = 100"), "`rat`"),
        ("path = \"/healthz\"\n", "", line_of("[probe]"), "`path`"),
    ] {
        sandbox.write("bad.toml", good.replacen(from, to, 1));
        let outcome = sandbox.run(&["sweep", "--scenario", "bad.toml"]);
        outcome.expect_code(2).expect_message(&["bad.toml", key, &format!("line {line}")]);
    }
    assert!(!sandbox.path("results").exists());
}
