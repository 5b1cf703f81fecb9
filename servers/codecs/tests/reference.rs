//! Files of every kind, made by `data/make.py`, against the pixels that others see in them.

mod files;

use codecs::{Format, Picture, decode, read_header};
use files::{expected, files};

/// The largest difference, and the mean.
fn difference(one: &Picture, other: &Picture) -> (u8, f64) {
    assert_eq!((one.width, one.height, one.channels), (other.width, other.height, other.channels));
    let each = || one.pixels.iter().zip(&other.pixels).map(|(&one, &other)| one.abs_diff(other));
    (each().max().unwrap_or(0), each().map(f64::from).sum::<f64>() / one.pixels.len() as f64)
}

/// How far from libjpeg's pixels a JPEG may be: both round their transforms, and chroma in between, in ways of their own.
fn tolerance(name: &str) -> (u8, f64) {
    match name {
        _ if name.ends_with(".png") => (0, 0.0),
        // libjpeg smooths no chroma in pictures of one column.
        "one-column.jpg" => (9, 2.0),
        _ => (3, 0.5),
    }
}

#[test]
fn pixels_are_those_that_others_see() {
    let mut formats = Vec::new();
    for (name, file) in files() {
        let picture = decode(&file, u64::MAX).unwrap_or_else(|error| panic!("{name}: {error}"));
        let (most, mean) = difference(&picture, &expected(&name));
        let (allowed, allowed_mean) = tolerance(&name);
        assert!(most <= allowed && mean <= allowed_mean, "{name} differs by up to {most}, {mean} in the mean");
        let header = read_header(&file, u64::MAX).unwrap();
        assert_eq!((header.width as usize, header.height as usize), (picture.width, picture.height), "{name}");
        formats.push(header.format);
    }
    let count = |wanted| formats.iter().filter(|&&format| format == wanted).count();
    assert!(count(Format::Jpeg) >= 35 && count(Format::Png) >= 35, "files are missing: {formats:?}");
}
