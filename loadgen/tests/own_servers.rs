//! Servers of the user's own: by `--url` and `--command`, right, wrong and dying. Whatever was measured is written.

mod common;

use common::{SHORT, Sandbox, TestServer, array, cells, fib_answer, scenario, whole};

/// One level of a few requests, so that a test knows how many there are.
const ONE_LEVEL: &str = "
concurrency = 2
connections = \"per-request\"
requests = { per_client = 0, least = 40 }
warm_up = { concurrency = 1, least = 2, most = 2 }
timeout_s = 30
";

#[test]
fn a_right_server_of_the_users_has_no_ceiling_and_empty_cells_for_it() {
    let (sandbox, server) = (Sandbox::new(), TestServer::right());
    sandbox.write("small.toml", scenario(&[], 15, ONE_LEVEL));
    let url = format!("mine={}", server.url());
    let outcome = sandbox.run(&["sweep", "--scenario", "small.toml", "--url", &url, "--out", "out"]);
    outcome.expect_code(0);
    assert_eq!(array(&sandbox.results("out")["ceiling"]).len(), 0);
    let rows = sandbox.rows("out");
    assert_eq!((rows.len(), &rows[0]["server"][..], &rows[0]["ok"][..]), (1, "mine", "40"));
    // Neither is a process of ours measured, for there is none.
    for column in
        ["cpus", "workers", "ceiling_rps", "limit_rps", "efficiency", "server_cpu_s", "server_peak_rss_bytes", "p99_ms"]
    {
        assert_eq!(rows[0][column], "", "{column}");
    }
}

#[test]
fn wrong_answers_are_counted_and_shown_and_the_results_written() {
    let sandbox = Sandbox::new();
    // One request asks whether it answers, two verify; were one of them wrong, nothing would be measured.
    let server = TestServer::start(|number, _| Some((200, if number % 5 == 4 { "bad" } else { "good" }.into())));
    let url = format!("{}/work", server.url());
    let sweep = ["sweep", "--url", &url, "--expect-body", "good", "--concurrency", "1,3", "--quick", "--out", "out"];
    let outcome = sandbox.run(&sweep);
    outcome.expect_code(1);
    assert!(outcome.stdout.contains(" body"), "{}", outcome.stdout);
    let results = sandbox.results("out");
    let cells = cells(&results);
    assert_eq!(cells.len(), 2);
    for (_, cell) in cells {
        let (ok, wrong) = (whole(&cell["ok"]), whole(&cell["errors_by_kind"]["body"]));
        assert_eq!(wrong, whole(&cell["errors"]));
        // One in five, give or take those at the edges of a level.
        assert!(wrong > 0 && ok.abs_diff(4 * wrong) <= 8, "{ok} {wrong}");
        let failure = &cell["failures"][0];
        assert_eq!((failure["kind"].as_str(), failure["request"].as_str()), (Some("body"), Some("GET /work")));
        assert!(failure["expected"].to_string().contains("good") && failure["received"].to_string().contains("bad"));
    }
    for row in sandbox.rows("out") {
        let number = |column: &str| row[column].parse::<f64>().unwrap();
        assert_eq!(number("ok") + number("errors"), number("requests"));
        assert!(number("replies_rps") > number("throughput_rps"));
    }
}

#[test]
fn wrong_statuses_and_answers_to_others_are_errors() {
    let sandbox = Sandbox::new();
    sandbox.write("small.toml", scenario(&[], 15, ONE_LEVEL));
    // Numbers 0 is the probe, 1 and 2 verify, 3 and 4 warm up.
    let server = TestServer::start(|number, path| match number {
        10 => Some((500, "oops".into())),
        11 => Some((503, "busy".into())),
        12 => Some((200, fib_answer("/fib/15?salt=1"))),
        _ => Some((200, fib_answer(path))),
    });
    let outcome = sandbox.run(&["sweep", "--scenario", "small.toml", "--url", &server.url(), "--out", "out"]);
    outcome.expect_code(1);
    let results = sandbox.results("out");
    let cell = cells(&results)[0].1;
    assert_eq!(cell["errors_by_kind"], serde_json::json!({ "body": 1, "shed": 1, "status": 1 }));
    assert_eq!((whole(&cell["ok"]), whole(&cell["requests"])), (37, 40));
    assert_eq!(array(&cell["failures"]).len(), 3);
}

