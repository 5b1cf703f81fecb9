//! What can be wrong with a convolution's input.

use core::fmt;

use super::kernel::MAX_KERNEL_SIZE;

/// Why an image, a kernel or a convolution was refused. Nothing has been computed then.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum ConvolveError {
    /// Not 1 to 4 channels.
    Channels(usize),
    /// No pixels.
    EmptyImage,
    /// Width x height x channels, or the memory needed beside it, does not fit this machine's addresses.
    TooLarge,
    /// The samples are not as many as width x height x channels.
    ImageLength {
        /// Width x height x channels.
        expected: usize,
        /// How many came.
        actual: usize,
    },
    /// A kernel's size is zero, even or above [`MAX_KERNEL_SIZE`].
    KernelSize(usize),
    /// A kernel's weights are not as many as size x size.
    WeightCount {
        /// Size x size.
        expected: usize,
        /// How many came.
        actual: usize,
    },
    /// A weight is infinite or not a number; its place, counted row by row from 0.
    Weight(usize),
    /// The weights are finite, but a sum of samples weighted by them need not be.
    WeightSum,
    /// Sigma is zero, negative, infinite or not a number.
    Sigma(f64),
    /// The separable method was asked for with a kernel that is not of rank one.
    NotSeparable,
    /// Rows that the image does not have, or that end before they start.
    Rows {
        /// The first row.
        start: usize,
        /// The row after the last.
        end: usize,
        /// How many rows the image has.
        height: usize,
    },
    /// The output is not as long as rows x width x channels.
    OutputLength {
        /// Rows x width x channels.
        expected: usize,
        /// How long it is.
        actual: usize,
    },
    /// The scratch memory is smaller than [`Convolution::scratch`](super::Convolution::scratch) says.
    Scratch,
    /// This CPU, or this build, has no such path.
    Path(super::Path),
}

impl fmt::Display for ConvolveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Channels(channels) => write!(f, "{channels} channels; there must be 1 to 4"),
            Self::EmptyImage => write!(f, "the image has no pixels"),
            Self::TooLarge => write!(f, "the image is too large"),
            Self::ImageLength { expected, actual } => {
                write!(f, "{actual} samples; width x height x channels is {expected}")
            }
            Self::KernelSize(size) => {
                write!(f, "kernel size {size}; it must be an odd number from 1 to {MAX_KERNEL_SIZE}")
            }
            Self::WeightCount { expected, actual } => {
                write!(f, "{actual} weights; size x size is {expected}")
            }
            Self::Weight(index) => write!(f, "weight {index} (counted from 0) is not a finite number"),
            Self::WeightSum => write!(f, "the weights are too large to be added up"),
            Self::Sigma(sigma) => write!(f, "sigma {sigma}; it must be a finite number above 0"),
            Self::NotSeparable => write!(f, "the kernel is not a column times a row; use the direct method"),
            Self::Rows { start, end, height } => {
                write!(f, "rows {start} to {end} of an image with {height} rows")
            }
            Self::OutputLength { expected, actual } => {
                write!(f, "the output holds {actual} samples; rows x width x channels is {expected}")
            }
            Self::Scratch => write!(f, "the scratch memory is too small"),
            Self::Path(path) => write!(f, "the path {} does not exist here", path.name()),
        }
    }
}

impl core::error::Error for ConvolveError {}
