//! How a kernel is applied: with which integers, or in doubles.

use super::Method;
use super::error::ConvolveError;
use super::fixed::{MAX_ERROR, Scale, pair};
use super::kernel::{Kernel, MAX_KERNEL_SIZE, Side};
use super::rank_one::RankOne;
use super::simd::Pass;

/// The arithmetic of one convolution.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::large_enum_variant, reason = "nothing is allocated here, and a job has one of these")]
pub(super) enum Plan {
    /// All taps in one sum of integers.
    Direct(Direct),
    /// All taps in one sum of doubles.
    DirectFloat,
    /// A sum over the column, kept in 16 bits with some fraction bits, then one over the row.
    Separable { column: Pass, row: Pass },
    /// The same in doubles.
    SeparableFloat(RankOne),
}

/// The direct method in integers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Direct {
    scale: Scale,
    /// The kernel's lower half mirrors the upper: rows of samples are added before they are weighted.
    pub fold: bool,
}

impl Plan {
    pub fn new(kernel: &Kernel<'_>, method: Method) -> Result<Self, ConvolveError> {
        match method {
            Method::Direct => Ok(Direct::new(kernel).map_or(Self::DirectFloat, Self::Direct)),
            Method::Separable => {
                let factors = RankOne::of(kernel).ok_or(ConvolveError::NotSeparable)?;
                Ok(separable(&factors, kernel.size()).unwrap_or(Self::SeparableFloat(factors)))
            }
        }
    }
}

impl Direct {
    fn new(kernel: &Kernel<'_>) -> Option<Self> {
        // Folded or not, a sum is at most 255 times the magnitudes of all weights.
        let scale = Scale::finest(kernel.weights(), 255, 0)?;
        if 255.0 * scale.error(kernel.weights()) > MAX_ERROR {
            return None;
        }
        let size = kernel.size();
        let same = |j, i| scale.integer(kernel.weight(j, i)) == scale.integer(kernel.weight(size - 1 - j, i));
        let fold = size > 1 && (0..size / 2).all(|j| (0..size).all(|i| same(j, i)));
        Some(Self { scale, fold })
    }

    /// Fraction bits of the sums.
    pub fn shift(&self) -> u32 {
        self.scale.bits()
    }

    /// Pairs of rows that are weighted together.
    pub fn pairs(&self, size: usize) -> usize {
        terms(size, self.fold).div_ceil(2)
    }

    /// Writes the weights, a row of `size` for each pair of rows.
    pub fn write_weights(&self, kernel: &Kernel<'_>, words: &mut [u32]) {
        let size = kernel.size();
        for (p, words) in words.chunks_exact_mut(size).enumerate() {
            for (i, word) in words.iter_mut().enumerate() {
                *word = pair_of_terms(size, self.fold, p, |j| self.scale.integer(kernel.weight(j, i)));
            }
        }
    }
}

/// How many terms a side of `size` taps has: folded, two taps at the same distance from the centre are one term.
fn terms(size: usize, fold: bool) -> usize {
    if fold { size / 2 + 1 } else { size }
}

/// Terms 2p and 2p + 1 (0 if there is none), from the weight of each tap. Folded, the terms go from the centre's
/// neighbours outwards and the centre comes last; else in the order of the taps.
fn pair_of_terms(size: usize, fold: bool, p: usize, weight: impl Fn(usize) -> i16) -> u32 {
    let term = |t: usize| match t {
        t if t >= terms(size, fold) => 0,
        t if !fold => weight(t),
        t if t < size / 2 => weight(size / 2 + 1 + t),
        _ => weight(size / 2),
    };
    pair(term(2 * p), term(2 * p + 1))
}

