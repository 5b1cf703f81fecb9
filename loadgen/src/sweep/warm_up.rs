//! Requests that come before anything counts: caches fill, clocks rise, compilers of other runtimes do their work.
//! How long that takes is watched and not assumed (Barrett et al., 2017).

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use anyhow::Context;

use crate::engine;
use crate::plan::Level;
use crate::running::Running;
use crate::scenario::WarmUp;
use crate::server::Server;

use super::Sweep;

/// So many windows in a row must agree.
const AGREEING: usize = 3;
/// A window should last this long, seconds; shorter ones say more of the timer than of the server.
const WINDOW_S: f64 = 0.1;
/// A window has so many requests for each client at the least, so that most of it is no ramp-up.
const PER_CLIENT: u64 = 2;
/// The salts of the warm-up are none of a level: no level has 0 clients.
const PART: u64 = 0;

/// The windows so far.
struct Windows {
    rule: WarmUp,
    /// Requests that ended.
    requests: u64,
    /// Replies a second in the last windows; the oldest first.
    rates: Vec<f64>,
}

impl Windows {
    fn new(rule: WarmUp) -> Self {
        Self { rule, requests: 0, rates: Vec::new() }
    }

    /// Whether the last windows agree.
    fn settled(&self) -> bool {
        let (low, high) =
            self.rates.iter().fold((f64::INFINITY, 0.0), |(low, high), &rate| (rate.min(low), rate.max(high)));
        self.rates.len() == AGREEING && high - low <= self.rule.tolerance * high
    }

    /// Requests of the next window; `None`: it is warm, or the most is reached.
    fn next(&self, elapsed: Duration) -> Option<u64> {
        let WarmUp { concurrency, least, most, least_s, most_s, .. } = self.rule;
        let elapsed = elapsed.as_secs_f64();
        let enough = self.requests >= u64::from(least) && elapsed >= least_s;
        let left = u64::from(most).saturating_sub(self.requests);
        if left == 0 || (enough && (self.settled() || elapsed >= most_s)) {
            return None;
        }
        let by_rate = self.rates.last().map_or(0, |rate| (rate * WINDOW_S) as u64);
        Some(by_rate.max(PER_CLIENT * u64::from(concurrency)).min(left))
    }

    /// A window has ended.
    fn push(&mut self, requests: u64, rate: Option<f64>) {
        self.requests += requests;
        match rate {
            Some(rate) => self.rates.push(rate),
            // Nothing came back: it starts anew.
            None => self.rates.clear(),
        }
        if self.rates.len() > AGREEING {
            self.rates.remove(0);
        }
    }
}

impl Sweep {
    /// Sends requests of every size until its rate has settled, and returns the rates.
    ///
    /// # Errors
    /// The engine cannot work.
    pub(super) async fn warm_up(
        &mut self,
        server: &Server,
        running: &Running,
    ) -> anyhow::Result<BTreeMap<Option<u32>, f64>> {
        self.progress.show(&format!("{}: warm-up", server.name));
        let (begun, mut rates, mut settled) = (Instant::now(), BTreeMap::new(), Some(true));
        for size in self.results.scenario.sizes() {
            let (windows, whole) = self.windows(server, running, size).await?;
            self.current().warm_up_requests += windows.requests;
            settled = settled.filter(|_| whole).map(|all| all && windows.settled());
            rates.extend(windows.rates.last().map(|&rate| (size, rate)));
        }
        let pass = self.current();
        pass.warm_up_s = begun.elapsed().as_secs_f64();
        pass.warm_up_settled = settled;
        Ok(rates)
    }

    /// The windows of one size, and whether none was cut short.
    async fn windows(&self, server: &Server, running: &Running, size: Option<u32>) -> anyhow::Result<(Windows, bool)> {
        let rule = self.results.scenario.warm_up;
        let (mut windows, begun, mut whole) = (Windows::new(rule), Instant::now(), true);
        let level = Level { clients: rule.concurrency, size };
        while let Some(requests) = windows.next(begun.elapsed()).filter(|_| whole) {
            let mut load = self.load(server, running, level, requests, PART);
            load.first_salt = load.first_salt.wrapping_add(windows.requests as u32);
            let measured =
                engine::run(&load, &Default::default(), self.stop_signal(running)).await.context("load engine")?;
            whole = measured.requests() == requests;
            windows.push(measured.requests(), measured.replies_rps());
        }
        Ok((windows, whole))
    }

    /// How long warming up a server is likely to take: as long as the last one did.
    pub(super) fn expected_warm_up_s(&self) -> f64 {
        let before = self.results.passes.iter().rev().find(|pass| pass.warm_up_requests > 0);
        before.map_or(WINDOW_S * AGREEING as f64, |pass| pass.warm_up_s)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a server of these rates, window by window, is sent; the last rate holds for ever.
    fn windows(rule: WarmUp, rates: &[f64]) -> (Vec<u64>, bool) {
        let (mut windows, mut sizes, mut elapsed) = (Windows::new(rule), Vec::new(), 0.0);
        while let Some(requests) = windows.next(Duration::from_secs_f64(elapsed)) {
            let rate = rates[sizes.len().min(rates.len() - 1)];
            sizes.push(requests);
            elapsed += requests as f64 / rate;
            windows.push(requests, Some(rate));
        }
        (sizes, windows.settled())
    }

    #[test]
    fn a_steady_server_is_warm_after_three_windows() {
        assert_eq!(windows(WarmUp::new(2, 4), &[5.0]), (vec![4, 4, 4], true));
        // Windows of a fast one are as long as they should be.
        assert_eq!(windows(WarmUp::new(2, 4), &[1000.0]), (vec![4, 100, 100], true));
    }

    #[test]
    fn one_that_becomes_faster_is_waited_for() {
        let (sizes, settled) = windows(WarmUp::new(1, 1), &[10.0, 20.0, 30.0, 40.0, 40.0, 41.0]);
        assert_eq!((sizes.len(), settled), (6, true));
    }

    #[test]
    fn one_that_never_settles_is_given_up() {
        let restless: Vec<f64> = (0..1000).map(|number| if number % 2 == 0 { 10.0 } else { 20.0 }).collect();
        let (sizes, settled) = windows(WarmUp { most_s: 3.0, ..WarmUp::new(1, 1) }, &restless);
        assert!(!settled && (15..40).contains(&sizes.len()), "{sizes:?}");
        let (sizes, settled) = windows(WarmUp { most: 7, ..WarmUp::new(1, 1) }, &restless);
        assert_eq!((sizes, settled), (vec![2, 2, 2, 1], false));
    }

    #[test]
    fn the_least_is_kept() {
        let requests = |rule| windows(rule, &[100.0]).0.iter().sum::<u64>();
        assert!(requests(WarmUp::new(2, 500)) >= 500);
        assert!(requests(WarmUp { least_s: 4.0, ..WarmUp::new(2, 1) }) >= 400);
        // So many, settled or not.
        assert_eq!(requests(WarmUp { most: 5, ..WarmUp::new(2, 5) }), 5);
    }

    #[test]
    fn silence_is_no_agreement() {
        let mut windows = Windows::new(WarmUp::new(1, 1));
        for rate in [Some(5.0), Some(5.0), None, Some(5.0), Some(5.0)] {
            windows.push(2, rate);
        }
        assert!(!windows.settled());
        windows.push(2, Some(5.0));
        assert!(windows.settled());
    }
}
