//! What can be wrong with a claim is named with line and key; docs/claims.md has an example of each kind.

use super::*;
use crate::scenario::{Form, Scenario};

/// A scenario of three servers at 1, 2, 4 and 10 clients (1 and 10 in quick runs), with these tables at its end.
fn scenario(tables: &str) -> String {
    format!(
        "name = \"small\"\ntitle = \"t\"\nservers = [\"event-loop\", \"worker-pool\", \"thread-per-request\"]\n\
         concurrency = \"1,2,4,8\"\nconnections = \"keep-alive\"\nrequests = {{ per_client = 1, least = 1 }}\n\
         warm_up = {{ concurrency = 1, least = 1 }}\n[request]\npath = \"/fib/15\"\n[expect]\nbase = 610\n\
         [quick]\nconcurrency = \"1,10\"\n[workers]\nworker-pool = \"2,3,4,8\"\n{tables}"
    )
}

fn claims(tables: &str) -> Vec<Claim> {
    Scenario::parse(&scenario(tables), "x.toml", Form::Usual).unwrap_or_else(|error| panic!("{error}")).claims
}

const RATIO: &str = "
[[claim]]
id = \"faster\"
text = \"the pool is twice as fast\"
source = \"a study, table 1\"
kind = \"ratio\"
of = { server = \"worker-pool\", workers = 2 }
against = \"event-loop\"
concurrency = 8
published = 2
tolerance = 0.2
";

#[test]
fn what_a_claim_says_of_all_its_cells_holds_for_those_that_say_nothing_else() {
    let claims = claims(RATIO);
    let Kind::Ratio { of, against, metric, published, tolerance, .. } = &claims[0].kind else { panic!("{claims:?}") };
    assert_eq!(
        (of.to_string(), against.to_string()),
        ("worker-pool, 2 workers, 8 clients".into(), "event-loop, 8 clients".into())
    );
    assert_eq!((*metric, *published, *tolerance, claims[0].ours), (Metric::ThroughputRps, 2.0, 0.2, false));
}

#[test]
fn claims_read_back_from_results() {
    let mut examples = documented();
    examples.push(RATIO.into());
    for example in examples {
        for claim in claims(&example) {
            let json = serde_json::to_string(&claim).unwrap();
            assert_eq!(serde_json::from_str::<Claim>(&json).unwrap(), claim, "{json}");
        }
    }
}

/// The examples of docs/claims.md.
fn documented() -> Vec<String> {
    let docs = include_str!("../../../../docs/claims.md");
    docs.split("```toml\n").skip(1).filter_map(|part| Some(part.split_once("```")?.0.to_owned())).collect()
}

#[test]
fn every_kind_has_an_example_that_is_valid() {
    let kinds: Vec<&str> =
        documented().iter().flat_map(|example| claims(example)).map(|claim| claim.kind.name()).collect();
    for (name, _) in file::KINDS {
        assert!(kinds.contains(name), "docs/claims.md has no example of `{name}`");
    }
}

#[test]
fn every_key_is_told_in_the_docs() {
    let docs = include_str!("../../../../docs/claims.md");
    for (name, keys) in file::KINDS {
        for key in keys.iter().map(|key| key.trim_end_matches('?')) {
            assert!(docs.contains(&format!("`{key}`")), "{name}: {key}");
        }
    }
    for metric in Metric::ALL {
        assert!(docs.contains(&format!("`{}`", metric.name())), "{metric:?}");
    }
}

#[test]
fn faults_are_named_with_line_and_key() {
    let text = scenario(RATIO);
    for (from, to, line_with, named) in [
        (
            "server = \"worker-pool\"",
            "server = \"worker-array\"",
            "of = ",
            "of.server: the scenario has no server `worker-array`",
        ),
        ("against = \"event-loop\"", "against = \"evnt-loop\"", "against = ", "against.server"),
        (
            "workers = 2",
            "workers = 5",
            "of = ",
            "of.workers: the scenario runs worker-pool with 2-4,8 workers, never with 5",
        ),
        (
            "against = \"event-loop\"",
            "against = { server = \"event-loop\", workers = 2 }",
            "against = ",
            "against.workers: event-loop has no setting",
        ),
        (
            "concurrency = 8\n",
            "concurrency = 3\n",
            "concurrency = 3",
            "concurrency: the scenario has no level of 3 clients; levels: 1,2,4,8,10",
        ),
        ("workers = 2", "concurrency = 5", "of = ", "of.concurrency"),
        ("concurrency = 8\n", "size = 15\n", "size = 15", "size: the scenario has no size 15"),
        ("kind = \"ratio\"", "kind = \"ratios\"", "kind = ", "kind: there is no kind `ratios`; kinds: flat"),
        ("published = 2\n", "published = 2\nmetric = \"speed\"\n", "metric = ", "metric: there is no metric `speed`"),
        ("tolerance = 0.2", "tolerance = -0.2", "tolerance = ", "tolerance: -0.2"),
        ("tolerance = 0.2", "tolerance = nan", "tolerance = ", "tolerance: NaN"),
        ("tolerance = 0.2\n", "", "id = ", "tolerance: is missing"),
        ("published = 2\n", "published = 0\n", "published = 0", "published: 0"),
        (
            "published = 2\n",
            "published = 2\nlevels = \"1,2\"\n",
            "levels = ",
            "levels: `ratio` has no such key; its keys: of, against",
        ),
        ("kind = \"ratio\"", "kind = \"flat\"", "against = ", "against: `flat` has no such key"),
        ("id = \"faster\"", "id = \"Faster!\"", "id = ", "id: `Faster!`"),
        ("source = \"a study, table 1\"\n", "", "id = ", "source: is missing"),
        ("text = \"the pool is twice as fast\"", "text = \" \"", "text = ", "text: is empty"),
        ("kind = \"ratio\"", "kind = \"ratio\"\nneeds_cpus = 0", "needs_cpus", "needs_cpus"),
        (
            "of = { server = \"worker-pool\", workers = 2 }",
            "of = [\"worker-pool\", \"event-loop\"]",
            "of = ",
            "of: `ratio` is about one cell",
        ),
        ("published = 2\n", "publishd = 2\n", "publishd", "unknown field `publishd`"),
        ("workers = 2", "worker = 2", "of = ", "worker"),
    ] {
        assert!(text.contains(from), "{from}");
        let wrong = text.replace(from, to);
        let line = wrong.lines().collect::<Vec<_>>().iter().rposition(|line| line.starts_with(line_with)).unwrap() + 1;
        let message = Scenario::parse(&wrong, "x.toml", Form::Usual).unwrap_err().to_string();
        let right = message.contains(named) && message.contains("x.toml") && message.contains(&format!("line {line}"));
        assert!(right, "{from} -> {to} (line {line}): {message}");
    }
}

#[test]
fn faults_of_several_claims_and_of_other_kinds() {
    let claim = |rest: &str| format!("\n[[claim]]\nid = \"c\"\ntext = \"t\"\nours = true\n{rest}\n");
    for (tables, named) in [
        (RATIO.repeat(2), "claim faster, id: `faster` is there twice"),
        (claim("kind = \"order\"\nhighest_first = [\"event-loop\"]"), "needs two cells"),
        (claim("kind = \"order\"\nhighest_first = [\"event-loop\", \"event-loop\"]"), "is there twice"),
        (claim("kind = \"order\""), "needs one of them"),
        (claim("kind = \"order\"\nhighest_first = []"), "the list is empty"),
        (claim("kind = \"order\"\nhighest_first = [\"event-loop\", 3]"), "worker-pool"),
        (claim("kind = \"flat\"\nof = \"event-loop\"\ntolerance = 0.1\nconcurrency = 8"), "it is over levels"),
        (claim("kind = \"flat\"\nof = \"event-loop\"\ntolerance = 0.1\nlevels = \"1-5\""), "no level of 5 clients"),
        (
            claim("kind = \"flat\"\nof = { server = \"event-loop\", concurrency = 8 }\ntolerance = 0.1"),
            "is over levels",
        ),
        (claim("kind = \"share-wrong\"\nof = \"event-loop\"\nat_least = 90"), "at_least: 90 must be a share"),
        (claim("kind = \"memory-slope\"\nof = \"event-loop\""), "at_least, at_most"),
        (claim("kind = \"memory-slope\"\nof = \"event-loop\"\nat_least = 1\nat_most = 2"), "at_least, at_most"),
        (
            claim(
                "kind = \"context-switches\"\nof = \"event-loop\"\nagainst = \"worker-pool\"\nexplain = true\nmetric = \"p50_ms\"",
            ),
            "about a rate",
        ),
        (
            claim("kind = \"scales-to-cpus\"\nof = \"event-loop\"\ntolerance = 0.1\npublished = 8\npublished_cpus = 1"),
            "published_cpus",
        ),
        (claim("kind = \"no-errors\"\nof = [\"event-loop\", \"evnt-loop\"]"), "of.server"),
        (
            "[[published]]\nof = \"event-loop\"\nsource = \"s\"\npoints = { 1 = 1 }\n".into(),
            "published.points: a curve has two",
        ),
        (
            "[[published]]\nof = \"event-loop\"\nsource = \"s\"\npoints = { 1 = 1, x = 2 }\n".into(),
            "published.points: `x`",
        ),
        (
            "[[published]]\nof = \"event-loop\"\nsource = \"s\"\npoints = { 1 = 1, 2 = -2 }\n".into(),
            "published.points: -2",
        ),
        (
            "[[published]]\nof = \"event-lop\"\nsource = \"s\"\npoints = { 1 = 1, 2 = 2 }\n".into(),
            "published.of.server",
        ),
    ] {
        let message = Scenario::parse(&scenario(&tables), "x.toml", Form::Usual).unwrap_err().to_string();
        assert!(message.contains(named) && message.contains("line "), "{tables}: {message}");
    }
}
