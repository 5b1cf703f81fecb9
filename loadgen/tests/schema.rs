//! docs/results.schema.json describes what is written: every results.json that any test reads is held against it
//! (`Sandbox::results`); here those that few tests have, and the holding itself.

mod common;

use std::panic::catch_unwind;

use serde_json::{Value, json};

use common::{Sandbox, Sweep, TestServer, assert_as_the_schema_says};

fn good() -> Value {
    Sweep { servers: &["a"], levels: &[1, 4], trials: 1, rate: &|_, _, _| 100.0 }.json()
}

#[test]
fn a_sweep_with_everything_that_can_go_wrong() {
    let sandbox = Sandbox::new();
    let (right, wrong) = (
        TestServer::right(),
        TestServer::start(|number, path| {
            // Wrong only once it is measured.
            let body = if number < 40 { common::fib_answer(path) } else { "7".into() };
            Some((if number % 5 == 4 && number > 40 { 503 } else { 200 }, body))
        }),
    );
    let gone = TestServer::start(|number, path| (number < 60).then(|| (200, common::fib_answer(path))));
    sandbox.write("small.toml", common::scenario(&["worker-pool"], 15, common::SHORT));
    let urls = [("right", &right), ("wrong", &wrong), ("gone", &gone)];
    let urls: Vec<String> = urls.iter().map(|(name, server)| format!("--url={name}={}", server.url())).collect();
    let mut sweep =
        vec!["sweep", "--scenario", "small.toml", "--servers", "worker-pool", "--trials", "3", "--out", "out"];
    sweep.extend(urls.iter().map(String::as_str));
    sandbox.run(&sweep).expect_code(1);
    let results = sandbox.results("out");
    let failed = common::cells(&results).iter().filter(|(_, cell)| cell["errors"] != 0).count();
    assert!(failed > 0, "{results}");
}

#[test]
fn what_is_not_as_described_is_found() {
    assert_as_the_schema_says(&good());
    for (pointer, value) in [
        ("/schema_version", json!(1)),
        ("/seed", json!(-1)),
        ("/seed", json!(1.5)),
        ("/interrupted", json!("no")),
        ("/warnings", json!([{ "kind": "rain", "text": "it rained" }])),
        ("/warnings", json!([{ "kind": "quick_run" }])),
        ("/passes/0/levels/0/errors_by_kind", json!({ "rain": 1 })),
        ("/passes/0/levels/0/status_codes", json!({ "2000": 1 })),
        ("/passes/0/levels/0/latency_ms", json!({})),
        ("/passes/0/levels/1/server", json!({ "cpu_s": 1 })),
        ("/passes/0/levels/1/times/0/outcome", json!("fine")),
    ] {
        let mut results = good();
        *results.pointer_mut(pointer).unwrap() = value;
        assert!(catch_unwind(|| assert_as_the_schema_says(&results)).is_err(), "{pointer}");
    }
    let mut results = good();
    results["passes"][0]["colour"] = json!("red");
    assert!(catch_unwind(|| assert_as_the_schema_says(&results)).is_err());
}
