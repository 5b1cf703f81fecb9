//! The operations that the loops are written in, one implementation for each width of SIMD.

/// A register of `N` 32-bit or twice as many 16-bit integers, signed.
///
/// # Safety
///
/// Every function needs a CPU that has the implementing instructions; those with a pointer also need it to be valid for
/// as many bytes as they say. Pointers need no alignment.
pub(super) trait Lanes {
    /// 32-bit lanes.
    const N: usize;
    /// Whether `interleave` keeps memory's order, and is better told to weave two rows into one than left to the compiler.
    const WEAVES: bool = false;
    /// The register.
    type V: Copy;

    /// Reads 4N bytes.
    unsafe fn load(from: *const u8) -> Self::V;
    /// Reads 2N bytes as 16-bit lanes.
    unsafe fn widen(from: *const u8) -> Self::V;
    /// Writes 4N bytes.
    unsafe fn store(to: *mut u8, v: Self::V);
    /// The same in each 32-bit lane.
    unsafe fn splat(value: i32) -> Self::V;
    /// Sums of 16-bit lanes.
    unsafe fn add16(a: Self::V, b: Self::V) -> Self::V;
    /// Sums of 32-bit lanes.
    unsafe fn add32(a: Self::V, b: Self::V) -> Self::V;
    /// In each 32-bit lane, the sum of the products of its two 16-bit halves.
    unsafe fn multiply(pairs: Self::V, weights: Self::V) -> Self::V;
    /// Pairs of a 16-bit lane of `a` and the same of `b`, in two registers whose order only `narrow` knows.
    unsafe fn interleave(a: Self::V, b: Self::V) -> (Self::V, Self::V);
    /// Two registers in memory's order to the order of `interleave`.
    unsafe fn as_interleaved(first: Self::V, second: Self::V) -> (Self::V, Self::V);
    /// 32-bit lanes in the order of `interleave`, shifted right, to 16-bit lanes in memory's order, saturated.
    unsafe fn narrow(pair: (Self::V, Self::V), shift: u32) -> Self::V;
    /// Writes the 16-bit lanes of `a`, then those of `b`, clamped to 0..255: 4N bytes.
    unsafe fn store_bytes(to: *mut u8, a: Self::V, b: Self::V);
}
