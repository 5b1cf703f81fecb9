//! Does a server keep the contract (servers/CONTRACT.md)? Asked before anything is timed, and by `loadgen verify`.

mod inputs;
mod pictures;

use futures_util::future::join_all;

use crate::catalog::Part;
use crate::control::{Control, Reply};
use crate::engine::{self, Asked, Check};
use crate::running::Running;
use crate::scenario::{Expect, Scenario, expect::Number, sizes::Base, sizes::with_size};

pub use inputs::Asking;

/// How many requests with distinct salts are under way at once in the test for mixed-up answers.
const AT_ONCE: u32 = 50;
/// Sums of tangents differ in the last digits from one mathematics library to the next.
const ATAN_TAN_TOLERANCE: f64 = 1e-6;

/// Where a server strays from what it should answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Method and path.
    pub request: String,
    /// What would have been right.
    pub expected: String,
    /// What came.
    pub received: String,
}

impl std::fmt::Display for Finding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: expected {}, received {}", self.request, self.expected, self.received)
    }
}

/// What a request of the contract must be answered with.
#[derive(Debug, Clone, PartialEq)]
enum Answer {
    /// 200 and exactly this text.
    Text(&'static str),
    /// 200 and this number.
    Number(f64),
    /// Problem details with this status.
    Problem(u16),
    /// 405, with the methods allowed.
    NotAllowed,
    /// 200 and a metric of this name.
    Metric(&'static str),
}

/// A request and its answer.
type Case = (&'static str, &'static str, Answer);

fn cases(part: Part) -> Vec<Case> {
    use Answer::{Metric, NotAllowed, Number, Problem, Text};
    match part {
        Part::Core => vec![
            ("GET", "/healthz", Text("ok")),
            ("GET", "/hello", Text("hello")),
            ("GET", "/fib/0", Text("0")),
            ("GET", "/fib/1", Text("1")),
            ("GET", "/fib/2?salt=0", Text("1")),
            ("GET", "/fib/20", Text("6765")),
            ("GET", "/fib/20?salt=4294967295", Text("4294974060")),
            ("GET", "/atan-tan/0?salt=7", Number(7.0)),
            ("GET", "/atan-tan/1", Number(1.223_185_166_604_959)),
            ("GET", "/atan-tan/2?salt=602", Number(602.0 - 601.255_216_037_246_6)),
            ("GET", "/fib/94", Problem(400)),
            ("GET", "/fib/-1", Problem(400)),
            ("GET", "/fib/abc", Problem(400)),
            ("GET", "/fib/1.5", Problem(400)),
            ("GET", "/fib/", Problem(400)),
            ("GET", "/fib/51", Problem(422)),
            ("GET", "/fib/93", Problem(422)),
            ("GET", "/fib/5?salt=", Problem(400)),
            ("GET", "/fib/5?salt=-1", Problem(400)),
            ("GET", "/fib/5?salt=4294967296", Problem(400)),
            ("GET", "/fib/5?salt=x", Problem(400)),
            ("GET", "/atan-tan/13", Problem(400)),
            ("GET", "/atan-tan/x", Problem(400)),
            ("GET", "/no-such-route", Problem(404)),
            ("POST", "/fib/5", NotAllowed),
            ("DELETE", "/healthz", NotAllowed),
        ],
        // Theirs have bodies.
        Part::Image | Part::Store => Vec::new(),
        Part::Metrics => vec![
            ("GET", "/metrics", Metric("process_cpu_seconds_total")),
            ("GET", "/metrics", Metric("process_voluntary_context_switches_total")),
            ("GET", "/metrics", Metric("process_involuntary_context_switches_total")),
        ],
    }
}

impl Answer {
    fn describe(&self) -> String {
        match self {
            Answer::Text(text) => format!("status 200, `{text}`"),
            Answer::Number(number) => format!("status 200, {number}"),
            Answer::Problem(status) => format!("status {status}, application/problem+json"),
            Answer::NotAllowed => "status 405, application/problem+json, with an Allow header".into(),
            Answer::Metric(name) => format!("status 200, a line `{name} NUMBER`"),
        }
    }

    fn is(&self, reply: &Reply) -> bool {
        let text = String::from_utf8_lossy(&reply.body);
        match self {
            Answer::Text(expected) => reply.status == 200 && text == *expected,
            Answer::Number(expected) => {
                let near = |found: f64| (found - expected).abs() <= ATAN_TAN_TOLERANCE;
                reply.status == 200 && text.parse().is_ok_and(near)
            }
            Answer::Problem(status) => is_problem(reply, *status),
            Answer::NotAllowed => is_problem(reply, 405) && !reply.allow.is_empty(),
            Answer::Metric(name) => reply.status == 200 && crate::control::metric(&text, name).is_some(),
        }
    }
}

/// RFC 9457: the media type, and the status in the body too.
fn is_problem(reply: &Reply, status: u16) -> bool {
    let body = serde_json::from_slice::<serde_json::Value>(&reply.body).unwrap_or_default();
    reply.status == status
        && reply.content_type.starts_with("application/problem+json")
        && body["status"] == status
        && body["title"].is_string()
}

/// Whether a path of the contract asks for a computation, which then has a ceiling.
pub fn is_computation(path: &str) -> bool {
    ["/fib/", "/atan-tan/", "/convolve"].iter().any(|prefix| path.starts_with(prefix))
}

/// Asks everything that the contract says of a part.
pub async fn check_part(control: &Control, running: &Running, part: Part) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (method, path, answer) in cases(part) {
        let reply = control.ask(method, running.address, path, Some(&running.host)).await;
        let received = match reply {
            Ok(reply) if answer.is(&reply) => continue,
            Ok(reply) => reply.describe(),
            Err(reason) => reason,
        };
        findings.push(Finding { request: format!("{method} {path}"), expected: answer.describe(), received });
    }
    let pictures = match part {
        Part::Image => pictures::image_cases(),
        Part::Store => pictures::store_cases(),
        Part::Core | Part::Metrics => Vec::new(),
    };
    for case in pictures {
        findings.extend(case.ask(control, running).await);
    }
    if part == Part::Image {
        findings.extend(pictures::distinct_at_once(control, running).await);
    }
    if part == Part::Core {
        let expect = Expect { base: Some(Base::One(Number::Whole(6765))), plus_salt: true, ..Expect::status_only(200) };
        findings.extend(check_answers(control, running, "GET", "/fib/20?salt={salt}", &expect, AT_ONCE).await);
    }
    findings
}

/// Asks what a scenario asks, `count` requests of each size, and checks every answer, and what its
/// probe asks; a server may have a path of its own.
pub async fn check_scenario(
    control: &Control,
    running: &Running,
    scenario: &Scenario,
    path: &str,
    count: u32,
) -> Vec<Finding> {
    let mut findings = Vec::new();
    for size in scenario.sizes() {
        let (path, expect) = (with_size(path, size), scenario.expect.at(size));
        findings.extend(check_answers(control, running, &scenario.request.method, &path, &expect, count).await);
    }
    if let Some(probe) = &scenario.probe {
        let expect = Expect::status_only(200);
        findings.extend(check_answers(control, running, "GET", &probe.path, &expect, 1).await);
    }
    findings
}

/// Asks `count` requests at once, each with its own salt, and checks every answer.
async fn check_answers(
    control: &Control,
    running: &Running,
    method: &str,
    path: &str,
    expect: &Expect,
    count: u32,
) -> Vec<Finding> {
    let ask = |index: u32| async move {
        let salt = index.wrapping_mul(0x9e37_79b9);
        let path = path.replace("{salt}", &salt.to_string());
        let request = format!("{method} {path}");
        match control.ask(method, running.address, &path, Some(&running.host)).await {
            Ok(reply) => {
                let asked = Asked { salt, input: 0 };
                let answered = engine::Reply { status: reply.status, body: &reply.body };
                let mismatch = expect.check(asked, answered).err()?;
                Some(Finding { request, expected: mismatch.expected().into(), received: mismatch.received().into() })
            }
            Err(received) => Some(Finding { request, expected: expect.describe(salt), received }),
        }
    };
    join_all((1..=count).map(ask)).await.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reply(status: u16, content_type: &str, body: &str) -> Reply {
        Reply { status, content_type: content_type.into(), allow: String::new(), body: body.into() }
    }

    #[test]
    fn problem_details_are_more_than_a_status() {
        let body = r#"{"type":"about:blank","title":"Bad Request","status":400,"detail":"n"}"#;
        assert!(Answer::Problem(400).is(&reply(400, "application/problem+json", body)));
        assert!(!Answer::Problem(400).is(&reply(400, "text/plain", body)));
        assert!(!Answer::Problem(404).is(&reply(404, "application/problem+json", body)));
        assert!(!Answer::Problem(400).is(&reply(400, "application/problem+json", "oops")));
        assert!(!Answer::NotAllowed.is(&reply(405, "application/problem+json", body)));
    }

    #[test]
    fn texts_are_compared_to_the_letter() {
        assert!(Answer::Text("ok").is(&reply(200, "text/plain", "ok")));
        assert!(!Answer::Text("ok").is(&reply(200, "text/plain", "ok\n")));
        assert!(Answer::Number(7.0).is(&reply(200, "", "7")));
        assert!(!Answer::Number(7.0).is(&reply(200, "", "8")));
    }
}
