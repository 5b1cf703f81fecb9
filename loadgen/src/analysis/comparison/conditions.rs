//! Whether two sweeps can be compared at all: what was asked, and where.

use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::{Map, Value};

use crate::analysis::limits;
use crate::analysis::statistics::geometric_mean;
use crate::results::Results;
use crate::results::warning::Kind;

/// Keys of a scenario that change nothing in a level: what both have in common is compared.
const NEUTRAL: [&str; 8] = ["title", "description", "servers", "concurrency", "trials", "warm_up", "backends", "sizes"];

/// Something that differs between two sweeps.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Condition {
    /// Such as `CPU model` or `scenario.request.path`.
    pub what: String,
    /// In the first.
    pub a: String,
    /// In the second.
    pub b: String,
    /// Whether a difference of throughput could come from it.
    pub decisive: bool,
}

/// All that differs, what is decisive first.
pub fn conditions(a: &Results, b: &Results) -> Vec<Condition> {
    let mut found = Vec::new();
    let (of_a, of_b) = (serde_json::to_value(&a.scenario), serde_json::to_value(&b.scenario));
    if let (Ok(Value::Object(a)), Ok(Value::Object(b))) = (of_a, of_b) {
        differing("scenario", &a, &b, &mut found);
    }
    let debug = |results: &Results| results.warnings.iter().any(|warning| warning.kind == Kind::DebugBuild);
    let build = |results| if debug(results) { "debug" } else { "release" }.to_owned();
    let facts: [(&str, fn(&Results) -> Value); 7] = [
        ("CPU model", |results| results.machine.cpu_model.as_deref().into()),
        ("CPUs usable", |results| results.machine.cpus_usable.len().into()),
        ("CPUs online", |results| results.machine.cpus_online.into()),
        ("CPU quota", |results| results.machine.cpu_quota.into()),
        ("frequency governor", |results| results.machine.governor.as_deref().into()),
        ("turbo", |results| results.machine.turbo.into()),
        ("kernel", |results| results.machine.kernel.as_deref().into()),
    ];
    for (what, fact) in facts {
        push(what.to_owned(), &fact(a), &fact(b), true, &mut found);
    }
    push("build".into(), &build(a).into(), &build(b).into(), true, &mut found);
    push("loadgen".into(), &a.program.as_str().into(), &b.program.as_str().into(), false, &mut found);
    found
}

fn push(what: String, a: &Value, b: &Value, decisive: bool, found: &mut Vec<Condition>) {
    let told = |value: &Value| match value {
        Value::Null => "unknown".to_owned(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    if a != b {
        found.push(Condition { what, a: told(a), b: told(b), decisive });
    }
}

/// The keys of two tables that differ, with their path.
fn differing(path: &str, a: &Map<String, Value>, b: &Map<String, Value>, found: &mut Vec<Condition>) {
    let keys: BTreeSet<&String> = a.keys().chain(b.keys()).collect();
    for key in keys.into_iter().filter(|key| !NEUTRAL.contains(&key.as_str())) {
        let path = format!("{path}.{key}");
        match (a.get(key).unwrap_or(&Value::Null), b.get(key).unwrap_or(&Value::Null)) {
            (Value::Object(a), Value::Object(b)) => differing(&path, a, b, found),
            (a, b) => push(path, a, b, true, found),
        }
    }
}

/// How many times faster the machine itself was in the second sweep, by its ceilings: the geometric mean over all that both
/// sampled. `None` where there are none.
pub fn ceiling_ratio(a: &Results, b: &Results) -> Option<f64> {
    let ratio = |kind| Some(limits::median_rate(&b.ceiling, kind)? / limits::median_rate(&a.ceiling, kind)?);
    geometric_mean(&limits::kinds(&a.ceiling).into_iter().filter_map(ratio).collect::<Vec<f64>>())
}
