//! What of a JPEG file the decoder is given: only what it needs, and an end at which it notices that data are missing.

use super::frame::{Colour, Frame, Head};
use super::segments::{Segment, Segments, marker};
use crate::DecodeError;

/// More scans than any encoder makes; each costs a pass over all pixels, however short it is.
const MOST_SCANS: usize = 100;

/// After the last scan: ones, which no code consists of. The decoder reads a few bytes ahead and would take what lies
/// behind the data for zeros, of which pictures can be made; so a scan that ends early would end as grey.
const END: [u8; 18] = [0xff, 0, 0xff, 0, 0xff, 0, 0xff, 0, 0xff, 0, 0xff, 0, 0xff, 0, 0xff, 0, 0xff, marker::EOI];

/// A file with the same pixels and nothing else.
///
/// # Errors
/// It is incomplete, or its scans are not those that its frame needs.
pub(super) fn essence(file: &[u8], head: &Head) -> Result<Vec<u8>, DecodeError> {
    let mut segments = Segments::of(file);
    let mut scans = Scans { frame: &head.frame, count: 0, seen: [false; 4] };
    let mut essence = Vec::with_capacity(file.len() + 2 * END.len());
    essence.extend([0xff, marker::SOI]);
    if head.colour == Colour::Ycck {
        Segment { marker: marker::APP14, body: b"Adobe\0\x64\0\0\0\0\x02" }.write(&mut essence);
    }
    let mut end = essence.len();
    loop {
        let segment = segments.next()?;
        match segment.marker {
            marker::DHT | marker::DQT | marker::DRI => segment.write(&mut essence),
            marker::SOF0..=marker::SOF2 => {
                Segment { body: &head.frame.body(), ..segment }.write(&mut essence);
            }
            marker::SOS => {
                scans.add(segment.body)?;
                segment.write(&mut essence);
                essence.extend(segments.entropy_coded()?);
                end = essence.len();
            }
            marker::DNL => return Err(DecodeError::Unsupported("a JPEG that says its height late")),
            marker::EOI => break,
            _ => {}
        }
    }
    scans.check()?;
    essence.truncate(end);
    essence.extend(END);
    Ok(essence)
}

/// Which components have been there.
struct Scans<'a> {
    frame: &'a Frame,
    count: usize,
    seen: [bool; 4],
}

impl Scans<'_> {
    /// Takes the header of a scan.
    fn add(&mut self, header: &[u8]) -> Result<(), DecodeError> {
        let wrong = || DecodeError::corrupt("a scan has a wrong header");
        let (&count, rest) = header.split_first().ok_or_else(wrong)?;
        let (components, rest) = rest.split_at_checked(2 * usize::from(count)).ok_or_else(wrong)?;
        let &[first, ..] = rest else { return Err(wrong()) };
        self.count += 1;
        if self.count > MOST_SCANS {
            return Err(DecodeError::corrupt("there are too many scans"));
        }
        if !self.frame.progressive && usize::from(count) != self.frame.components.len() {
            // The decoder loses rows of these where they are short.
            return Err(DecodeError::Unsupported("a JPEG with a scan for each colour that is not progressive"));
        }
        for id in components.as_chunks::<2>().0.iter().map(|&[id, _]| id) {
            let place = self.frame.components.iter().position(|component| component.id == id).ok_or_else(wrong)?;
            let (seen, progressive) = (&mut self.seen[place], self.frame.progressive);
            if *seen && !progressive {
                return Err(DecodeError::corrupt("a component comes twice"));
            }
            *seen |= first == 0 || !progressive;
        }
        Ok(())
    }

    /// All components must have been there, at least the first coefficient.
    fn check(&self) -> Result<(), DecodeError> {
        if !self.seen.iter().take(self.frame.components.len()).all(|&seen| seen) {
            return Err(DecodeError::corrupt("a component of the picture is missing"));
        }
        Ok(())
    }
}
