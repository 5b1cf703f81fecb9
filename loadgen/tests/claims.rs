//! Verdicts on the claims of a scenario, from results whose truth is known.

mod common;

use common::{SHORT, Sandbox, Sweep, TestServer, assert_as_the_schema_says, fib_answer, scenario};
use loadgen::analysis::claims::verdicts;
use loadgen::report::{charts, html, table};
use loadgen::results::{Detail, Judgement, Over, Results, Verdict, parse};
use loadgen::scenario::{Form, Scenario};
use serde_json::{Value, json};

use Judgement::{Contradicted, DirectionOnly, NotTestable, Reproduced};

const SERVERS: [&str; 2] = ["event-loop", "worker-pool"];

/// A sweep of both servers at 1, 2, 4 and 8 clients: the loop gives 10/s, the pool 20/s from 2 clients up.
fn swept(trials: u32, rate: &dyn Fn(&str, u32, u32) -> f64) -> Value {
    Sweep { servers: &SERVERS, levels: &[1, 2, 4, 8], trials, rate }.json()
}

fn as_expected(server: &str, clients: u32, _trial: u32) -> f64 {
    if server == "worker-pool" && clients > 1 { 20.0 } else { 10.0 }
}

/// Adds a claim; keys that every claim has are filled in.
fn claim(results: &mut Value, keys: &str) {
    let text = format!(
        "name = \"small\"\ntitle = \"t\"\nservers = {SERVERS:?}\nconcurrency = \"1,2,4,8,16\"\nconnections = \"keep-alive\"\n\
         requests = {{ per_client = 1, least = 1 }}\nwarm_up = {{ concurrency = 1, least = 1 }}\n\
         [request]\npath = \"/fib/15\"\n[expect]\nbase = 610\n[[claim]]\nid = \"c\"\ntext = \"t\"\nsource = \"s\"\n{keys}\n"
    );
    let scenario = Scenario::parse(&text, "x.toml", Form::Usual).unwrap_or_else(|error| panic!("{error}"));
    results["scenario"]["claims"] = serde_json::to_value(&scenario.claims).unwrap();
    results["scenario"]["published"] = serde_json::to_value(&scenario.published).unwrap();
}

fn read(results: &Value) -> Results {
    parse(results.to_string().as_bytes(), Detail::Whole).unwrap()
}

/// The verdict on a claim.
fn verdict(results: &Value, keys: &str) -> Verdict {
    let mut results = results.clone();
    claim(&mut results, keys);
    let mut found = verdicts(&read(&results));
    assert_eq!(found.len(), 1);
    found.remove(0)
}

#[track_caller]
fn expect(results: &Value, keys: &str, judgement: Judgement, words: &[&str]) -> Verdict {
    let verdict = verdict(results, keys);
    assert_eq!(verdict.verdict, judgement, "{keys}: {verdict:?}");
    for word in words {
        assert!(verdict.sentence.contains(word), "{keys}: `{word}` is not in {}", verdict.sentence);
    }
    verdict
}

const POOL_TO_LOOP: &str = "kind = \"ratio\"\nof = \"worker-pool\"\nagainst = \"event-loop\"\nconcurrency = 8\n";

#[test]
fn a_ratio_is_judged_by_tolerance_and_direction() {
    let results = swept(1, &as_expected);
    for (published, tolerance, judgement) in [
        (2.0, 0.0, Reproduced),
        (2.4, 0.2, Reproduced),
        (1.67, 0.2, Reproduced),
        (2.5, 0.2, DirectionOnly),
        (10.0, 0.5, DirectionOnly),
        (1.04, 0.1, Contradicted),
        (0.5, 0.2, Contradicted),
    ] {
        let keys = format!("{POOL_TO_LOOP}published = {published}\ntolerance = {tolerance}");
        expect(
            &results,
            &keys,
            judgement,
            &["is 2.00 times that of event-loop at 8 clients", "20.0/s and 10.0/s", "no interval"],
        );
    }
    let keys = "kind = \"ratio\"\nof = \"event-loop\"\nagainst = \"worker-pool\"\nmetric = \"mean_ms\"\npublished = 2\ntolerance = 0.01";
    let found = expect(&results, keys, Reproduced, &["800 ms and 400 ms"]);
    assert_eq!((found.measured.map(f64::round), found.claimed), (Some(2.0), Some(2.0)));
}

