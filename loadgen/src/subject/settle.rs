//! Waiting until a server has done what it was asked: it may compute on for requests that were answered or given up.

use std::time::{Duration, Instant};

use super::tree::Tree;

/// An idle server is known after this long, so that it costs a run nothing.
const FIRST_LOOK: Duration = Duration::from_millis(20);
/// A busy one is looked at so often.
const LOOK: Duration = Duration::from_millis(100);
/// A process tree that uses less of a CPU than this is idle.
const IDLE: f64 = 0.05;

/// What came of waiting.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settled {
    /// How long it computed on.
    pub after: Duration,
    /// Whether it came to rest within the limit.
    pub idle: bool,
}

/// Waits until the tree below `root_pid`, without that process itself, uses hardly any CPU, for `limit` at the most.
/// Nothing when the tree is gone.
pub async fn settle(root_pid: u32, limit: Duration) -> Option<Settled> {
    let mut tree = Tree::below(root_pid)?;
    let begun = Instant::now();
    let (mut before, mut look) = (tree.read(true)?, FIRST_LOOK);
    loop {
        tokio::time::sleep(look).await;
        let now = tree.read(true)?;
        let (cpu, time) = (now.cpu.saturating_sub(before.cpu), now.at.saturating_duration_since(before.at));
        let idle = cpu.as_secs_f64() < IDLE * time.as_secs_f64();
        // The look that found it idle is no part of the time that it was busy.
        let after = if idle { before.at.saturating_duration_since(begun) } else { begun.elapsed() };
        if idle || begun.elapsed() >= limit {
            return Some(Settled { after, idle });
        }
        (before, look) = (now, LOOK);
    }
}
