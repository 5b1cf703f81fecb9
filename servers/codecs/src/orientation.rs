//! Which way up a photograph is: cameras store pixels as the sensor lies and say in EXIF how to turn them.

use crate::Picture;

/// How stored pixels are to be turned; EXIF's values 1 to 8.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Orientation {
    /// Rows become columns.
    transpose: bool,
    /// Stored columns are read from the right.
    flip_columns: bool,
    /// Stored rows are read from the bottom.
    flip_rows: bool,
}

/// The tag of the orientation in a directory of TIFF.
const TAG: u16 = 0x0112;

impl Orientation {
    /// As stored.
    pub(crate) const UPRIGHT: Self = Self { transpose: false, flip_columns: false, flip_rows: false };

    fn new(value: u16) -> Option<Self> {
        matches!(value, 1..=8).then(|| Self {
            transpose: value >= 5,
            flip_columns: matches!(value, 2 | 3 | 7 | 8),
            flip_rows: matches!(value, 3 | 4 | 6 | 7),
        })
    }

    /// What EXIF (from its TIFF header on) says; nothing where it is damaged or does not say.
    pub(crate) fn from_exif(tiff: &[u8]) -> Option<Self> {
        let read = match tiff.get(..2)? {
            b"II" => u16::from_le_bytes,
            b"MM" => u16::from_be_bytes,
            _ => return None,
        };
        let short = |at: usize| Some(read(tiff.get(at..at.checked_add(2)?)?.try_into().ok()?));
        let directory = {
            let (low, high) = if tiff.starts_with(b"II") { (4, 6) } else { (6, 4) };
            usize::from(short(high)?) << 16 | usize::from(short(low)?)
        };
        if short(2)? != 42 {
            return None;
        }
        let entries = (0..usize::from(short(directory)?)).map(|index| directory + 2 + 12 * index);
        // An entry is a tag, a type (3: whole numbers of 16 bits), how many of them, and the first of them.
        let mut found = entries.map_while(|at| Some((short(at)?, short(at + 2)?, short(at + 8)?)));
        let (_, _, value) = found.find(|&(tag, kind, _)| tag == TAG && kind == 3)?;
        Self::new(value)
    }

    /// Width and height once turned.
    pub(crate) fn turned<T>(self, width: T, height: T) -> (T, T) {
        if self.transpose { (height, width) } else { (width, height) }
    }

    /// Turns a picture.
    pub(crate) fn apply(self, picture: Picture) -> Picture {
        if self == Self::UPRIGHT {
            return picture;
        }
        let (width, height) = self.turned(picture.width, picture.height);
        let pixels = match picture.channels {
            1 => self.pixels::<1>(&picture, width),
            2 => self.pixels::<2>(&picture, width),
            3 => self.pixels::<3>(&picture, width),
            _ => self.pixels::<4>(&picture, width),
        };
        Picture { width, height, pixels, ..picture }
    }

    /// The pixels in the order of rows of `width`.
    fn pixels<const CHANNELS: usize>(self, stored: &Picture, width: usize) -> Vec<u8> {
        let (from, _) = stored.pixels.as_chunks::<CHANNELS>();
        let mut turned = vec![0; stored.pixels.len()];
        let (to, _) = turned.as_chunks_mut::<CHANNELS>();
        for (y, row) in to.chunks_exact_mut(width.max(1)).enumerate() {
            for (x, pixel) in row.iter_mut().enumerate() {
                let (column, line) = if self.transpose { (y, x) } else { (x, y) };
                let column = if self.flip_columns { stored.width - 1 - column } else { column };
                let line = if self.flip_rows { stored.height - 1 - line } else { line };
                *pixel = from[line * stored.width + column];
            }
        }
        turned
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A directory with one entry, in either byte order.
    fn exif(big_endian: bool, tag: u16, kind: u16, value: u16) -> Vec<u8> {
        let short = |value: u16| if big_endian { value.to_be_bytes() } else { value.to_le_bytes() };
        let long = |value: u32| if big_endian { value.to_be_bytes() } else { value.to_le_bytes() };
        let mut bytes = if big_endian { b"MM".to_vec() } else { b"II".to_vec() };
        bytes.extend(short(42));
        bytes.extend(long(8));
        bytes.extend(short(1));
        bytes.extend(short(tag));
        bytes.extend(short(kind));
        bytes.extend(long(1));
        bytes.extend(short(value));
        bytes.extend([0; 6]);
        bytes
    }

    #[test]
    fn both_byte_orders_are_read() {
        for value in 0..10 {
            for big_endian in [false, true] {
                let expected = Orientation::new(value);
                assert_eq!(expected.is_some(), (1..=8).contains(&value));
                assert_eq!(Orientation::from_exif(&exif(big_endian, TAG, 3, value)), expected);
            }
        }
    }

    #[test]
    fn damaged_exif_says_nothing() {
        let whole = exif(true, TAG, 3, 6);
        let end_of_value = whole.len() - 6;
        for length in 0..end_of_value {
            assert_eq!(Orientation::from_exif(&whole[..length]), None, "{length}");
        }
        assert_eq!(Orientation::from_exif(&exif(true, TAG, 4, 6)), None);
        assert_eq!(Orientation::from_exif(&exif(true, 0x0111, 3, 6)), None);
        let mut far = whole;
        far[4..8].fill(0xff);
        assert_eq!(Orientation::from_exif(&far), None);
    }

    #[test]
    fn pixels_are_turned() {
        // a b c
        // d e f
        let stored = Picture { width: 3, height: 2, channels: 1, pixels: b"abcdef".to_vec() };
        for (value, width, expected) in [
            (1, 3, b"abcdef"),
            (2, 3, b"cbafed"),
            (3, 3, b"fedcba"),
            (4, 3, b"defabc"),
            (5, 2, b"adbecf"),
            (6, 2, b"daebfc"),
            (7, 2, b"fcebda"),
            (8, 2, b"cfbead"),
        ] {
            let turned = Orientation::new(value).unwrap().apply(stored.clone());
            assert_eq!((turned.width, turned.pixels.as_slice()), (width, expected.as_slice()), "{value}");
        }
    }
}
