//! SSE2, AVX2 and AVX-512 (F and BW).

use core::arch::x86_64::*;

use super::lanes::Lanes;

/// 128 bits; every x86-64 CPU has it.
pub(super) struct Sse2;
/// 256 bits.
pub(super) struct Avx2;
/// 512 bits.
pub(super) struct Avx512;

/// Implements [`Lanes`] from one expression for each operation.
macro_rules! lanes {
    (
        $name:ident, $n:literal, $register:ident;
        $(fn $function:ident($($argument:ident: $type:ty),*) $(-> $result:ty)? { $body:expr })*
    ) => {
        impl Lanes for $name {
            const N: usize = $n;
            type V = $register;
            $(
                #[inline(always)]
                unsafe fn $function($($argument: $type),*) $(-> $result)? {
                    // SAFETY: the CPU has the instructions, and pointers are valid for the bytes that `Lanes` says,
                    // which are those that this intrinsic touches; its loads and stores are the unaligned ones.
                    #[allow(unused_unsafe, reason = "SSE2 is always there")]
                    unsafe { $body }
                }
            )*
        }
    };
}

lanes! { Sse2, 4, __m128i;
    fn load(from: *const u8) -> __m128i { _mm_loadu_si128(from.cast()) }
    fn widen(from: *const u8) -> __m128i { _mm_unpacklo_epi8(_mm_loadl_epi64(from.cast()), _mm_setzero_si128()) }
    fn store(to: *mut u8, v: __m128i) { _mm_storeu_si128(to.cast(), v) }
    fn splat(value: i32) -> __m128i { _mm_set1_epi32(value) }
    fn add16(a: __m128i, b: __m128i) -> __m128i { _mm_add_epi16(a, b) }
    fn add32(a: __m128i, b: __m128i) -> __m128i { _mm_add_epi32(a, b) }
    fn multiply(pairs: __m128i, weights: __m128i) -> __m128i { _mm_madd_epi16(pairs, weights) }
    fn interleave(a: __m128i, b: __m128i) -> (__m128i, __m128i) { (_mm_unpacklo_epi16(a, b), _mm_unpackhi_epi16(a, b)) }
    fn as_interleaved(first: __m128i, second: __m128i) -> (__m128i, __m128i) { (first, second) }
    fn narrow(pair: (__m128i, __m128i), shift: u32) -> __m128i {{
        let shift = _mm_cvtsi32_si128(shift as i32);
        _mm_packs_epi32(_mm_sra_epi32(pair.0, shift), _mm_sra_epi32(pair.1, shift))
    }}
    fn store_bytes(to: *mut u8, a: __m128i, b: __m128i) { _mm_storeu_si128(to.cast(), _mm_packus_epi16(a, b)) }
}

// Unpacking and packing work within each 128 bits, so one undoes the order of the other.
lanes! { Avx2, 8, __m256i;
    fn load(from: *const u8) -> __m256i { _mm256_loadu_si256(from.cast()) }
    fn widen(from: *const u8) -> __m256i { _mm256_cvtepu8_epi16(_mm_loadu_si128(from.cast())) }
    fn store(to: *mut u8, v: __m256i) { _mm256_storeu_si256(to.cast(), v) }
    fn splat(value: i32) -> __m256i { _mm256_set1_epi32(value) }
    fn add16(a: __m256i, b: __m256i) -> __m256i { _mm256_add_epi16(a, b) }
    fn add32(a: __m256i, b: __m256i) -> __m256i { _mm256_add_epi32(a, b) }
    fn multiply(pairs: __m256i, weights: __m256i) -> __m256i { _mm256_madd_epi16(pairs, weights) }
    fn interleave(a: __m256i, b: __m256i) -> (__m256i, __m256i) {
        (_mm256_unpacklo_epi16(a, b), _mm256_unpackhi_epi16(a, b))
    }
    fn as_interleaved(first: __m256i, second: __m256i) -> (__m256i, __m256i) {
        (_mm256_permute2x128_si256::<0x20>(first, second), _mm256_permute2x128_si256::<0x31>(first, second))
    }
    fn narrow(pair: (__m256i, __m256i), shift: u32) -> __m256i {{
        let shift = _mm_cvtsi32_si128(shift as i32);
        _mm256_packs_epi32(_mm256_sra_epi32(pair.0, shift), _mm256_sra_epi32(pair.1, shift))
    }}
    fn store_bytes(to: *mut u8, a: __m256i, b: __m256i) {
        _mm256_storeu_si256(to.cast(), _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_packus_epi16(a, b)))
    }
}

lanes! { Avx512, 16, __m512i;
    fn load(from: *const u8) -> __m512i { _mm512_loadu_si512(from.cast()) }
    fn widen(from: *const u8) -> __m512i { _mm512_cvtepu8_epi16(_mm256_loadu_si256(from.cast())) }
    fn store(to: *mut u8, v: __m512i) { _mm512_storeu_si512(to.cast(), v) }
    fn splat(value: i32) -> __m512i { _mm512_set1_epi32(value) }
    fn add16(a: __m512i, b: __m512i) -> __m512i { _mm512_add_epi16(a, b) }
    fn add32(a: __m512i, b: __m512i) -> __m512i { _mm512_add_epi32(a, b) }
    fn multiply(pairs: __m512i, weights: __m512i) -> __m512i { _mm512_madd_epi16(pairs, weights) }
    fn interleave(a: __m512i, b: __m512i) -> (__m512i, __m512i) {
        (_mm512_unpacklo_epi16(a, b), _mm512_unpackhi_epi16(a, b))
    }
    fn as_interleaved(first: __m512i, second: __m512i) -> (__m512i, __m512i) {
        (_mm512_shuffle_i32x4::<0b10_00_10_00>(first, second), _mm512_shuffle_i32x4::<0b11_01_11_01>(first, second))
    }
    fn narrow(pair: (__m512i, __m512i), shift: u32) -> __m512i {{
        let shift = _mm_cvtsi32_si128(shift as i32);
        _mm512_packs_epi32(_mm512_sra_epi32(pair.0, shift), _mm512_sra_epi32(pair.1, shift))
    }}
    fn store_bytes(to: *mut u8, a: __m512i, b: __m512i) {{
        let order = _mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7);
        _mm512_storeu_si512(to.cast(), _mm512_permutexvar_epi64(order, _mm512_packus_epi16(a, b)))
    }}
}
