//! Many distinct inputs of one photograph: each is the picture moved around by another distance, so that all cost the
//! same to decode, convolve and encode, and no two have the same answer.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use codecs::{Format, Header, Picture, Quality, View};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::MOST_PIXELS;

/// A photograph, and what is made of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    photograph: Arc<[u8]>,
    header: Header,
    size: Size,
    bytes: u64,
}

/// A photograph, decoded, ready to have inputs made of it.
#[derive(Debug)]
pub struct Photograph {
    picture: Picture,
    size: Size,
    format: Format,
    quality: Quality,
}

/// Width and height in pixels: `1680x1050`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// Pixels in a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
}

/// A size that no picture here can have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is no size: write WIDTHxHEIGHT such as 11384x4221, each from 1 to 65535 and {MOST_PIXELS} pixels at the most"
)]
pub struct SizeError(String);

/// Why there are no inputs.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SourceError {
    /// The photograph cannot be decoded.
    #[error(transparent)]
    Decode(#[from] codecs::DecodeError),
    /// A picture of the kind cannot be encoded.
    #[error(transparent)]
    Encode(#[from] codecs::EncodeError),
    /// Moved around it is the same.
    #[error(
        "moved around, the picture stays the same, so that nobody could tell one answer from another: take one with more in it"
    )]
    Plain,
}

impl Size {
    fn pixels(self) -> u64 {
        u64::from(self.width) * u64::from(self.height)
    }
}

impl FromStr for Size {
    type Err = SizeError;

    fn from_str(text: &str) -> Result<Self, SizeError> {
        let side =
            |text: &str| text.parse::<u16>().ok().filter(|&side| side > 0 && !text.starts_with('+')).map(u32::from);
        let sides = text.split_once('x').and_then(|(width, height)| Some((side(width)?, side(height)?)));
        let size = sides.map(|(width, height)| Self { width, height }).filter(|size| size.pixels() <= MOST_PIXELS);
        size.ok_or_else(|| SizeError(text.chars().take(40).collect()))
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.width, self.height)
    }
}

impl Serialize for Size {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Size {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

impl Source {
    /// Inputs of another size than the photograph's are tiled with it, or cut. Where `bytes` are not given, they have as
    /// many for each pixel as the photograph. Only its header is read.
    ///
    /// # Errors
    /// It is no photograph.
    pub fn new(photograph: Arc<[u8]>, size: Option<Size>, bytes: Option<u64>) -> Result<Self, SourceError> {
        let header = codecs::read_header(&photograph, MOST_PIXELS)?;
        let size = size.unwrap_or(Size { width: header.width, height: header.height });
        let pixels = size.pixels() as f64 / header.pixels() as f64;
        let same_density = photograph.len() as f64 * pixels;
        Ok(Self { photograph, header, size, bytes: bytes.unwrap_or(same_density as u64) })
    }

    /// The size of the inputs.
    pub fn size(&self) -> Size {
        self.size
    }

    /// The media type of the inputs: that of the photograph.
    pub fn mime(&self) -> &'static str {
        self.header.format.mime()
    }

    /// Decodes the photograph, once for all inputs.
    ///
    /// # Errors
    /// It is damaged, or of a kind that can be read and not written.
    pub fn open(&self) -> Result<Photograph, SourceError> {
        let picture = codecs::decode(&self.photograph, MOST_PIXELS)?;
        let quality = self.quality(&picture)?;
        Ok(Photograph { picture, size: self.size, format: self.header.format, quality })
    }

    /// The JPEG quality at which the photograph itself has about as many bytes for each pixel as the inputs should have.
    fn quality(&self, photograph: &Picture) -> Result<Quality, SourceError> {
        if self.header.format == Format::Png {
            return Ok(Quality::default());
        }
        let encoded = |view, quality: u8| -> Result<f64, SourceError> {
            let quality = Quality::new(quality).unwrap_or_default();
            Ok(codecs::encode(view, self.header.format, quality)?.len() as f64)
        };
        // A head that does not grow with the picture.
        let one_pixel =
            View { width: 1, height: 1, channels: photograph.channels, pixels: &[0; 4][..photograph.channels] };
        let head = encoded(one_pixel, 50)?;
        let tiles = self.size.pixels() as f64 / self.header.pixels() as f64;
        let wanted = (self.bytes as f64 - head) / tiles + head;
        let encoded = |quality| encoded(photograph.view(), quality);
        let (mut low, mut high) = (1, 100);
        // A better quality has more bytes.
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if encoded(middle)? < wanted { low = middle } else { high = middle }
        }
        let nearest = if wanted - encoded(low)? < encoded(high)? - wanted { low } else { high };
        Ok(Quality::new(nearest).unwrap_or_default())
    }
}

impl Photograph {
    /// Input `number` of `count`; always the same.
    ///
    /// # Errors
    /// It cannot be encoded.
    pub fn input(&self, number: usize, count: usize) -> Result<Arc<[u8]>, SourceError> {
        let along = |side: u32| (number as u64 * u64::from(side) / count.max(1) as u64) as usize;
        let picture = moved(&self.picture, self.size, (along(self.size.width), along(self.size.height)));
        Ok(codecs::encode(picture.view(), self.format, self.quality)?.into())
    }
}