/// The separable method in integers, if they are good enough.
///
/// Sums over a column stay within ±255, so with 7 fraction bits they fit 16 bits; with 6, two of them do.
fn separable(factors: &RankOne, size: usize) -> Option<Plan> {
    let column = || factors.column[..size].iter().copied();
    let row = || factors.row[..size].iter().copied();
    let column_scale = Scale::finest(column(), 255, 0)?;
    for (fraction, folded) in [(6, true), (7, false), (6, false)] {
        let shift = column_scale.bits().checked_sub(fraction)?;
        let largest = column_scale.magnitude(column()) * 255.0 / f64::from(1u32 << shift) + 1.0;
        let limit = if folded { i16::MAX / 2 } else { i16::MAX };
        if largest > f64::from(limit) {
            continue;
        }
        let row_scale = Scale::finest(row(), i32::from(limit), fraction)?;
        let row_pass = pass(&factors.row, size, row_scale, row_scale.bits() + fraction, folded);
        if folded && !row_pass.fold {
            continue;
        }
        let column_pass = pass(&factors.column, size, column_scale, shift, true);
        let half_step = 0.5 / f64::from(1u32 << fraction);
        let column_error = 255.0 * column_scale.error(column()) + half_step;
        let row_magnitude = row_scale.magnitude(row()) / f64::from(1u32 << row_scale.bits());
        let error = factors.error + column_error * row_magnitude + 255.0 * row_scale.error(row());
        return (error <= MAX_ERROR).then_some(Plan::Separable { column: column_pass, row: row_pass });
    }
    None
}

/// One sum over a side's taps; folded if it may be and the side mirrors.
fn pass(side: &Side, size: usize, scale: Scale, shift: u32, may_fold: bool) -> Pass {
    let integer = |j: usize| scale.integer(side[j]);
    let fold = may_fold && size > 1 && (0..size / 2).all(|j| integer(j) == integer(size - 1 - j));
    let mut weights = [0; MAX_KERNEL_SIZE.div_ceil(2)];
    for (p, word) in weights[..terms(size, fold).div_ceil(2)].iter_mut().enumerate() {
        *word = pair_of_terms(size, fold, p, integer);
    }
    Pass { weights, size, fold, shift }
}

#[cfg(test)]
mod tests {
    use std::vec::Vec;

    use super::{Kernel, Method, Plan};

    fn plan(size: usize, weights: &[f64], method: Method) -> Plan {
        Plan::new(&Kernel::custom(size, weights).unwrap(), method).unwrap()
    }

    #[test]
    fn gaussians_are_folded_integers() {
        for (size, sigma) in [(3, 0.8), (5, 1.5), (7, 7.0), (31, 5.0), (101, 30.0)] {
            let kernel = Kernel::gaussian(size, sigma).unwrap();
            assert!(matches!(Plan::new(&kernel, Method::Direct), Ok(Plan::Direct(direct)) if direct.fold), "{size}");
            let separable = Plan::new(&kernel, Method::Separable);
            assert!(matches!(separable, Ok(Plan::Separable { column, row }) if column.fold && row.fold), "{size}");
        }
    }

    #[test]
    fn kernels_without_symmetry_are_integers_too() {
        let sobel = [-1.0, 0.0, 1.0, -2.0, 0.0, 2.0, -1.0, 0.0, 1.0];
        assert!(
            matches!(plan(3, &sobel, Method::Separable), Plan::Separable { column, row } if column.fold && !row.fold)
        );
        let skew: Vec<f64> = (0..25).map(|weight| f64::from(weight) / 300.0).collect();
        assert!(matches!(plan(5, &skew, Method::Direct), Plan::Direct(direct) if !direct.fold));
    }

    #[test]
    fn weights_that_no_integers_hold_are_doubles() {
        for large in [[1e6; 9], [0.1, 0.0, 0.0, 0.0, 4e4, 0.0, 0.0, 0.0, 0.1]] {
            assert!(matches!(plan(3, &large, Method::Direct), Plan::DirectFloat));
        }
        assert!(matches!(plan(3, &[1e6; 9], Method::Separable), Plan::SeparableFloat(_)));
    }
}
