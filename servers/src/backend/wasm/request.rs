//! The request of a convolution as the guest reads it; `servers/kernels/src/wasm/convolve.rs` says what it means.

use kernels::{Edge, Method};

use crate::image::{Convolve, Weights};

/// How many bytes it has.
pub(super) const BYTES: usize = 88;

/// A buffer in the guest's memory.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Region {
    pub(super) start: u32,
    /// Elements, not bytes.
    pub(super) len: u32,
}

/// Where everything is that one call works with.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Request {
    pub(super) image: Region,
    pub(super) out: Region,
    pub(super) weights: Region,
    pub(super) scratch_bytes: Region,
    pub(super) scratch_words: Region,
    pub(super) first_row: u32,
    pub(super) end_row: u32,
}

impl Request {
    /// The bytes that the guest reads; `None` where a number of the job is beyond 32 bits, which no job is that fits.
    pub(super) fn to_bytes(self, job: &Convolve) -> Option<[u8; BYTES]> {
        let narrow = |number: usize| u32::try_from(number).ok();
        let (sigma, custom) = match job.weights {
            Weights::Gaussian { sigma, .. } => (sigma, 0),
            Weights::Custom { .. } => (0.0, 1),
        };
        let regions = [self.image, self.out, self.weights, self.scratch_bytes, self.scratch_words];
        let numbers = [
            narrow(job.image.width)?,
            narrow(job.image.height)?,
            narrow(job.image.channels)?,
            custom,
            narrow(job.weights.size())?,
            narrow(Edge::ALL.iter().position(|&edge| edge == job.edge)?)?,
            narrow(Method::ALL.iter().position(|&method| method == job.method)?)?,
            self.first_row,
            self.end_row,
            0,
        ];
        let words = regions.iter().flat_map(|region| [region.start, region.len]).chain(numbers);
        let mut bytes = [0; BYTES];
        bytes[..8].copy_from_slice(&sigma.to_le_bytes());
        for (place, word) in bytes[8..].chunks_exact_mut(4).zip(words) {
            place.copy_from_slice(&word.to_le_bytes());
        }
        Some(bytes)
    }
}