#[test]
fn from_three_trials_up_there_is_an_interval_over_them_and_doubt_is_told() {
    // What the machine did in a round is common to both and falls out.
    let drifting = |server: &str, clients: u32, trial: u32| as_expected(server, clients, trial) * f64::from(trial);
    let keys = format!("{POOL_TO_LOOP}published = 2\ntolerance = 0.1");
    let found = expect(&swept(3, &drifting), &keys, Reproduced, &["over trials"]);
    let spread = found.interval.unwrap();
    assert!(spread.over == Over::Trials && (spread.high - spread.low) < 1e-6, "{spread:?}");
    let noisy = |server: &str, clients: u32, trial: u32| {
        as_expected(server, clients, trial)
            * if server == "worker-pool" { [1.0, 1.2, 0.85][trial as usize - 1] } else { 1.0 }
    };
    expect(&swept(3, &noisy), &keys, Reproduced, &["also holds values that would be `direction only`"]);
}

#[test]
fn a_single_run_has_an_interval_by_its_response_times() {
    let mut results = swept(1, &as_expected);
    for pass in 0..2 {
        let rate = [10.0, 20.0][pass];
        let level = results.pointer_mut(&format!("/passes/{pass}/levels/3")).unwrap();
        let time = |number: u32| {
            let wobble = 1.0 + 0.1 * f64::from(number).sin();
            let end = f64::from(number + 1) / rate * 1e6 * wobble.powf(0.2);
            json!({ "start_us": (end * 0.5) as u64, "duration_us": (end * 0.5) as u64, "outcome": "ok", "client": number % 8 })
        };
        level["times"] = (0..80).map(time).collect();
    }
    let keys = format!("{POOL_TO_LOOP}published = 2\ntolerance = 0.1");
    let found = expect(&results, &keys, Reproduced, &["within one run"]);
    let spread = found.interval.unwrap();
    assert!(spread.over == Over::OneRun && spread.low < 2.0 && spread.high > 2.0, "{spread:?}");
    let mut shown = results.clone();
    claim(&mut shown, &keys);
    let mut shown = read(&shown);
    shown.verdicts = verdicts(&shown);
    let table = anstream::adapter::strip_str(&table::render(&shown)).to_string();
    assert!(table.contains("* within one run") && table.contains("reproduced"), "{table}");
}

#[test]
fn flat_is_flat_and_growth_is_not() {
    let results = swept(1, &as_expected);
    let keys = |of: &str, more: &str| format!("kind = \"flat\"\nof = \"{of}\"\ntolerance = 0.1\n{more}");
    expect(&results, &keys("event-loop", ""), Reproduced, &["10.0/s to 10.0/s from 1 to 8 clients"]);
    expect(&results, &keys("worker-pool", ""), Contradicted, &["10.0/s to 20.0/s"]);
    expect(&results, &keys("worker-pool", "levels = \"2-8\""), Reproduced, &["from 2 to 8 clients"]);
    expect(&results, &keys("worker-pool", "levels = 8"), NotTestable, &["only level"]);
    let dented = |server: &str, clients: u32, _: u32| if clients == 4 { 8.0 } else { as_expected(server, 1, 1) };
    expect(&swept(1, &dented), &keys("event-loop", ""), DirectionOnly, &["It ends where it began", "4 clients"]);
}

#[test]
fn growth_is_held_against_the_cpus_here() {
    let claimed = |of: &str| {
        format!("kind = \"scales-to-cpus\"\nof = \"{of}\"\npublished = 8\npublished_cpus = 8\ntolerance = 0.1")
    };
    let results = swept(1, &as_expected);
    let found =
        expect(&results, &claimed("worker-pool"), Reproduced, &["2.00 times", "2 CPUs", "Up to 8 clients it stays"]);
    assert_eq!(found.claimed, Some(2.0));
    expect(&results, &claimed("event-loop"), Contradicted, &["1.00 times"]);
    let falls = |server: &str, clients: u32, _: u32| if clients == 8 { 15.0 } else { as_expected(server, clients, 1) };
    expect(&swept(1, &falls), &claimed("worker-pool"), DirectionOnly, &["8 clients (0.750 instead of 1.00)"]);
    // Two CPUs that share a core give 1.5 times one.
    let mut shared =
        swept(1, &|server, clients, _| as_expected(server, clients, 1) * if clients > 1 { 0.75 } else { 1.0 });
    let sample = |threads: u32, rate: f64| json!({ "at_s": 1.0, "threads": threads, "rate_rps": rate });
    expect(&shared, &claimed("worker-pool"), DirectionOnly, &[]);
    shared["ceiling"] = json!([sample(1, 10.0), sample(2, 15.0)]);
    expect(&shared, &claimed("worker-pool"), Reproduced, &["by their ceiling"]);
    let mut one = swept(1, &as_expected);
    one["passes"][0]["cpus"] = 1.into();
    one["passes"][1]["cpus"] = 1.into();
    expect(&one, &claimed("worker-pool"), NotTestable, &["one CPU"]);
}

