//! What can be wrong with a file or a picture, in words for whoever sent it.

/// Why a file could not be decoded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// It is neither JPEG nor PNG.
    #[error("this is neither a JPEG nor a PNG file")]
    NotAnImage,
    /// It is one of a kind that is not decoded here.
    #[error("{0} cannot be decoded here")]
    Unsupported(&'static str),
    /// It is larger than is wanted.
    #[error("{width} x {height} pixels are more than the {max} allowed")]
    TooManyPixels {
        /// Pixels in a row.
        width: u32,
        /// Rows.
        height: u32,
        /// Pixels that are allowed.
        max: u64,
    },
    /// It is damaged.
    #[error("the image is corrupt: {0}")]
    Corrupt(String),
}

impl DecodeError {
    pub(crate) fn corrupt(reason: impl std::fmt::Display) -> Self {
        Self::Corrupt(reason.to_string())
    }

    pub(crate) fn truncated() -> Self {
        Self::corrupt("the file ends too early")
    }
}

/// Why a picture could not be encoded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EncodeError {
    /// The format has no such pixels.
    #[error("{format} cannot hold {channels} channels")]
    Channels {
        /// The format's name.
        format: &'static str,
        /// Channels of the picture.
        channels: usize,
    },
    /// A side is zero, or longer than the format can say.
    #[error("{format} cannot hold {width} x {height} pixels")]
    Size {
        /// The format's name.
        format: &'static str,
        /// Pixels in a row.
        width: usize,
        /// Rows.
        height: usize,
    },
    /// The samples are not as many as width x height x channels.
    #[error("{actual} samples; width x height x channels is {expected}")]
    Length {
        /// Width x height x channels.
        expected: usize,
        /// How many came.
        actual: usize,
    },
    /// The encoder failed, which it should not.
    #[error("the picture could not be encoded: {0}")]
    Encoder(String),
}
