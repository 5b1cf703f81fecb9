//! What a run prints and writes.

use std::fs;

use hdrhistogram::serialization::Deserializer;
use hdrhistogram::serialization::interval_log::{IntervalLogIterator, LogEntry};

use crate::common::{Sandbox, Started, Then, Transport, WildServer, response, whole};
use crate::{checked, echo, result, run, run_in};

over_http_and_https! {
    the_log_reads_back_with_every_count
    the_log_has_a_line_for_each_interval_and_all_of_them_are_the_run
}

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

/// A line of a log.
struct Line {
    tag: Option<String>,
    start_s: f64,
    length_s: f64,
    times: hdrhistogram::Histogram<u64>,
}

/// A log as tools read it.
fn read_log(text: &[u8]) -> Vec<Line> {
    let mut lines = text.split(|&byte| byte == b'\n').map(|line| String::from_utf8_lossy(line).into_owned());
    assert_eq!(lines.next().unwrap(), "#[Histogram log format version 1.3]");
    let mut lines = lines.skip_while(|line| line.starts_with("#["));
    let legend = "\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_Histogram\"";
    assert_eq!(lines.next().unwrap(), legend);
    let (mut found, mut starts) = (Vec::new(), Vec::new());
    for entry in IntervalLogIterator::new(text) {
        match entry.expect("every line can be read") {
            LogEntry::Interval(interval) => {
                assert!(interval.encoded_histogram().starts_with("HISTFAAA"), "V2, compressed");
                let engine = &base64::engine::general_purpose::STANDARD;
                let bytes = base64::Engine::decode(engine, interval.encoded_histogram()).unwrap();
                let times: hdrhistogram::Histogram<u64> = Deserializer::new().deserialize(&mut &bytes[..]).unwrap();
                // In milliseconds, to three digits.
                assert!(
                    (interval.max() - times.max() as f64 / 1e6).abs() <= 0.001,
                    "{} {}",
                    interval.max(),
                    times.max()
                );
                found.push(Line {
                    tag: interval.tag().map(|tag| tag.as_str().to_owned()),
                    start_s: interval.start_timestamp().as_secs_f64(),
                    length_s: interval.duration().as_secs_f64(),
                    times,
                });
            }
            LogEntry::StartTime(start) | LogEntry::BaseTime(start) => starts.push(start),
        }
    }
    let [start, base] = starts[..] else { panic!("{starts:?}") };
    assert!(start == base && start.as_secs() > 1_700_000_000, "{starts:?}");
    found
}

/// The response times of all lines with this tag.
fn merged(lines: &[Line], tag: Option<&str>) -> hdrhistogram::Histogram<u64> {
    let mut all = hdrhistogram::Histogram::new(3).unwrap();
    lines.iter().filter(|line| line.tag.as_deref() == tag).for_each(|line| all.add(&line.times).unwrap());
    all
}

fn the_log_reads_back_with_every_count(transport: Transport) {
    let (sandbox, server) = (
        Sandbox::new(),
        WildServer::over(transport, |received| match received.number % 3 {
            0 => (response("503 Busy", ""), Then::Keep),
            1 => (response("404 Not Here", ""), Then::Keep),
            _ => echo(received),
        }),
    );
    let outcome = run_in(&sandbox, &server.url("/"), &["-n", "30", "-c", "1", "--hdr", "times.hlog", "--json"]);
    let result = checked(outcome.expect_code(1));
    let lines = read_log(&fs::read(sandbox.path("times.hlog")).unwrap());
    for (tag, count) in
        [(None, 10), (Some("wrong"), 10), (Some("shed"), 10), (Some("timed_out"), 0), (Some("service"), 0)]
    {
        assert_eq!(merged(&lines, tag).len(), count, "{tag:?}");
    }
    // The last interval ends with the run.
    let last = lines.last().unwrap();
    assert!(last.start_s + last.length_s >= result["elapsed_s"].as_f64().unwrap() - 0.001);
}

fn the_log_has_a_line_for_each_interval_and_all_of_them_are_the_run(transport: Transport) {
    let server = WildServer::over(transport, |received| {
        std::thread::sleep(std::time::Duration::from_millis(3));
        echo(received)
    });
    for (flags, every) in [
        (&["-d", "2500ms", "-c", "4", "--threads", "2"][..], 1.0),
        (&["-d", "1100ms", "-c", "3", "--hdr-interval", "200ms", "--warmup", "20"], 0.2),
        // Some threads have nothing to do for several intervals.
        (&["-n", "5", "--rate", "2", "-c", "3", "--threads", "3", "--hdr-interval", "300ms"], 0.3),
    ] {
        let sandbox = Sandbox::new();
        let outcome = run_in(&sandbox, &server.url("/"), &[flags, &["--hdr", "times.hlog", "--json"]].concat());
        let result = checked(outcome.expect_code(0));
        let lines = read_log(&fs::read(sandbox.path("times.hlog")).unwrap());
        let untagged: Vec<&Line> = lines.iter().filter(|line| line.tag.is_none()).collect();
        let least = (result["elapsed_s"].as_f64().unwrap() / every) as usize;
        assert!(least >= 2 && untagged.len() >= least, "{} lines: {result}", untagged.len());
        for (line, number) in untagged.iter().zip(0..) {
            assert!((line.start_s - f64::from(number) * every).abs() < 0.0011, "{number}: {}", line.start_s);
            let is_last = number as usize + 1 == untagged.len();
            assert!(line.length_s <= every + 1e-6 && (is_last || line.length_s > every - 0.0011), "{}", line.length_s);
        }
        let all = merged(&lines, None);
        assert_eq!(all.len(), whole(&result["ok"]), "{flags:?}");
        let p50 = result["latency_ms"]["p50"].as_f64().unwrap() * 1e6;
        assert!((all.value_at_quantile(0.5) as f64 / p50 - 1.0).abs() < 0.002);
        let open = flags.contains(&"--rate");
        assert_eq!(merged(&lines, Some("service")).len(), if open { all.len() } else { 0 });
    }
}

#[test]
fn the_log_is_there_while_the_run_goes_on() {
    let (sandbox, server) = (Sandbox::new(), WildServer::start(echo));
    let flags =
        ["run", "--url", &server.url("/"), "-d", "1h", "-c", "1", "--hdr", "times.hlog", "--hdr-interval", "50ms"];
    let started = Started::new(&sandbox, &flags);
    crate::common::wait_for("intervals in the log", || {
        let text = fs::read(sandbox.path("times.hlog")).unwrap_or_default();
        (text.iter().filter(|&&byte| byte == b'\n').count() > 15).then_some(())
    });
    started.signal(nix::sys::signal::Signal::SIGKILL);
    assert_eq!(started.end().code, None);
    // Whole lines only.
    assert!(read_log(&fs::read(sandbox.path("times.hlog")).unwrap()).len() > 8);
}

#[test]
fn a_log_that_cannot_be_written_costs_no_figures() {
    let server = WildServer::start(echo);
    let outcome = run(&server.url("/"), &["-n", "20", "--hdr", "/dev/full", "--json"]);
    assert_eq!(whole(&checked(&outcome)["ok"]), 20);
    outcome.expect_code(2).expect_message(&["--hdr /dev/full", "No space left"]);
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