#[test]
fn an_order_needs_differences() {
    let results = swept(1, &as_expected);
    let order = |keys: &str| format!("kind = \"order\"\n{keys}");
    let cell = |server: &str, clients: u32| format!("{{ server = \"{server}\", concurrency = {clients} }}");
    let (pool, both) = (cell("worker-pool", 8), "[\"worker-pool\", \"event-loop\"]");
    expect(&results, &order(&format!("highest_first = {both}\nconcurrency = 8")), Reproduced, &["2.00 times the last"]);
    expect(
        &results,
        &order(&format!("lowest_first = {both}\nconcurrency = 8")),
        Contradicted,
        &["the other way round"],
    );
    expect(&results, &order(&format!("lowest_first = {both}\nmetric = \"mean_ms\"")), Reproduced, &["400 ms"]);
    let tied = format!("highest_first = [{pool}, {}, \"event-loop\"]", cell("worker-pool", 4));
    expect(&results, &order(&tied), DirectionOnly, &["no more than 2% apart"]);
    expect(&results, &order(&format!("highest_first = {both}\nconcurrency = 1")), Contradicted, &["no more than 2%"]);
}

#[test]
fn about_the_same() {
    let results = swept(1, &as_expected);
    let near = |keys: &str| format!("kind = \"near\"\nof = \"worker-pool\"\nagainst = \"event-loop\"\n{keys}");
    expect(&results, &near("concurrency = 1\ntolerance = 0.05"), Reproduced, &["taken for the same"]);
    expect(&results, &near("concurrency = 8\ntolerance = 0.05"), Contradicted, &[]);
}

#[test]
fn wrong_answers_are_counted() {
    let mut results = swept(1, &as_expected);
    let level = results.pointer_mut("/passes/1/levels/3").unwrap();
    for (key, value) in [
        ("ok", json!(3)),
        ("errors", json!(27)),
        ("errors_by_kind", json!({ "body": 26, "timeout": 1 })),
        ("status_codes", json!({ "200": 29 })),
    ] {
        level[key] = value;
    }
    let keys = |kind: &str, more: &str| format!("kind = \"{kind}\"\n{more}");
    expect(
        &results,
        &keys("no-errors", ""),
        Contradicted,
        &["27 of 240 requests failed (26 body, 1 timeout)", "worker-pool at 8 clients"],
    );
    expect(&results, &keys("no-errors", "of = \"event-loop\""), Reproduced, &["0 of 120"]);
    expect(&results, &keys("every-answer-right", "of = \"worker-pool\""), Contradicted, &["26 of 119 replies"]);
    expect(&results, &keys("every-answer-right", "levels = \"1-4\""), Reproduced, &["0 of 180"]);
    let share = |least: f64| keys("share-wrong", &format!("of = \"worker-pool\"\nlevels = 8\nat_least = {least}"));
    expect(&results, &share(0.8), Reproduced, &["26 of 29 replies were wrong, 90%"]);
    expect(&results, &share(0.95), DirectionOnly, &["claimed were 95%"]);
    expect(&results, &keys("share-wrong", "of = \"event-loop\"\nat_least = 0.5"), Contradicted, &["0 of 120"]);
}

/// Sets what the servers used at 8 clients.
fn with_switches(switches: [u64; 2]) -> Value {
    let mut results = swept(1, &as_expected);
    let bytes = [2_000_000, 1_000_000];
    for (pass, count) in switches.into_iter().enumerate() {
        results["passes"][pass]["levels"][3]["server"] = json!({
            "cpu_s": 3.0, "peak_rss_bytes": bytes[pass], "peak_threads": 2, "context_switches": count,
            "context_switches_exact": true,
        });
    }
    results
}

