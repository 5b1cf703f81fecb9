//! What each of several threads had counted at certain times, the same for all of them, so that their books can be added up.

use std::time::Duration;

use super::super::clock::Ns;
use super::histogram::duration;
use super::measured::Steady;

/// What had happened by some time.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Mark {
    pub(super) at: Ns,
    pub(super) ok: u64,
    pub(super) ended: u64,
    pub(super) ended_ns: u128,
    pub(super) in_flight_ns: u128,
}

impl Mark {
    /// What happened from here to `to`, if anything did.
    pub(super) fn steady_until(&self, to: &Self) -> Option<Steady> {
        let time = to.at.saturating_sub(self.at);
        (to.ended > self.ended && time > 0).then(|| Steady {
            time: Duration::from_nanos(time),
            ok: to.ok - self.ok,
            ended: to.ended - self.ended,
            ended_time: duration(to.ended_ns.saturating_sub(self.ended_ns)),
            in_flight_ns: to.in_flight_ns.saturating_sub(self.in_flight_ns),
        })
    }

    fn plus(self, other: &Self) -> Self {
        Self {
            at: other.at,
            ok: self.ok + other.ok,
            ended: self.ended + other.ended,
            ended_ns: self.ended_ns + other.ended_ns,
            in_flight_ns: self.in_flight_ns + other.in_flight_ns,
        }
    }
}

/// A mark at every multiple of a step. Where they become many, every other one is dropped and the step doubled, so memory is
/// bounded and a step is at most a thousandth of the time.
#[derive(Debug, Clone)]
pub(super) struct Ticks {
    step: Ns,
    marks: Vec<Mark>,
}

const FIRST_STEP: Ns = 1_000_000;
const MOST: usize = 2048;

impl Ticks {
    pub(super) fn new() -> Self {
        Self { step: FIRST_STEP, marks: Vec::new() }
    }

    /// Whether the next tick comes before `at`.
    pub(super) fn are_due(&self, at: Ns) -> bool {
        self.next() < at
    }

    /// Makes the marks of the ticks before `at`; `mark` tells what had happened by then.
    pub(super) fn advance(&mut self, at: Ns, mark: impl Fn(Ns) -> Mark) {
        while self.are_due(at) {
            self.marks.push(mark(self.next()));
            if self.marks.len() == MOST {
                self.thin();
            }
        }
    }

    fn next(&self) -> Ns {
        (self.marks.len() as u64 + 1).saturating_mul(self.step)
    }

    fn thin(&mut self) {
        let mut number = 0_u64;
        self.marks.retain(|_| {
            number += 1;
            number.is_multiple_of(2)
        });
        self.step *= 2;
    }

    /// The steady part of a level of so many clients and ended requests, from the books of all its threads.
    pub(super) fn steady(mut all: Vec<Self>, clients: u64, ended: u64) -> Option<Steady> {
        let coarsest = all.iter().map(|ticks| ticks.step).max()?;
        for ticks in &mut all {
            while ticks.step < coarsest {
                ticks.thin();
            }
        }
        let count = all.iter().map(|ticks| ticks.marks.len()).min()?;
        let sum = |index: usize| all.iter().fold(Mark::default(), |sum, ticks| sum.plus(&ticks.marks[index]));
        let sums: Vec<Mark> = (0..count).map(sum).collect();
        let from = sums.iter().find(|mark| mark.ended >= clients)?;
        let to = sums.iter().rev().find(|mark| mark.ended + clients <= ended)?;
        from.steady_until(to)
    }
}
