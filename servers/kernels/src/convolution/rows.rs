//! The rows around the one that is computed, with what lies beyond the edges filled in.

use super::edge::Edge;
use super::image::Image;
use super::kernel::MAX_KERNEL_SIZE;

/// Samples after a padded row that may be read, whatever they are: SIMD takes up to 64 at once.
pub(super) const SLACK: usize = 64;

/// As many rows as the kernel is high, each padded left and right by its radius. Row y, which may lie outside of the
/// image, is in slot y modulo the kernel's size, so each row is padded once.
pub(super) struct Rows<'a> {
    bytes: &'a mut [u8],
    stride: usize,
    radius: usize,
}

impl<'a> Rows<'a> {
    /// Samples from one padded row to the next, or `None` when that overflows.
    pub fn stride(image: &Image<'_>, radius: usize) -> Option<usize> {
        image.row_len().checked_add(2 * radius * image.channels() + SLACK)
    }

    /// No rows yet, in `bytes` of size x stride.
    pub fn new(bytes: &'a mut [u8], stride: usize, radius: usize) -> Self {
        Self { bytes, stride, radius }
    }

    /// Copies row `y` to its slot.
    pub fn fill(&mut self, image: &Image<'_>, edge: Edge, y: isize) {
        let start = self.start(y);
        let slot = &mut self.bytes[start..][..self.stride];
        let Some(source) = edge.source(y, image.height()) else {
            slot.fill(0);
            return;
        };
        let row = image.row(source);
        let channels = image.channels();
        let (left, rest) = slot.split_at_mut(self.radius * channels);
        let (inside, right) = rest.split_at_mut(row.len());
        inside.copy_from_slice(row);
        let pad = |pixels: &mut [u8], first: isize| {
            for (x, pixel) in (first..).zip(pixels.chunks_exact_mut(channels)) {
                match edge.source(x, image.width()) {
                    Some(x) => pixel.copy_from_slice(&row[x * channels..][..channels]),
                    None => pixel.fill(0),
                }
            }
        };
        pad(left, -(self.radius as isize));
        pad(&mut right[..self.radius * channels], image.width() as isize);
    }

    /// Where the rows around row `y` start, from the uppermost to the lowest.
    pub fn around(&self, y: usize) -> [usize; MAX_KERNEL_SIZE] {
        let mut starts = [0; MAX_KERNEL_SIZE];
        let first = y as isize - self.radius as isize;
        for (y, start) in (first..).zip(&mut starts[..2 * self.radius + 1]) {
            *start = self.start(y);
        }
        starts
    }

    /// All slots.
    pub fn bytes(&self) -> &[u8] {
        self.bytes
    }

    fn start(&self, y: isize) -> usize {
        y.rem_euclid(2 * self.radius as isize + 1) as usize * self.stride
    }
}
