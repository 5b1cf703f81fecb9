//! The weights of a convolution.

use super::ConvolveError;

/// The largest size of a kernel: 255 x 255 weights.
pub const MAX_KERNEL_SIZE: usize = 255;

/// Values along one side of a kernel.
pub(super) type Side = [f64; MAX_KERNEL_SIZE];

/// A square of weights with an odd size, its centre on the pixel that is computed.
#[derive(Clone, Copy, Debug)]
pub struct Kernel<'a> {
    size: usize,
    weights: Weights<'a>,
}

#[derive(Clone, Copy, Debug)]
#[expect(clippy::large_enum_variant, reason = "nothing is allocated here, and a job has one of these")]
enum Weights<'a> {
    /// The product of one side with itself; the side adds up to 1.
    Gaussian(Side),
    /// Row by row.
    Custom(&'a [f64]),
}

impl Kernel<'static> {
    /// exp(-(x² + y²) / 2 sigma²), with sigma in pixels, normalised so that the weights add up to 1.
    pub fn gaussian(size: usize, sigma: f64) -> Result<Self, ConvolveError> {
        check_size(size)?;
        if !sigma.is_finite() || sigma <= 0.0 {
            return Err(ConvolveError::Sigma(sigma));
        }
        let mut side = [0.0; MAX_KERNEL_SIZE];
        for (i, value) in side[..size].iter_mut().enumerate() {
            let distance = i.abs_diff(size / 2) as f64 / sigma;
            *value = libm::exp(-0.5 * distance * distance);
        }
        // The centre is exp(-0 / sigma) = 1, or exp(-0 * 0) = 1: the sum is at least 1, however small sigma is.
        let sum: f64 = side[..size].iter().sum();
        side[..size].iter_mut().for_each(|value| *value /= sum);
        Ok(Self { size, weights: Weights::Gaussian(side) })
    }
}

impl<'a> Kernel<'a> {
    /// A kernel of size x size weights, row by row from the top: the weight at (i, j) is for the pixel i to the right
    /// and j below, counted from the centre.
    pub fn custom(size: usize, weights: &'a [f64]) -> Result<Self, ConvolveError> {
        check_size(size)?;
        if weights.len() != size * size {
            return Err(ConvolveError::WeightCount { expected: size * size, actual: weights.len() });
        }
        if let Some(index) = weights.iter().position(|weight| !weight.is_finite()) {
            return Err(ConvolveError::Weight(index));
        }
        // No partial sum of samples times weights may overflow, in whatever order.
        let largest_sum: f64 = weights.iter().map(|weight| 255.0 * weight.abs()).sum();
        if !largest_sum.is_finite() {
            return Err(ConvolveError::WeightSum);
        }
        Ok(Self { size, weights: Weights::Custom(weights) })
    }

    /// Weights along a side.
    pub fn size(&self) -> usize {
        self.size
    }

    /// How far the kernel reaches from its centre.
    pub(super) fn radius(&self) -> usize {
        self.size / 2
    }

    /// The weight in row `j` and column `i`, both below the size.
    pub(super) fn weight(&self, j: usize, i: usize) -> f64 {
        match &self.weights {
            Weights::Gaussian(side) => side[j] * side[i],
            Weights::Custom(weights) => weights[j * self.size + i],
        }
    }

    /// All weights, row by row.
    pub(super) fn weights(&self) -> impl Iterator<Item = f64> + Clone + '_ {
        (0..self.size).flat_map(move |j| (0..self.size).map(move |i| self.weight(j, i)))
    }
}

fn check_size(size: usize) -> Result<(), ConvolveError> {
    if size % 2 == 1 && size <= MAX_KERNEL_SIZE { Ok(()) } else { Err(ConvolveError::KernelSize(size)) }
}
