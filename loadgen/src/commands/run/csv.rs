//! `--csv`: a header and a row. A cell that has no value is empty.

use crate::engine::{ErrorKind, Pace};

use super::outcome::Outcome;

/// The header and the row.
pub(super) fn render(outcome: &Outcome) -> anyhow::Result<String> {
    let mut writer = ::csv::Writer::from_writer(Vec::new());
    let columns = columns(outcome);
    writer.write_record(columns.iter().map(|(name, _)| *name))?;
    writer.write_record(columns.iter().map(|(_, cell)| cell))?;
    Ok(String::from_utf8(writer.into_inner()?)?)
}

fn columns(outcome: &Outcome) -> Vec<(&'static str, String)> {
    let number = |value: Option<f64>| value.map(|value| value.to_string()).unwrap_or_default();
    let latency = &outcome.latency_ms;
    let schedule = outcome.schedule.as_ref();
    let asked = match outcome.pace {
        Pace::Closed => None,
        Pace::Open { rate, .. } => Some(rate),
    };
    let mut columns = vec![
        ("url", outcome.url.clone()),
        ("method", outcome.method.clone()),
        ("concurrency", outcome.clients.to_string()),
        ("requests", outcome.requests.to_string()),
        ("ok", outcome.ok.to_string()),
        ("errors", outcome.errors.to_string()),
        ("in_flight_at_end", outcome.in_flight_at_end.to_string()),
        ("reconnects", outcome.reconnects.to_string()),
        ("elapsed_s", number(outcome.elapsed_s)),
        ("throughput_rps", number(outcome.throughput_rps)),
        ("steady_rps", number(outcome.steady_rps)),
        ("replies_rps", number(outcome.replies_rps)),
        ("mean_in_flight", number(outcome.mean_in_flight)),
        ("generator_cpu_s", outcome.generator_cpu_s.to_string()),
        ("min_ms", number(latency.min)),
        ("mean_ms", number(latency.mean)),
        ("p50_ms", number(latency.p50)),
        ("p90_ms", number(latency.p90)),
        ("p99_ms", number(latency.p99)),
        ("p999_ms", number(latency.p999)),
        ("max_ms", number(latency.max)),
        ("asked_rps", number(asked)),
        ("sent_rps", number(schedule.and_then(|kept| kept.sent_rps))),
        ("lateness_mean_ms", number(schedule.and_then(|kept| kept.lateness_ms.mean))),
        ("service_mean_ms", number(schedule.and_then(|kept| kept.service_ms.mean))),
    ];
    let of_kind = |kind: ErrorKind| outcome.errors_by_kind.get(&kind).copied().unwrap_or(0).to_string();
    columns.extend(ErrorKind::ALL.map(|kind| (kind.as_str(), of_kind(kind))));
    columns
}
