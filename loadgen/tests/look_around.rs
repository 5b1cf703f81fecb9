//! The commands that measure nothing: `list`, `verify` and every `--help`.

mod common;

use std::process::Command;

use common::{SERVERS, SHORT, Sandbox, scenario};

#[test]
fn every_help_ends_well_and_shows_an_example() {
    let sandbox = Sandbox::new();
    for command in ["sweep", "serve", "verify", "ceiling", "report", "compare", "completions"] {
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

#[test]
fn shells_get_a_script_with_every_command() {
    let sandbox = Sandbox::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let outcome = sandbox.run(&["completions", shell]);
        outcome.expect_code(0);
        for word in ["sweep", "compare", "pin-workers"] {
            assert!(outcome.stdout.contains(word), "{shell} {word}");
        }
    }
    // The script of bash, tried in bash.
    sandbox.write("loadgen.bash", sandbox.run(&["completions", "bash"]).stdout);
    let line = "source ./loadgen.bash; COMP_WORDS=(loadgen swe); COMP_CWORD=1; _loadgen loadgen swe loadgen; echo \"${COMPREPLY[@]}\"";
    match Command::new("bash").args(["-c", line]).current_dir(sandbox.path("")).output() {
        Ok(output) => assert_eq!(String::from_utf8_lossy(&output.stdout), "sweep\n", "{output:?}"),
        Err(error) => eprintln!("not tried in bash: {error}"),
    }
}

#[test]
fn colours_are_there_when_they_are_asked_for_alone() {
    let sandbox = Sandbox::new();
    // Whether what goes wrong is told in colours, with these variables.
    let coloured = |arguments: &[&str], variables: &[(&str, &str)]| {
        let mut command = sandbox.command(arguments);
        let output = command.envs(variables.iter().copied()).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(text.contains("nothing"), "{text}");
        text.contains('\x1b')
    };
    // One error of our own, one of the command line.
    for wrong in [&["sweep", "--scenario", "nothing"][..], &["nothing"]] {
        let with = |more: &[&'static str]| [wrong, more].concat();
        assert!(!coloured(wrong, &[]));
        assert!(coloured(&with(&["--color", "always"]), &[]));
        assert!(coloured(&with(&["--color=always"]), &[("NO_COLOR", "1")]));
        assert!(coloured(wrong, &[("CLICOLOR_FORCE", "1")]));
        assert!(!coloured(wrong, &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]));
        assert!(!coloured(&with(&["--color", "never"]), &[("CLICOLOR_FORCE", "1")]));
    }
}
