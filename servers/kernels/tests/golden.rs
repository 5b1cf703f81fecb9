//! Every golden vector (made by SciPy in doubles), by every method that applies and on every path: at most 1 away, and
//! the same bytes on all paths.

use std::fs::File;
use std::io::BufReader;
use std::path::PathBuf;

use kernels::{Convolution, ConvolveError, Edge, Image, Kernel, Method, Path};

#[derive(serde::Deserialize)]
struct Case {
    input: String,
    kernel: Weights,
    edge: String,
    expected: String,
}

#[derive(serde::Deserialize)]
#[serde(tag = "name", rename_all = "lowercase")]
enum Weights {
    Gaussian { size: usize, sigma: f64 },
    Custom { size: usize, weights: Vec<f64> },
}

impl Weights {
    fn kernel(&self) -> Kernel<'_> {
        match self {
            Self::Gaussian { size, sigma } => Kernel::gaussian(*size, *sigma),
            Self::Custom { size, weights } => Kernel::custom(*size, weights),
        }
        .expect("a right kernel")
    }

    /// Told here, not by what is tested: Gaussians are of rank one, and so is the kernel of Sobel.
    fn is_rank_one(&self) -> bool {
        match self {
            Self::Gaussian { .. } => true,
            Self::Custom { weights, .. } => weights == &[-1.0, 0.0, 1.0, -2.0, 0.0, 2.0, -1.0, 0.0, 1.0],
        }
    }
}

#[test]
fn every_case() {
    let cases: Vec<Case> = serde_json::from_reader(File::open(golden("index.json")).unwrap()).unwrap();
    assert_eq!(cases.len(), 90);
    for case in &cases {
        check(case);
    }
}

fn check(case: &Case) {
    let (data, width, height) = png(&case.input);
    let (expected, ..) = png(&case.expected);
    let image = Image::new(&data, width, height, data.len() / (width * height)).unwrap();
    let edge: Edge = case.edge.parse().expect("a known edge mode");
    for method in Method::ALL {
        let convolution = match Convolution::new(image, case.kernel.kernel(), edge, method) {
            Err(ConvolveError::NotSeparable) if method == Method::Separable && !case.kernel.is_rank_one() => continue,
            other => other.unwrap_or_else(|error| panic!("{} {method:?}: {error}", case.expected)),
        };
        assert!(method == Method::Direct || case.kernel.is_rank_one(), "{}: not refused", case.expected);
        let mut first = None;
        for path in Path::available() {
            let mut out = vec![0; data.len()];
            convolution.run_allocating(0..height, &mut out, path).unwrap();
            let farthest = out.iter().zip(&expected).map(|(a, b)| a.abs_diff(*b)).max();
            assert!(farthest <= Some(1), "{} {method:?} {path:?}: {farthest:?} away", case.expected);
            let first = first.get_or_insert_with(|| out.clone());
            assert!(*first == out, "{} {method:?} {path:?}: other bytes", case.expected);
        }
    }
}

fn golden(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name)
}

/// Samples, width and height of a golden image.
fn png(name: &str) -> (Vec<u8>, usize, usize) {
    let file = BufReader::new(File::open(golden(name)).unwrap());
    let mut reader = png::Decoder::new(file).read_info().unwrap();
    let mut data = vec![0; reader.output_buffer_size().unwrap()];
    let frame = reader.next_frame(&mut data).unwrap();
    assert_eq!(frame.bit_depth, png::BitDepth::Eight, "{name}");
    data.truncate(frame.buffer_size());
    (data, frame.width as usize, frame.height as usize)
}
