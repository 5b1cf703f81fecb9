//! JPEG: decoded by zune-jpeg, encoded by jpeg-encoder.
//!
//! The decoder is lenient towards damaged files, reads colours by rules of its own and keeps copies of all that is not
//! pixels. So it is given the essence of a file only, read here.

mod essence;
mod frame;
mod segments;

use std::panic::{AssertUnwindSafe, catch_unwind};

use jpeg_encoder::{ChromaSubsamplingMethod, ColorType, Encoder, SamplingFactor};
use zune_core::bytestream::ZCursor;
use zune_core::colorspace::ColorSpace;
use zune_core::options::DecoderOptions;
use zune_jpeg::JpegDecoder;

use crate::{DecodeError, EncodeError, Format, Header, Picture, Quality, View};
use essence::essence;
use frame::{Colour, Head};

/// How every file begins.
pub(crate) const SIGNATURE: [u8; 3] = [0xff, 0xd8, 0xff];

pub(crate) fn read_header(bytes: &[u8]) -> Result<Header, DecodeError> {
    let Head { frame, orientation, .. } = Head::read(bytes)?;
    let (width, height) = orientation.turned(frame.width.into(), frame.height.into());
    Ok(Header { format: Format::Jpeg, width, height })
}

pub(crate) fn decode(bytes: &[u8]) -> Result<Picture, DecodeError> {
    let head = Head::read(bytes)?;
    let essence = essence(bytes, &head)?;
    let options = DecoderOptions::default()
        .set_strict_mode(true)
        .set_max_width(u16::MAX.into())
        .set_max_height(u16::MAX.into())
        .jpeg_set_out_colorspace(output(&head));
    let (width, height) = (usize::from(head.frame.width), usize::from(head.frame.height));
    let channels = if head.colour == Colour::Grey { 1 } else { 3 };
    let mut pixels = vec![0; width * height * channels];
    let mut decoder = JpegDecoder::new_with_options(ZCursor::new(essence.as_slice()), options);
    // It panics on some files that are damaged, mostly where sums overflow. Neither it nor the pixels are used after that.
    catch_unwind(AssertUnwindSafe(|| decoder.decode_into(&mut pixels)))
        .map_err(|_| DecodeError::corrupt("the decoder gave up"))?
        .map_err(DecodeError::corrupt)?;
    Ok(head.orientation.apply(Picture { width, height, channels, pixels }))
}

/// What the decoder is to make of the components.
fn output(head: &Head) -> ColorSpace {
    match head.colour {
        Colour::Grey => ColorSpace::Luma,
        // Components of other names are YCbCr to the decoder: those it leaves as they are if told to give YCbCr.
        Colour::Rgb if !head.frame.components.iter().map(|component| component.id).eq(*b"RGB") => ColorSpace::YCbCr,
        Colour::Rgb | Colour::YCbCr | Colour::Cmyk | Colour::Ycck => ColorSpace::RGB,
    }
}

/// Writes as libjpeg does by default: the tables of the standard, the colours of four pixels averaged (4:2:0).
pub(crate) fn encode(view: View<'_>, quality: Quality) -> Result<Vec<u8>, EncodeError> {
    let color = match view.channels {
        1 => ColorType::Luma,
        3 => ColorType::Rgb,
        channels => return Err(EncodeError::Channels { format: "JPEG", channels }),
    };
    let side = |side: usize| u16::try_from(side).ok().filter(|&side| side > 0);
    let (Some(width), Some(height)) = (side(view.width), side(view.height)) else {
        return Err(EncodeError::Size { format: "JPEG", width: view.width, height: view.height });
    };
    let mut file = Vec::with_capacity(view.pixels.len() / 8 + 1024);
    let mut encoder = Encoder::new(&mut file, quality.get());
    encoder.set_sampling_factor(SamplingFactor::F_2_2);
    encoder.set_chroma_subsampling_method(ChromaSubsamplingMethod::Average);
    encoder.encode(view.pixels, width, height, color).map_err(|error| EncodeError::Encoder(error.to_string()))?;
    Ok(file)
}
