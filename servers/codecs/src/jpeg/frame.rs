//! What a JPEG says of its picture, and whether it is of a kind that can be decoded.

use super::segments::{Segment, Segments, marker};
use crate::DecodeError;
use crate::orientation::Orientation;

/// What the components of a pixel mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Colour {
    Grey,
    YCbCr,
    Rgb,
    /// Inverted, as by everyone since Adobe.
    Cmyk,
    /// The same with the first three as YCbCr.
    Ycck,
}

/// A component, as the header of the frame describes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Component {
    pub id: u8,
    /// Samples across and down, relative to other components.
    sampling: (u8, u8),
    table: u8,
}

/// The header of the frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Frame {
    pub progressive: bool,
    pub width: u16,
    pub height: u16,
    pub components: Vec<Component>,
}

/// Everything that stands before the first scan and matters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Head {
    pub frame: Frame,
    pub colour: Colour,
    pub orientation: Orientation,
}

impl Head {
    /// Reads up to the first scan.
    pub fn read(file: &[u8]) -> Result<Self, DecodeError> {
        let mut segments = Segments::of(file);
        let (mut frame, mut orientation, mut adobe) = (None, None, None);
        loop {
            let segment = segments.next()?;
            match segment.marker {
                marker::DHT => {}
                marker::DAC => return Err(DecodeError::Unsupported("a JPEG with arithmetic coding")),
                marker::SOF0..=marker::SOF15 if frame.is_some() => {
                    return Err(DecodeError::corrupt("there are two frames"));
                }
                marker::SOF0..=marker::SOF15 => frame = Some(Frame::parse(segment)?),
                marker::APP1 => {
                    let exif = segment.body.strip_prefix(b"Exif\0\0");
                    orientation = orientation.or(exif.and_then(Orientation::from_exif));
                }
                marker::APP14 => adobe = adobe.or(adobe_transform(segment.body)),
                marker::SOS => break,
                marker::EOI => return Err(DecodeError::corrupt("there are no pixels in it")),
                _ => {}
            }
        }
        let frame = frame.ok_or_else(|| DecodeError::corrupt("pixels come before their description"))?;
        let colour = frame.colour(adobe)?;
        Ok(Self { frame, colour, orientation: orientation.unwrap_or(Orientation::UPRIGHT) })
    }
}

/// The last byte of Adobe's segment says whether colours are transformed.
fn adobe_transform(body: &[u8]) -> Option<u8> {
    body.strip_prefix(b"Adobe").and_then(|rest| rest.get(6)).copied()
}

impl Frame {
    fn parse(Segment { marker, body }: Segment<'_>) -> Result<Self, DecodeError> {
        let unsupported = |what| Err(DecodeError::Unsupported(what));
        match marker {
            // Baseline, extended sequential, progressive.
            marker::SOF0..=marker::SOF2 => {}
            0xc3 => return unsupported("a lossless JPEG"),
            0xc5..=0xc7 => return unsupported("a hierarchical JPEG"),
            _ => return unsupported("a JPEG with arithmetic coding"),
        }
        let Some((&[bits, height_high, height_low, width_high, width_low, count], components)) =
            body.split_first_chunk()
        else {
            return Err(DecodeError::corrupt("the description of its pixels is too short"));
        };
        let width = u16::from_be_bytes([width_high, width_low]);
        let height = u16::from_be_bytes([height_high, height_low]);
        if bits != 8 {
            return unsupported("a JPEG with more than 8 bits a sample");
        }
        if height == 0 {
            return unsupported("a JPEG that does not say its height beforehand");
        }
        if width == 0 {
            return Err(DecodeError::corrupt("its width is zero"));
        }
        let (parts, rest) = components.as_chunks::<3>();
        if !rest.is_empty() || parts.len() != usize::from(count) {
            return Err(DecodeError::corrupt("the description of its components has a wrong length"));
        }
        let component =
            |&[id, sampling, table]: &[u8; 3]| Component { id, sampling: (sampling >> 4, sampling & 15), table };
        let mut components: Vec<_> = parts.iter().map(component).collect();
        if let [grey] = components.as_mut_slice() {
            // Relative to no other, the sampling says nothing.
            grey.sampling = (1, 1);
        }
        let most = |side: fn(&Component) -> u8| components.iter().map(side).max().unwrap_or(1);
        let (across, down) = (most(|component| component.sampling.0), most(|component| component.sampling.1));
        for &Component { sampling: (h, v), .. } in &components {
            if h == 0 || v == 0 || h > 4 || v > 4 {
                return Err(DecodeError::corrupt("a component has an impossible sampling"));
            }
            if !h.is_power_of_two() || !v.is_power_of_two() || across % h != 0 || down % v != 0 {
                return unsupported("a JPEG whose components are sampled by thirds");
            }
        }
        Ok(Self { progressive: marker == marker::SOF2, width, height, components })
    }

    /// By the rules of libjpeg, since no standard has any.
    fn colour(&self, adobe: Option<u8>) -> Result<Colour, DecodeError> {
        let ids = self.components.iter().map(|component| component.id);
        match (self.components.len(), adobe) {
            (1, _) => Ok(Colour::Grey),
            (3, Some(0)) => Ok(Colour::Rgb),
            (3, _) if ids.eq(*b"RGB") => Ok(Colour::Rgb),
            (3, _) => Ok(Colour::YCbCr),
            (4, Some(2)) => Ok(Colour::Ycck),
            (4, _) => Ok(Colour::Cmyk),
            _ => Err(DecodeError::Unsupported("a JPEG with other than 1, 3 or 4 components")),
        }
    }

    /// The body of its segment.
    pub fn body(&self) -> Vec<u8> {
        let (height, width) = (self.height.to_be_bytes(), self.width.to_be_bytes());
        let count = self.components.len() as u8;
        let components =
            self.components.iter().flat_map(|&Component { id, sampling: (h, v), table }| [id, h << 4 | v, table]);
        [8, height[0], height[1], width[0], width[1], count].into_iter().chain(components).collect()
    }
}
