//! What the Wasm module exports: each kernel with its salt, and the convolution.

mod convolve;

/// F(n) + salt.
// SAFETY: no other symbol of this module has the name.
#[unsafe(no_mangle)]
extern "C" fn fib(n: u32, salt: u32) -> u64 {
    crate::salted_fib(n, salt)
}

/// The atan-tan sum + salt.
// SAFETY: no other symbol of this module has the name.
#[unsafe(no_mangle)]
extern "C" fn atan_tan(num: u32, salt: u32) -> f64 {
    crate::salted_atan_tan(num, salt)
}

/// A panic is a trap: an error of the job that caused it alone.
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    core::arch::wasm32::unreachable()
}
