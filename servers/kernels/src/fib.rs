//! Fibonacci by naive recursion: a job whose only purpose is to keep a CPU busy.
//!
//! Depends on nothing but `core`, so that a test can compile this file alone and read its machine code.

/// Defines the recursive function from its one source: `define_fib!(name)`.
///
/// A block after the name runs at the start of every call; tests use it to count the calls of a twin that has the
/// very same tokens: `define_fib!(twin, { count() })`.
///
/// Written as `fib(n - 1) + fib(n - 2)`, LLVM turns the second call into a loop that adds up (an addition may be
/// regrouped), which halves the calls. A saturating addition may not be regrouped, so both calls stay; no
/// sum here comes near to saturating. `inline(never)` keeps the function from being unrolled into itself.
#[macro_export]
macro_rules! define_fib {
    ($name:ident $(, $at_call:block)?) => {
        #[inline(never)]
        fn $name(n: u32) -> u64 {
            $($at_call)?
            if n < 2 {
                n as u64
            } else {
                u64::saturating_add($name(n - 1), $name(n - 2))
            }
        }
    };
}

define_fib!(recurse);

/// F(n) with F(0) = 0 and F(1) = 1, in 2 F(n+1) - 1 calls.
///
/// `n` is hidden from the optimiser, so two calls with the same `n` are computed twice and none is computed ahead of time.
/// F(93) is the last that fits; beyond it the sum saturates (not that anyone lives to see it).
pub fn fib(n: u32) -> u64 {
    recurse(core::hint::black_box(n))
}
