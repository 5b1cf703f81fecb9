//! What decoding takes of memory: no more than the pixels need, and nothing for what a file hides.
//!
//! One test, since what is counted belongs to the whole process.

mod files;

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use codecs::{DecodeError, Format, Picture, Quality, decode, encode, read_header};

/// Bytes allocated now, and the most since it was last asked.
static NOW: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

struct Counting;

fn add(bytes: usize) {
    MOST.fetch_max(NOW.fetch_add(bytes, Relaxed) + bytes, Relaxed);
}

// SAFETY: every method hands its arguments to the system's allocator as they are, and gives back what that gives; counting
// touches no memory that is allocated.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        add(layout.size());
        // SAFETY: the caller keeps the promises that `System` asks for, since they are the same.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        add(layout.size());
        // SAFETY: as in `alloc`.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        NOW.fetch_sub(layout.size(), Relaxed);
        add(size);
        // SAFETY: as in `alloc`.
        unsafe { System.realloc(at, layout, size) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        NOW.fetch_sub(layout.size(), Relaxed);
        // SAFETY: as in `alloc`.
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// What something gives, and the most bytes that it had allocated at a time.
fn measured<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let before = NOW.load(Relaxed);
    MOST.store(before, Relaxed);
    let result = work();
    (result, MOST.load(Relaxed) - before)
}

fn chunk(name: &[u8; 4], data: &[u8]) -> Vec<u8> {
    let length = (data.len() as u32).to_be_bytes();
    let named = [name, data].concat();
    [length.as_slice(), &named, &crc(&named).to_be_bytes()].concat()
}

fn crc(bytes: &[u8]) -> u32 {
    let step = |crc: u32, _| if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 };
    !bytes.iter().fold(!0, |crc, &byte| (0..8).fold(crc ^ u32::from(byte), step))
}

/// A zlib stream of zeros, 2,064 for every 13 bytes.
fn bomb(repeats: usize) -> Vec<u8> {
    // A last block with fixed codes: a zero, then "258 bytes as the last one", in 13 bits, over and over.
    let mut bits = vec![1, 1, 0, 0, 0, 1, 1, 0, 0, 0, 0];
    bits.extend([1, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0].repeat(8 * repeats));
    bits.extend([0; 7]);
    let byte = |bits: &[u8]| bits.iter().rev().fold(0, |byte, bit| byte << 1 | bit);
    let mut stream = vec![0x78, 0x9c];
    stream.extend(bits.chunks(8).map(byte));
    stream.extend([0; 4]);
    stream
}

/// A PNG with these chunks before the pixels, or in place of them.
fn png(width: u32, height: u32, chunks: &[Vec<u8>], pixels: Option<Vec<u8>>) -> Vec<u8> {
    let header = [&width.to_be_bytes()[..], &height.to_be_bytes(), &[8, 0, 0, 0, 0]].concat();
    // Three rows of three zeros, not compressed.
    let mut plain = vec![0x78, 0x01, 1, 12, 0, 0xf3, 0xff];
    plain.extend([0; 12]);
    plain.extend([0, 12, 0, 1]);
    let parts = [
        vec![chunk(b"IHDR", &header)],
        chunks.to_vec(),
        vec![chunk(b"IDAT", &pixels.unwrap_or(plain))],
        vec![chunk(b"IEND", b"")],
    ];
    [b"\x89PNG\r\n\x1a\n".to_vec(), parts.concat().concat()].concat()
}

fn noise(width: usize, height: usize) -> Picture {
    let mut state = 1u32;
    let pixels = (0..width * height * 3).map(|_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 27) as u8
    });
    Picture { width, height, channels: 3, pixels: pixels.collect() }
}

#[test]
fn memory_is_that_of_the_pixels() {
    const FIXED: usize = 1 << 20;
    // What unfolds to 10 MB.
    let bomb = bomb(5_000);
    for chunks in [
        vec![chunk(b"zTXt", &[b"a\0\0", bomb.as_slice()].concat())],
        vec![chunk(b"iTXt", &[b"a\0\x01\0\0\0", bomb.as_slice()].concat())],
        vec![chunk(b"iCCP", &[b"a\0\0", bomb.as_slice()].concat())],
    ] {
        let file = png(3, 3, &chunks, None);
        let (picture, most) = measured(|| decode(&file, 9));
        assert_eq!(picture.map(|picture| picture.pixels), Ok(vec![0; 9]));
        assert!(most < FIXED, "{most}");
    }
    let file = png(3, 3, &[], Some(bomb));
    let (result, most) = measured(|| decode(&file, 9));
    assert!(most < FIXED, "{most}");
    // Its checksum is wrong, which nobody notices: nothing is unfolded any more once all pixels are there.
    assert_eq!(result.map(|picture| picture.pixels), Ok(vec![0; 9]));

    // Headers alone cost nothing, whatever they announce.
    let files = [png(9_999, 9_999, &[], None), png(1 << 30, 1 << 30, &[], None)];
    for file in &files {
        let (header, most) = measured(|| read_header(file, u64::MAX));
        assert!(header.is_ok() && most < FIXED, "{header:?} {most}");
        let (result, most) = measured(|| decode(file, 1000));
        assert!(matches!(result, Err(DecodeError::TooManyPixels { .. })) && most < FIXED, "{result:?} {most}");
    }
    // Profiles and texts of a JPEG are not kept.
    let jpeg = files::read("rgb-420.jpg");
    let profile = [b"\xff\xe2\xff\xff".as_slice(), &[7; 65_533]].concat().repeat(100);
    let file = [&jpeg[..2], &profile, &jpeg[2..]].concat();
    let (header, most) = measured(|| read_header(&file, u64::MAX));
    assert!(header.is_ok() && most < FIXED, "{most}");

    // Pixels once, and the file once more.
    let picture = noise(800, 600);
    let raw = picture.pixels.len();
    for format in [Format::Jpeg, Format::Png] {
        let (file, most) = measured(|| encode(picture.view(), format, Quality::default()).unwrap());
        assert!(most < raw + file.len() + FIXED, "{format:?}: {most} to encode {raw}");
        let (decoded, most) = measured(|| decode(&file, u64::MAX).unwrap());
        assert!(most < raw + file.len() + FIXED, "{format:?}: {most} to decode {raw}");
        assert_eq!(decoded.pixels.len(), raw);
    }
}
