//! `loadgen report`: everything that a sweep wrote, again from results.json.

mod common;

use std::collections::BTreeMap;
use std::fs;

use serde_json::json;

use common::{SHORT, Sandbox, Sweep, TestServer, nothing_listens, scenario};

/// The files of a folder with their contents.
fn files(sandbox: &Sandbox, folder: &str) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(sandbox.path(folder)).unwrap().flatten();
    entries.map(|entry| (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap())).collect()
}

#[test]
fn a_report_gives_the_same_bytes_as_its_sweep() {
    let (sandbox, server, (_holder, nobody)) = (Sandbox::new(), TestServer::right(), nothing_listens());
    sandbox.write("small.toml", scenario(&[], 15, SHORT));
    let urls = [format!("--url=here={}", server.url()), format!("--url=gone=http://{nobody}")];
    let sweep = ["sweep", "--scenario", "small.toml", "--out", "out", "--format", "png,svg", &urls[0], &urls[1]];
    let swept = sandbox.run(&sweep);
    swept.expect_code(1);
    let written = files(&sandbox, "out");
    for name in ["results.csv", "results.json", "throughput.png", "throughput.svg", "resources.svg", "report.html"] {
        assert!(written.contains_key(name), "{name}");
    }
    for name in written.keys().filter(|&name| name != "results.json") {
        fs::remove_file(sandbox.path("out").join(name)).unwrap();
    }
    let reported = sandbox.run(&["report", "out", "--format", "png,svg"]);
    reported.expect_code(0);
    assert_eq!(reported.stdout, swept.stdout);
    let again = files(&sandbox, "out");
    assert_eq!(again.keys().collect::<Vec<_>>(), written.keys().collect::<Vec<_>>());
    for (name, bytes) in &written {
        assert!(again[name] == *bytes, "{name} differs");
    }
}

#[test]
fn pictures_come_in_the_formats_that_were_asked_for() {
    let (sandbox, server) = (Sandbox::new(), TestServer::right());
    sandbox.write("small.toml", scenario(&[], 15, SHORT));
    let sweep = ["sweep", "--scenario", "small.toml", "--out", "out", "--url", &server.url(), "--format"];
    sandbox.run(&[&sweep[..], &["svg"]].concat()).expect_code(0);
    let written = files(&sandbox, "out");
    assert!(!written.keys().any(|name| name.ends_with(".png")), "{:?}", written.keys());
    // For whoever opens it: the font may not be there.
    assert!(String::from_utf8_lossy(&written["throughput.svg"]).contains("font-family=\"Noto Sans, sans-serif\""));
    sandbox.run(&[&sweep[..], &["gif"]].concat()).expect_code(2).expect_message(&["gif", "png", "svg"]);
}

#[test]
fn wrong_answers_that_were_declared_are_no_failures() {
    let sandbox = Sandbox::new();
    let mut results = Sweep { servers: &["guesses"], levels: &[4], trials: 1, rate: &|_, _, _| 100.0 }.json();
    // What its page, and the notes of its charts, say of 30 requests.
    let mut page = |fault: serde_json::Value, errors: u64| {
        results["passes"][0]["fault"] = fault;
        let cell = &mut results["passes"][0]["levels"][0];
        (cell["ok"], cell["errors"]) = (json!(30 - errors), json!(errors));
        cell["errors_by_kind"] = json!({ "body": 20, "reset": errors - 20 });
        sandbox.write_results("out", &results);
        sandbox.run(&["report", "out"]).expect_code(0);
        fs::read_to_string(sandbox.path("out/report.html")).unwrap()
    };
    let (chip, note) = ("20 requests failed</a>", "guesses: 20 of 30 requests failed");
    let undeclared = page(json!(null), 20);
    assert!(undeclared.contains(chip) && undeclared.contains(note));
    let declared = page(json!("it guesses"), 20);
    assert!(!declared.contains("failed</a>") && !declared.contains("requests failed, at"));
    assert!(declared.contains("guesses: 20 of 30 answers were wrong, as declared."));
    // A connection that was reset is nobody's point.
    let both = page(json!("it guesses"), 23);
    assert!(both.contains("3 requests failed</a>") && both.contains("guesses: 3 of 30 requests failed"));
}