#[test]
fn switches_explain_a_drop_if_they_cost_as_much() {
    let keys = |explain: bool| {
        format!(
            "kind = \"context-switches\"\nof = \"event-loop\"\nagainst = \"worker-pool\"\nconcurrency = 8\nexplain = {explain}"
        )
    };
    // A request takes 0.1 s more of the CPUs: 20,000 switches of 5 us.
    let of_30_requests = |each: u64| with_switches([each * 30, 0]);
    for (each, explains, does_not) in
        [(7, Contradicted, Reproduced), (3_000, DirectionOnly, DirectionOnly), (15_000, Reproduced, Contradicted)]
    {
        expect(&of_30_requests(each), &keys(true), explains, &["50% slower", "at 5.00 us each"]);
        expect(&of_30_requests(each), &keys(false), does_not, &[]);
    }
    let turned = keys(true)
        .replace("of = \"event-loop\"\nagainst = \"worker-pool\"", "of = \"worker-pool\"\nagainst = \"event-loop\"");
    expect(&with_switches([0, 900_000]), &turned, Contradicted, &["100% faster", "nothing to explain"]);
    expect(&swept(1, &as_expected), &keys(true), NotTestable, &["has no context_switches_per_request"]);
    let by_time = format!("{}\nmetric = \"mean_ms\"", keys(true));
    expect(&of_30_requests(15_000), &by_time, Reproduced, &["50% slower"]);
}

#[test]
fn memory_is_a_metric_and_its_slope_needs_samples() {
    let memory = "kind = \"ratio\"\nmetric = \"server_peak_rss_bytes\"\nof = \"event-loop\"\nagainst = \"worker-pool\"\npublished = 2\ntolerance = 0.1";
    expect(&with_switches([1, 1]), memory, Reproduced, &["1.9 MiB and 1.0 MiB"]);
    expect(&swept(1, &as_expected), memory, NotTestable, &["has no server_peak_rss_bytes"]);
    let mut results = swept(1, &as_expected);
    expect(&results, "kind = \"memory-slope\"\nof = \"event-loop\"\nat_most = 100", NotTestable, &["too few samples"]);
    let sample = |step: u32| {
        let at = f64::from(step) / 10.0;
        // 30 requests in 3 s: 10 kB for each.
        json!({ "at_s": at, "cpu_s": at, "rss_bytes": 1_000_000 + 10_000 * step, "threads": 1, "processes": 1,
                "voluntary_switches": null, "involuntary_switches": null })
    };
    results["passes"][0]["levels"][3]["samples"] = (0..=30).map(sample).collect();
    for (bound, judgement) in [
        ("at_least = 9000", Reproduced),
        ("at_least = 90000", DirectionOnly),
        ("at_least = 900000", Contradicted),
        ("at_most = 11000", Reproduced),
        ("at_most = 100", Contradicted),
    ] {
        let keys = format!("kind = \"memory-slope\"\nof = \"event-loop\"\n{bound}");
        expect(&results, &keys, judgement, &["10000 bytes with each request"]);
    }
}

#[test]
fn what_was_not_run_is_not_testable_and_says_why() {
    let ratio = |more: &str| format!("{POOL_TO_LOOP}published = 2\ntolerance = 0.1\n{more}");
    let results = swept(1, &as_expected);
    let edited = |edit: &dyn Fn(&mut Value)| {
        let mut results = results.clone();
        edit(&mut results);
        results
    };
    expect(&results, &ratio("needs_cpus = 4"), NotTestable, &["It needs 4 CPUs; usable here: 2."]);
    expect(&results, &ratio("cpus = 4"), NotTestable, &["not run on 4 CPUs (there are 2 here)"]);
    expect(
        &results,
        &ratio("").replace("concurrency = 8", "concurrency = 16"),
        NotTestable,
        &["not run at 16 clients"],
    );
    let quick = edited(&|results| results["scenario"]["quick"] = true.into());
    expect(&quick, &ratio("quick = false"), NotTestable, &["quick run"]);
    expect(&quick, &ratio(""), Reproduced, &[]);
    let failed = edited(&|results| {
        results["passes"][1]["levels"] = json!([]);
        results["passes"][1]["failure"] = json!({ "message": "it fell over", "last_words": [] });
    });
    expect(&failed, &ratio(""), NotTestable, &["worker-pool gave no results: it fell over"]);
    let absent = edited(&|results| drop(results["passes"].as_array_mut().unwrap().pop()));
    expect(&absent, &ratio(""), NotTestable, &["worker-pool was not run."]);
    let skipped = edited(&|results| {
        drop(results["passes"].as_array_mut().unwrap().pop());
        results["skipped"] = json!([{ "server": "worker-pool", "reason": "missing: Node.js" }]);
    });
    expect(&skipped, &ratio(""), NotTestable, &["worker-pool was skipped: missing: Node.js"]);
    let interrupted = edited(&|results| results["passes"][1]["levels"][3]["interrupted"] = true.into());
    expect(&interrupted, &ratio(""), NotTestable, &["not run at 8 clients"]);
    let nothing_right = edited(&|results| results["passes"][0]["levels"][3]["throughput_rps"] = 0.0.into());
    expect(&nothing_right, &ratio(""), NotTestable, &["throughput_rps of event-loop at 8 clients is 0"]);
    let busy = edited(&|results| {
        results["scenario"]["spare_cpu"] = true.into();
        results["passes"][1]["levels"][3]["generator_cpu_s"] = 1.0.into();
    });
    expect(&busy, &ratio(""), NotTestable, &["loadgen took 67% of a CPU"]);
}

