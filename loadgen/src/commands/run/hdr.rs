//! `--hdr`: response times as an interval log, which HdrHistogram's tools in any language read, written while the run goes on.

use std::fs::File;
use std::io::{LineWriter, Write};
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use anyhow::{Context, anyhow};
use hdrhistogram::serialization::V2DeflateSerializer;
use hdrhistogram::serialization::interval_log::{IntervalLogWriter, IntervalLogWriterBuilder, Tag};

use crate::cli::RunArgs;
use crate::engine::{Interval, Live};

/// The line above the histograms, as the Java library writes it.
const LEGEND: &str = "\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_Histogram\"";
/// The log's values are nanoseconds; the column for people is in milliseconds.
const NANOSECONDS_PER_MILLISECOND: f64 = 1e6;
/// How often intervals that are over are written, at the most.
const OFTEN: Duration = Duration::from_secs(1);

/// A log that is to be written.
pub(super) struct Log {
    path: PathBuf,
    file: File,
    /// Of its intervals.
    pub(super) every: Duration,
}

impl Log {
    /// Creates the file before the run, so that a run is not lost to a wrong path.
    pub(super) fn of(arguments: &RunArgs) -> anyhow::Result<Option<Self>> {
        let Some(path) = arguments.hdr.clone() else { return Ok(None) };
        let file = File::create(&path).with_context(|| format!("--hdr {}: cannot write it", path.display()))?;
        Ok(Some(Self { path, file, every: arguments.hdr_interval }))
    }

    /// Writes the intervals of the run that begins now, each when it is over, until the run is.
    pub(super) async fn follow(self, live: &Live, over: impl Future<Output = ()>) -> anyhow::Result<()> {
        let Self { path, file, every } = self;
        write(file, live, every.max(OFTEN), over).await.with_context(|| format!("--hdr {}", path.display()))
    }
}

async fn write(file: File, live: &Live, often: Duration, over: impl Future<Output = ()>) -> anyhow::Result<()> {
    let (start, mut text, mut serializer) = (SystemTime::now(), LineWriter::new(file), V2DeflateSerializer::new());
    let head = IntervalLogWriterBuilder::new()
        .add_comment("[Histogram log format version 1.3]")
        .add_comment("[Response times in nanoseconds, written by loadgen run]")
        .with_start_time(start)
        .with_base_time(start)
        .begin_log_with(&mut text, &mut serializer)
        .map(drop);
    head?;
    writeln!(text, "{LEGEND}")?;
    let mut log = IntervalLogWriterBuilder::new()
        .with_max_value_divisor(NANOSECONDS_PER_MILLISECOND)
        .begin_log_with(&mut text, &mut serializer)?;
    let mut over = std::pin::pin!(over);
    loop {
        let is_over = tokio::select! {
            () = &mut over => true,
            () = tokio::time::sleep(often) => false,
        };
        live.take_intervals().iter().try_for_each(|interval| add(&mut log, interval))?;
        if is_over {
            return Ok(());
        }
    }
}

/// A line for the response times that tables show too, which tools show unasked since it has no tag, also where there were
/// none; and one for each further kind that there is.
fn add(
    log: &mut IntervalLogWriter<'_, '_, impl Write, V2DeflateSerializer>,
    interval: &Interval,
) -> anyhow::Result<()> {
    let Interval { start, length, outcomes, service } = interval;
    let mut line = |tag: Option<&'static str>, times: &crate::engine::Latencies| {
        log.write_histogram(times.histogram(), *start, *length, tag.and_then(Tag::new))
            .map_err(|error| anyhow!("histogram log: {error}"))
    };
    line(None, &outcomes.latency())?;
    let tagged = [
        ("wrong", &outcomes.wrong),
        ("shed", &outcomes.shed),
        ("timed_out", &outcomes.timed_out),
        ("service", service),
    ];
    tagged.into_iter().filter(|(_, times)| !times.is_empty()).try_for_each(|(tag, times)| line(Some(tag), times))
}
