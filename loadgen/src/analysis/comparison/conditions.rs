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

/// What of a run beside its scenario can change a throughput.
fn decisive_facts(results: &Results) -> [(&'static str, Value); 9] {
    let machine = &results.machine;
    let debug = results.warnings.iter().any(|warning| warning.kind == Kind::DebugBuild);
    [
        ("CPU model", machine.cpu_model.as_deref().into()),
        ("CPUs usable", machine.cpus_usable.len().into()),
        ("CPUs online", machine.cpus_online.into()),
        ("CPU quota", machine.cpu_quota.into()),
        ("frequency governor", machine.governor.as_deref().into()),
        ("turbo", machine.turbo.into()),
        ("kernel", machine.kernel.as_deref().into()),
        ("workers pinned", results.passes.iter().any(|pass| pass.pinned).into()),
        ("build", if debug { "debug" } else { "release" }.into()),
    ]
}

/// All that differs, what is decisive first.
pub fn conditions(a: &Results, b: &Results) -> Vec<Condition> {
    let mut found = Vec::new();
    let (of_a, of_b) = (serde_json::to_value(&a.scenario), serde_json::to_value(&b.scenario));
    if let (Ok(Value::Object(a)), Ok(Value::Object(b))) = (of_a, of_b) {
        differing("scenario", &a, &b, &mut found);
    }
    for ((what, a), (_, b)) in decisive_facts(a).into_iter().zip(decisive_facts(b)) {
        push(what.to_owned(), &a, &b, true, &mut found);
    }
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

/// How many times faster the machine itself was in the second sweep, by its ceilings: the geometric mean over all
/// that both sampled. `None` where there are none.
pub fn ceiling_ratio(a: &Results, b: &Results) -> Option<f64> {
    let ratio = |kind| Some(limits::median_rate(&b.ceiling, kind)? / limits::median_rate(&a.ceiling, kind)?);
    geometric_mean(&limits::kinds(&a.ceiling).into_iter().filter_map(ratio).collect::<Vec<f64>>())
}
