//! The parts `core` and `metrics` of the contract: what is asked, and what is right.

use serde_json::{Value, json};

use crate::catalog::Part;
use crate::control::{Reply, metric};

/// Sums of tangents differ in the last digits from one mathematics library to the next.
const ATAN_TAN_TOLERANCE: f64 = 1e-6;

/// What a request of the contract must be answered with.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Answer {
    /// 200 and exactly this text.
    Text(&'static str),
    /// 200 and this number.
    Number(f64),
    /// Problem details with this status.
    Problem(u16),
    /// 405, with the method that is allowed.
    NotAllowed,
    /// 405 without a body, for HEAD.
    HeadNotAllowed,
    /// 200 and a metric of this name.
    Metric(&'static str),
}

/// A request and its answer.
type Case = (&'static str, &'static str, Answer);

pub(super) fn cases(part: Part) -> Vec<Case> {
    use Answer::{HeadNotAllowed, Metric, NotAllowed, Number, Problem, Text};
    match part {
        Part::Core => vec![
            ("GET", "/healthz", Text("ok")),
            ("GET", "/healthz?verbose=1", Text("ok")),
            ("GET", "/hello", Text("hello")),
            ("GET", "/fib/0", Text("0")),
            ("GET", "/fib/1", Text("1")),
            ("GET", "/fib/2?salt=0", Text("1")),
            ("GET", "/fib/20", Text("6765")),
            ("GET", "/fib/20?salt=4294967295", Text("4294974060")),
            // Leading zeros are allowed, paths may be percent-encoded, unknown parameters are ignored, the first counts.
            ("GET", "/fib/007?salt=0001", Text("14")),
            ("GET", "/fib/%32%30", Text("6765")),
            ("GET", "/fib/7?pepper=5&salt=1&salt=2", Text("14")),
            ("GET", "/fib/7?SALT=1&&=&x", Text("13")),
            ("GET", "/atan-tan/0?salt=7", Text("7")),
            ("GET", "/atan-tan/1", Number(1.223_185_166_604_959)),
            ("GET", "/atan-tan/2?salt=602", Number(602.0 - 601.255_216_037_246_6)),
            ("GET", "/fib/94", Problem(400)),
            ("GET", "/fib/-1", Problem(400)),
            ("GET", "/fib/+1", Problem(400)),
            ("GET", "/fib/abc", Problem(400)),
            ("GET", "/fib/1.5", Problem(400)),
            ("GET", "/fib/1e1", Problem(400)),
            ("GET", "/fib/0x10", Problem(400)),
            ("GET", "/fib/%205", Problem(400)),
            ("GET", "/fib/%EF%BC%95", Problem(400)),
            ("GET", "/fib/99999999999999999999999999999999", Problem(400)),
            ("GET", "/fib/", Problem(400)),
            ("GET", "/fib/51", Problem(422)),
            ("GET", "/fib/93", Problem(422)),
            ("GET", "/fib/5?salt=", Problem(400)),
            ("GET", "/fib/5?salt", Problem(400)),
            ("GET", "/fib/5?salt=-1", Problem(400)),
            ("GET", "/fib/5?salt=%31", Problem(400)),
            ("GET", "/fib/5?salt=4294967296", Problem(400)),
            ("GET", "/fib/5?salt=1.0", Problem(400)),
            ("GET", "/fib/5?salt=x", Problem(400)),
            ("GET", "/fib/5?salt=x&salt=1", Problem(400)),
            ("GET", "/atan-tan/13", Problem(400)),
            ("GET", "/atan-tan/x", Problem(400)),
            ("GET", "/atan-tan/", Problem(400)),
            ("GET", "/atan-tan/1?salt=4294967296", Problem(400)),
            ("GET", "/", Problem(404)),
            ("GET", "/fib", Problem(404)),
            ("GET", "/fib/5/6", Problem(404)),
            ("GET", "/FIB/5", Problem(404)),
            ("GET", "/healthz/", Problem(404)),
            ("GET", "/no-such-route", Problem(404)),
            ("GET", "/constructor/5", Problem(404)),
            ("GET", "/__proto__", Problem(404)),
            ("POST", "/no-such-route", Problem(404)),
            ("POST", "/fib/5", NotAllowed),
            ("PUT", "/atan-tan/1", NotAllowed),
            ("OPTIONS", "/fib/5", NotAllowed),
            ("PATCH", "/hello", NotAllowed),
            ("DELETE", "/healthz", NotAllowed),
            ("HEAD", "/fib/5", HeadNotAllowed),
        ],
        // Theirs have bodies.
        Part::Image | Part::Store => Vec::new(),
        Part::Metrics => [
            "process_cpu_seconds_total",
            "process_voluntary_context_switches_total",
            "process_involuntary_context_switches_total",
            "process_resident_memory_peak_bytes",
            "cpubound_requests_started_total",
            "cpubound_requests_finished_total{outcome=\"ok\"}",
            "cpubound_requests_finished_total{outcome=\"invalid\"}",
            "cpubound_requests_finished_total{outcome=\"failed\"}",
            "cpubound_requests_finished_total{outcome=\"refused\"}",
            "cpubound_requests_finished_total{outcome=\"expired\"}",
            "cpubound_requests_finished_total{outcome=\"cancelled\"}",
            "cpubound_jobs_computed_total",
            "cpubound_jobs_skipped_total",
        ]
        .into_iter()
        .map(|name| ("GET", "/metrics", Metric(name)))
        .chain([("POST", "/metrics", NotAllowed)])
        .collect(),
    }
}

impl Answer {
    pub(super) fn describe(&self) -> String {
        match self {
            Answer::Text(text) => format!("status 200, text/plain, `{text}`"),
            Answer::Number(number) => format!("status 200, text/plain, {number}"),
            Answer::Problem(status) => format!("status {status}, application/problem+json"),
            Answer::NotAllowed => "status 405, application/problem+json, `Allow: GET`".into(),
            Answer::HeadNotAllowed => "status 405, no body, `Allow: GET`".into(),
            Answer::Metric(name) => format!("status 200, text/plain; version=0.0.4, a line `{name} NUMBER`"),
        }
    }

    pub(super) fn is(&self, reply: &Reply) -> bool {
        let text = String::from_utf8_lossy(&reply.body);
        let plain = reply.status == 200 && reply.content_type.eq_ignore_ascii_case("text/plain; charset=utf-8");
        let framed = reply.content_length == u64::try_from(reply.body.len()).ok();
        match self {
            Answer::Text(expected) => framed && plain && text == *expected,
            Answer::Number(expected) => {
                let near = |found: f64| (found - expected).abs() <= ATAN_TAN_TOLERANCE;
                let shortest = text.parse::<f64>().is_ok_and(|number| number.to_string() == text);
                framed && plain && shortest && text.parse().is_ok_and(near)
            }
            Answer::Problem(status) => framed && is_problem(reply, *status),
            Answer::NotAllowed => framed && is_problem(reply, 405) && reply.allow == "GET",
            Answer::HeadNotAllowed => reply.status == 405 && reply.body.is_empty() && reply.allow == "GET",
            Answer::Metric(name) => {
                let media = reply.content_type.starts_with("text/plain; version=0.0.4");
                framed && media && reply.status == 200 && metric(&text, name).is_some()
            }
        }
    }
}

/// RFC 9457, with exactly the members that the contract names.
pub(super) fn is_problem(reply: &Reply, status: u16) -> bool {
    let Ok(Value::Object(body)) = serde_json::from_slice::<Value>(&reply.body) else { return false };
    let phrase = reqwest::StatusCode::from_u16(status).ok().and_then(|status| status.canonical_reason());
    reply.status == status
        && reply.content_type == "application/problem+json"
        && body.len() == 4
        && body.get("type") == Some(&json!("about:blank"))
        && body.get("title") == phrase.map(Value::from).as_ref()
        && body.get("status") == Some(&json!(status))
        && body.get("detail").and_then(Value::as_str).is_some_and(|detail| !detail.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reply(status: u16, content_type: &str, body: &str) -> Reply {
        Reply {
            status,
            content_type: content_type.into(),
            allow: String::new(),
            content_length: Some(body.len() as u64),
            body: body.into(),
        }
    }

    #[test]
    fn problem_details_are_more_than_a_status() {
        const JSON: &str = "application/problem+json";
        let body = r#"{"type":"about:blank","title":"Bad Request","status":400,"detail":"n"}"#;
        let is = |media: &str, body: &str| Answer::Problem(400).is(&reply(400, media, body));
        assert!(is(JSON, body));
        assert!(!is("text/plain", body) && !is(JSON, "oops"));
        for (from, to) in [("400", "404"), ("Bad Request", "Bad"), ("\"n\"", "\"\""), ("\"n\"", "\"n\",\"x\":1")] {
            assert!(!is(JSON, &body.replace(from, to)), "{from} {to}");
        }
        assert!(!Answer::Problem(404).is(&reply(404, JSON, body)));
        let refused = Reply {
            allow: "GET".into(),
            ..reply(405, JSON, &body.replace("400", "405").replace("Bad Request", "Method Not Allowed"))
        };
        assert!(Answer::NotAllowed.is(&refused));
        assert!(!Answer::NotAllowed.is(&Reply { allow: String::new(), ..refused }));
    }

    #[test]
    fn texts_are_compared_to_the_letter() {
        const PLAIN: &str = "text/plain; charset=utf-8";
        let ok = reply(200, PLAIN, "ok");
        assert!(Answer::Text("ok").is(&ok));
        assert!(!Answer::Text("ok").is(&Reply { content_length: None, ..ok.clone() }));
        assert!(!Answer::Text("ok").is(&Reply { content_type: "text/plain".into(), ..ok }));
        assert!(!Answer::Text("ok").is(&reply(200, PLAIN, "ok\n")));
        assert!(Answer::Number(7.0).is(&reply(200, PLAIN, "7")));
        for other in ["8", "7.0", "7e0", " 7", "seven"] {
            assert!(!Answer::Number(7.0).is(&reply(200, PLAIN, other)), "{other}");
        }
    }
}
