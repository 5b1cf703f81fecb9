//! A JPEG file, cut into its segments.

use crate::DecodeError;

/// The second byte of a marker; the first is 0xFF.
pub(super) mod marker {
    pub(crate) const SOF0: u8 = 0xc0;
    pub(crate) const SOF2: u8 = 0xc2;
    pub(crate) const DHT: u8 = 0xc4;
    pub(crate) const DAC: u8 = 0xcc;
    pub(crate) const SOF15: u8 = 0xcf;
    pub(crate) const RST0: u8 = 0xd0;
    pub(crate) const RST7: u8 = 0xd7;
    pub(crate) const SOI: u8 = 0xd8;
    pub(crate) const EOI: u8 = 0xd9;
    pub(crate) const SOS: u8 = 0xda;
    pub(crate) const DQT: u8 = 0xdb;
    pub(crate) const DNL: u8 = 0xdc;
    pub(crate) const DRI: u8 = 0xdd;
    pub(crate) const APP0: u8 = 0xe0;
    pub(crate) const APP1: u8 = 0xe1;
    pub(crate) const APP14: u8 = 0xee;
    /// Stands in tables for no purpose.
    pub(crate) const TEM: u8 = 0x01;
    /// The second byte after a data byte of 0xFF.
    pub(crate) const STUFFED: u8 = 0x00;
}

/// One segment.
#[derive(Debug, Clone, Copy)]
pub(super) struct Segment<'a> {
    /// Its kind.
    pub marker: u8,
    /// Without marker and length; empty at the end of the image.
    pub body: &'a [u8],
}

impl Segment<'_> {
    /// Appends it, as it was read, to a file.
    pub fn write(&self, file: &mut Vec<u8>) {
        file.extend([0xff, self.marker]);
        // What was read had a length of 16 bits.
        file.extend(((self.body.len() + 2) as u16).to_be_bytes());
        file.extend(self.body);
    }
}

/// What is left of a file.
pub(super) struct Segments<'a>(&'a [u8]);

impl<'a> Segments<'a> {
    /// Those of a file that begins as JPEG does.
    pub fn of(file: &'a [u8]) -> Self {
        Self(file.get(2..).unwrap_or_default())
    }

    /// The next one. Bytes between segments, which should not be there, are passed over as by any other reader.
    pub fn next(&mut self) -> Result<Segment<'a>, DecodeError> {
        loop {
            let at = memchr::memchr(0xff, self.0).ok_or_else(DecodeError::truncated)?;
            let rest = &self.0[at + 1..];
            let (&marker, rest) = rest.split_first().ok_or_else(DecodeError::truncated)?;
            match marker {
                // Perhaps the first byte of a marker itself.
                0xff => self.0 = &self.0[at + 1..],
                marker::STUFFED | marker::TEM | marker::RST0..=marker::RST7 => self.0 = rest,
                marker::SOI => return Err(DecodeError::corrupt("an image begins within the image")),
                marker::EOI => {
                    self.0 = rest;
                    return Ok(Segment { marker, body: &[] });
                }
                _ => {
                    let (length, rest) = rest.split_first_chunk::<2>().ok_or_else(DecodeError::truncated)?;
                    let length = usize::from(u16::from_be_bytes(*length)).checked_sub(2);
                    let length = length.ok_or_else(|| DecodeError::corrupt("a segment of no length"))?;
                    let (body, rest) = rest.split_at_checked(length).ok_or_else(DecodeError::truncated)?;
                    self.0 = rest;
                    return Ok(Segment { marker, body });
                }
            }
        }
    }

    /// The compressed data that follow the header of a scan, up to the next segment. Its restart markers must be in order.
    pub fn entropy_coded(&mut self) -> Result<&'a [u8], DecodeError> {
        let mut restarts = (marker::RST0..=marker::RST7).cycle();
        let (data, mut at) = (self.0, 0);
        loop {
            at += memchr::memchr(0xff, &data[at..]).ok_or_else(DecodeError::truncated)?;
            match *data.get(at + 1).ok_or_else(DecodeError::truncated)? {
                0xff => at += 1,
                marker::STUFFED => at += 2,
                restart @ marker::RST0..=marker::RST7 => {
                    if restarts.next() != Some(restart) {
                        return Err(DecodeError::corrupt("a part between two restart markers is missing"));
                    }
                    at += 2;
                }
                _ => {
                    let (coded, rest) = data.split_at(at);
                    self.0 = rest;
                    return Ok(coded);
                }
            }
        }
    }
}
