//! Servers whose wrong answers are their point: measured, counted, and no reason for an exit code. They run on Node, and
//! where that is not installed the test is skipped by name; in CI it fails.

mod common;

use std::process::Command;

use common::{SHORT, Sandbox, scenario};

#[test]
fn wrong_answers_are_counted_and_expected() {
    if !Command::new("node").arg("--version").output().is_ok_and(|output| output.status.success()) {
        assert!(std::env::var_os("CI").is_none(), "CI has to install Node.js");
        eprintln!("skipped: wrong_answers_are_counted_and_expected: no node in PATH");
        return;
    }
    let (sandbox, server) = (Sandbox::new(), "node-single-worker-first-message");
    sandbox.write("small.toml", scenario(&[server], 27, SHORT));
    let servers = concat!(env!("CARGO_MANIFEST_DIR"), "/../servers");
    let sweep = ["sweep", "--scenario", "small.toml", "--concurrency", "1,8", "--servers-dir", servers, "--out", "out"];
    let outcome = sandbox.run(&sweep);
    outcome.expect_code(0);
    assert!(outcome.stdout.contains("at fault on purpose"), "{}", outcome.stdout);
    let rows = sandbox.rows("out");
    let errors: Vec<_> = rows.iter().map(|row| (row["concurrency"].as_str(), row["errors"] != "0")).collect();
    assert_eq!(errors, [("1", false), ("8", true)]);
    for level in sandbox.results("out")["passes"][0]["levels"].as_array().into_iter().flatten() {
        let wrong = level["errors_by_kind"]["body"].as_u64().unwrap_or(0);
        assert_eq!((level["errors"].as_u64(), level["settle_s"].is_number()), (Some(wrong), true));
    }
}
