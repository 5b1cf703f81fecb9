//! Bad input is refused with an error that says what is wrong; nothing panics.

use kernels::{Convolution, ConvolveError, Edge, Image, Kernel, MAX_KERNEL_SIZE, Method, Path, Scratch};
use proptest::prelude::*;

#[test]
fn images() {
    let refused = |data: &[u8], width, height, channels| Image::new(data, width, height, channels).unwrap_err();
    assert_eq!(refused(&[0; 4], 2, 2, 0), ConvolveError::Channels(0));
    assert_eq!(refused(&[0; 20], 2, 2, 5), ConvolveError::Channels(5));
    assert_eq!(refused(&[], 0, 5, 3), ConvolveError::EmptyImage);
    assert_eq!(refused(&[], 5, 0, 3), ConvolveError::EmptyImage);
    assert_eq!(refused(&[0; 11], 2, 2, 3), ConvolveError::ImageLength { expected: 12, actual: 11 });
    assert_eq!(refused(&[0; 13], 2, 2, 3), ConvolveError::ImageLength { expected: 12, actual: 13 });
    assert_eq!(refused(&[0; 4], usize::MAX, 2, 1), ConvolveError::TooLarge);
    assert_eq!(refused(&[0; 4], usize::MAX / 2, 1, 4), ConvolveError::TooLarge);
}

#[test]
fn kernel_sizes() {
    for size in [0, 2, 4, 254, 256, 257, 1 << 20, (1 << 20) + 1, usize::MAX - 1, usize::MAX] {
        let refusal = Some(ConvolveError::KernelSize(size));
        assert_eq!(Kernel::gaussian(size, 1.0).err(), refusal);
        assert_eq!(Kernel::custom(size, &[1.0]).err(), refusal);
    }
    assert!(Kernel::gaussian(MAX_KERNEL_SIZE, 1.0).is_ok());
}

#[test]
fn weights() {
    let count = |actual| Some(ConvolveError::WeightCount { expected: 9, actual });
    assert_eq!(Kernel::custom(3, &[]).err(), count(0));
    assert_eq!(Kernel::custom(3, &[0.0; 8]).err(), count(8));
    assert_eq!(Kernel::custom(3, &[0.0; 10]).err(), count(10));
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let mut weights = [0.0; 9];
        weights[7] = bad;
        assert_eq!(Kernel::custom(3, &weights).err(), Some(ConvolveError::Weight(7)));
    }
    for large in [[f64::MAX; 9], [f64::MIN; 9], [1e306; 9]] {
        assert_eq!(Kernel::custom(3, &large).err(), Some(ConvolveError::WeightSum));
    }
}

#[test]
fn sigmas() {
    for sigma in [0.0, -0.0, -1.0, f64::INFINITY, f64::NEG_INFINITY] {
        assert_eq!(Kernel::gaussian(7, sigma).err(), Some(ConvolveError::Sigma(sigma)));
    }
    assert!(matches!(Kernel::gaussian(7, f64::NAN), Err(ConvolveError::Sigma(sigma)) if sigma.is_nan()));
}

#[test]
fn rows_outputs_and_scratch() {
    let data = [9; 24];
    let image = Image::new(&data, 4, 3, 2).unwrap();
    let new = |method| Convolution::new(image, Kernel::gaussian(3, 1.0).unwrap(), Edge::Wrap, method).unwrap();
    let convolution = new(Method::Direct);
    let mut out = [0; 24];
    let mut run = |start, end, length| convolution.run_allocating(start..end, &mut out[..length], Path::best()).err();
    let rows = |start, end| Some(ConvolveError::Rows { start, end, height: 3 });
    assert_eq!(run(0, 4, 24), rows(0, 4));
    assert_eq!(run(2, 1, 0), rows(2, 1));
    assert_eq!(run(usize::MAX, usize::MAX, 0), rows(usize::MAX, usize::MAX));
    assert_eq!(run(0, 3, 23), Some(ConvolveError::OutputLength { expected: 24, actual: 23 }));
    assert_eq!(run(1, 2, 9), Some(ConvolveError::OutputLength { expected: 8, actual: 9 }));
    assert_eq!(run(3, 3, 0), None);
    assert_eq!(run(0, 3, 24), None);

    for method in Method::ALL {
        let convolution = new(method);
        let need = convolution.scratch();
        let mut run = |bytes, words| {
            let scratch = Scratch { bytes: &mut vec![0; bytes], words: &mut vec![0; words] };
            convolution.run(0..3, &mut out, scratch, Path::best()).err()
        };
        assert_eq!(run(need.bytes, need.words), None);
        assert_eq!(run(need.bytes - 1, need.words), Some(ConvolveError::Scratch));
        if let Some(words) = need.words.checked_sub(1) {
            assert_eq!(run(need.bytes, words), Some(ConvolveError::Scratch));
        }
    }
}

#[test]
fn paths_that_this_cpu_does_not_have() {
    let data = [9];
    let image = Image::new(&data, 1, 1, 1).unwrap();
    let convolution = Convolution::new(image, Kernel::gaussian(1, 1.0).unwrap(), Edge::Zero, Method::Direct).unwrap();
    for path in Path::ALL {
        let refusal = (!path.is_available()).then_some(ConvolveError::Path(path));
        assert_eq!(convolution.run_allocating(0..1, &mut [0], path).err(), refusal);
    }
}

#[test]
fn names() {
    for edge in Edge::ALL {
        assert_eq!(edge.name().parse(), Ok(edge));
    }
    for method in Method::ALL {
        assert_eq!(method.name().parse(), Ok(method));
    }
    for path in Path::ALL {
        assert_eq!(path.name().parse(), Ok(path));
    }
    assert!(
        "constant".parse::<Edge>().is_err() && "".parse::<Method>().is_err() && "Direct".parse::<Method>().is_err()
    );
}

proptest! {
    /// Whatever weights there are: accepted or refused, and what is accepted can be computed by every path alike.
    #[test]
    fn any_bits_as_weights(bits in prop::collection::vec(any::<u64>(), 9), data in prop::collection::vec(any::<u8>(), 12)) {
        let weights: Vec<f64> = bits.into_iter().map(f64::from_bits).collect();
        let image = Image::new(&data, 4, 3, 1).unwrap();
        if let Ok(kernel) = Kernel::custom(3, &weights) {
            for method in Method::ALL {
                if let Ok(convolution) = Convolution::new(image, kernel, Edge::Mirror, method) {
                    let mut first = [0; 12];
                    convolution.run_allocating(0..3, &mut first, Path::Portable).unwrap();
                    for path in Path::available() {
                        let mut out = [0; 12];
                        convolution.run_allocating(0..3, &mut out, path).unwrap();
                        prop_assert_eq!(out, first);
                    }
                }
            }
        }
    }

    #[test]
    fn any_sigma(bits: u64, size in 0usize..300) {
        let _ = Kernel::gaussian(size, f64::from_bits(bits));
    }
}
