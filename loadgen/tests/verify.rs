//! `loadgen verify` and sweeps with the servers on other runtimes, which are skipped by name where something is missing;
//! where `CI` is set, that is a failure.

mod common;

use std::fs;
use std::path::Path;

use common::{Sandbox, cells, needs, on_other_runtimes, scenario, servers_folder, whole};

/// The servers' own files, without packages, for a test to change.
fn copy_of_servers(sandbox: &Sandbox) -> String {
    for part in ["node", "javascript", "bun", "deno"] {
        let folder = sandbox.path("servers").join(part);
        fs::create_dir_all(&folder).unwrap();
        for file in fs::read_dir(servers_folder().join(part)).unwrap().flatten().filter(|file| file.path().is_file()) {
            fs::copy(file.path(), folder.join(file.file_name())).unwrap();
        }
    }
    sandbox.path("servers").to_str().unwrap().to_owned()
}

fn change(file: &Path, from: &str, to: &str) {
    let text = fs::read_to_string(file).unwrap();
    assert!(text.contains(from), "{from}");
    fs::write(file, text.replace(from, to)).unwrap();
}

#[test]
fn every_server_that_is_installed_is_right_or_wrong_as_declared() {
    let servers = on_other_runtimes("every_server_that_is_installed_is_right_or_wrong_as_declared");
    if servers.is_empty() {
        return;
    }
    let names: Vec<&str> = servers.iter().map(|(entry, _)| entry.name.as_str()).collect();
    let outcome = Sandbox::new().run(&["verify", "--servers", &names.join(",")]);
    outcome.expect_code(0);
    let lines: Vec<&str> = outcome.stdout.lines().collect();
    assert_eq!(lines.len(), servers.len(), "{}", outcome.stdout);
    for ((entry, _), line) in servers.iter().zip(lines) {
        let said = line.strip_prefix(&entry.name).unwrap_or_else(|| panic!("{}: {line}", entry.name)).trim();
        match entry.fault {
            None => assert_eq!(said, "right", "{}", entry.name),
            Some(_) => assert!(said.starts_with("wrong, as declared: ") && said.contains(" of 50 answers"), "{said}"),
        }
    }
}

#[test]
fn what_is_not_installed_is_skipped_and_named() {
    let sandbox = Sandbox::new();
    let folder = copy_of_servers(&sandbox);
    let mut command = sandbox.command(&["verify", "--servers", "event-loop,node-piscina", "--servers-dir", &folder]);
    let output = command.env("PATH", "").output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(text.contains("node-piscina") && text.contains("skipped: missing: Node.js is not installed"), "{text}");
    assert!(text.contains("event-loop") && text.contains("right"), "{text}");
    sandbox.run(&["verify", "--servers", "no-such"]).expect_code(2).expect_message(&["no-such", "node-cluster"]);
    sandbox.run(&["verify"]).expect_code(2).expect_message(&["--servers"]);
}

#[test]
fn a_wrong_server_is_named_with_request_expected_and_received() {
    if needs("a_wrong_server_is_named_with_request_expected_and_received", "node-event-loop").is_none() {
        return;
    }
    for (file, from, to, told) in [
        (
            "javascript/kernels.mjs",
            "n < 2 ? n :",
            "n < 2 ? 1 :",
            "GET /fib/20: expected status 200, text/plain, `6765`",
        ),
        ("javascript/contract.mjs", "Method Not Allowed", "Not So", "POST /fib/5: expected status 405"),
        ("javascript/contract.mjs", "value > 65535", "false", ""),
        ("node/http.mjs", "\"content-length\": Buffer.byteLength(body)", "x: 1", "GET /hello: expected status 200"),
        ("javascript/counters.mjs", "this.#computed++", "this.#computed += 2", "before and after 4 requests: expected"),
    ] {
        let sandbox = Sandbox::new();
        let folder = copy_of_servers(&sandbox);
        change(&Path::new(&folder).join(file), from, to);
        let outcome = sandbox.run(&["verify", "--servers", "node-event-loop", "--servers-dir", &folder]);
        outcome.expect_code(i32::from(!told.is_empty()));
        assert!(outcome.stdout.contains(told), "{told}: {}", outcome.stdout);
    }
}

