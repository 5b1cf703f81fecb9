//! How a run is going, on standard error: a line that moves on a terminal, elsewhere one every now and then.

use std::convert::Infallible;
use std::io::{IsTerminal, stderr};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::engine::{Live, Load};
use crate::report::format::{clock, three_digits};

/// Shorter runs show nothing.
const QUIET: Duration = Duration::from_secs(2);
const ON_TERMINAL: Duration = Duration::from_millis(500);
const ELSEWHERE: Duration = Duration::from_secs(30);

/// Where a run is to end.
#[derive(Debug, Clone, Copy)]
struct End {
    requests: u64,
    duration: Option<Duration>,
}

/// Follows a load until dropped, by the caller's `select!`.
pub(super) async fn follow(what: &str, load: &Load, live: &Live) -> Infallible {
    let end = End { requests: load.requests, duration: load.duration };
    let begun = Instant::now();
    tokio::time::sleep(QUIET).await;
    let bar = stderr().is_terminal().then(bar);
    let (mut before, mut at_before) = (live.completed(), begun.elapsed());
    loop {
        tokio::time::sleep(if bar.is_some() { ON_TERMINAL } else { ELSEWHERE }).await;
        let (completed, at) = (live.completed(), begun.elapsed());
        let rate = (completed - before) as f64 / (at - at_before).as_secs_f64().max(1e-9);
        let line = line(what, end, at, completed, live.errors(), rate);
        match &bar {
            Some(bar) => bar.0.set_message(line),
            None => eprintln!("loadgen: {line}"),
        }
        (before, at_before) = (completed, at);
    }
}

/// Leaves no trace.
struct Bar(ProgressBar);

fn bar() -> Bar {
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(4));
    bar.set_style(ProgressStyle::with_template("{wide_msg}").unwrap_or_else(|_| ProgressStyle::default_spinner()));
    Bar(bar)
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

fn line(what: &str, end: End, at: Duration, completed: u64, errors: u64, rate: f64) -> String {
    let of = if end.requests == Load::UNTIL_STOPPED { String::new() } else { format!(" of {}", end.requests) };
    let left = left(end, at, completed).map(|left| format!(", {} left", clock(left))).unwrap_or_default();
    let at = clock(at.as_secs_f64());
    format!("{what}{at}: {completed}{of} requests, {}/s now, {errors} errors{left}", three_digits(rate))
}

/// Seconds until the end, as far as one can tell.
fn left(end: End, at: Duration, completed: u64) -> Option<f64> {
    let by_time = end.duration.map(|duration| duration.saturating_sub(at).as_secs_f64());
    let by_count = (end.requests != Load::UNTIL_STOPPED && completed > 0)
        .then(|| end.requests.saturating_sub(completed) as f64 * at.as_secs_f64() / completed as f64);
    match (by_time, by_count) {
        (Some(time), Some(count)) => Some(time.min(count)),
        (time, count) => time.or(count),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_say_what_is_known() {
        let (second, ten) = (Duration::from_secs(1), Some(Duration::from_secs(10)));
        let endless = Load::UNTIL_STOPPED;
        let text = line("", End { requests: endless, duration: ten }, 4 * second, 400, 3, 101.5);
        assert_eq!(text, "0:04: 400 requests, 102/s now, 3 errors, 0:06 left");
        let text = line("warm-up, ", End { requests: 1000, duration: None }, 10 * second, 250, 0, 25.0);
        assert_eq!(text, "warm-up, 0:10: 250 of 1000 requests, 25.0/s now, 0 errors, 0:30 left");
    }

    #[test]
    fn the_time_left_is_that_of_the_end_that_comes_first() {
        let at = Duration::from_secs(10);
        let left = |requests, seconds, completed| {
            left(End { requests, duration: Duration::from_secs(seconds).into() }, at, completed)
        };
        assert_eq!((left(1000, 60, 500), left(1000, 15, 500), left(1000, 15, 0)), (Some(10.0), Some(5.0), Some(5.0)));
    }
}
