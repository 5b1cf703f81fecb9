//! Pixels, owned or borrowed, and how well they are to be kept.

use std::fmt;

use crate::EncodeError;

/// A decoded picture: interleaved 8-bit samples, row by row from the top.
#[derive(Clone, PartialEq, Eq)]
pub struct Picture {
    /// Pixels in a row.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Samples of a pixel: 1 grey, 2 grey and alpha, 3 RGB, 4 RGB and alpha.
    pub channels: usize,
    /// Width x height x channels samples.
    pub pixels: Vec<u8>,
}

impl Picture {
    /// The picture, borrowed.
    pub fn view(&self) -> View<'_> {
        let Self { width, height, channels, ref pixels } = *self;
        View { width, height, channels, pixels }
    }
}

/// Without the pixels, which would fill screens.
impl fmt::Debug for Picture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { width, height, channels, pixels } = self;
        write!(f, "Picture({width} x {height} pixels, {channels} channels, {} bytes)", pixels.len())
    }
}

/// A picture that someone else owns; its parts are as those of [`Picture`].
#[derive(Debug, Clone, Copy)]
pub struct View<'a> {
    /// Pixels in a row.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Samples of a pixel.
    pub channels: usize,
    /// The samples.
    pub pixels: &'a [u8],
}

impl View<'_> {
    /// The parts agree with each other.
    pub(crate) fn check(&self) -> Result<(), EncodeError> {
        let expected = self.width.saturating_mul(self.height).saturating_mul(self.channels);
        let actual = self.pixels.len();
        if actual == expected { Ok(()) } else { Err(EncodeError::Length { expected, actual }) }
    }
}

/// How much of a picture a JPEG keeps: 1 to 100, with the meaning that libjpeg gave it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quality(u8);

impl Quality {
    /// `None` unless it is 1 to 100.
    pub const fn new(quality: u8) -> Option<Self> {
        if matches!(quality, 1..=100) { Some(Self(quality)) } else { None }
    }

    /// 1 to 100.
    pub const fn get(self) -> u8 {
        self.0
    }
}

impl Default for Quality {
    /// 80.
    fn default() -> Self {
        Self(80)
    }
}
