//! The loops over samples, written once for every width of SIMD; all that is unsafe in this crate's arithmetic is here.
//!
//! Each path computes the same integers: sums of products that cannot overflow do not depend on their order.

mod direct;
mod lanes;
mod path;
mod portable;
mod separable;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod wasm;
#[cfg(target_arch = "x86_64")]
mod x86;

pub use path::Path;

use super::fixed::half;
use super::kernel::MAX_KERNEL_SIZE;
use super::rows::SLACK;
use portable::Portable;

/// The most samples that are computed in one go, so that what is between two loops stays in the first cache.
pub(super) const TILE: usize = 1024;

/// Room for the sums of columns of a tile: its samples rounded up, those beyond its ends, and what is read beyond them.
pub(super) const MIDDLE: usize = TILE + 4 * MAX_KERNEL_SIZE.next_multiple_of(SLACK) + 2 * SLACK;

/// One sum over the taps of a column or a row.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pass {
    /// Two 16-bit weights in each.
    pub weights: [u32; MAX_KERNEL_SIZE.div_ceil(2)],
    /// How many taps.
    pub size: usize,
    /// Taps at the same distance from the centre are added before they are weighted.
    pub fold: bool,
    /// Fraction bits to drop from the sums.
    pub shift: u32,
}

/// A stretch of a row, for the direct method.
pub(super) struct DirectTile<'a> {
    /// Samples; from each start on, as many as the output rounded up to SLACK and the kernel's width beyond.
    pub rows: &'a [u8],
    /// Where the first tap of each row of the kernel lies for the first sample of the output.
    pub starts: &'a [usize],
    /// Samples from one tap to the next.
    pub channels: usize,
    /// Rows at the same distance from the centre are added before they are weighted.
    pub fold: bool,
    /// A row of words for each pair of terms.
    pub weights: &'a [u32],
    /// Fraction bits to drop from the sums.
    pub shift: u32,
    /// Working memory: as many rows as `weights` has, as wide as `rows` must be.
    pub pairs: &'a mut [u32],
}

/// A stretch of a row, for the separable method.
pub(super) struct SeparableTile<'a> {
    /// As for the direct method.
    pub rows: &'a [u8],
    /// As for the direct method.
    pub starts: &'a [usize],
    /// Samples from the first tap of a row to each.
    pub steps: &'a [usize],
    /// The first sum.
    pub column: &'a Pass,
    /// The second.
    pub row: &'a Pass,
    /// Working memory.
    pub middle: &'a mut [i16; MIDDLE],
}

/// Compiles both loops for a width of SIMD.
macro_rules! compile {
    ($direct:ident, $separable:ident, $lanes:ty, $registers:literal $(, $feature:literal)?) => {
        $(#[target_feature(enable = $feature)])?
        fn $direct(tile: DirectTile<'_>, out: &mut [u8]) {
            // SAFETY: the features of this function are those that the lanes need.
            unsafe { direct::run::<$lanes, $registers>(tile, out) }
        }

        $(#[target_feature(enable = $feature)])?
        fn $separable(tile: SeparableTile<'_>, out: &mut [u8]) {
            // SAFETY: the features of this function are those that the lanes need.
            unsafe { separable::run::<$lanes>(tile, out) }
        }
    };
}

compile!(direct_portable, separable_portable, Portable, 4);
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
compile!(direct_128, separable_128, wasm::Wasm, 8);
#[cfg(target_arch = "x86_64")]
compile!(direct_128, separable_128, x86::Sse2, 8);
#[cfg(target_arch = "x86_64")]
compile!(direct_256, separable_256, x86::Avx2, 8, "avx2");
#[cfg(target_arch = "x86_64")]
compile!(direct_512, separable_512, x86::Avx512, 4, "avx512f,avx512bw");

/// A path that was found to be available.
#[derive(Clone, Copy)]
pub(super) struct Loops(Path);

impl Loops {
    /// The loops of a path, if this CPU has it.
    pub fn of(path: Path) -> Option<Self> {
        path.is_available().then_some(Self(path))
    }

    /// Computes `out` by the direct method.
    #[inline]
    pub fn direct(self, tile: DirectTile<'_>, out: &mut [u8]) {
        match self.0 {
            #[cfg(any(target_arch = "x86_64", all(target_arch = "wasm32", target_feature = "simd128")))]
            Path::Simd128 => direct_128(tile, out),
            // SAFETY: `of` has made sure of the CPU.
            #[cfg(target_arch = "x86_64")]
            Path::Simd256 => unsafe { direct_256(tile, out) },
            // SAFETY: `of` has made sure of the CPU.
            #[cfg(target_arch = "x86_64")]
            Path::Simd512 => unsafe { direct_512(tile, out) },
            _ => direct_portable(tile, out),
        }
    }

    /// Computes `out` by the separable method.
    #[inline]
    pub fn separable(self, tile: SeparableTile<'_>, out: &mut [u8]) {
        match self.0 {
            #[cfg(any(target_arch = "x86_64", all(target_arch = "wasm32", target_feature = "simd128")))]
            Path::Simd128 => separable_128(tile, out),
            // SAFETY: `of` has made sure of the CPU.
            #[cfg(target_arch = "x86_64")]
            Path::Simd256 => unsafe { separable_256(tile, out) },
            // SAFETY: `of` has made sure of the CPU.
            #[cfg(target_arch = "x86_64")]
            Path::Simd512 => unsafe { separable_512(tile, out) },
            _ => separable_portable(tile, out),
        }
    }
}
