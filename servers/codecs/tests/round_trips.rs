//! What is encoded is decoded again.

use codecs::{EncodeError, Format, Picture, Quality, View, decode, encode, read_header};

/// Soft gradients, which JPEG keeps well; every channel another.
fn gradient(width: usize, height: usize, channels: usize) -> Picture {
    let sample = |index: usize| {
        let (x, y, channel) = (index / channels % width, index / channels / width, index % channels);
        (40 + 2 * x + 3 * y + 25 * channel).min(255) as u8
    };
    Picture { width, height, channels, pixels: (0..width * height * channels).map(sample).collect() }
}

fn distance(one: &Picture, other: &Picture) -> u8 {
    assert_eq!((one.width, one.height, one.channels), (other.width, other.height, other.channels));
    one.pixels.iter().zip(&other.pixels).map(|(&one, &other)| one.abs_diff(other)).max().unwrap_or(0)
}

const SIZES: [(usize, usize); 8] = [(1, 1), (1, 40), (40, 1), (8, 8), (16, 16), (17, 15), (37, 23), (33, 9)];

#[test]
fn png_is_exact() {
    for (width, height) in SIZES {
        for channels in 1..=4 {
            let picture = gradient(width, height, channels);
            let file = encode(picture.view(), Format::Png, Quality::default()).unwrap();
            assert_eq!(Format::sniff(&file), Some(Format::Png));
            assert!(decode(&file, u64::MAX).unwrap() == picture, "{picture:?}");
        }
    }
}

#[test]
fn jpeg_is_close() {
    for (width, height) in SIZES {
        for channels in [1, 3] {
            let picture = gradient(width, height, channels);
            for (quality, most) in [(95, 6), (80, 16)] {
                let file = encode(picture.view(), Format::Jpeg, Quality::new(quality).unwrap()).unwrap();
                let header = read_header(&file, u64::MAX).unwrap();
                assert_eq!(
                    (header.format, header.width as usize, header.height as usize),
                    (Format::Jpeg, width, height)
                );
                let distance = distance(&decode(&file, u64::MAX).unwrap(), &picture);
                assert!(distance <= most, "{picture:?} at {quality}: {distance}");
            }
        }
    }
}

#[test]
fn less_quality_is_a_smaller_file() {
    let picture = gradient(200, 100, 3);
    let lengths = [100, 80, 10]
        .map(|quality| encode(picture.view(), Format::Jpeg, Quality::new(quality).unwrap()).unwrap().len());
    assert!(lengths[0] > lengths[1] && lengths[1] > lengths[2], "{lengths:?}");
    assert_eq!(Quality::default().get(), 80);
    assert_eq!((Quality::new(0), Quality::new(101)), (None, None));
}

#[test]
fn what_a_format_cannot_hold_is_refused() {
    let view = |width, height, channels, pixels| View { width, height, channels, pixels };
    let quality = Quality::default();
    for channels in [2, 4] {
        let picture = gradient(2, 2, channels);
        let error = encode(picture.view(), Format::Jpeg, quality).unwrap_err();
        assert_eq!(error, EncodeError::Channels { format: "JPEG", channels });
    }
    for format in [Format::Jpeg, Format::Png] {
        assert!(matches!(encode(view(0, 1, 1, &[]), format, quality), Err(EncodeError::Size { .. })));
        assert!(matches!(encode(view(2, 1, 1, &[0]), format, quality), Err(EncodeError::Length { .. })));
        assert!(matches!(encode(view(1, 1, 5, &[0; 5]), format, quality), Err(EncodeError::Channels { .. })));
    }
    let wide = vec![0; 65_536];
    assert!(matches!(encode(view(65_536, 1, 1, &wide), Format::Jpeg, quality), Err(EncodeError::Size { .. })));
}
