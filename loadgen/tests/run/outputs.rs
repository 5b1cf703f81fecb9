//! What a run prints and writes.

use std::fs;

use hdrhistogram::serialization::Deserializer;
use hdrhistogram::serialization::interval_log::{IntervalLogIterator, LogEntry};

use crate::common::{Sandbox, Started, Then, WildServer, response, whole};
use crate::{checked, echo, result, run, run_in};

#[test]
fn json_has_all_names_that_scripts_rely_on() {
    let server = WildServer::start(echo);
    let result = result(0, &server.url("/"), &["-n", "200", "-c", "2"]);
    for name in [
        "requests",
        "ok",
        "errors",
        "errors_by_kind",
        "in_flight_at_end",
        "reconnects",
        "elapsed_s",
        "throughput_rps",
        "replies_rps",
        "mean_in_flight",
        "generator_cpu_s",
        "status_codes",
        "latency_ms",
        "warnings",
    ] {
        assert!(!result[name].is_null(), "{name}: {result}");
    }
    let latency = &result["latency_ms"];
    let figures: Vec<f64> = ["min", "p50", "p90", "p99", "max"].map(|name| latency[name].as_f64().unwrap()).to_vec();
    assert!(figures.is_sorted(), "{latency}");
    assert!(latency["p999"].is_null() && latency["mean"].is_f64(), "{latency}");
    let rate = whole(&result["ok"]) as f64 / result["elapsed_s"].as_f64().unwrap();
    assert!((result["throughput_rps"].as_f64().unwrap() / rate - 1.0).abs() < 1e-9);
    assert_eq!(result["status_codes"], serde_json::json!({ "200": 200 }));
    assert!(result["histograms"]["ok"].as_str().unwrap().starts_with("HISTEw"));
}

#[test]
fn percentiles_of_too_few_are_empty() {
    let server = WildServer::start(echo);
    let latency = |requests| result(0, &server.url("/"), &["-n", requests])["latency_ms"].clone();
    for (requests, p90, p99) in [("9", false, false), ("10", true, false), ("99", true, false), ("100", true, true)] {
        let latency = latency(requests);
        assert_eq!((latency["p90"].is_f64(), latency["p99"].is_f64()), (p90, p99), "{requests}: {latency}");
    }
}

#[test]
fn csv_is_a_header_and_a_row() {
    let server = WildServer::start(echo);
    let outcome = run(&server.url("/a,b"), &["-n", "20", "-c", "2", "--csv"]);
    outcome.expect_code(0);
    let mut reader = csv::Reader::from_reader(outcome.stdout.as_bytes());
    let rows: Vec<std::collections::HashMap<String, String>> = reader.deserialize().map(Result::unwrap).collect();
    let [row] = rows.as_slice() else { panic!("{}", outcome.stdout) };
    assert_eq!((&row["url"], &row["ok"][..], &row["errors"][..]), (&server.url("/a,b"), "20", "0"));
    assert_eq!((&row["p99_ms"][..], &row["asked_rps"][..], &row["shed"][..]), ("", "", "0"));
    assert!(row["throughput_rps"].parse::<f64>().unwrap() > 0.0);
}

#[test]
fn the_summary_reads_at_a_glance() {
    let server = WildServer::start(echo);
    let outcome = run(&server.url("/x?{salt}"), &["-n", "120", "-c", "3", "--warmup", "5"]);
    outcome.expect_code(0);
    assert_eq!(outcome.stderr, "");
    for words in [
        &format!("GET {}\n", server.url("/x?{salt}"))[..],
        "closed loop, 3 clients, 1 thread, keep-alive",
        "bodies not (--expect-body",
        "120 ok, 0 errors",
        " right answers/s",
        "p99.9 -",
        "5 requests in",
        "status 200 (120)",
        "of CPU for each request",
    ] {
        assert!(outcome.stdout.contains(words), "no `{words}` in {}", outcome.stdout);
    }
    let open = run(&server.url("/"), &["-n", "5", "--rate", "1000", "--arrivals", "poisson"]);
    for words in ["open loop, 1000 requests/s at random", "from when they were due", "/s asked for"] {
        assert!(open.expect_code(0).stdout.contains(words), "no `{words}` in {}", open.stdout);
    }
}

#[test]
fn the_log_reads_back_with_every_count() {
    let (sandbox, server) = (
        Sandbox::new(),
        WildServer::start(|received| match received.number % 3 {
            0 => (response("503 Busy", ""), Then::Keep),
            1 => (response("404 Not Here", ""), Then::Keep),
            _ => echo(received),
        }),
    );
    let outcome = run_in(&sandbox, &server.url("/"), &["-n", "30", "-c", "1", "--hdr", "times.hlog", "--json"]);
    let result = checked(outcome.expect_code(1));
    let text = fs::read(sandbox.path("times.hlog")).unwrap();
    assert!(text.starts_with(b"#[Histogram log format version 1.3]\n"));
    let mut found = Vec::new();
    for entry in IntervalLogIterator::new(&text) {
        match entry.expect("every line can be read") {
            LogEntry::Interval(interval) => {
                assert!(interval.encoded_histogram().starts_with("HISTFAAA"), "V2, compressed");
                let bytes =
                    base64::Engine::decode(&base64::engine::general_purpose::STANDARD, interval.encoded_histogram())
                        .unwrap();
                let times: hdrhistogram::Histogram<u64> = Deserializer::new().deserialize(&mut &bytes[..]).unwrap();
                let elapsed = result["elapsed_s"].as_f64().unwrap();
                assert!((interval.duration().as_secs_f64() - elapsed).abs() < 0.001);
                found.push((interval.tag().map(|tag| tag.as_str().to_owned()), times.len()));
            }
            LogEntry::StartTime(start) => assert!(start.as_secs() > 1_700_000_000),
            LogEntry::BaseTime(_) => {}
        }
    }
    let tagged = |tag: &str| Some(tag.to_owned());
    assert_eq!(found, [(None, 10), (tagged("wrong"), 10), (tagged("shed"), 10)]);
}

#[test]
fn progress_is_silent_where_nobody_watches() {
    let sandbox = Sandbox::new();
    let server = WildServer::start(echo);
    let started = Started::new(&sandbox, &["run", "--url", &server.url("/"), "-d", "3s", "-c", "1"]);
    let outcome = started.end();
    outcome.expect_code(0);
    assert_eq!(outcome.stderr, "");
}

#[test]
fn help_says_what_it_does() {
    let outcome = Sandbox::new().run(&["run", "--help"]);
    outcome.expect_code(0);
    for words in
        ["Closed loop", "Open loop", "Exit codes: 0", "Examples:", "Load:", "Request:", "Right answers:", "{salt}"]
    {
        assert!(outcome.stdout.contains(words), "no `{words}` in {}", outcome.stdout);
    }
}
