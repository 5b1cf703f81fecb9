//! The commands that measure nothing: `list`, `verify` and every `--help`.

mod common;

use common::{SERVERS, SHORT, Sandbox, scenario};

#[test]
fn every_help_ends_well_and_shows_an_example() {
    let sandbox = Sandbox::new();
    for command in ["sweep", "serve", "verify", "ceiling", "report", "compare"] {
        let outcome = sandbox.run(&[command, "--help"]);
        outcome.expect_code(0);
        assert!(outcome.stdout.contains(&format!("\n  loadgen {command} ")), "{}", outcome.stdout);
        assert!(outcome.stdout.contains("Example"), "{}", outcome.stdout);
    }
    let main = sandbox.run(&["--help"]);
    main.expect_code(0);
    for word in ["sweep", "serve", "list", "verify", "ceiling", "Examples:", "Exit codes: 0"] {
        assert!(main.stdout.contains(word), "{word}: {}", main.stdout);
    }
    assert!(!main.stdout.contains("shepherd"), "{}", main.stdout);
    sandbox.run(&["list", "--help"]).expect_code(0);
    sandbox.run(&["--version"]).expect_code(0);
}

#[test]
fn list_names_every_scenario_and_server() {
    let outcome = Sandbox::new().run(&["list"]);
    outcome.expect_code(0);
    for name in ["fib", "job-size", "responsiveness"].iter().chain(&SERVERS) {
        let of_it = |line: &&str| line.trim_start().starts_with(&format!("{name} "));
        assert_eq!(outcome.stdout.lines().filter(of_it).count(), 1, "{name}: {}", outcome.stdout);
    }
}

#[test]
fn verify_has_a_line_for_each_server_of_a_scenario() {
    let sandbox = Sandbox::new();
    sandbox.write("small.toml", scenario(&SERVERS, 20, SHORT));
    let outcome = sandbox.run(&["verify", "--scenario", "small.toml"]);
    outcome.expect_code(0);
    let lines: Vec<Vec<&str>> = outcome.stdout.lines().map(|line| line.split_ascii_whitespace().collect()).collect();
    assert_eq!(lines, SERVERS.map(|server| vec![server, "right"]));
}

#[test]
fn verify_tells_a_wrong_answer() {
    let sandbox = Sandbox::new();
    // The servers are right, so the expectation is not.
    let wrong = scenario(&["event-loop", "wasm-worker"], 20, SHORT).replace("base = 6765", "base = 6766");
    sandbox.write("wrong.toml", wrong);
    let outcome = sandbox.run(&["verify", "--scenario", "wrong.toml"]);
    outcome.expect_code(1);
    for server in ["event-loop", "wasm-worker"] {
        assert!(outcome.stdout.lines().any(|line| line.starts_with(server) && line.contains("4 wrong answers")));
    }
    assert!(outcome.stdout.contains("GET /fib/20?salt=") && outcome.stdout.contains("expected"), "{}", outcome.stdout);
    assert!(!sandbox.path("results").exists());
}