#[test]
fn a_broken_server_beside_a_good_one() {
    let (sandbox, good) = (Sandbox::new(), TestServer::right());
    sandbox.write("small.toml", scenario(&[], 15, SHORT));
    let (good, broken) = (format!("good={}", good.url()), "broken=echo no licence; exit 3 # {port}");
    for seed in ["1", "2", "3"] {
        let sweep = ["sweep", "--scenario", "small.toml", "--url", &good, "--command", broken, "--seed", seed];
        let outcome = sandbox.run(&[&sweep[..], &["--out", seed]].concat());
        outcome.expect_code(1).expect_message(&["broken", "status 3", "| no licence"]);
        assert_eq!(outcome.stderr.matches("no licence").count(), 1, "once is enough: {}", outcome.stderr);
        assert!(outcome.stdout.contains("broken") && outcome.stdout.contains("status 3"), "{}", outcome.stdout);
        let results = sandbox.results(seed);
        let pass = |name: &str| array(&results["passes"]).iter().find(|pass| pass["server"] == name).unwrap();
        assert_eq!(array(&pass("good")["levels"]).len(), 3);
        assert!(pass("good")["failure"].is_null());
        assert_eq!(array(&pass("broken")["levels"]).len(), 0);
        assert_eq!(pass("broken")["failure"]["last_words"], serde_json::json!(["no licence"]));
        assert_eq!(sandbox.rows(seed).len(), 3);
    }
}

#[test]
fn a_running_server_that_goes_away_ends_nothing_but_its_levels() {
    let sandbox = Sandbox::new();
    sandbox.write("small.toml", scenario(&[], 15, SHORT));
    let mortal = TestServer::start(|number, path| (number < 15).then(|| (200, fib_answer(path))));
    let good = TestServer::right();
    let (mortal, good) = (format!("mortal={}", mortal.url()), format!("good={}", good.url()));
    let sweep = ["sweep", "--scenario", "small.toml", "--url", &mortal, "--url", &good, "--out", "out"];
    sandbox.run(&sweep).expect_code(1);
    let results = sandbox.results("out");
    for (pass, cell) in cells(&results) {
        let errors = whole(&cell["errors"]);
        assert_eq!(whole(&cell["ok"]) + errors, 12);
        assert!(pass["server"] == "mortal" || errors == 0);
    }
    let errors = cells(&results).iter().map(|(_, cell)| whole(&cell["errors"])).sum::<u64>();
    // Ten right answers of 36: fifteen without the probe, two that verified and two of the warm-up.
    assert_eq!(errors, 36 - 10);
}

#[test]
fn a_command_is_started_on_a_free_port_and_stopped() {
    let sandbox = Sandbox::new();
    let loadgen = env!("CARGO_BIN_EXE_loadgen");
    // In the background, so that the shell is not the server: what it leaves behind is stopped too.
    let command = format!("mine={loadgen} serve worker-pool --port {{port}} --workers {{workers}} & wait");
    let path = "/fib/15?salt={salt}";
    let sweep = ["sweep", "--command", &command, "--path", path, "--concurrency", "2", "--workers", "1,3", "--quick"];
    let outcome = sandbox.run(&[&sweep[..], &["--out", "out"]].concat());
    outcome.expect_code(0).expect_message(&["--expect-body"]);
    let rows = sandbox.rows("out");
    let workers: Vec<&str> = rows.iter().map(|row| &row["workers"][..]).collect();
    assert_eq!(workers, ["1", "3"]);
    for row in rows {
        assert_eq!((&row["scenario"][..], &row["server"][..], &row["errors"][..]), ("custom", "mine", "0"));
        assert!(row["server_peak_rss_bytes"].parse::<u64>().unwrap() > 0);
        assert_eq!(row["efficiency"], "");
    }
}

#[test]
fn a_running_server_is_measured_once_whatever_cpus_are_asked_for() {
    let (sandbox, server) = (Sandbox::new(), TestServer::right());
    sandbox.write("small.toml", scenario(&[], 15, SHORT));
    let sweep = ["sweep", "--scenario", "small.toml", "--cpu-count", "1,2", "--url", &server.url(), "--out", "out"];
    sandbox.run(&sweep).expect_code(0);
    assert_eq!(array(&sandbox.results("out")["passes"]).len(), 1);
}

#[test]
fn a_server_that_refuses_the_computation_is_not_measured() {
    let sandbox = Sandbox::new();
    sandbox.write("small.toml", scenario(&[], 15, SHORT));
    let command = format!("low={} serve event-loop --max-n 10 --port {{port}}", env!("CARGO_BIN_EXE_loadgen"));
    let outcome = sandbox.run(&["sweep", "--scenario", "small.toml", "--command", &command, "--out", "out"]);
    outcome.expect_code(2).expect_message(&["low answers wrongly", "/fib/15", "422", "at most 10"]);
    assert!(!sandbox.path("out").exists());
}
