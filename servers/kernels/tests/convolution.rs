//! Any image, kernel, edge mode and band split: within 1 of the definition, and the same bytes on every path.

mod reference;

use kernels::{Convolution, ConvolveError, Edge, Image, Kernel, Method, Path, Scratch};
use proptest::prelude::*;
use proptest::sample::select;
use reference::{Picture, exact, gaussian, rounded};

fn pictures() -> impl Strategy<Value = Picture> {
    // Wide ones reach over more than one tile.
    let sizes =
        prop_oneof![4 => (1usize..40, 1usize..12), 1 => (1usize..4, 1usize..4), 1 => (250usize..700, 1usize..4)];
    (sizes, 1usize..=4).prop_flat_map(|((width, height), channels)| {
        let samples = width * height * channels;
        // Extremes alone, too: they come nearest to an overflow.
        let data = prop_oneof![
            prop::collection::vec(any::<u8>(), samples),
            prop::collection::vec(select(vec![0u8, 255]), samples),
            Just(vec![255; samples]),
        ];
        data.prop_map(move |data| Picture { data, width, height, channels })
    })
}

/// Sizes and weights of any kind: smooth, signed, huge, tiny, sparse, mirrored.
fn kernels() -> impl Strategy<Value = (usize, Vec<f64>)> {
    select(vec![1usize, 3, 3, 5, 5, 7, 7, 9, 11, 15]).prop_flat_map(|size| {
        let square = size * size;
        let weight =
            prop_oneof![Just(0.0), -1.0..1.0f64, -200.0..200.0f64, -1e-4..1e-4f64, (-4i32..=4).prop_map(f64::from)];
        let free = prop_oneof![
            prop::collection::vec(weight, square),
            prop::collection::vec(-0.1..0.1f64, square),
            prop::collection::vec((-4i32..=4).prop_map(f64::from), square),
            prop::collection::vec(-1e6..1e6f64, square),
        ];
        let mirrored = free.clone().prop_map(move |mut weights| {
            for at in square / 2..square {
                weights[at] = weights[(size - 1 - at / size) * size + at % size];
            }
            weights
        });
        prop_oneof![free, mirrored, (0.1..20.0f64).prop_map(move |sigma| gaussian(size, sigma))]
            .prop_map(move |weights| (size, weights))
    })
}

/// A column times a row, and so of rank one.
fn products() -> impl Strategy<Value = (usize, Vec<f64>)> {
    select(vec![1usize, 3, 5, 7, 9, 13]).prop_flat_map(|size| {
        let side = prop_oneof![
            prop::collection::vec(-1.0..1.0f64, size),
            prop::collection::vec((-3i32..=3).prop_map(f64::from), size),
            prop::collection::vec(-100.0..100.0f64, size),
            (0.1..20.0f64).prop_map(move |sigma| gaussian(size, sigma)[..size].iter().map(|w| w * 10.0).collect()),
        ];
        (side.clone(), side)
            .prop_map(move |(column, row)| (size, column.iter().flat_map(|a| row.iter().map(move |b| a * b)).collect()))
    })
}

fn edges() -> impl Strategy<Value = Edge> {
    select(Edge::ALL.to_vec())
}

/// Where an image is cut into bands, in thousandths of its height.
fn cuts() -> impl Strategy<Value = Vec<usize>> {
    prop::collection::vec(0usize..1000, 0..4)
}

/// Computes in bands that end at `cuts`, with scratch that holds rubbish.
fn bands(convolution: &Convolution<'_>, picture: &Picture, cuts: &[usize], path: Path) -> Vec<u8> {
    let row = picture.width * picture.channels;
    let mut ends: Vec<usize> = cuts.iter().map(|cut| cut * picture.height / 1000).collect();
    ends.push(picture.height);
    ends.sort_unstable();
    let need = convolution.scratch();
    let mut out = vec![77; picture.data.len()];
    let mut start = 0;
    for end in ends {
        let (mut bytes, mut words) = (vec![201; need.bytes], vec![0xdead_beef; need.words]);
        let scratch = Scratch { bytes: &mut bytes, words: &mut words };
        convolution.run(start..end, &mut out[start * row..end * row], scratch, path).unwrap();
        start = end;
    }
    out
}

