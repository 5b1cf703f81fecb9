//! The chunked transfer coding (RFC 9112, 7.1) as a state machine over bytes.

use super::body::Body;
use super::error::ParseError;

/// Where in the coding the next byte lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// The first digit of a chunk's size.
    SizeStart,
    Size,
    /// Spaces after the size, an extension; neither means anything to us.
    Extension,
    SizeLf,
    Data,
    DataCr,
    DataLf,
    /// The first byte of a trailer line, or of the empty line that ends it all.
    TrailerStart,
    Trailer,
    TrailerLf,
    EndLf,
    End,
}

/// Decodes a chunked body. Extensions and trailers are skipped.
#[derive(Debug)]
pub(super) struct Chunked {
    place: Place,
    /// The size read so far, then what is left of the chunk.
    left: usize,
    /// Bytes since the last data that were no data; bounded, so that endless extensions end.
    overhead: usize,
    max_body: usize,
}

/// The longest size line, and the longest trailer section.
const MAX_OVERHEAD: usize = 64 << 10;

impl Chunked {
    pub(super) fn new(max_body: usize) -> Self {
        Self { place: Place::SizeStart, left: 0, overhead: 0, max_body }
    }

    pub(super) fn is_complete(&self) -> bool {
        self.place == Place::End
    }

    /// Decodes from the start of `bytes` until they or the body end. Data is added to `body`.
    /// Returns how many bytes were used.
    pub(super) fn feed(&mut self, bytes: &[u8], body: &mut Body) -> Result<usize, ParseError> {
        let mut used = 0;
        while let Some(rest) = bytes.get(used..).filter(|rest| !rest.is_empty()) {
            if self.place == Place::End {
                break;
            }
            if self.place == Place::Data {
                let data = rest.get(..self.left).unwrap_or(rest);
                body.extend_from_slice(data);
                used += data.len();
                self.left -= data.len();
                if self.left == 0 {
                    self.place = Place::DataCr;
                }
                continue;
            }
            self.overhead += 1;
            if self.overhead > MAX_OVERHEAD {
                return Err(ParseError::Chunk("too many bytes between data"));
            }
            self.place = self.next(rest[0], body.len())?;
            used += 1;
        }
        Ok(used)
    }

    /// The place after `byte`, for all places but those of data.
    fn next(&mut self, byte: u8, body: usize) -> Result<Place, ParseError> {
        let next = match (self.place, byte) {
            (Place::SizeStart | Place::Size, b'0'..=b'9' | b'a'..=b'f' | b'A'..=b'F') => {
                let digit = (byte as char).to_digit(16).unwrap_or_default() as usize;
                let size = self.left.checked_mul(16).and_then(|size| size.checked_add(digit));
                let room = self.max_body.saturating_sub(body);
                self.left = size.filter(|&size| size <= room).ok_or(ParseError::BodyTooLong)?;
                Place::Size
            }
            (Place::SizeStart, _) => return Err(ParseError::Chunk("a size that is no number")),
            (Place::Size | Place::Extension, b'\r') => Place::SizeLf,
            (Place::Size, b' ' | b'\t' | b';') => Place::Extension,
            (Place::Size, _) => return Err(ParseError::Chunk("a size that is no number")),
            (Place::Extension, b'\n') => return Err(ParseError::Chunk("a bare line feed")),
            (Place::Extension, _) => Place::Extension,
            (Place::SizeLf, b'\n') => {
                self.overhead = 0;
                if self.left == 0 { Place::TrailerStart } else { Place::Data }
            }
            (Place::DataCr, b'\r') => Place::DataLf,
            (Place::DataLf, b'\n') => Place::SizeStart,
            (Place::DataCr | Place::DataLf, _) => {
                return Err(ParseError::Chunk("data longer than its size"));
            }
            (Place::TrailerStart, b'\r') => Place::EndLf,
            (Place::TrailerStart | Place::Trailer, b'\n') => {
                return Err(ParseError::Chunk("a bare line feed"));
            }
            (Place::Trailer, b'\r') => Place::TrailerLf,
            (Place::TrailerStart | Place::Trailer, _) => Place::Trailer,
            (Place::TrailerLf, b'\n') => Place::TrailerStart,
            (Place::EndLf, b'\n') => Place::End,
            (Place::SizeLf | Place::TrailerLf | Place::EndLf, _) => {
                return Err(ParseError::Chunk("a bare carriage return"));
            }
            (Place::Data | Place::End, _) => self.place,
        };
        Ok(next)
    }
}
