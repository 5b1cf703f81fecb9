//! `loadgen compare` from end to end, on folders that the tests make.

mod common;

use serde_json::{Value, json};

use common::{Outcome, Sandbox, Sweep, array};

/// How a figure varies from trial to trial: by so many percent, the same for all levels.
fn wobble(trial: u32, percent: f64) -> f64 {
    1.0 + percent / 100.0 * [0.0, 1.0, -1.0, 0.5, -0.5][trial as usize % 5]
}

/// Two servers of `trials` trials; the second is `factor` times as fast as in another sweep of factor 1.
fn sweep(trials: u32, factor: f64) -> Value {
    let rate = |server: &str, level: u32, trial: u32| {
        let base = f64::from(level.min(2)) * 100.0;
        match server {
            "steady" => base * wobble(trial + u32::from(factor == 1.0), 1.0),
            _ => base * 2.0 * factor * wobble(trial, 1.0),
        }
    };
    Sweep { servers: &["steady", "changed"], levels: &[1, 2, 4], trials, rate: &rate }.json()
}

fn compared(a: &Value, b: &Value, more: &[&str]) -> Outcome {
    let sandbox = Sandbox::new();
    sandbox.write_results("before", a);
    sandbox.write_results("after", b);
    sandbox.run(&[&["compare", "before", "after"], more].concat())
}

#[test]
fn a_slower_server_is_told_from_a_steady_one() {
    let outcome = compared(&sweep(5, 1.0), &sweep(5, 0.9), &[]);
    outcome.expect_code(0);
    insta::assert_snapshot!(outcome.stdout);
    let faster = compared(&sweep(5, 0.9), &sweep(5, 1.0), &["--cells"]);
    faster.expect_code(0);
    insta::assert_snapshot!(faster.stdout);
}

#[test]
fn markdown_has_the_same_and_levels_folded() {
    let outcome = compared(&sweep(5, 1.0), &sweep(5, 0.9), &["--markdown", "--cells"]);
    outcome.expect_code(0);
    insta::assert_snapshot!(outcome.stdout);
}

#[test]
fn json_has_ratios_intervals_and_verdicts() {
    let outcome = compared(&sweep(5, 1.0), &sweep(5, 0.9), &["--json", "--threshold", "3%"]);
    outcome.expect_code(0);
    let printed: Value = serde_json::from_str(&outcome.stdout).unwrap();
    assert_eq!((&printed["threshold"], &printed["paired"]), (&json!(0.03), &json!(false)));
    let servers = array(&printed["servers"]);
    let verdicts: Vec<_> = servers.iter().map(|server| (&server["server"], &server["throughput"]["verdict"])).collect();
    assert_eq!(verdicts, [(&json!("steady"), &json!("no_difference")), (&json!("changed"), &json!("slower"))]);
    let changed = &servers[1];
    let ratio = changed["throughput"]["ratio"].as_f64().unwrap();
    let (low, high) = (&changed["throughput"]["interval"]["low"], &changed["throughput"]["interval"]["high"]);
    assert!((ratio - 0.9).abs() < 1e-9 && low.as_f64() < Some(0.9) && high.as_f64() > Some(0.9), "{changed}");
    assert!((changed["p50_ratio"].as_f64().unwrap() - 1.0 / 0.9).abs() < 1e-9);
    assert_eq!((&changed["levels"], &changed["trials"]), (&json!(3), &json!([5, 5])));
    assert_eq!(array(&changed["cells"]).len(), 3);
    assert_eq!(changed["cells"][2]["concurrency"], 4);
}

#[test]
fn continuous_integration_fails_by_the_exit_code() {
    let (before, after) = (sweep(5, 1.0), sweep(5, 0.9));
    let failing = compared(&before, &after, &["--fail-if-slower", "5%"]);
    failing.expect_code(1).expect_message(&["changed is slower by 10.0%", "--fail-if-slower 5%"]);
    compared(&before, &after, &["--fail-if-slower", "15%"]).expect_code(0);
    compared(&before, &after, &["--fail-if-slower", "5%", "--servers", "steady"]).expect_code(0);
    compared(&after, &before, &["--fail-if-slower", "5%"]).expect_code(0);
    // The threshold is larger than the difference: there is none.
    compared(&before, &after, &["--fail-if-slower", "5%", "--threshold", "20%"]).expect_code(0);
    let few = compared(&sweep(2, 1.0), &sweep(2, 0.5), &["--fail-if-slower", "5%"]);
    few.expect_code(2).expect_message(&["too few trials to say of steady, changed", "--trials 3"]);
    let mut failed = after.clone();
    for pass in failed["passes"].as_array_mut().unwrap().iter_mut().filter(|pass| pass["server"] == "steady") {
        pass["failure"] = json!({ "message": "server steady was killed by SIGKILL", "last_words": [] });
        pass["levels"] = json!([]);
    }
    let failed = compared(&before, &failed, &["--fail-if-slower", "50%"]);
    failed.expect_code(1).expect_message(&["server steady was killed"]);
}