#[test]
fn a_fault_that_does_not_show_is_a_finding() {
    if needs("a_fault_that_does_not_show_is_a_finding", "node-single-worker-first-message").is_none() {
        return;
    }
    let sandbox = Sandbox::new();
    let folder = copy_of_servers(&sandbox);
    let node = Path::new(&folder).join("node");
    fs::copy(node.join("single-worker.mjs"), node.join("single-worker-first-message.mjs")).unwrap();
    let outcome = sandbox.run(&["verify", "--servers", "node-single-worker-first-message", "--servers-dir", &folder]);
    outcome.expect_code(1);
    assert!(outcome.stdout.contains("expected wrong answers, since it answers with the first message"), "{outcome:?}");
}

#[test]
fn a_server_that_throws_at_its_start_is_shown_with_its_last_words() {
    if needs("a_server_that_throws_at_its_start_is_shown_with_its_last_words", "node-event-loop").is_none() {
        return;
    }
    let sandbox = Sandbox::new();
    let folder = copy_of_servers(&sandbox);
    // A folder of packages that is broken: there by name, and empty.
    let package = Path::new(&folder).join("node/node_modules/piscina");
    fs::create_dir_all(&package).unwrap();
    fs::write(package.join("package.json"), "{}").unwrap();
    fs::write(Path::new(&folder).join("node/cluster.mjs"), "throw new Error(\"it rains\");").unwrap();
    let names = "node-piscina,node-cluster,node-event-loop";
    let outcome = sandbox.run(&["verify", "--servers", names, "--servers-dir", &folder]);
    outcome.expect_code(1);
    for told in ["node-piscina", "not started", "ERR_MODULE_NOT_FOUND", "Error: it rains"] {
        assert!(outcome.stdout.contains(told), "{told}: {}", outcome.stdout);
    }
    sandbox.write("three.toml", scenario(&names.split(',').collect::<Vec<_>>(), 10, common::SHORT));
    let outcome = sandbox.run(&["sweep", "--scenario", "three.toml", "--out", "out", "--servers-dir", &folder]);
    outcome.expect_code(1).expect_message(&["ERR_MODULE_NOT_FOUND", "Error: it rains"]);
    assert_eq!(cells(&sandbox.results("out")).len(), 3);
}

#[test]
fn wrong_answers_of_a_server_at_fault_are_expected_and_told() {
    let name = "node-single-worker-first-message";
    let Some(server) = needs("wrong_answers_of_a_server_at_fault_are_expected_and_told", name) else { return };
    let sandbox = Sandbox::new();
    let keys = "concurrency = 8\nconnections = \"keep-alive\"\nrequests = { per_client = 10, least = 80 }\n\
                warm_up = { concurrency = 1, least = 2, most = 2 }\n";
    sandbox.write("fault.toml", scenario(&[name, "node-single-worker"], 25, keys));
    let outcome = sandbox.run(&["sweep", "--scenario", "fault.toml", "--out", "out"]);
    outcome.expect_code(0);
    let results = sandbox.results("out");
    let (pass, cell) = cells(&results).into_iter().find(|(pass, _)| pass["server"] == name).unwrap();
    assert_eq!(pass["fault"].as_str(), server.fault.as_deref());
    assert_eq!(pass["runtime"].as_str(), server.runtime.as_deref());
    let (ok, errors) = (whole(&cell["ok"]), whole(&cell["errors"]));
    assert!(ok + errors == 80 && errors > 0, "{cell}");
    assert_eq!(whole(&cell["errors_by_kind"]["body"]), errors);
    assert!(cell["replies_rps"].as_f64() > cell["throughput_rps"].as_f64(), "{cell}");
    let kinds: Vec<_> = common::array(&cell["warnings"]).iter().map(|warning| &warning["kind"]).collect();
    assert!(kinds.contains(&&"wrong_as_declared".into()), "{kinds:?}");
    for told in [&format!("{errors} of 80 answers were wrong, as declared"), "it answers with the first message"] {
        assert!(outcome.stdout.contains(told), "{told}: {}", outcome.stdout);
    }
    let page = fs::read_to_string(sandbox.path("out/report.html")).unwrap();
    assert!(page.contains("At fault on purpose: answers with"));
}
