//! Plain arrays, for targets without a path of their own and as the measure of the others.

use core::array::from_fn;

use super::lanes::Lanes;

/// 32-bit lanes: with fewer, compilers leave more of them as scalars.
const N: usize = 8;

/// Arrays of lanes, of the two 16-bit lanes in each the lower first.
pub(super) struct Portable;

type V = [i32; N];

#[inline(always)]
fn low(lane: i32) -> i32 {
    lane << 16 >> 16
}

#[inline(always)]
fn high(lane: i32) -> i32 {
    lane >> 16
}

#[inline(always)]
fn join(low: i32, high: i32) -> i32 {
    low & 0xffff | high << 16
}

#[inline(always)]
fn map(a: V, b: V, f: impl Fn(i32, i32) -> i32) -> V {
    from_fn(|i| f(a[i], b[i]))
}

impl Lanes for Portable {
    const N: usize = N;
    type V = V;

    #[inline(always)]
    unsafe fn load(from: *const u8) -> V {
        // SAFETY: the caller's pointer is valid for 4N bytes.
        let bytes = unsafe { from.cast::<[[u8; 4]; N]>().read_unaligned() };
        bytes.map(i32::from_le_bytes)
    }

    #[inline(always)]
    unsafe fn widen(from: *const u8) -> V {
        // SAFETY: the caller's pointer is valid for 2N bytes.
        let bytes = unsafe { from.cast::<[[u8; 2]; N]>().read_unaligned() };
        bytes.map(|[a, b]| i32::from(a) | i32::from(b) << 16)
    }

    #[inline(always)]
    unsafe fn store(to: *mut u8, v: V) {
        // SAFETY: the caller's pointer is valid for 4N bytes.
        unsafe { to.cast::<[[u8; 4]; N]>().write_unaligned(v.map(i32::to_le_bytes)) }
    }

    #[inline(always)]
    unsafe fn splat(value: i32) -> V {
        [value; N]
    }

    #[inline(always)]
    unsafe fn add16(a: V, b: V) -> V {
        map(a, b, |a, b| join(low(a).wrapping_add(low(b)), high(a).wrapping_add(high(b))))
    }

    #[inline(always)]
    unsafe fn add32(a: V, b: V) -> V {
        map(a, b, i32::wrapping_add)
    }

    #[inline(always)]
    unsafe fn multiply(pairs: V, weights: V) -> V {
        map(pairs, weights, |a, b| (low(a) * low(b)).wrapping_add(high(a) * high(b)))
    }

    #[inline(always)]
    unsafe fn interleave(a: V, b: V) -> (V, V) {
        // The even ones, then the odd ones.
        (map(a, b, join), map(a, b, |a, b| join(high(a), high(b))))
    }

    #[inline(always)]
    unsafe fn as_interleaved(first: V, second: V) -> (V, V) {
        let both = |i: usize| if i < N { first[i] } else { second[i - N] };
        (from_fn(|i| both(2 * i)), from_fn(|i| both(2 * i + 1)))
    }

    #[inline(always)]
    unsafe fn narrow((even, odd): (V, V), shift: u32) -> V {
        let saturate = |lane: i32| (lane >> shift).clamp(i32::from(i16::MIN), i32::from(i16::MAX));
        map(even, odd, |a, b| join(saturate(a), saturate(b)))
    }

    #[inline(always)]
    unsafe fn store_bytes(to: *mut u8, a: V, b: V) {
        let two = |lane: i32| [low(lane).clamp(0, 255) as u8, high(lane).clamp(0, 255) as u8];
        // SAFETY: the caller's pointer is valid for 4N bytes.
        unsafe { to.cast::<[[[u8; 2]; N]; 2]>().write_unaligned([a.map(two), b.map(two)]) }
    }
}
