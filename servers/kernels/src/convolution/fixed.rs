//! Weights as 16-bit integers with a common number of fraction bits.
//!
//! Sums of products of integers do not depend on their order, so every width of SIMD gives the same bits. What has to
//! be shown is that no sum overflows and how far the result is from the exact one; both are computed from the actual
//! weights here, and weights for which either fails take the path in [`float`](super::float).

/// The largest error, in samples, with which integers are taken for the exact weights. Below 1, so that a rounded
/// result is at most 1 away from the rounded exact one.
pub(super) const MAX_ERROR: f64 = 0.75;

/// Weights as integers: weight = value / 2^bits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    bits: u32,
}

impl Scale {
    /// The finest scale at which every weight fits an `i16` and every sum of inputs of magnitude up to `reach` times
    /// weights, plus half of the unit 2^(bits + `extra`), fits an `i32`; `None` when there is none.
    pub fn finest(weights: impl Iterator<Item = f64> + Clone, reach: i32, extra: u32) -> Option<Self> {
        // 2^30 is the largest half of a unit in an i32.
        (0..=30 - extra).rev().map(|bits| Self { bits }).find(|scale| {
            let mut sum = half(scale.bits + extra) as f64;
            let fit = weights.clone().all(|weight| {
                let value = scale.nearest(weight);
                sum += value.abs() * f64::from(reach);
                value.abs() <= f64::from(i16::MAX)
            });
            fit && sum <= f64::from(i32::MAX)
        })
    }

    /// Fraction bits.
    pub fn bits(self) -> u32 {
        self.bits
    }

    /// A weight as an integer. It fits if this scale was made for it.
    pub fn integer(self, weight: f64) -> i16 {
        self.nearest(weight) as i16
    }

    /// Sum of |weight - its integer / 2^bits|: the error for inputs of magnitude 1.
    pub fn error(self, weights: impl Iterator<Item = f64>) -> f64 {
        weights.map(|weight| (weight - self.nearest(weight) / self.unit()).abs()).sum()
    }

    /// Sum of the magnitudes of the integers.
    pub fn magnitude(self, weights: impl Iterator<Item = f64>) -> f64 {
        weights.map(|weight| self.nearest(weight).abs()).sum()
    }

    fn nearest(self, weight: f64) -> f64 {
        libm::floor(weight * self.unit() + 0.5)
    }

    fn unit(self) -> f64 {
        f64::from(1u32 << self.bits)
    }
}

/// Half of 2^`bits`: added before a shift by `bits`, it makes the shift round half up.
pub(super) fn half(bits: u32) -> i32 {
    (1 << bits) >> 1
}

/// Two weights, or two inputs, for one multiplication of pairs: the first in the lower half.
pub(super) fn pair(first: i16, second: i16) -> u32 {
    u32::from(first as u16) | u32::from(second as u16) << 16
}
