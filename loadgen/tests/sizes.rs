//! The size of the job as an axis, through the command line.

mod common;

use std::collections::BTreeSet;
use std::fs;

use common::{SHORT, Sandbox, TestServer, cells, fib, whole};

/// Three sizes for these servers; all levels are over in no time.
fn scenario(servers: &[&str], sizes: &str) -> String {
    let answers: String = (10..=17).map(|n| format!("{n} = {}\n", fib(n))).collect();
    format!(
        "name = \"small\"\ntitle = \"sizes for tests\"\nservers = {servers:?}\nsizes = {sizes}\n{SHORT}\n\
         [request]\npath = \"/fib/{{size}}?salt={{salt}}\"\n[expect]\nplus_salt = true\n[expect.base]\n{answers}"
    )
}

#[test]
fn every_level_is_measured_for_every_size() {
    let sandbox = Sandbox::new();
    let text = scenario(&["event-loop", "worker-pool"], "[10, 13, 17]").replace("\"1-3\"", "\"1,3\"");
    sandbox.write("small.toml", text);
    let outcome = sandbox.run(&["sweep", "--scenario", "small.toml", "--out", "out", "--seed", "3"]);
    outcome.expect_code(0).expect_message(&["sizes 10,13,17", "size 13, 3 clients:"]);

    let results = sandbox.results("out");
    let place = |cell: &serde_json::Value| (whole(&cell["size"]), whole(&cell["concurrency"]));
    let order: Vec<_> = cells(&results).iter().map(|(_, cell)| place(cell)).collect();
    assert_eq!(order.len(), 12);
    assert_eq!(BTreeSet::from_iter(order.clone()).len(), 6);
    assert!(!order.is_sorted() && cells(&results).iter().all(|(_, cell)| whole(&cell["errors"]) == 0));
    // Every size has ceilings of its own, on one CPU and on all.
    let ceilings: BTreeSet<u64> =
        common::array(&results["ceiling"]).iter().map(|sample| whole(&sample["size"])).collect();
    assert_eq!(ceilings, BTreeSet::from([10, 13, 17]));

    let rows = sandbox.rows("out");
    let sizes: Vec<&str> = rows.iter().map(|row| &row["size"][..]).collect();
    assert_eq!(sizes, ["10", "10", "13", "13", "17", "17", "10", "10", "13", "13", "17", "17"]);
    for row in &rows {
        let number = |column: &str| row[column].parse::<f64>().unwrap();
        // F(17) takes 29 times as long as F(10): whatever the machine does meanwhile, ceilings are not mixed up.
        let bounds = if row["size"] == "17" { 0.0..3e6 } else { 1e4..f64::INFINITY };
        assert!(bounds.contains(&number("ceiling_rps")), "{row:?}");
    }
    for heading in ["the job by itself", "ceiling, 1 CPU", "above that of event-loop", "CPU per request"] {
        assert!(outcome.stdout.contains(heading), "{heading}: {}", outcome.stdout);
    }
    for name in ["job-size.png", "throughput.png", "latency.png", "resources.png"] {
        assert!(fs::read(sandbox.path("out").join(name)).unwrap().starts_with(b"\x89PNG"), "{name}");
    }
    let again = sandbox.run(&["report", "out"]);
    assert_eq!(again.expect_code(0).stdout, outcome.stdout);
}

#[test]
fn a_wrong_answer_to_one_size_is_found() {
    let sandbox = Sandbox::new();
    sandbox.write("small.toml", scenario(&["event-loop"], "[10, 13]").replace("13 = 233", "13 = 234"));
    let outcome = sandbox.run(&["sweep", "--scenario", "small.toml", "--out", "out"]);
    outcome.expect_code(2).expect_message(&["GET /fib/13?salt=", "event-loop"]);
    let outcome = sandbox.run(&["verify", "--scenario", "small.toml"]);
    assert!(outcome.expect_code(1).stdout.contains("GET /fib/13"), "{}", outcome.stdout);
    assert!(!outcome.stdout.contains("GET /fib/10"), "{}", outcome.stdout);
}

