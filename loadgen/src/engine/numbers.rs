//! Which request is next: numbers drawn from one counter by all threads.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The numbers of a closed loop's requests, from 0. Threads draw them in batches, so that a request costs no atomic.
#[derive(Debug)]
pub(super) struct Numbers {
    next: AtomicU64,
    end: u64,
    threads: u64,
}

/// With several threads: small enough that all of them have something to do until the end.
const LARGEST_BATCH: u64 = 256;

impl Numbers {
    pub(super) fn new(requests: u64, threads: usize) -> Self {
        Self { next: AtomicU64::new(0), end: requests, threads: threads as u64 }
    }

    /// Some more numbers; none when there are none left.
    pub(super) fn batch(&self) -> Range<u64> {
        let size = |left: u64| match self.threads {
            0 | 1 => left,
            threads => (left / (32 * threads)).clamp(1, LARGEST_BATCH),
        };
        self.take(size)
    }

    /// All numbers that are left.
    pub(super) fn rest(&self) -> Range<u64> {
        self.take(|left| left)
    }

    fn take(&self, size: impl Fn(u64) -> u64) -> Range<u64> {
        let after = |next: u64| next + size(self.end - next).min(self.end - next);
        let taken = self.next.fetch_update(Relaxed, Relaxed, |next| Some(after(next)));
        let next = taken.unwrap_or(self.end);
        next..after(next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_is_drawn_once() {
        for (requests, threads) in [(0, 1), (1, 4), (10, 3), (100_000, 2), (7, 1)] {
            let numbers = Numbers::new(requests, threads);
            let mut drawn = Vec::new();
            loop {
                let batch = numbers.batch();
                if batch.is_empty() {
                    break;
                }
                drawn.extend(batch);
            }
            assert_eq!(drawn, (0..requests).collect::<Vec<_>>());
            assert!(numbers.rest().is_empty());
        }
        let numbers = Numbers::new(1000, 2);
        let first = numbers.batch();
        assert_eq!(numbers.rest(), first.end..1000);
    }
}
