//! Whether a server that counts counts rightly.

use super::Finding;
use crate::control::{Control, metric};
use crate::running::Running;

/// What is asked between two looks at the counters: path, and the outcome that it counts as.
const ASKED: [(&str, &str); 4] =
    [("/fib/10", "ok"), ("/fib/20?salt=1", "ok"), ("/fib/94", "invalid"), ("/fib/51", "invalid")];

/// The counters must rise by what was asked. Nobody else asks a server that is verified.
pub(super) async fn counts(control: &Control, running: &Running) -> Option<Finding> {
    let before = counters(control, running).await?;
    for (path, _) in ASKED {
        // A wrong answer is a finding of another check.
        let _ = control.ask("GET", running.address, path, Some(&running.host)).await;
    }
    let after = counters(control, running).await?;
    let count = |outcome: &str| ASKED.iter().filter(|(_, of)| *of == outcome).count() as f64;
    let expected = [ASKED.len() as f64, count("ok"), count("invalid"), count("ok")];
    let rise: Vec<f64> = after.iter().zip(before).map(|(after, before)| after - before).collect();
    let told = |figures: &[f64]| {
        let each = NAMES.iter().zip(figures).map(|(name, figure)| format!("{name} +{figure}"));
        each.collect::<Vec<_>>().join(", ")
    };
    (rise != expected).then(|| Finding {
        request: format!("GET /metrics, before and after {} requests", ASKED.len()),
        expected: told(&expected),
        received: told(&rise),
    })
}

const NAMES: [&str; 4] = [
    "cpubound_requests_started_total",
    "cpubound_requests_finished_total{outcome=\"ok\"}",
    "cpubound_requests_finished_total{outcome=\"invalid\"}",
    "cpubound_jobs_computed_total",
];

/// `None` where there are none, which is a finding of another check.
async fn counters(control: &Control, running: &Running) -> Option<[f64; 4]> {
    let reply = control.ask("GET", running.address, "/metrics", Some(&running.host)).await.ok()?;
    let text = String::from_utf8_lossy(&reply.body).into_owned();
    let found: Vec<f64> = NAMES.iter().filter_map(|name| metric(&text, name)).collect();
    found.try_into().ok()
}
