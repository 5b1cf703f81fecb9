//! `--hdr`: response times as an interval log, which HdrHistogram's tools in any language read.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::time::{Duration, SystemTime};

use anyhow::{Context, anyhow};
use hdrhistogram::serialization::V2DeflateSerializer;
use hdrhistogram::serialization::interval_log::{IntervalLogWriterBuilder, Tag};

use crate::engine::{Latencies, Measured};

/// The line above the histograms, as the Java library writes it.
const LEGEND: &str = "\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_Histogram\"";
/// The log's values are nanoseconds; the column for people is in milliseconds.
const NANOSECONDS_PER_MILLISECOND: f64 = 1e6;

/// Creates the file before the run, so that a run is not lost to a wrong path.
pub(super) fn create(path: &Path) -> anyhow::Result<File> {
    File::create(path).with_context(|| format!("--hdr {}: cannot write it", path.display()))
}

/// Writes the log of a run that began at `start`: an interval for each kind of times that there are.
pub(super) fn write(file: File, measured: &Measured, start: SystemTime) -> anyhow::Result<()> {
    let mut text = BufWriter::new(file);
    let mut serializer = V2DeflateSerializer::new();
    let begun = IntervalLogWriterBuilder::new()
        .add_comment("[Histogram log format version 1.3]")
        .add_comment("[Response times in nanoseconds, written by loadgen run]")
        .with_start_time(start)
        .with_base_time(start)
        .begin_log_with(&mut text, &mut serializer)
        .map(drop);
    begun?;
    writeln!(text, "{LEGEND}")?;
    let mut log = IntervalLogWriterBuilder::new()
        .with_max_value_divisor(NANOSECONDS_PER_MILLISECOND)
        .begin_log_with(&mut text, &mut serializer)?;
    let length = measured.elapsed.unwrap_or_default();
    for (tag, times) in series(measured).iter().filter(|(_, times)| !times.is_empty()) {
        log.write_histogram(times.histogram(), Duration::ZERO, length, tag.and_then(Tag::new))
            .map_err(|error| anyhow!("histogram log: {error}"))?;
    }
    text.into_inner().map_err(io::IntoInnerError::into_error)?.flush()?;
    Ok(())
}

/// Tools show unasked what has no tag: the response times that tables show too.
fn series(measured: &Measured) -> Vec<(Option<&'static str>, Latencies)> {
    let outcomes = &measured.outcomes;
    let mut series = vec![
        (None, measured.latency()),
        (Some("wrong"), outcomes.wrong.clone()),
        (Some("shed"), outcomes.shed.clone()),
        (Some("timed_out"), outcomes.timed_out.clone()),
    ];
    series.extend(measured.schedule.as_ref().map(|schedule| (Some("service"), schedule.service.clone())));
    series
}
