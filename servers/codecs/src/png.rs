//! PNG by the crate `png`.

use std::io::Cursor;

use png::{BitDepth, ColorType, Compression, DecodeOptions, Decoder, DecodingError, Encoder, Limits, Transformations};

use crate::orientation::Orientation;
use crate::{DecodeError, EncodeError, Format, Header, Picture, View};

/// How every file begins.
pub(crate) const SIGNATURE: [u8; 8] = *b"\x89PNG\r\n\x1a\n";

/// What the decoder may allocate beside the pixels: a few rows, the longest of which this has room for.
const ROW_BYTES: usize = 1 << 30;

/// What the first chunk says, turned by a chunk with EXIF that comes before the pixels.
pub(crate) fn read_header(bytes: &[u8]) -> Result<Header, DecodeError> {
    let mut decoder = decoder(bytes);
    let info = decoder.read_header_info().map_err(error)?;
    let (width, height) = orientation(bytes)?.turned(info.width, info.height);
    Ok(Header { format: Format::Png, width, height })
}

pub(crate) fn decode(bytes: &[u8]) -> Result<Picture, DecodeError> {
    let orientation = orientation(bytes)?;
    let mut reader = decoder(bytes).read_info().map_err(error)?;
    let (width, height) = reader.info().size();
    let (color, depth) = reader.output_color_type();
    let length = reader.output_buffer_size().ok_or(DecodeError::Unsupported("a PNG of this size"))?;
    let mut pixels = vec![0; length];
    let frame = reader.next_frame(&mut pixels).map_err(error)?;
    // The first frame of an animation may not be as large as the picture.
    if (frame.width, frame.height) != (width, height) {
        return Err(DecodeError::corrupt("the first frame is not as large as the picture"));
    }
    // What comes behind the pixels has to be there too, or the file was cut short.
    reader.finish().map_err(error)?;
    if depth == BitDepth::Sixteen {
        to_eight_bits(&mut pixels);
    }
    let picture = Picture { width: width as usize, height: height as usize, channels: color.samples(), pixels };
    Ok(orientation.apply(picture))
}

fn decoder(bytes: &[u8]) -> Decoder<Cursor<&[u8]>> {
    let mut options = DecodeOptions::default();
    // Texts and profiles are not looked at: what they would unfold to costs nothing.
    options.set_ignore_text_chunk(true);
    options.set_ignore_iccp_chunk(true);
    options.set_ignore_adler32(false);
    let mut decoder = Decoder::new_with_options(Cursor::new(bytes), options);
    decoder.set_limits(Limits { bytes: ROW_BYTES });
    // Palettes, transparent colours and fewer than 8 bits become plain samples.
    decoder.set_transformations(Transformations::EXPAND);
    decoder
}

/// What the chunks before the pixels say of the orientation; and the palette, if any, is one of whole colours, without which
/// the decoder would panic.
fn orientation(bytes: &[u8]) -> Result<Orientation, DecodeError> {
    let mut rest = bytes.get(SIGNATURE.len()..).unwrap_or_default();
    let mut orientation = None;
    // A chunk is a length, a name, so many bytes, and a checksum.
    while let Some((length, name)) = rest.split_first_chunk::<4>() {
        let length = u32::from_be_bytes(*length) as usize;
        let Some((data, behind)) = name.get(4..).and_then(|data| data.split_at_checked(length)) else { break };
        match &name[..4] {
            b"eXIf" => orientation = orientation.or(Orientation::from_exif(data)),
            b"PLTE" if !length.is_multiple_of(3) => {
                return Err(DecodeError::corrupt("its palette has parts of colours"));
            }
            b"IDAT" => break,
            _ => {}
        }
        rest = behind.get(4..).unwrap_or_default();
    }
    Ok(orientation.unwrap_or(Orientation::UPRIGHT))
}

/// Makes 8 bits of each 16 (most significant first): the nearest of 256 shades that are as far apart, not the upper half.
fn to_eight_bits(samples: &mut Vec<u8>) {
    let count = samples.len() / 2;
    for index in 0..count {
        let wide = u32::from(u16::from_be_bytes([samples[2 * index], samples[2 * index + 1]]));
        samples[index] = ((wide * 255 + 32_767) / 65_535) as u8;
    }
    samples.truncate(count);
    samples.shrink_to_fit();
}

fn error(error: DecodingError) -> DecodeError {
    match error {
        DecodingError::IoError(_) => DecodeError::truncated(),
        DecodingError::LimitsExceeded => DecodeError::Unsupported("a PNG with rows that long"),
        other => DecodeError::corrupt(other),
    }
}

/// Writes at the compression `Fast`, which is made for pictures: several times as fast as zlib's lowest level at about
/// its size. Who waits for an answer computed on demand would not want to wait longer for a smaller one.
pub(crate) fn encode(view: View<'_>) -> Result<Vec<u8>, EncodeError> {
    let color = match view.channels {
        1 => ColorType::Grayscale,
        2 => ColorType::GrayscaleAlpha,
        3 => ColorType::Rgb,
        4 => ColorType::Rgba,
        channels => return Err(EncodeError::Channels { format: "PNG", channels }),
    };
    let side = |side: usize| i32::try_from(side).ok().filter(|&side| side > 0).map(i32::cast_unsigned);
    let (Some(width), Some(height)) = (side(view.width), side(view.height)) else {
        return Err(EncodeError::Size { format: "PNG", width: view.width, height: view.height });
    };
    let mut file = Vec::with_capacity(view.pixels.len() / 2);
    let mut encoder = Encoder::new(&mut file, width, height);
    encoder.set_color(color);
    encoder.set_depth(BitDepth::Eight);
    encoder.set_compression(Compression::Fast);
    let written = encoder.write_header().and_then(|mut writer| {
        writer.write_image_data(view.pixels)?;
        writer.finish()
    });
    written.map_err(|error| EncodeError::Encoder(error.to_string()))?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sixteen_bits_become_the_nearest_eight() {
        for wide in 0..=u16::MAX {
            let mut samples = wide.to_be_bytes().to_vec();
            to_eight_bits(&mut samples);
            let nearest = (f64::from(wide) / 257.0).round() as u8;
            assert_eq!(samples, [nearest], "{wide}");
        }
    }
}
