//! A sum of atan(i) * tan(i): floating-point work in a loop, in contrast to the recursion of `fib`.

/// The largest `num`: 12^7 terms take some seconds.
pub const ATAN_TAN_MAX: u32 = 12;

/// The sum of atan(i) * tan(i) for i = num^7 down to 0.
///
/// The functions are those of the crate `libm`, so native code and Wasm give the same bits, and so do JavaScript
/// engines that use the same algorithms (V8). `num` is hidden from the optimiser: nothing is computed ahead or only once. A
/// `num` above [`ATAN_TAN_MAX`] counts as [`ATAN_TAN_MAX`]; callers refuse it before.
#[inline(never)]
pub fn atan_tan(num: u32) -> f64 {
    let num = core::hint::black_box(num).min(ATAN_TAN_MAX);
    let mut sum = 0.0;
    for i in (0..=num.pow(7)).rev() {
        let x = f64::from(i);
        sum += libm::atan(x) * libm::tan(x);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::atan_tan;

    #[test]
    fn small_sums() {
        assert_eq!(atan_tan(0), 0.0);
        // One term besides zero: atan(1) * tan(1) = pi / 4 * 1.5574077246549023.
        assert!((atan_tan(1) - core::f64::consts::FRAC_PI_4 * 1.557_407_724_654_902_3).abs() < 1e-15);
    }

    #[test]
    fn agrees_with_the_platform_to_rounding() {
        let by_platform: f64 = (0..=128u32).rev().map(f64::from).map(|x| x.atan() * x.tan()).sum();
        assert!((atan_tan(2) - by_platform).abs() < 1e-9 * by_platform.abs());
    }
}
