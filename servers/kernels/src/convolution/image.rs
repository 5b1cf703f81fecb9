//! The image that is convolved.

use super::ConvolveError;

/// 8-bit samples of `width` x `height` pixels with 1 to 4 interleaved channels, row by row from the top, without gaps.
#[derive(Clone, Copy, Debug)]
pub struct Image<'a> {
    data: &'a [u8],
    width: usize,
    height: usize,
    channels: usize,
}

impl<'a> Image<'a> {
    /// An image over `data`, whose length must be width x height x channels.
    pub fn new(data: &'a [u8], width: usize, height: usize, channels: usize) -> Result<Self, ConvolveError> {
        if !(1..=4).contains(&channels) {
            return Err(ConvolveError::Channels(channels));
        }
        let expected =
            width.checked_mul(height).and_then(|pixels| pixels.checked_mul(channels)).ok_or(ConvolveError::TooLarge)?;
        if data.len() != expected {
            return Err(ConvolveError::ImageLength { expected, actual: data.len() });
        }
        if expected == 0 {
            return Err(ConvolveError::EmptyImage);
        }
        Ok(Self { data, width, height, channels })
    }

    /// Pixels in a row.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Rows.
    pub fn height(&self) -> usize {
        self.height
    }

    /// Samples in a pixel.
    pub fn channels(&self) -> usize {
        self.channels
    }

    /// Samples in a row.
    pub(super) fn row_len(&self) -> usize {
        self.width * self.channels
    }

    /// Row `y`, which must exist.
    pub(super) fn row(&self, y: usize) -> &'a [u8] {
        &self.data[y * self.row_len()..][..self.row_len()]
    }
}
