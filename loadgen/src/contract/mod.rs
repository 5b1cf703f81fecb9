//! Does a server keep the contract (servers/CONTRACT.md)? Asked before anything is timed, and by `loadgen verify`.

mod cases;
mod inputs;
mod metrics;
mod pictures;

use futures_util::future::join_all;

use crate::catalog::Part;
use crate::control::Control;
use crate::engine::{self, Asked, Check};
use crate::running::Running;
use crate::scenario::{Expect, Scenario, expect::Number, sizes::Base, sizes::with_size};

pub use inputs::Asking;

/// How many requests with distinct salts are under way at once in the test for mixed-up answers.
pub const AT_ONCE: u32 = 50;
/// Cheap, and yet long enough that others arrive meanwhile.
const FIB_OF_25: u64 = 75025;

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

/// Whether a path of the contract asks for a computation, which then has a ceiling.
pub fn is_computation(path: &str) -> bool {
    ["/fib/", "/atan-tan/", "/convolve"].iter().any(|prefix| path.starts_with(prefix))
}

/// Asks everything that the contract says of a part, one request after the other.
pub async fn check_part(control: &Control, running: &Running, part: Part) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (method, path, answer) in cases::cases(part) {
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
    if part == Part::Metrics {
        findings.extend(metrics::counts(control, running).await);
    }
    findings
}

/// Asks for many different computations of a part at once: answers must not be mixed up. Nothing where it computes nothing.
pub async fn check_at_once(control: &Control, running: &Running, part: Part) -> Vec<Finding> {
    match part {
        Part::Core => {
            let base = Base::One(Number::Whole(FIB_OF_25));
            let expect = Expect { base: Some(base), plus_salt: true, ..Expect::status_only(200) };
            check_answers(control, running, "GET", "/fib/25?salt={salt}", &expect, AT_ONCE).await
        }
        Part::Image => pictures::distinct_at_once(control, running).await,
        Part::Store | Part::Metrics => Vec::new(),
    }
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
