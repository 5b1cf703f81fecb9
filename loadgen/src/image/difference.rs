//! How far two pictures are from each other, and how far they may be.

use serde::{Deserialize, Serialize};

/// How far an answer may be from the expected picture. Two figures, since encoders of the same quality differ a little
/// everywhere, and a mistake is often large in one place.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tolerance {
    /// The mean over all samples of the absolute difference.
    pub mean: f64,
    /// A sample that is off by more than this is far off.
    pub far: u8,
    /// The part of all samples that may be far off.
    pub share: f64,
}

impl Tolerance {
    /// What is wrong with it.
    pub fn fault(&self) -> Option<&'static str> {
        let fine = self.mean >= 0.0 && self.mean <= 255.0 && (0.0..=1.0).contains(&self.share);
        (!fine).then_some("needs a mean of 0 to 255 and a share of 0 to 1")
    }
}

impl std::fmt::Display for Tolerance {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { mean, far, share } = self;
        write!(
            f,
            "off by {mean} on average at the most, and by more than {far} in at most {:.3}% of samples",
            share * 100.0
        )
    }
}

/// The difference of two pictures of the same size, sample by sample.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// How many samples are off by how much.
    counts: [u64; 256],
}

impl Default for Difference {
    fn default() -> Self {
        Self { counts: [0; 256] }
    }
}

impl Difference {
    /// Adds some samples of both.
    pub fn add(&mut self, expected: &[u8], received: &[u8]) {
        for (a, b) in expected.iter().zip(received) {
            self.counts[usize::from(a.abs_diff(*b))] += 1;
        }
    }

    fn samples(&self) -> f64 {
        self.counts.iter().sum::<u64>().max(1) as f64
    }

    /// The mean of the absolute difference.
    pub fn mean(&self) -> f64 {
        let weighted = self.counts.iter().zip(0u64..).map(|(count, off)| count * off);
        weighted.sum::<u64>() as f64 / self.samples()
    }

    /// The part of all samples that is off by more than `far`.
    pub fn share_beyond(&self, far: u8) -> f64 {
        self.counts[usize::from(far) + 1..].iter().sum::<u64>() as f64 / self.samples()
    }

    /// Whether it is small enough.
    pub fn is_within(&self, tolerance: &Tolerance) -> bool {
        self.mean() <= tolerance.mean && self.share_beyond(tolerance.far) <= tolerance.share
    }

    /// In words, as [`Tolerance`] is.
    pub fn describe(&self, tolerance: &Tolerance) -> String {
        let (mean, far) = (self.mean(), tolerance.far);
        format!(
            "off by {mean:.2} on average, and by more than {far} in {:.3}% of samples",
            self.share_beyond(far) * 100.0
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOLERANCE: Tolerance = Tolerance { mean: 1.0, far: 10, share: 0.25 };

    fn difference(a: &[u8], b: &[u8]) -> Difference {
        let mut difference = Difference::default();
        difference.add(a, b);
        difference
    }

    #[test]
    fn both_figures_count() {
        let near = difference(&[0, 10, 20, 255], &[1, 10, 19, 253]);
        assert_eq!((near.mean(), near.share_beyond(1)), (1.0, 0.25));
        assert!(near.is_within(&TOLERANCE));
        assert!(!difference(&[0, 10, 20, 255], &[2, 10, 19, 253]).is_within(&TOLERANCE));
        let mut dark = difference(&[0; 98], &[0; 98]);
        assert!(dark.is_within(&TOLERANCE));
        dark.add(&[20, 20], &[31, 9]);
        assert!(dark.is_within(&TOLERANCE) && !dark.is_within(&Tolerance { share: 0.01, ..TOLERANCE }));
        assert_eq!(dark.describe(&TOLERANCE), "off by 0.22 on average, and by more than 10 in 2.000% of samples");
    }

    #[test]
    fn tolerances_that_make_no_sense_are_refused() {
        assert_eq!(TOLERANCE.fault(), None);
        for bad in [
            Tolerance { mean: -1.0, ..TOLERANCE },
            Tolerance { mean: f64::NAN, ..TOLERANCE },
            Tolerance { share: 2.0, ..TOLERANCE },
        ] {
            assert!(bad.fault().is_some(), "{bad:?}");
        }
        // Nothing is further off than 255.
        assert_eq!(difference(&[0], &[255]).share_beyond(255), 0.0);
    }
}
