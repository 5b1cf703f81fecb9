//! `loadgen run` against servers that behave and servers that do not.

#[path = "../common/mod.rs"]
mod common;

/// Runs each of these, which take a [`common::Transport`], over all of them.
macro_rules! over_http_and_https {
    ($($name:ident)*) => {
        mod http {
            $(#[test]
            fn $name() {
                super::$name(crate::common::Transport::Http);
            })*
        }
        mod https {
            $(#[test]
            fn $name() {
                super::$name(crate::common::Transport::Https);
            })*
        }
    };
}

mod bad_input;
mod failures;
mod flags;
mod framings;
mod https;
mod outputs;
mod signals;

use std::collections::BTreeMap;

use common::{Outcome, Received, Sandbox, Then, response, whole};
use serde_json::Value;

/// Runs `loadgen run` on a URL in a folder of its own.
fn run(url: &str, flags: &[&str]) -> Outcome {
    run_in(&Sandbox::new(), url, flags)
}

/// Certificates of the tests' servers are their own: they are accepted, unless the test says whom to trust.
fn run_in(sandbox: &Sandbox, url: &str, flags: &[&str]) -> Outcome {
    let untold = url.starts_with("https") && !flags.contains(&"--cacert");
    let trusting: &[&str] = if untold { &["--insecure"] } else { &[] };
    sandbox.run(&[&["run", "--url", url], flags, trusting].concat())
}

/// The same with --json and this exit code; checks what holds for every result.
fn result(code: i32, url: &str, flags: &[&str]) -> Value {
    result_in(&Sandbox::new(), code, url, flags)
}

fn result_in(sandbox: &Sandbox, code: i32, url: &str, flags: &[&str]) -> Value {
    let outcome = run_in(sandbox, url, &[flags, &["--json"]].concat());
    checked(outcome.expect_code(code))
}

/// The JSON on standard output, whose accounts must be right.
fn checked(outcome: &Outcome) -> Value {
    let result: Value = serde_json::from_str(&outcome.stdout).unwrap_or_else(|error| panic!("{error}: {outcome:?}"));
    let by_kind = kinds(&result);
    assert_eq!(by_kind.values().sum::<u64>(), whole(&result["errors"]), "{result}");
    assert_eq!(whole(&result["ok"]) + whole(&result["errors"]), whole(&result["requests"]), "{result}");
    assert!(by_kind.values().all(|&count| count > 0), "{result}");
    result
}

/// Errors by kind.
fn kinds(result: &Value) -> BTreeMap<String, u64> {
    let kinds = result["errors_by_kind"].as_object().expect("an object");
    kinds.iter().map(|(kind, count)| (kind.clone(), whole(count))).collect()
}

/// What an errors_by_kind of this one kind is.
fn only(kind: &str, count: u64) -> BTreeMap<String, u64> {
    BTreeMap::from([(kind.to_owned(), count)])
}

/// Answers every request with 200 and its path.
fn echo(received: &Received) -> (Vec<u8>, Then) {
    (response("200 OK", received.path()), Then::Keep)
}