#[test]
fn few_trials_say_nothing() {
    for trials in [1, 2] {
        let outcome = compared(&sweep(trials, 1.0), &sweep(trials, 0.5), &[]);
        outcome.expect_code(0);
        assert_eq!(outcome.stdout.matches("too few trials to say").count(), 2, "{}", outcome.stdout);
    }
}

#[test]
fn only_what_both_have_is_compared() {
    let mut after = sweep(5, 0.9);
    after["scenario"]["servers"] = json!(["steady", "new"]);
    for (index, pass) in after["passes"].as_array_mut().unwrap().iter_mut().enumerate() {
        if pass["server"] == "changed" {
            pass["server"] = json!("new");
        }
        let levels = pass["levels"].as_array_mut().unwrap();
        // Measured early, never, or not to its end.
        levels.swap(0, 2);
        levels.remove(1);
        if index == 0 {
            levels[0]["interrupted"] = json!(true);
        }
    }
    let outcome = compared(&sweep(5, 1.0), &after, &["--json"]);
    outcome.expect_code(0);
    let printed: Value = serde_json::from_str(&outcome.stdout).unwrap();
    let servers = array(&printed["servers"]);
    assert_eq!((servers.len(), &servers[0]["server"]), (1, &json!("steady")));
    assert_eq!((&servers[0]["levels"], &servers[0]["trials"]), (&json!(2), &json!([5, 4])));
    let left_out: Vec<&Value> = array(&printed["left_out"]).iter().map(|left| &left["server"]).collect();
    assert_eq!(left_out, [&json!("new"), &json!("changed")]);
    after["scenario"]["servers"] = json!(["x"]);
    for pass in after["passes"].as_array_mut().unwrap() {
        pass["server"] = json!("x");
    }
    compared(&sweep(5, 1.0), &after, &[]).expect_code(2).expect_message(&["nothing to compare", "changed: only in"]);
}

#[test]
fn different_scenarios_and_machines_are_refused_unless_anyway() {
    let before = sweep(5, 1.0);
    for (pointer, value, named) in [
        ("/scenario/name", json!("large"), "scenario.name: small in A, large in B"),
        ("/scenario/request/path", json!("/fib/16"), "scenario.request.path: /fib/15?salt={salt} in A, /fib/16 in B"),
        ("/scenario/connections", json!("per-request"), "scenario.connections: keep-alive in A, per-request in B"),
        ("/scenario/quick", json!(true), "scenario.quick: false in A, true in B"),
        ("/machine/cpu_model", json!("Pascaline"), "CPU model: Abacus in A, Pascaline in B"),
        ("/machine/cpus_usable", json!([1]), "CPUs usable: 2 in A, 1 in B"),
        ("/machine/kernel", json!("6.2"), "kernel: 6.1 in A, 6.2 in B"),
        ("/passes/0/pinned", json!(true), "workers pinned: false in A, true in B"),
        ("/warnings", json!([{ "kind": "debug_build", "text": "slow" }]), "build: release in A, debug in B"),
    ] {
        let mut after = sweep(5, 0.9);
        match after.pointer_mut(pointer) {
            Some(field) => *field = value,
            None if pointer.ends_with("quick") => after["scenario"]["quick"] = value,
            None => after["passes"][0]["pinned"] = value,
        }
        let refused = compared(&before, &after, &[]);
        refused.expect_code(2).expect_message(&["--anyway", named]);
        assert_eq!(refused.stdout, "");
        let anyway = compared(&before, &after, &["--anyway"]);
        anyway.expect_code(0);
        assert!(anyway.stdout.contains(&format!("Differs: {named}.")), "{named}: {}", anyway.stdout);
    }
    // Another loadgen, other servers, levels and titles are what comparisons are for.
    let mut after = sweep(5, 0.9);
    after["program"] = json!("cpubound 0.2.0");
    after["scenario"]["title"] = json!("anything");
    let outcome = compared(&before, &after, &[]);
    outcome.expect_code(0);
    assert!(outcome.stdout.contains("Also differs: loadgen: cpubound 0.1.0 in A, cpubound 0.2.0 in B."));
}

#[test]
fn a_ceiling_that_moved_is_told() {
    let mut after = sweep(5, 0.9);
    after["ceiling"][0]["rate_rps"] = json!(180.0);
    let outcome = compared(&sweep(5, 1.0), &after, &[]);
    outcome.expect_code(0);
    assert!(
        outcome.stdout.contains("Ceiling, with no server in the way: -10.0%: the machine or"),
        "{}",
        outcome.stdout
    );
}

/// A server that is 5% slower than another in every round of a machine whose speed varies by far more.
fn interleaved(trials: u32) -> Value {
    let rate = |server: &str, level: u32, trial: u32| {
        let round = 1.0 + f64::from(trial * 7 % 5) / 5.0;
        let own = if server == "new" { 0.95 * wobble(trial, 0.5) } else { wobble(trial + 2, 0.5) };
        f64::from(level) * 50.0 * round * own
    };
    Sweep { servers: &["old", "new", "idle"], levels: &[1, 2], trials, rate: &rate }.json()
}

