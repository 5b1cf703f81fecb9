//! Where the time of a request goes: what the server says of it by `Server-Timing`, and the rest.

use crate::results::Cell;

/// The parts of a request that a server tells of, in the order in which they happen.
pub const TOLD: [&str; 4] = ["queue", "decode", "compute", "encode"];

/// Mean milliseconds of a right answer by part; `None` where the server says nothing of it.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Timing {
    /// Of each of [`TOLD`].
    pub told_ms: [Option<f64>; TOLD.len()],
    /// What is left of the response time: sending, receiving, and waiting where the server does not see it.
    pub transport_ms: Option<f64>,
}

impl Timing {
    /// Of one level.
    pub fn of(cell: &Cell) -> Self {
        let told_ms = TOLD.map(|name| cell.server_timing_ms.get(name).copied());
        let told: Option<f64> = told_ms.iter().flatten().copied().reduce(|sum, ms| sum + ms);
        // A time-out is in the mean response time and in nothing that a server says.
        let mean = cell.latency_ms.mean.filter(|_| cell.histograms.timed_out.is_none());
        let transport_ms = mean.zip(told).map(|(mean, told)| (mean - told).max(0.0));
        Self { told_ms, transport_ms }
    }

    /// Whether the server says anything.
    pub fn is_told(&self) -> bool {
        self.told_ms.iter().any(Option::is_some)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::Latency;

    fn cell(told: &[(&str, f64)], mean: f64) -> Cell {
        let told = told.iter().map(|&(name, ms)| (name.to_owned(), ms)).collect();
        Cell {
            server_timing_ms: told,
            latency_ms: Latency { mean: Some(mean), ..Latency::default() },
            ..Cell::default()
        }
    }

    #[test]
    fn what_is_left_is_transport() {
        let timing = Timing::of(&cell(&[("queue", 5.0), ("compute", 20.0), ("cpu", 19.0)], 26.5));
        assert_eq!(timing, Timing { told_ms: [Some(5.0), None, Some(20.0), None], transport_ms: Some(1.5) });
        assert!(timing.is_told());
    }

    #[test]
    fn a_server_that_says_nothing_has_no_parts() {
        assert_eq!(Timing::of(&cell(&[("cache", 1.0)], 26.5)), Timing::default());
    }

    #[test]
    fn time_outs_leave_the_rest_unknown() {
        let mut timed_out = cell(&[("compute", 20.0)], 500.0);
        timed_out.histograms.timed_out = Some(String::new());
        assert_eq!(Timing::of(&timed_out).transport_ms, None);
    }
}
