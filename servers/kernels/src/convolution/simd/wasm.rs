//! Wasm's 128 bits, for builds with `-C target-feature=+simd128`.

use core::arch::wasm32::*;

use super::lanes::Lanes;

/// 128 bits; a module with these instructions is refused as a whole where they do not exist.
pub(super) struct Wasm;

impl Lanes for Wasm {
    const N: usize = 4;
    const WEAVES: bool = true;
    type V = v128;

    #[inline(always)]
    unsafe fn load(from: *const u8) -> v128 {
        // SAFETY: the caller's pointer is valid for 16 bytes; a v128 in memory needs no alignment here.
        unsafe { v128_load(from.cast()) }
    }

    #[inline(always)]
    unsafe fn widen(from: *const u8) -> v128 {
        // SAFETY: the caller's pointer is valid for 8 bytes.
        unsafe { i16x8_load_extend_u8x8(from) }
    }

    #[inline(always)]
    unsafe fn store(to: *mut u8, v: v128) {
        // SAFETY: the caller's pointer is valid for 16 bytes.
        unsafe { v128_store(to.cast(), v) }
    }

    #[inline(always)]
    unsafe fn splat(value: i32) -> v128 {
        i32x4_splat(value)
    }

    #[inline(always)]
    unsafe fn add16(a: v128, b: v128) -> v128 {
        i16x8_add(a, b)
    }

    #[inline(always)]
    unsafe fn add32(a: v128, b: v128) -> v128 {
        i32x4_add(a, b)
    }

    #[inline(always)]
    unsafe fn multiply(pairs: v128, weights: v128) -> v128 {
        i32x4_dot_i16x8(pairs, weights)
    }

    #[inline(always)]
    unsafe fn interleave(a: v128, b: v128) -> (v128, v128) {
        (i16x8_shuffle::<0, 8, 1, 9, 2, 10, 3, 11>(a, b), i16x8_shuffle::<4, 12, 5, 13, 6, 14, 7, 15>(a, b))
    }

    #[inline(always)]
    unsafe fn as_interleaved(first: v128, second: v128) -> (v128, v128) {
        (first, second)
    }

    #[inline(always)]
    unsafe fn narrow((a, b): (v128, v128), shift: u32) -> v128 {
        i16x8_narrow_i32x4(i32x4_shr(a, shift), i32x4_shr(b, shift))
    }

    #[inline(always)]
    unsafe fn store_bytes(to: *mut u8, a: v128, b: v128) {
        // SAFETY: the caller's pointer is valid for 16 bytes.
        unsafe { v128_store(to.cast(), u8x16_narrow_i16x8(a, b)) }
    }
}