#[test]
fn workers_that_are_not_said_are_as_many_as_the_cpus() {
    let mut results = swept(1, &as_expected);
    let mut more = results["passes"][1].clone();
    results["passes"][1]["workers"] = 2.into();
    more["workers"] = 8.into();
    more["levels"][3]["throughput_rps"] = 5.0.into();
    results["passes"].as_array_mut().unwrap().push(more);
    let ratio =
        |of: &str| format!("kind = \"ratio\"\nof = {of}\nagainst = \"event-loop\"\npublished = 2\ntolerance = 0.1");
    expect(&results, &ratio("\"worker-pool\""), Reproduced, &["worker-pool, 2 workers at 8 clients"]);
    expect(&results, &ratio("{ server = \"worker-pool\", workers = 8 }"), Contradicted, &["8 workers", "0.500 times"]);
    expect(&results, &ratio("{ server = \"worker-pool\", workers = 3 }"), NotTestable, &["not run with 3 workers"]);
    results["passes"][1]["workers"] = 4.into();
    expect(&results, &ratio("\"worker-pool\""), NotTestable, &["with 4, 8 workers"]);
}

#[test]
fn what_was_published_is_drawn_dashed_beside_what_was_measured() {
    let mut results = swept(1, &as_expected);
    claim(
        &mut results,
        &format!(
            "{POOL_TO_LOOP}published = 2.4\ntolerance = 0.1\n\
             [[published]]\nof = \"worker-pool\"\nsource = \"s\"\npoints = {{ 1 = 0.48, 8 = 3.84, 20 = 3.6 }}\n\
             [[published]]\nof = \"event-loop\"\nsource = \"s\"\npoints = {{ 3 = 1, 5 = 2 }}"
        ),
    );
    let mut results = read(&results);
    results.verdicts = verdicts(&results);
    let charts = charts::all(&results);
    let figure = &charts.iter().find(|chart| chart.name == "published").expect("a chart").figure;
    let lines: Vec<_> = figure.panels[0].series.iter().map(|line| (&line.key[..], line.style, line.dashed)).collect();
    assert_eq!(lines, [("worker-pool", 1, false), ("worker-pool, published", 1, true)]);
    let ys = |line: usize| {
        figure.panels[0].series[line]
            .points
            .iter()
            .map(|point| (point.x, (point.y * 1000.0).round() / 1000.0))
            .collect::<Vec<_>>()
    };
    assert_eq!(ys(0), [(1.0, 1.0), (2.0, 2.0), (4.0, 2.0), (8.0, 2.0)]);
    assert_eq!(ys(1), [(1.0, 1.0), (8.0, 8.0), (20.0, 7.5)]);
    let bars: Vec<_> =
        figure.panels[1].bars.iter().map(|bar| (&bar.label[..], bar.segments[0].value, bar.dashed)).collect();
    assert_eq!(bars.len(), 2);
    assert_eq!((bars[1], bars[0].0, bars[0].2), (("published", 2.4, true), "worker-pool", false));
    assert!((bars[0].1 - 2.0).abs() < 1e-9, "{bars:?}");
    // Nothing was measured where the curve of the loop has points.
    assert!(figure.notes.iter().any(|note| note.contains("event-loop is not drawn")), "{:?}", figure.notes);
    let page = html::page(&results, &charts, &[]);
    let section =
        page.split("<section id=\"verdicts\">").nth(1).expect("a section").split("</section>").next().unwrap();
    for part in [
        "chip warn\">direction only",
        "claimed <b>2.40</b>",
        "measured <b>2.00</b>",
        "published: s",
        "id=\"published\"",
    ] {
        assert!(section.contains(part), "{part}: {section}");
    }
    // Of results without claims there is nothing.
    let plain = read(&swept(1, &as_expected));
    let charts = charts::all(&plain);
    assert!(charts.iter().all(|chart| chart.name != "published"));
    assert!(!html::page(&plain, &charts, &[]).contains("id=\"verdicts\""));
}

