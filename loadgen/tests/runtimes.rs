//! Servers on other runtimes: where they are looked for, and what is said where something is missing. Nothing of this needs
//! Node, Bun or Deno: scripts stand for them.

mod common;

use std::os::unix::fs::PermissionsExt;
use std::process::Output;

use common::{Sandbox, scenario};

const SCENARIO: &str = "levels.toml";

/// A folder `servers` with one server on Node and one that needs a package, and a program `node` in PATH.
struct Fake(Sandbox);

impl Fake {
    /// `node` is this shell script; none where it is empty.
    fn new(node: &str) -> Self {
        let sandbox = Sandbox::new();
        for folder in ["here/node", "here/bun", "bin"] {
            std::fs::create_dir_all(sandbox.path(folder)).unwrap();
        }
        for file in
            ["here/node/package.json", "here/node/event-loop.mjs", "here/node/piscina.mjs", "here/node/native.mjs"]
        {
            sandbox.write(file, "{}");
        }
        sandbox.write(SCENARIO, scenario(&["node-event-loop"], 10, common::SHORT));
        if !node.is_empty() {
            sandbox.write("bin/node", format!("#!/bin/sh\n{node}\n"));
            std::fs::set_permissions(sandbox.path("bin/node"), std::fs::Permissions::from_mode(0o755)).unwrap();
        }
        Self(sandbox)
    }

    fn run(&self, arguments: &[&str]) -> Output {
        let mut command = self.0.command(arguments);
        command.arg("--servers-dir").arg(self.0.path("here"));
        // The script needs a shell's folders, but not one with a `node`.
        command.env("PATH", self.0.path("bin")).output().unwrap()
    }

    /// What a sweep of one server says, which ends with 2 since it cannot run.
    fn refusal(&self, server: &str) -> String {
        let output = self.run(&["sweep", "--scenario", SCENARIO, "--servers", server]);
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{text}");
        assert!(text.contains("none of these can run here"), "{text}");
        text
    }
}

#[test]
fn what_is_wrong_with_a_runtime_is_told_with_the_way_out() {
    for (node, told) in [
        ("", "Node.js is not installed: get it from https://nodejs.org"),
        ("echo v16.3.0", "Node.js is too old: found 16.3.0"),
        ("echo v16.3.0", "needs 20 or newer: get it from"),
        ("echo oops", "tells no version (exit status: 0, `oops`)"),
        ("echo v20.1.0; exit 4", "tells no version (exit status: 4"),
        ("kill -SEGV $$", "tells no version (signal: 11"),
    ] {
        let text = Fake::new(node).refusal("node-event-loop");
        assert!(text.contains("node-event-loop is skipped: missing: ") && text.contains(told), "{node}: {text}");
    }
}

#[test]
fn each_thing_that_is_missing_is_named() {
    let fake = Fake::new("echo v22.0.0");
    let folder = fake.0.path("here");
    for (server, told) in [
        ("node-piscina", format!("the package piscina is not there: run npm ci --prefix {}/node", folder.display())),
        ("node-native", "the module kernels.node is not there: run cargo xtask node-native".to_owned()),
        ("node-cluster", format!("there is no {}/node/cluster.mjs: --servers-dir", folder.display())),
        ("bun-event-loop", format!("there is no {}/bun/event-loop.mjs", folder.display())),
    ] {
        let text = fake.refusal(server);
        assert!(text.contains(&told), "{told}: {text}");
    }
    fake.0.write("here/bun/event-loop.mjs", "");
    let text = fake.refusal("bun-event-loop");
    assert!(text.contains("Bun is not installed: run npm ci --prefix"), "{text}");
    // Without either there are two ways to go.
    let text = Fake::new("").refusal("node-piscina");
    assert!(text.contains("Node.js is not installed") && text.contains("package piscina is not there"), "{text}");
}

#[test]
fn a_folder_that_is_none_is_refused() {
    let sandbox = Sandbox::new();
    sandbox.write("file", "");
    for (folder, reason) in
        [("absent", "there is no such folder"), ("file", "no such folder"), (".", "node/package.json")]
    {
        for command in [&["list"][..], &["verify", "--all"], &["sweep", "--scenario", "fib"]] {
            let outcome = sandbox.run(&[command, &["--servers-dir", folder]].concat());
            outcome.expect_code(2).expect_message(&["--servers-dir", folder, reason]);
        }
        let output = sandbox.command(&["list"]).env("LOADGEN_SERVERS_DIR", folder).output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        assert!(String::from_utf8_lossy(&output.stderr).contains("LOADGEN_SERVERS_DIR"));
    }
}

#[test]
fn the_nearest_folder_is_taken_and_what_is_missing_is_listed() {
    let fake = Fake::new("echo v21.2.3");
    std::fs::rename(fake.0.path("here"), fake.0.path("servers")).unwrap();
    for folder in ["", "servers/bun"] {
        let mut command = fake.0.command(&["list"]);
        let output = command.current_dir(fake.0.path(folder)).env("PATH", fake.0.path("bin")).output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        let relative = if folder.is_empty() { "servers" } else { "../../servers" };
        for line in [
            "here: Node.js 21.2.3".to_owned(),
            format!("run npm ci --prefix {relative}/node"),
            format!("there is no {relative}/deno/event-loop.mjs"),
        ] {
            assert!(text.contains(&line), "{line}: {text}");
        }
    }
}

#[test]
fn the_last_words_of_a_server_that_does_not_start_are_shown() {
    // It tells its version, and as a server it dies.
    let fake = Fake::new("[ \"$1\" = --version ] && echo v20.0.0 && exit; echo 'Cannot find package' >&2; exit 1");
    let output = fake.run(&["sweep", "--scenario", SCENARIO]);
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert!(text.contains("node-event-loop") && text.contains("| Cannot find package"), "{text}");
}
