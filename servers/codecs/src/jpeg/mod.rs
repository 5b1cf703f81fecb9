//! JPEG: decoded by zune-jpeg, encoded here.
//!
//! The decoder is lenient towards damaged files, reads colours by rules of its own and keeps copies of all that is not
//! pixels. So it is given the essence of a file only, read here.

mod encoder;
mod essence;
mod frame;
mod segments;

use zune_core::bytestream::ZCursor;
use zune_core::colorspace::ColorSpace;
use zune_core::options::DecoderOptions;
use zune_jpeg::JpegDecoder;

use crate::{DecodeError, Format, Header, Picture};
pub(crate) use encoder::encode;
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
    decoder.decode_into(&mut pixels).map_err(DecodeError::corrupt)?;
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