fn check(
    picture: &Picture,
    (size, weights): &(usize, Vec<f64>),
    edge: Edge,
    method: Method,
    cuts: &[usize],
) -> Result<(), TestCaseError> {
    let image = Image::new(&picture.data, picture.width, picture.height, picture.channels).unwrap();
    let kernel = Kernel::custom(*size, weights).unwrap();
    let convolution = Convolution::new(image, kernel, edge, method).unwrap();
    let whole = bands(&convolution, picture, &[], Path::Portable);
    for (at, (ours, sum)) in whole.iter().zip(exact(picture, *size, weights, edge)).enumerate() {
        prop_assert!(ours.abs_diff(rounded(sum)) <= 1, "sample {at}: {ours}, exactly {sum}");
    }
    for path in Path::available() {
        prop_assert_eq!(&bands(&convolution, picture, cuts, path), &whole, "{:?} in bands {:?}", path, cuts);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn direct(picture in pictures(), kernel in kernels(), edge in edges(), cuts in cuts()) {
        check(&picture, &kernel, edge, Method::Direct, &cuts)?;
    }

    #[test]
    fn separable(picture in pictures(), kernel in products(), edge in edges(), cuts in cuts()) {
        check(&picture, &kernel, edge, Method::Separable, &cuts)?;
    }

    #[test]
    fn gaussians_are_what_their_formula_says(
        picture in pictures(), size in select(vec![1usize, 3, 5, 7, 9]), sigma in 0.05..50.0f64, edge in edges()
    ) {
        let image = Image::new(&picture.data, picture.width, picture.height, picture.channels).unwrap();
        for method in Method::ALL {
            let convolution = Convolution::new(image, Kernel::gaussian(size, sigma).unwrap(), edge, method).unwrap();
            let out = bands(&convolution, &picture, &[], Path::best());
            for (ours, sum) in out.iter().zip(exact(&picture, size, &gaussian(size, sigma), edge)) {
                prop_assert!(ours.abs_diff(rounded(sum)) <= 1, "{ours}, exactly {sum}");
            }
        }
    }

    /// Adding to one weight of a product makes it another rank, unless its row or its column stands alone.
    #[test]
    fn other_ranks_are_refused((size, mut weights) in products(), at: prop::sample::Index) {
        prop_assume!(weights.iter().filter(|weight| weight.abs() > 0.5).count() > 2 * size && size > 1);
        weights[at.index(size * size)] += 0.5;
        let data = [0];
        let image = Image::new(&data, 1, 1, 1).unwrap();
        let kernel = Kernel::custom(size, &weights).unwrap();
        let refused = Convolution::new(image, kernel, Edge::Zero, Method::Separable).err();
        prop_assert_eq!(refused, Some(ConvolveError::NotSeparable));
    }
}

#[test]
fn the_largest_kernels() {
    let picture = Picture { data: (0..=255).cycle().take(5 * 3 * 4).collect(), width: 5, height: 3, channels: 4 };
    for sigma in [0.5, 20.0, 1e9] {
        let kernel = (255, gaussian(255, sigma));
        for edge in Edge::ALL {
            for method in Method::ALL {
                check(&picture, &kernel, edge, method, &[500]).unwrap();
            }
        }
    }
}

#[test]
fn a_flat_image_stays_flat() {
    let picture = Picture { data: vec![200; 40 * 9], width: 40, height: 9, channels: 1 };
    let image = Image::new(&picture.data, 40, 9, 1).unwrap();
    for method in Method::ALL {
        for size in [1, 3, 7, 31] {
            let kernel = Kernel::gaussian(size, 7.0).unwrap();
            let convolution = Convolution::new(image, kernel, Edge::Nearest, method).unwrap();
            assert_eq!(bands(&convolution, &picture, &[], Path::best()), picture.data, "{method:?} {size}");
        }
    }
}

#[test]
fn working_memory_is_a_few_rows_whatever_the_height() {
    let data = vec![0; 1680 * 3 * 50];
    for (width, height) in [(1680, 50), (50, 1680)] {
        let image = Image::new(&data, width, height, 3).unwrap();
        for method in Method::ALL {
            for size in [1, 3, 7, 31, 255] {
                let kernel = Kernel::gaussian(size, 7.0).unwrap();
                let need = Convolution::new(image, kernel, Edge::Zero, method).unwrap().scratch();
                // A row with what lies beyond its ends and a bit more: once in bytes, and a stretch of it in words for
                // two rows each.
                let row = (width + size - 1) * 3 + 64;
                assert!(need.bytes <= row * size, "{method:?} {size}");
                assert!(4 * need.words <= (4 * row + 256) * (size + 1), "{method:?} {size}");
            }
        }
    }
}