#[test]
fn two_servers_of_one_sweep_are_compared_trial_by_trial() {
    let sandbox = Sandbox::new();
    sandbox.write_results("out", &interleaved(10));
    let outcome = sandbox.run(&["compare", "out", "--baseline", "old"]);
    outcome.expect_code(0);
    insta::assert_snapshot!(outcome.stdout);
    let strict = ["compare", "out/results.json", "--baseline", "old", "--servers", "new", "--fail-if-slower", "3%"];
    sandbox.run(&strict).expect_code(1).expect_message(&["new is slower by"]);
    // Two sweeps that happen to hold the same cannot tell them apart.
    let mut other = interleaved(10);
    for pass in other["passes"].as_array_mut().unwrap() {
        let renamed = match pass["server"].as_str().unwrap() {
            "old" => "new",
            "new" => "old",
            other => other,
        };
        pass["server"] = json!(renamed);
    }
    sandbox.write_results("other", &other);
    let unpaired = sandbox.run(&["compare", "out", "other", "--fail-if-slower", "1%"]);
    unpaired.expect_code(0);
    assert!(!unpaired.stdout.contains("slower"), "{}", unpaired.stdout);
}

#[test]
fn lines_of_one_sweep_are_compared_with_their_like() {
    let sandbox = Sandbox::new();
    let mut results = Sweep {
        servers: &["old", "new", "plain"],
        levels: &[1, 2],
        trials: 3,
        rate: &|_, _, trial| wobble(trial, 1.0),
    }
    .json();
    let mut more = Vec::new();
    for pass in results["passes"].as_array_mut().unwrap().iter_mut().filter(|pass| pass["server"] != "plain") {
        pass["workers"] = json!(1);
        let mut two = pass.clone();
        two["workers"] = json!(2);
        more.push(two);
    }
    results["passes"].as_array_mut().unwrap().extend(more);
    sandbox.write_results("out", &results);
    let outcome = sandbox.run(&["compare", "out", "--baseline", "old", "--json"]);
    outcome.expect_code(0);
    let printed: Value = serde_json::from_str(&outcome.stdout).unwrap();
    let pairs: Vec<_> = array(&printed["servers"]).iter().map(|each| (&each["base"], &each["server"])).collect();
    let expected = [("old, 1 worker", "new, 1 worker"), ("old, 2 workers", "new, 2 workers")];
    assert_eq!(pairs, expected.map(|(a, b)| (json!(a), json!(b))).each_ref().map(|(a, b)| (a, b)));
    assert_eq!(printed["left_out"][0]["server"], "plain");
    // A base with one line serves all.
    let outcome = sandbox.run(&["compare", "out", "--baseline", "plain", "--json"]);
    let printed: Value = serde_json::from_str(&outcome.stdout).unwrap();
    assert_eq!(array(&printed["servers"]).len(), 4);
}

#[test]
fn what_cannot_be_compared_is_refused() {
    let sandbox = Sandbox::new();
    sandbox.write_results("a", &sweep(3, 1.0));
    let cases: &[(&[&str], &[&str])] = &[
        (&["a"], &["--baseline"]),
        (&["a", "nowhere"], &["nowhere/results.json", "no results"]),
        (&["nowhere", "a"], &["nowhere/results.json", "no results"]),
        (&["a", "a", "--baseline", "steady"], &["--baseline"]),
        (&["a", "--baseline", "stedy"], &["`stedy`", "steady, changed"]),
        (&["a", "a", "--servers", "stedy"], &["`stedy`", "steady, changed"]),
        (&["a", "--baseline", "steady", "--servers", "steady"], &["`steady` is the --baseline"]),
        (&["a", "a", "--threshold", "5"], &["--threshold", "5%"]),
        (&["a", "a", "--threshold=-1%"], &["--threshold"]),
        (&["a", "a", "--fail-if-slower", "100%"], &["--fail-if-slower", "less than 100%"]),
        (&["a", "a", "--fail-if-slower", "NaN%"], &["--fail-if-slower"]),
        (&["a", "a", "--json", "--markdown"], &["--markdown"]),
    ];
    for (arguments, named) in cases {
        let outcome = sandbox.run(&[&["compare"], *arguments].concat());
        outcome.expect_code(2).expect_message(named);
        assert_eq!(outcome.stdout, "", "{arguments:?}");
    }
}

#[test]
fn results_of_schema_1_are_compared() {
    let sandbox = Sandbox::new();
    let old: Value = serde_json::from_str(include_str!("fixtures/results-schema-1.json")).unwrap();
    sandbox.write_results("a", &old);
    let outcome = sandbox.run(&["compare", "a", "--baseline", "event-loop"]);
    outcome.expect_code(0);
    assert!(outcome.stdout.contains("worker-pool") && outcome.stdout.contains("too few trials"), "{}", outcome.stdout);
}
