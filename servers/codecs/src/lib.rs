//! JPEG and PNG, in and out: what a file holds becomes interleaved 8-bit samples, and such samples become a file.
//!
//! Files come from strangers. [`read_header`] says what a file claims to be and allocates nothing for it; [`decode`]
//! refuses more pixels than it was told to take before it allocates any; a file that ends early or contradicts itself is
//! an error, never half a picture.
//!
//! ```text
//! jpeg/           segments of a file, what is decoded of them, and the encoder
//! png.rs          the same for PNG
//! orientation.rs  which way up a photograph is
//! ```

mod error;
mod jpeg;
mod orientation;
mod picture;
mod png;

use std::panic::catch_unwind;

pub use error::{DecodeError, EncodeError};
pub use picture::{Picture, Quality, View};

/// A kind of file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// Lossy; 1 or 3 channels.
    Jpeg,
    /// Exact; 1 to 4 channels.
    Png,
}

impl Format {
    /// What a file is, by its first bytes.
    pub fn sniff(bytes: &[u8]) -> Option<Self> {
        if bytes.starts_with(&jpeg::SIGNATURE) {
            Some(Self::Jpeg)
        } else if bytes.starts_with(&png::SIGNATURE) {
            Some(Self::Png)
        } else {
            None
        }
    }

    /// The media type, for `Content-Type`.
    pub const fn mime(self) -> &'static str {
        match self {
            Self::Jpeg => "image/jpeg",
            Self::Png => "image/png",
        }
    }
}

/// What a file says of itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    /// The kind of file.
    pub format: Format,
    /// Pixels in a row, once the picture is the right way up.
    pub width: u32,
    /// Rows, once the picture is the right way up.
    pub height: u32,
}

impl Header {
    /// Width x height.
    pub fn pixels(&self) -> u64 {
        u64::from(self.width) * u64::from(self.height)
    }

    fn check(self, max_pixels: u64) -> Result<Self, DecodeError> {
        if self.pixels() > max_pixels {
            let Self { width, height, .. } = self;
            return Err(DecodeError::TooManyPixels { width, height, max: max_pixels });
        }
        Ok(self)
    }
}

/// Reads no farther than to where the pixels begin.
///
/// # Errors
/// The file is no image, of a kind that cannot be decoded, damaged up to there, or has more than `max_pixels` pixels.
pub fn read_header(bytes: &[u8], max_pixels: u64) -> Result<Header, DecodeError> {
    let header = match Format::sniff(bytes) {
        Some(Format::Jpeg) => jpeg::read_header(bytes),
        Some(Format::Png) => png::read_header(bytes),
        None => Err(DecodeError::NotAnImage),
    };
    header?.check(max_pixels)
}

/// The picture in a file, the right way up.
///
/// Grey stays grey, alpha stays; palettes become RGB or RGBA, CMYK becomes RGB, 16 bits become 8.
///
/// # Errors
/// As [`read_header`], and what is found wrong farther on.
pub fn decode(bytes: &[u8], max_pixels: u64) -> Result<Picture, DecodeError> {
    let format = read_header(bytes, max_pixels)?.format;
    // The decoders are by others, and may panic on files that are damaged, mostly where sums overflow. Nothing of theirs
    // is used after that.
    let decoded = catch_unwind(|| match format {
        Format::Jpeg => jpeg::decode(bytes),
        Format::Png => png::decode(bytes),
    });
    decoded.unwrap_or_else(|_| Err(DecodeError::corrupt("the decoder gave up")))
}

/// A file of these pixels. PNG is exact and knows no quality.
///
/// # Errors
/// The format cannot hold such a picture.
pub fn encode(view: View<'_>, format: Format, quality: Quality) -> Result<Vec<u8>, EncodeError> {
    view.check()?;
    match format {
        Format::Jpeg => jpeg::encode(view, quality),
        Format::Png => png::encode(view),
    }
}
