//! Convolution of interleaved 8-bit images: the correlation sum(I(x + i, y + j) * M(i, j)) of each channel, alpha
//! included, rounded half up and clamped to 0..255.
//!
//! A [`Convolution`] is an image, a kernel, an edge mode and a method that fit each other. It computes bands of rows,
//! so threads or Wasm instances can share an image; a sample does not depend on the band or on the [`Path`]. No sample
//! is more than 1 away from the exact result. Beside input and output a band needs memory of the order (width + kernel
//! size) x kernel size.

mod edge;
mod error;
mod fixed;
mod float;
mod image;
mod kernel;
mod plan;
mod rank_one;
mod rows;
mod simd;

use core::ops::Range;
use core::str::FromStr;

pub use edge::Edge;
pub use error::ConvolveError;
pub use image::Image;
pub use kernel::{Kernel, MAX_KERNEL_SIZE};
pub use simd::Path;

use plan::Plan;
use rows::{Rows, SLACK};
use simd::{DirectTile, Loops, MIDDLE, SeparableTile, TILE};

/// How the sum is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Method {
    /// Over all size x size taps; any kernel.
    Direct,
    /// Over a column and then over a row of those sums; kernels that are the product of a column and a row.
    Separable,
}

impl Method {
    /// Both methods.
    pub const ALL: [Self; 2] = [Self::Direct, Self::Separable];

    /// The name in requests: `direct` or `separable`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Direct => "direct",
            Self::Separable => "separable",
        }
    }
}

impl FromStr for Method {
    type Err = ();

    fn from_str(name: &str) -> Result<Self, ()> {
        Self::ALL.into_iter().find(|method| method.name() == name).ok_or(())
    }
}

/// How much working memory a band needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScratchSize {
    /// Length of [`Scratch::bytes`].
    pub bytes: usize,
    /// Length of [`Scratch::words`].
    pub words: usize,
}

/// Working memory of one band; what is in it does not matter.
#[derive(Debug)]
pub struct Scratch<'a> {
    /// At least [`ScratchSize::bytes`].
    pub bytes: &'a mut [u8],
    /// At least [`ScratchSize::words`].
    pub words: &'a mut [u32],
}

/// An image and all that is to be done to it.
#[derive(Clone, Copy, Debug)]
pub struct Convolution<'a> {
    image: Image<'a>,
    kernel: Kernel<'a>,
    edge: Edge,
    plan: Plan,
    stride: usize,
    scratch: ScratchSize,
}

impl<'a> Convolution<'a> {
    /// Fits the parts together, or says why they do not.
    pub fn new(image: Image<'a>, kernel: Kernel<'a>, edge: Edge, method: Method) -> Result<Self, ConvolveError> {
        let plan = Plan::new(&kernel, method)?;
        let stride = Rows::stride(&image, kernel.radius()).ok_or(ConvolveError::TooLarge)?;
        let bytes = stride.checked_mul(kernel.size()).ok_or(ConvolveError::TooLarge)?;
        let words = match &plan {
            Plan::Direct(direct) => {
                let tile = image.row_len().min(TILE).next_multiple_of(SLACK);
                direct.pairs(kernel.size()) * (kernel.size() + tile + (kernel.size() - 1) * image.channels())
            }
            _ => 0,
        };
        Ok(Self { image, kernel, edge, plan, stride, scratch: ScratchSize { bytes, words } })
    }

    /// The working memory of each band, however many rows it has.
    pub fn scratch(&self) -> ScratchSize {
        self.scratch
    }

    /// Computes the output's rows `rows` into `out`, which holds these rows alone.
    pub fn run(
        &self,
        rows: Range<usize>,
        out: &mut [u8],
        scratch: Scratch<'_>,
        path: Path,
    ) -> Result<(), ConvolveError> {
        let loops = Loops::of(path).ok_or(ConvolveError::Path(path))?;
        let (image, radius) = (&self.image, self.kernel.radius());
        let Range { start, end } = rows;
        if start > end || end > image.height() {
            return Err(ConvolveError::Rows { start, end, height: image.height() });
        }
        let expected = (end - start) * image.row_len();
        if out.len() != expected {
            return Err(ConvolveError::OutputLength { expected, actual: out.len() });
        }
        let bytes = scratch.bytes.get_mut(..self.scratch.bytes).ok_or(ConvolveError::Scratch)?;
        let words = scratch.words.get_mut(..self.scratch.words).ok_or(ConvolveError::Scratch)?;

        let mut row = RowLoop::new(self, loops, words);
        let mut ring = Rows::new(bytes, self.stride, radius);
        let below = |y: usize| (y + radius) as isize;
        for y in start as isize - radius as isize..below(start) {
            ring.fill(image, self.edge, y);
        }
        for (y, out) in (start..end).zip(out.chunks_exact_mut(image.row_len())) {
            ring.fill(image, self.edge, below(y));
            row.compute(&ring, y, out);
        }
        Ok(())
    }

    /// The same with working memory of its own.
    #[cfg(feature = "std")]
    pub fn run_allocating(&self, rows: Range<usize>, out: &mut [u8], path: Path) -> Result<(), ConvolveError> {
        let mut bytes = std::vec![0; self.scratch.bytes];
        let mut words = std::vec![0; self.scratch.words];
        self.run(rows, out, Scratch { bytes: &mut bytes, words: &mut words }, path)
    }
}

/// Computes rows one after the other, a tile at a time.
struct RowLoop<'a> {
    convolution: &'a Convolution<'a>,
    loops: Loops,
    weights: &'a [u32],
    pairs: &'a mut [u32],
    steps: [usize; MAX_KERNEL_SIZE],
    middle: [i16; MIDDLE],
}

impl<'a> RowLoop<'a> {
    fn new(convolution: &'a Convolution<'a>, loops: Loops, words: &'a mut [u32]) -> Self {
        let kernel = &convolution.kernel;
        let weights = match &convolution.plan {
            Plan::Direct(direct) => direct.pairs(kernel.size()) * kernel.size(),
            _ => 0,
        };
        let (weights, pairs) = words.split_at_mut(weights);
        if let Plan::Direct(direct) = &convolution.plan {
            direct.write_weights(kernel, weights);
        }
        let steps = core::array::from_fn(|i| i * convolution.image.channels());
        Self { convolution, loops, weights, pairs, steps, middle: [0; MIDDLE] }
    }

    fn compute(&mut self, ring: &Rows<'_>, y: usize, out: &mut [u8]) {
        let Convolution { image, kernel, plan, .. } = self.convolution;
        let channels = image.channels();
        let mut starts = ring.around(y);
        let starts = &mut starts[..kernel.size()];
        let rows = ring.bytes();
        for out in out.chunks_mut(TILE) {
            match plan {
                Plan::Direct(direct) => {
                    let (fold, shift) = (direct.fold, direct.shift());
                    let (weights, pairs) = (self.weights, &mut *self.pairs);
                    let tile = DirectTile { rows, starts, channels, fold, weights, shift, pairs };
                    self.loops.direct(tile, out);
                }
                Plan::DirectFloat => float::direct(kernel, rows, starts, channels, out),
                Plan::Separable { column, row } => {
                    let (steps, middle) = (&self.steps[..kernel.size()], &mut self.middle);
                    self.loops.separable(SeparableTile { rows, starts, steps, column, row, middle }, out);
                }
                Plan::SeparableFloat(factors) => float::separable(factors, rows, starts, channels, out),
            }
            for start in &mut *starts {
                *start += TILE;
            }
        }
    }
}
