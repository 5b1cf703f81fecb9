//! Files that are cut short, damaged, of other kinds or too large.

mod files;

use codecs::{DecodeError, Format, decode, read_header};
use files::{files, read};

fn unsupported(file: &[u8]) -> &'static str {
    match decode(file, u64::MAX) {
        Err(DecodeError::Unsupported(what)) => what,
        other => panic!("{other:?}"),
    }
}

fn corrupt(file: &[u8]) -> String {
    match decode(file, u64::MAX) {
        Err(DecodeError::Corrupt(reason)) => reason,
        other => panic!("{other:?}"),
    }
}

/// Where the segment with that marker begins.
fn segment(file: &[u8], marker: u8) -> usize {
    file.windows(2).position(|pair| pair == [0xff, marker]).expect("the marker")
}

const EVERY_LENGTH: [&str; 5] =
    ["grey.jpg", "rgb-420.jpg", "rgb-420-progressive.jpg", "rgb-8-interlaced.png", "palette-4-alpha.png"];

#[test]
fn a_file_cut_short_is_an_error_wherever_it_was_cut() {
    for (name, file) in files() {
        // This has something behind the image, which nobody misses.
        let whole = if name == "rgb-much-else.jpg" { file.len() - 12 } else { file.len() };
        // Of every kind some lengths, of some kinds every length.
        let step = if EVERY_LENGTH.contains(&name.as_str()) { 1 } else { 13 };
        for length in (0..whole).step_by(step) {
            let result = decode(&file[..length], u64::MAX);
            match result {
                Err(DecodeError::NotAnImage) => assert!(length < 8, "{name} at {length}"),
                Err(DecodeError::Corrupt(_)) => {}
                other => panic!("{name} at {length}: {other:?}"),
            }
        }
    }
}

/// An end of image does not make up for pixels that are missing before it.
#[test]
fn a_jpeg_that_was_cut_and_closed_is_an_error() {
    for (name, file) in files().iter().filter(|(name, _)| name.ends_with(".jpg")) {
        let scan = file.windows(2).rposition(|pair| pair == [0xff, 0xda]).expect("a scan");
        let data = scan + 2 + usize::from(u16::from_be_bytes([file[scan + 2], file[scan + 3]]));
        let end = file.windows(2).rposition(|pair| pair == [0xff, 0xd9]).expect("an end");
        // At half of the last scan; the last bits of a progressive picture may be any.
        let mut cut = file[..data + (end - data) / 2].to_vec();
        while cut.last() == Some(&0xff) {
            cut.pop();
        }
        cut.extend([0xff, 0xd9]);
        if name.starts_with("one-pixel") || name.starts_with("flat-progressive") || end - data < 8 {
            continue;
        }
        assert!(matches!(decode(&cut, u64::MAX), Err(DecodeError::Corrupt(_))), "{name}");
    }
}

#[test]
fn a_missing_restart_interval_is_noticed() {
    let file = read("rgb-restart.jpg");
    let (second, third) = (segment(&file, 0xd1), segment(&file, 0xd2));
    let without = [&file[..second], &file[third..]].concat();
    assert!(corrupt(&without).contains("between two restart markers"));
}

#[test]
fn a_changed_byte_of_a_png_is_noticed() {
    let file = read("rgb-8.png");
    for at in 8..file.len() {
        let mut changed = file.clone();
        changed[at] ^= 0x10;
        let result = decode(&changed, u64::MAX);
        assert!(matches!(result, Err(DecodeError::Corrupt(_))), "byte {at}: {result:?}");
    }
}

#[test]
fn a_palette_of_parts_of_colours_is_corrupt() {
    let file = read("palette-4.png");
    let palette = file.windows(4).position(|name| name == b"PLTE").expect("a palette");
    let mut changed = file;
    changed[palette - 1] += 1;
    assert!(corrupt(&changed).contains("parts of colours"));
}

#[test]
fn kinds_that_are_not_decoded_are_named() {
    let file = read("rgb-444.jpg");
    let frame = segment(&file, 0xc0);
    let changed = |at: usize, byte: u8| {
        let mut changed = file.clone();
        changed[at] = byte;
        changed
    };
    for (marker, name) in [(0xc3, "lossless"), (0xc6, "hierarchical"), (0xc9, "arithmetic"), (0xcc, "arithmetic")] {
        let what = unsupported(&changed(frame + 1, marker));
        assert!(what.contains(name), "{what}");
    }
    assert!(unsupported(&changed(frame + 4, 12)).contains("8 bits"));
    assert!(unsupported(&changed(frame + 11, 0x31)).contains("thirds"));
    let no_height = [&file[..frame + 5], &[0, 0], &file[frame + 7..]].concat();
    assert!(unsupported(&no_height).contains("height"));
    let two = [
        &file[..frame + 2],
        &[0, 14],
        &file[frame + 4..frame + 9],
        &[2],
        &file[frame + 10..frame + 16],
        &file[frame + 19..],
    ];
    assert!(unsupported(&two.concat()).contains("1, 3 or 4 components"));
    let scan = segment(&file, 0xda);
    let one = [&file[..scan], &[0xff, 0xda, 0, 8, 1, 1, 0, 0, 63, 0], &file[scan + 14..]].concat();
    assert!(unsupported(&one).contains("a scan for each colour"));
}

#[test]
fn other_files_are_no_images() {
    for file in [&b""[..], b"GIF89a", b"<svg/>", b"\xff\xd8", b"\x89PNG", b"RIFF....WEBP", &[0; 100]] {
        assert_eq!(decode(file, u64::MAX), Err(DecodeError::NotAnImage));
        assert_eq!(Format::sniff(file), None);
    }
}

#[test]
fn too_many_pixels_are_refused_from_the_header_alone() {
    for (name, file) in files() {
        let header = read_header(&file, u64::MAX).unwrap();
        let pixels = header.pixels();
        assert_eq!(read_header(&file, pixels), Ok(header));
        let refused = DecodeError::TooManyPixels { width: header.width, height: header.height, max: pixels - 1 };
        assert_eq!(read_header(&file, pixels - 1), Err(refused.clone()), "{name}");
        assert_eq!(decode(&file, pixels - 1), Err(refused), "{name}");
    }
}
