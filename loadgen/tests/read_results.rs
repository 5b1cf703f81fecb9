//! results.json as it comes back in: older ones are read, and what is none is refused with what is wrong and where.

mod common;

use std::fs;

use serde_json::{Value, json};

use common::{Sandbox, Sweep};

const SCHEMA_1: &str = include_str!("fixtures/results-schema-1.json");

fn good() -> Value {
    Sweep { servers: &["a", "b"], levels: &[1, 4], trials: 2, rate: &|_, _, _| 100.0 }.json()
}

/// Every command that reads results refuses the folder `out`, and says these things.
fn refused(sandbox: &Sandbox, named: &[&str]) {
    for command in [&["report", "out"][..], &["compare", "out", "out"]] {
        let outcome = sandbox.run(command);
        outcome.expect_code(2).expect_message(named);
        assert_eq!(outcome.stdout, "");
    }
    let files: Vec<_> = fs::read_dir(sandbox.path("out")).into_iter().flatten().flatten().collect();
    assert!(files.len() <= 1, "{files:?}");
}

#[test]
fn results_of_schema_1_are_read() {
    let sandbox = Sandbox::new();
    sandbox.write_results("out", &serde_json::from_str(SCHEMA_1).unwrap());
    let outcome = sandbox.run(&["report", "out"]);
    outcome.expect_code(0);
    for told in ["event-loop         1", "worker-pool        2", "\nwarning: quick run: ", "\nwarning: efficiency 1."] {
        assert!(outcome.stdout.contains(told), "{told}: {}", outcome.stdout);
    }
    assert!(outcome.stdout.contains("\nwarning: the ceiling moved by 51%"), "{}", outcome.stdout);
    assert_eq!(sandbox.rows("out").len(), 4);
}

#[test]
fn folders_and_files_without_results() {
    let sandbox = Sandbox::new();
    refused(&sandbox, &["out/results.json", "no results of a sweep here"]);
    fs::create_dir(sandbox.path("out")).unwrap();
    refused(&sandbox, &["out/results.json", "no results of a sweep here"]);
    for (text, named) in [("", "cut off at line 1, column 0"), ("results", "not JSON"), ("{}", "missing field")] {
        sandbox.write("out/results.json", text);
        refused(&sandbox, &["out/results.json", named]);
    }
    sandbox.write("out/results.json", [b'{', 0xff, 0xfe]);
    refused(&sandbox, &["not JSON", "line 1 column 2"]);
}

#[test]
fn results_that_are_cut_off_anywhere() {
    let sandbox = Sandbox::new();
    let text = serde_json::to_string_pretty(&good()).unwrap();
    for length in (1..text.len()).step_by(text.len() / 17) {
        sandbox.write_results("out", &json!(null));
        let cut = &text[..length];
        sandbox.write("out/results.json", cut);
        refused(&sandbox, &[&format!("cut off at line {}", cut.matches('\n').count() + 1)]);
    }
}

#[test]
fn results_of_a_newer_program() {
    let sandbox = Sandbox::new();
    let mut newer = good();
    newer["schema_version"] = json!(99);
    sandbox.write_results("out", &newer);
    refused(&sandbox, &["schema 99 is newer than 2"]);
    // Also where it has become something else altogether.
    sandbox.write_results("out", &json!({ "schema_version": 99, "passes": "elsewhere" }));
    refused(&sandbox, &["schema 99 is newer than 2"]);
}

#[test]
fn results_that_were_edited_into_nonsense() {
    let sandbox = Sandbox::new();
    for (pointer, value, named) in [
        ("/passes/3/levels/1/ok", json!(-3), "passes[3].levels[1].ok: invalid value: integer `-3`"),
        ("/passes/3/levels/1/ok", json!("NaN"), "passes[3].levels[1].ok: invalid type: string \"NaN\""),
        ("/passes/0/levels/0/ok", json!(31), "passes[0].levels[0].ok: 31 right answers to 30 requests"),
        ("/passes/0/levels/0/errors", json!(1), "passes[0].levels[0].errors: 30 requests, 30 ok, but 1 errors"),
        ("/passes/1/levels/0/errors_by_kind", json!({ "reset": 2 }), "passes[1].levels[0].errors_by_kind: 2 in all"),
        ("/passes/1/levels/0/errors_by_kind", json!({ "rest": 2 }), "passes[1].levels[0].errors_by_kind"),
        ("/passes/1/levels/0/concurrency", json!(0), "passes[1].levels[0].concurrency"),
        ("/passes/1/levels/0/throughput_rps", json!(-0.5), "passes[1].levels[0].throughput_rps: -0.5"),
        ("/passes/1/levels/0/latency_ms/p50", json!(1e9), "passes[1].levels[0].latency_ms.p90"),
        ("/passes/1/levels/0/ended_s", json!(0.5), "passes[1].levels[0].ended_s: it ended at 0.5"),
        ("/passes/1/levels", json!({}), "passes[1].levels: invalid type: map"),
        ("/passes/1/server", json!("c"), "passes[1].server: `c` is none of scenario.servers"),
        ("/passes/1/trial", json!(0), "passes[1].trial"),
        ("/passes/1/cpus", json!(0), "passes[1].cpus"),
        ("/passes", json!([]), "passes: there are none"),
        ("/scenario/servers", json!([]), "scenario.servers: no server is named"),
        ("/scenario/concurrency", json!([0]), "scenario.concurrency"),
        ("/machine/cpus_usable", json!(2), "machine.cpus_usable"),
        ("/ceiling/0/rate_rps", json!(-1.0), "ceiling[0].rate_rps"),
        ("/warnings", json!([7]), "warnings[0]: expected a text"),
        ("/wall_s", json!(-1), "wall_s"),
        ("/schema_version", json!("two"), "schema_version: invalid type"),
    ] {
        let mut results = good();
        *results.pointer_mut(pointer).unwrap() = value;
        sandbox.write_results("out", &results);
        refused(&sandbox, &["out/results.json: ", "edited by hand: ", named]);
    }
    // A comparison has no use for these, and does not look at them.
    for (pointer, value, named) in [
        ("/passes/1/levels/0/times", json!("fast"), "passes[1].levels[0].times"),
        ("/passes/1/levels/0/samples/0/threads", json!(-1), "passes[1].levels[0].samples[0].threads"),
    ] {
        let mut results = good();
        *results.pointer_mut(pointer).unwrap() = value;
        sandbox.write_results("out", &results);
        sandbox.run(&["report", "out"]).expect_code(2).expect_message(&["edited by hand: ", named]);
        sandbox.run(&["compare", "out", "out"]).expect_code(0);
    }
    let text = good().to_string().replacen("60.0", "1e999", 1);
    sandbox.write("out/results.json", text);
    refused(&sandbox, &["number out of range"]);
}
