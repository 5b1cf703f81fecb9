//! Plain arrays, for targets without a path of their own and as the measure of the others.

use super::lanes::Lanes;

/// Four 32-bit lanes, the lower 16-bit lane of each first.
pub(super) struct Portable;

fn low(lane: i32) -> i16 {
    lane as i16
}

fn high(lane: i32) -> i16 {
    (lane >> 16) as i16
}

fn join(low: i16, high: i16) -> i32 {
    i32::from(low as u16) | i32::from(high) << 16
}

fn map(a: [i32; 4], b: [i32; 4], f: impl Fn(i32, i32) -> i32) -> [i32; 4] {
    [f(a[0], b[0]), f(a[1], b[1]), f(a[2], b[2]), f(a[3], b[3])]
}

impl Lanes for Portable {
    const N: usize = 4;
    type V = [i32; 4];

    #[inline(always)]
    unsafe fn load(from: *const u8) -> [i32; 4] {
        // SAFETY: the caller's pointer is valid for 16 bytes.
        let bytes = unsafe { from.cast::<[[u8; 4]; 4]>().read_unaligned() };
        bytes.map(i32::from_le_bytes)
    }

    #[inline(always)]
    unsafe fn widen(from: *const u8) -> [i32; 4] {
        // SAFETY: the caller's pointer is valid for 8 bytes.
        let bytes = unsafe { from.cast::<[[u8; 2]; 4]>().read_unaligned() };
        bytes.map(|[a, b]| i32::from(a) | i32::from(b) << 16)
    }

    #[inline(always)]
    unsafe fn store(to: *mut u8, v: [i32; 4]) {
        // SAFETY: the caller's pointer is valid for 16 bytes.
        unsafe { to.cast::<[[u8; 4]; 4]>().write_unaligned(v.map(i32::to_le_bytes)) }
    }

    #[inline(always)]
    unsafe fn splat(value: i32) -> [i32; 4] {
        [value; 4]
    }

    #[inline(always)]
    unsafe fn add16(a: [i32; 4], b: [i32; 4]) -> [i32; 4] {
        map(a, b, |a, b| join(low(a).wrapping_add(low(b)), high(a).wrapping_add(high(b))))
    }

    #[inline(always)]
    unsafe fn add32(a: [i32; 4], b: [i32; 4]) -> [i32; 4] {
        map(a, b, i32::wrapping_add)
    }

    #[inline(always)]
    unsafe fn multiply(pairs: [i32; 4], weights: [i32; 4]) -> [i32; 4] {
        let product = |a: i16, b: i16| i32::from(a) * i32::from(b);
        map(pairs, weights, |a, b| product(low(a), low(b)).wrapping_add(product(high(a), high(b))))
    }

    #[inline(always)]
    unsafe fn interleave(a: [i32; 4], b: [i32; 4]) -> ([i32; 4], [i32; 4]) {
        let lows = |i: usize| join(low(a[i]), low(b[i]));
        let highs = |i: usize| join(high(a[i]), high(b[i]));
        ([lows(0), highs(0), lows(1), highs(1)], [lows(2), highs(2), lows(3), highs(3)])
    }

    #[inline(always)]
    unsafe fn as_interleaved(first: [i32; 4], second: [i32; 4]) -> ([i32; 4], [i32; 4]) {
        (first, second)
    }

    #[inline(always)]
    unsafe fn narrow((a, b): ([i32; 4], [i32; 4]), shift: u32) -> [i32; 4] {
        let saturate = |lane: i32| (lane >> shift).clamp(i32::from(i16::MIN), i32::from(i16::MAX)) as i16;
        let two = |a, b| join(saturate(a), saturate(b));
        [two(a[0], a[1]), two(a[2], a[3]), two(b[0], b[1]), two(b[2], b[3])]
    }

    #[inline(always)]
    unsafe fn store_bytes(to: *mut u8, a: [i32; 4], b: [i32; 4]) {
        let clamp = |lane: i16| lane.clamp(0, 255) as u8;
        let two = |lane: i32| [clamp(low(lane)), clamp(high(lane))];
        // SAFETY: the caller's pointer is valid for 16 bytes.
        unsafe { to.cast::<[[[u8; 2]; 4]; 2]>().write_unaligned([a.map(two), b.map(two)]) }
    }
}
