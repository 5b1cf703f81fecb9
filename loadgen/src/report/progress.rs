//! Progress on standard error: a bar with the time left on a terminal, elsewhere a line for each level.

use std::cell::Cell;
use std::convert::Infallible;
use std::io::{IsTerminal, stderr};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::engine::Live;

use super::format::clock;

/// Work is counted in expected seconds, so that the time left follows the servers' speed.
pub struct Progress {
    bar: Option<ProgressBar>,
    begun: Instant,
    /// Seconds of work expected in all, and how many of them are done.
    expected: Cell<f64>,
    done: Cell<f64>,
}

impl Progress {
    /// Begins; `expected` is a first guess of the whole in seconds.
    pub fn new(expected: f64) -> Self {
        let bar = stderr().is_terminal().then(|| {
            let bar = ProgressBar::with_draw_target(Some(1000), ProgressDrawTarget::stderr_with_hz(4));
            let style =
                ProgressStyle::with_template("{bar:16} {wide_msg}").unwrap_or_else(|_| ProgressStyle::default_bar());
            bar.set_style(style);
            bar
        });
        Self { bar, begun: Instant::now(), expected: Cell::new(expected), done: Cell::new(0.0) }
    }

    /// Corrects the guess of what is left, seconds.
    pub fn expect_remaining(&self, seconds: f64) {
        self.expected.set(self.done.get() + seconds);
    }

    /// Work that was expected to take `seconds` is done.
    pub fn advance(&self, seconds: f64) {
        self.done.set(self.done.get() + seconds);
    }

    /// Elapsed, and left as far as one can tell.
    fn times(&self) -> String {
        let left = (self.expected.get() - self.done.get()).max(0.0);
        format!("{}, about {} left", clock(self.begun.elapsed().as_secs_f64()), clock(left))
    }

    /// A line that stays.
    pub fn line(&self, text: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| eprintln!("{text}")),
            None => eprintln!("{text}"),
        }
    }

    /// The line of a finished level: stays where there is no bar, since the bar shows it while it runs.
    pub fn level_line(&self, text: &str) {
        if self.bar.is_none() {
            eprintln!("{text} ({})", self.times());
        }
    }

    /// Shows what is going on; a bar only.
    pub fn show(&self, what: &str) {
        if let Some(bar) = &self.bar {
            let share = self.done.get() / self.expected.get().max(1e-9);
            bar.set_position((share.clamp(0.0, 1.0) * 1000.0) as u64);
            bar.set_message(format!("{} · {what}", self.times()));
        }
    }

    /// Follows a level until dropped by the caller's `select!`; a level is expected to take `seconds`.
    pub async fn follow(&self, what: &str, live: &Live, requests: u64, seconds: f64) -> Infallible {
        if self.bar.is_none() {
            return std::future::pending().await;
        }
        let (begun, before) = (Instant::now(), self.done.get());
        loop {
            let (completed, errors) = (live.completed(), live.errors());
            let share = if requests > 0 { completed as f64 / requests as f64 } else { 0.0 };
            self.done.set(before + seconds * share.max(0.0));
            let rate = completed as f64 / begun.elapsed().as_secs_f64().max(1e-9);
            self.show(&format!("{what}: {completed}/{requests}, {rate:.1}/s, {errors} errors"));
            self.done.set(before);
            tokio::time::sleep(Duration::from_millis(500)).await;
        }
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