/// A picture of this size, tiled with another that begins at `(x, y)` of it, and moved around as a whole.
fn moved(tile: &Picture, size: Size, (dx, dy): (usize, usize)) -> Picture {
    let Picture { width, height, channels, ref pixels } = *tile;
    let (to_width, to_height) = (size.width as usize, size.height as usize);
    let mut out = Vec::with_capacity(to_width * to_height * channels);
    for y in 0..to_height {
        let row = &pixels[(y + dy) % to_height % height * width * channels..][..width * channels];
        let mut x = 0;
        while x < to_width {
            // Up to the end of the tile, or to where the picture begins again.
            let from = (x + dx) % to_width;
            let run = (width - from % width).min(to_width - from).min(to_width - x);
            out.extend_from_slice(&row[from % width * channels..][..run * channels]);
            x += run;
        }
    }
    Picture { width: to_width, height: to_height, channels, pixels: out }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A picture with something in it everywhere.
    fn picture(width: usize, height: usize, channels: usize) -> Picture {
        let mut random = fastrand::Rng::with_seed(7);
        let pixels = (0..width * height * channels)
            .map(|at| ((at / channels % width * 3 + at / (channels * width) * 2) as u8).wrapping_add(random.u8(..24)))
            .collect();
        Picture { width, height, channels, pixels }
    }

    fn source(format: Format, quality: u8, size: Option<&str>, bytes: Option<u64>) -> Source {
        let file = codecs::encode(picture(240, 160, 3).view(), format, Quality::new(quality).unwrap()).unwrap();
        Source::new(file.into(), size.map(|size| size.parse().unwrap()), bytes).unwrap()
    }

    #[test]
    fn moving_takes_every_sample_along() {
        let tile = picture(5, 4, 2);
        let size = Size { width: 13, height: 9 };
        let still = moved(&tile, size, (0, 0));
        let sample =
            |picture: &Picture, x: usize, y: usize| picture.pixels[(y * picture.width + x) * 2..][..2].to_vec();
        for (dx, dy) in [(0, 0), (1, 0), (7, 3), (12, 8)] {
            let moved = moved(&tile, size, (dx, dy));
            assert_eq!((moved.width, moved.height, moved.pixels.len()), (13, 9, 13 * 9 * 2));
            for (x, y) in (0..13).flat_map(|x| (0..9).map(move |y| (x, y))) {
                assert_eq!(sample(&moved, x, y), sample(&still, (x + dx) % 13, (y + dy) % 9), "{dx} {dy}");
                assert_eq!(sample(&still, x, y), sample(&tile, x % 5, y % 4));
            }
        }
    }

    #[test]
    fn inputs_have_about_the_bytes_of_the_photograph_and_differ() {
        for quality in [50, 95] {
            let source = source(Format::Jpeg, quality, None, None);
            let inputs: Vec<_> = (0..4).map(|number| source.open().unwrap().input(number, 4).unwrap()).collect();
            for (number, input) in inputs.iter().enumerate() {
                let bytes = input.len() as f64 / source.photograph.len() as f64;
                // In a picture this small the seam, where it begins again, counts.
                assert!(
                    (0.85..1.15).contains(&bytes),
                    "{number} at {quality}: {} of {}",
                    input.len(),
                    source.photograph.len()
                );
                assert!(!inputs[..number].contains(input));
                let header = codecs::read_header(input, MOST_PIXELS).unwrap();
                assert_eq!((header.width, header.height, header.format), (240, 160, Format::Jpeg));
            }
            assert_eq!(source.open().unwrap().input(3, 4).unwrap(), inputs[3]);
        }
    }

    #[test]
    fn large_pictures_have_the_bytes_that_are_asked_for() {
        let wanted = 60_000;
        let source = source(Format::Jpeg, 80, Some("700x300"), Some(wanted));
        let input = source.open().unwrap().input(2, 5).unwrap();
        assert!((0.9..1.1).contains(&(input.len() as f64 / wanted as f64)), "{}", input.len());
        let header = codecs::read_header(&input, MOST_PIXELS).unwrap();
        assert_eq!((header.width, header.height), (700, 300));
    }

    #[test]
    fn png_stays_png() {
        let source = source(Format::Png, 80, Some("40x30"), None);
        assert_eq!((source.mime(), source.size().to_string()), ("image/png", "40x30".to_owned()));
        let photograph = source.open().unwrap();
        let still = codecs::decode(&photograph.input(0, 4).unwrap(), MOST_PIXELS).unwrap();
        let tile = picture(240, 160, 3);
        assert_eq!(still.pixels[..40 * 3], tile.pixels[..40 * 3]);
        assert_ne!(photograph.input(1, 4).unwrap(), photograph.input(2, 4).unwrap());
    }

    #[test]
    fn sizes_are_read_and_refused() {
        assert_eq!("11384x4221".parse(), Ok(Size { width: 11384, height: 4221 }));
        for bad in [
            "",
            "x",
            "10",
            "10x",
            "x10",
            "0x10",
            "10x0",
            "-1x5",
            "+1x5",
            "65536x1",
            "65535x65535",
            "10X10",
            "10 x 10",
            "1x2x3",
        ] {
            let message = bad.parse::<Size>().unwrap_err().to_string();
            assert!(message.contains(&format!("`{bad}`")), "{message}");
        }
    }

    #[test]
    fn what_is_no_photograph_is_refused() {
        let refused = |bytes: &[u8]| Source::new(bytes.into(), None, None).unwrap_err().to_string();
        assert!(refused(b"GIF89a").contains("neither"));
        let mut cut = source(Format::Png, 80, None, None).photograph.to_vec();
        cut.truncate(200);
        let cut = Source::new(cut.into(), None, None).unwrap();
        assert!(cut.open().unwrap_err().to_string().contains("too early"));
    }
}
