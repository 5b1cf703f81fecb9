//! A convolution as data: an image that is decoded already, and what is to be done with it.

use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use kernels::{Convolution, ConvolveError, Edge, Kernel, Method};

/// An image, decoded: interleaved 8-bit samples, row by row. Cheap to clone.
#[derive(Clone, PartialEq, Eq)]
pub struct Image {
    /// Pixels in a row.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Samples of a pixel, 1 to 4; alpha is one like the others.
    pub channels: usize,
    /// The samples.
    pub pixels: Bytes,
}

/// Without the pixels, which would fill screens.
impl fmt::Debug for Image {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Image({self}, {} bytes)", self.pixels.len())
    }
}

impl fmt::Display for Image {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} x {} pixels, {} channels", self.width, self.height, self.channels)
    }
}

/// The weights of a square kernel.
#[derive(Debug, Clone, PartialEq)]
pub enum Weights {
    /// Normalised to a sum of 1.
    Gaussian {
        /// Odd.
        size: usize,
        /// In pixels.
        sigma: f64,
    },
    /// Taken as they are.
    Custom {
        /// Odd.
        size: usize,
        /// Row by row; size x size of them.
        weights: Arc<[f64]>,
    },
}

impl Weights {
    /// Rows, and columns, of the kernel.
    pub fn size(&self) -> usize {
        match *self {
            Self::Gaussian { size, .. } | Self::Custom { size, .. } => size,
        }
    }

    /// The kernel, if there can be one.
    pub fn kernel(&self) -> Result<Kernel<'_>, ConvolveError> {
        match self {
            Self::Gaussian { size, sigma } => Kernel::gaussian(*size, *sigma),
            Self::Custom { size, weights } => Kernel::custom(*size, weights),
        }
    }
}

/// What a job of convolution is to compute. Nothing of it has been checked.
#[derive(Debug, Clone, PartialEq)]
pub struct Convolve {
    /// What is convolved.
    pub image: Image,
    /// With what.
    pub weights: Weights,
    /// What lies outside the image.
    pub edge: Edge,
    /// How.
    pub method: Method,
}

impl Convolve {
    /// The convolution as the kernels take it; an error says what is wrong with it.
    pub fn check(&self) -> Result<Convolution<'_>, ConvolveError> {
        let Image { width, height, channels, ref pixels } = self.image;
        let image = kernels::Image::new(pixels, width, height, channels)?;
        Convolution::new(image, self.weights.kernel()?, self.edge, self.method)
    }
}
