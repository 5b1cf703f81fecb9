//! results.csv: one row for each server, backend, CPU count, worker count, size, level and trial.

use crate::analysis::limits::Limits;
use crate::analysis::timing::Timing;
use crate::results::{Cell, PassResult, Results};

/// The columns, in an order that others rely on; new ones are added at the end.
pub const COLUMNS: &[&str] = &[
    "scenario",
    "server",
    "cpus",
    "workers",
    "concurrency",
    "trial",
    "requests",
    "ok",
    "errors",
    "elapsed_s",
    "throughput_rps",
    "steady_rps",
    "replies_rps",
    "mean_ms",
    "p50_ms",
    "p90_ms",
    "p99_ms",
    "max_ms",
    "replies_mean_ms",
    "server_cpu_s",
    "server_peak_rss_bytes",
    "ceiling_rps",
    "limit_rps",
    "efficiency",
    "in_flight_at_end",
    "mean_in_flight",
    "server_peak_threads",
    "server_context_switches",
    "generator_cpu_s",
    "quick",
    "backend",
    "queue_ms",
    "decode_ms",
    "compute_ms",
    "encode_ms",
    "transport_ms",
    "size",
    "probe_p50_ms",
    "probe_p99_ms",
    "probe_max_ms",
    "probe_errors",
    "full",
];

/// The whole file. Rows are sorted by server (in the order of the scenario), backend, CPUs, workers, size, concurrency
/// and trial.
///
/// # Errors
/// None in practice: it writes to memory.
pub fn to_csv(results: &Results) -> Result<Vec<u8>, ::csv::Error> {
    let mut writer = ::csv::Writer::from_writer(Vec::new());
    writer.write_record(COLUMNS)?;
    for (pass, cell) in results.rows() {
        writer.write_record(row(results, pass, cell))?;
    }
    writer.into_inner().map_err(|error| error.into_error().into())
}

/// A cell that has no value is empty, never 0 or NaN.
fn number(value: Option<f64>) -> String {
    match value.filter(|value| value.is_finite()) {
        None => String::new(),
        Some(value) => {
            // Six significant digits, without exponent, so that every spreadsheet reads them.
            let digits = 5 - value.abs().max(1e-9).log10().floor() as i32;
            let text = format!("{value:.*}", digits.clamp(0, 9) as usize);
            if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
        }
    }
}

fn whole<T: ToString>(value: Option<T>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

fn row(results: &Results, pass: &PassResult, cell: &Cell) -> Vec<String> {
    let limits = Limits::of(results, pass, cell);
    let server = cell.server.as_ref();
    let probe = cell.probe.as_ref();
    let Timing { told_ms: [queue, decode, compute, encode], transport_ms } = Timing::of(cell);
    vec![
        results.scenario.name.clone(),
        pass.server.clone(),
        whole(pass.cpus),
        whole(pass.workers),
        cell.concurrency.to_string(),
        pass.trial.to_string(),
        cell.requests.to_string(),
        cell.ok.to_string(),
        cell.errors.to_string(),
        number(cell.elapsed_s),
        number(cell.throughput_rps),
        number(cell.steady_rps),
        number(cell.replies_rps),
        number(cell.latency_ms.mean),
        number(cell.latency_ms.p50),
        number(cell.latency_ms.p90),
        number(cell.latency_ms.p99),
        number(cell.latency_ms.max),
        number(cell.replies_mean_ms),
        number(server.map(|server| server.cpu_s)),
        whole(server.map(|server| server.peak_rss_bytes)),
        number(limits.ceiling_rps),
        number(limits.limit_rps),
        number(limits.efficiency),
        cell.in_flight_at_end.to_string(),
        number(cell.mean_in_flight),
        whole(server.map(|server| server.peak_threads)),
        whole(server.and_then(|server| server.context_switches)),
        number(Some(cell.generator_cpu_s)),
        results.scenario.quick.to_string(),
        pass.backend.clone().unwrap_or_default(),
        number(queue),
        number(decode),
        number(compute),
        number(encode),
        number(transport_ms),
        whole(cell.size),
        number(probe.and_then(|probe| probe.latency_ms.p50)),
        number(probe.and_then(|probe| probe.latency_ms.p99)),
        number(probe.and_then(|probe| probe.latency_ms.max)),
        whole(probe.map(|probe| probe.errors)),
        results.scenario.full.to_string(),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_plain_and_absent_ones_empty() {
        assert_eq!(number(None), "");
        assert_eq!(number(Some(f64::NAN)), "");
        assert_eq!(number(Some(0.0)), "0");
        assert_eq!(number(Some(6.25)), "6.25");
        assert_eq!(number(Some(1234567.891)), "1234568");
        assert_eq!(number(Some(0.001234567)), "0.00123457");
        assert_eq!(number(Some(100.0)), "100");
    }

    #[test]
    fn the_fixed_columns_come_first() {
        let fixed = "scenario,server,cpus,workers,concurrency,trial,requests,ok,errors,elapsed_s,throughput_rps,\
                     steady_rps,replies_rps,mean_ms,p50_ms,p90_ms,p99_ms,max_ms,replies_mean_ms,server_cpu_s,\
                     server_peak_rss_bytes,ceiling_rps,limit_rps,efficiency";
        assert!(COLUMNS.join(",").starts_with(fixed));
    }
}
