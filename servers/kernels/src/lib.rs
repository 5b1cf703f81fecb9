//! The computations that the servers serve.
//!
//! One source for native code and Wasm: `no_std`, no allocation, no state. Answers include the request's salt, which is
//! added here, where the job is computed, so that an answer can only come from a job that was really run.

#![no_std]

#[cfg(any(test, feature = "std"))]
extern crate std;

mod atan_tan;
mod convolution;
mod fib;
#[cfg(target_arch = "wasm32")]
mod wasm;

pub use atan_tan::{ATAN_TAN_MAX, atan_tan};
pub use convolution::{
    Convolution, ConvolveError, Edge, Image, Kernel, MAX_KERNEL_SIZE, Method, Path, Scratch, ScratchSize,
};
pub use fib::fib;

/// The largest n for which F(n), and F(n) plus any salt, fits a `u64`.
pub const FIB_MAX: u32 = 93;

/// F(n) + salt.
pub fn salted_fib(n: u32, salt: u32) -> u64 {
    fib(n).saturating_add(u64::from(salt))
}

/// The atan-tan sum + salt.
pub fn salted_atan_tan(num: u32, salt: u32) -> f64 {
    atan_tan(num) + f64::from(salt)
}