#[test]
fn of_two_levels_bars_are_drawn_relative_to_the_first_curve() {
    let mut results = Sweep { servers: &SERVERS, levels: &[1, 8], trials: 1, rate: &as_expected }.json();
    claim(
        &mut results,
        &format!(
            "{POOL_TO_LOOP}published = 2.4\ntolerance = 0.1\n\
             [[published]]\nof = \"event-loop\"\nsource = \"s\"\npoints = {{ 1 = 0.2, 8 = 0.2 }}\n\
             [[published]]\nof = \"worker-pool\"\nsource = \"s\"\npoints = {{ 1 = 0.5, 8 = 1.6 }}"
        ),
    );
    let mut results = read(&results);
    results.verdicts = verdicts(&results);
    let charts = charts::all(&results);
    let figure = &charts.iter().find(|chart| chart.name == "published").expect("a chart").figure;
    let bars = |panel: usize| -> Vec<(&str, f64, bool)> {
        let bars = figure.panels[panel].bars.iter();
        bars.map(|bar| (&bar.label[..], (bar.segments[0].value * 1000.0).round() / 1000.0, bar.dashed)).collect()
    };
    // The claim is not drawn once more.
    assert_eq!(figure.panels.len(), 2);
    assert_eq!(bars(0), [("worker-pool", 2.0, false), ("published", 8.0, true)]);
    assert_eq!(bars(1), [("worker-pool", 1.0, false), ("published", 2.5, true)]);
}

#[test]
fn a_sweep_saves_its_verdicts_and_a_report_gives_them_again() {
    let (sandbox, server) = (
        Sandbox::new(),
        TestServer::start(|number, path| {
            // Wrong only once it is measured.
            Some((200, if number < 12 { fib_answer(path) } else { "7".into() }))
        }),
    );
    let claims = "[[claim]]\nid = \"all-right\"\ntext = \"<b>every</b>\"\nours = true\nkind = \"every-answer-right\"\n\
                  [[claim]]\nid = \"pool\"\ntext = \"t\"\nsource = \"s\"\nkind = \"flat\"\nof = \"worker-pool\"\ntolerance = 0.1\n";
    sandbox.write("small.toml", scenario(&["worker-pool"], 15, SHORT) + claims);
    let url = format!("--url=here={}", server.url());
    let swept = sandbox.run(&["sweep", "--scenario", "small.toml", "--out", "out", &url]);
    swept.expect_code(1);
    let results = sandbox.results("out");
    let found: Vec<_> =
        results["verdicts"].as_array().unwrap().iter().map(|verdict| (&verdict["id"], &verdict["verdict"])).collect();
    assert_eq!(found, [(&json!("all-right"), &json!("contradicted")), (&json!("pool"), &json!("not testable here"))]);
    assert!(swept.stdout.contains("not testable here pool: worker-pool was not run."), "{}", swept.stdout);
    let page = std::fs::read_to_string(sandbox.path("out/report.html")).unwrap();
    assert!(page.contains("&lt;b&gt;every&lt;/b&gt;") && !page.contains("<b>every"));
    let mut without = results.clone();
    without.as_object_mut().unwrap().remove("verdicts");
    sandbox.write("out/results.json", without.to_string());
    let reported = sandbox.run(&["report", "out", "--json"]);
    reported.expect_code(0);
    let again: Value = serde_json::from_str(&reported.stdout).unwrap();
    assert_eq!(again["verdicts"], results["verdicts"]);
    assert_as_the_schema_says(&again);
}

#[test]
fn a_claim_that_the_scenario_cannot_have_is_refused() {
    let sandbox = Sandbox::new();
    let claim =
        "[[claim]]\nid = \"c\"\ntext = \"t\"\nours = true\nkind = \"flat\"\nof = \"event-loop\"\ntolerance = 0.1\n";
    sandbox.write("small.toml", scenario(&["worker-pool"], 15, SHORT) + claim);
    let refused = sandbox.run(&["sweep", "--scenario", "small.toml", "--out", "out"]);
    refused.expect_code(2).expect_message(&["small.toml", "line ", "claim c, of.server", "event-loop"]);
}