#[test]
fn sizes_of_the_command_line_win() {
    let sandbox = Sandbox::new();
    sandbox.write("small.toml", scenario(&["event-loop"], "[10, 13]"));
    let sweep = ["sweep", "--scenario", "small.toml", "--sizes", "11-17:3", "--concurrency", "2", "--out", "out"];
    sandbox.run(&sweep).expect_code(0);
    let sizes: Vec<String> = sandbox.rows("out").iter().map(|row| row["size"].clone()).collect();
    assert_eq!(sizes, ["11", "14", "17"]);
}

#[test]
fn servers_of_the_users_own_have_sizes_too() {
    let (sandbox, server) = (Sandbox::new(), TestServer::right());
    let url = format!("mine={}/fib/{{size}}?salt={{salt}}", server.url());
    let sweep = ["sweep", "--url", &url, "--sizes", "10,20", "--concurrency", "1,2", "--quick", "--out", "out"];
    let outcome = sandbox.run(&sweep);
    outcome.expect_code(0);
    assert_eq!(sandbox.rows("out").len(), 4);
    assert!(sandbox.path("out/job-size.png").exists());
}

#[test]
fn sizes_that_do_not_fit_are_refused() {
    let sandbox = Sandbox::new();
    sandbox.write("small.toml", scenario(&["event-loop"], "[10, 13]"));
    sandbox.write("without.toml", common::scenario(&["event-loop"], 15, SHORT));
    let cases: &[(&[&str], &[&str])] = &[
        (&["--scenario", "small.toml", "--sizes", "13-19"], &["--sizes 13-19", "18,19", "10-17"]),
        (&["--scenario", "small.toml", "--sizes", "0"], &["--sizes", "`0`"]),
        (&["--scenario", "without.toml", "--sizes", "10"], &["--sizes 10", "/fib/15", "{size}"]),
        (&["--url", "http://127.0.0.1:1/", "--sizes", "10"], &["--sizes", "{size}"]),
        (&["--url", "http://127.0.0.1:1/{size}"], &["/{size}", "--sizes"]),
    ];
    for (arguments, named) in cases {
        let outcome = sandbox.run(&[&["sweep"], *arguments].concat());
        outcome.expect_code(2).expect_message(named);
    }
    assert!(!sandbox.path("results").exists());
}

#[test]
fn scenario_files_with_line_and_key() {
    let sandbox = Sandbox::new();
    let good = scenario(&["event-loop"], "[10, 13]");
    let line_of = |needle: &str| good.lines().position(|line| line.contains(needle)).unwrap() + 1;
    let sizes = line_of("sizes = [");
    for (from, to, line, key) in [
        ("sizes = [10, 13]", "sizes = [10, 0]", sizes, "sizes"),
        ("sizes = [10, 13]", "sizes = [10, 99]", sizes, "sizes: there is no answer for 99"),
        ("sizes = [10, 13]", "sizes = \"13-10\"", sizes, "`13-10`"),
        ("sizes = [10, 13]", "", line_of("[request]"), "request.path"),
        ("{size}", "13", sizes, "request.path"),
        ("11 = 89", "eleven = 89", line_of("[expect.base]"), "`eleven`"),
        ("11 = 89", "11 = \"89\"", line_of("11 = 89"), "not a number"),
        ("10 = 55", "", sizes, "there is no answer for 10"),
    ] {
        assert!(good.contains(from), "{from}");
        sandbox.write("bad.toml", good.replacen(from, to, 1));
        let outcome = sandbox.run(&["sweep", "--scenario", "bad.toml"]);
        outcome.expect_code(2).expect_message(&["bad.toml", key]);
        assert!(outcome.stderr.contains(&format!("line {line}")), "{to}: {}", outcome.stderr);
    }
    let quick = "\n[quick]\nsizes = [10, 40]\n";
    sandbox.write("bad.toml", good.clone() + quick);
    let outcome = sandbox.run(&["sweep", "--scenario", "bad.toml", "--quick"]);
    outcome.expect_code(2).expect_message(&["bad.toml", "quick", "no answer for 40"]);
}
