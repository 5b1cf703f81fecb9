//! Kernels that are the product of a column and a row, and so can be applied in two passes.

use super::kernel::{Kernel, MAX_KERNEL_SIZE, Side};

/// By how much, at most, a sample may change when a kernel is taken for a product: weights come as rounded decimals.
const TOLERANCE: f64 = 0.01;

/// A kernel as `weight(j, i) = column[j] * row[i]`.
#[derive(Clone, Copy, Debug)]
pub(super) struct RankOne {
    /// Scaled so that the magnitudes add up to 1: a column of weighted samples stays within ±255.
    pub column: Side,
    /// The rest of the kernel.
    pub row: Side,
    /// The most that any sum of weighted samples differs from the kernel's own.
    pub error: f64,
}

impl RankOne {
    /// The factors of a kernel, or `None` when it is not of rank one.
    pub fn of(kernel: &Kernel<'_>) -> Option<Self> {
        let size = kernel.size();
        // The largest weight is the safest to divide by.
        let (at, pivot) = kernel
            .weights()
            .enumerate()
            .fold((0, 0.0f64), |best, (at, weight)| if weight.abs() > best.1.abs() { (at, weight) } else { best });
        let mut column = [0.0; MAX_KERNEL_SIZE];
        let mut row = [0.0; MAX_KERNEL_SIZE];
        if pivot != 0.0 {
            // Each at most 1 in magnitude, so neither scaling nor products can overflow.
            for (j, value) in column[..size].iter_mut().enumerate() {
                *value = kernel.weight(j, at % size) / pivot;
            }
            let sum: f64 = column[..size].iter().map(|value| value.abs()).sum();
            for value in &mut column[..size] {
                *value /= sum;
            }
            for (i, value) in row[..size].iter_mut().enumerate() {
                *value = kernel.weight(at / size, i) * sum;
            }
        }
        let error =
            kernel.weights().enumerate().map(|(at, weight)| (weight - column[at / size] * row[at % size]).abs());
        let error = 255.0 * error.sum::<f64>();
        (error <= TOLERANCE).then_some(Self { column, row, error })
    }
}
