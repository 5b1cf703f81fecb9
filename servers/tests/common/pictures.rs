//! Images and kernels to convolve: vectors from elsewhere, and made-up ones.

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use kernels::{Edge, Method};
use servers::{Convolve, Image, Weights};

/// One line of the golden vectors' index.
#[derive(serde::Deserialize)]
struct Case {
    input: PathBuf,
    kernel: Kernel,
    edge: String,
    expected: PathBuf,
}

#[derive(serde::Deserialize)]
struct Kernel {
    size: usize,
    sigma: Option<f64>,
    weights: Option<Vec<f64>>,
}

/// Convolutions with the right result, made by SciPy in float64; for the direct method.
pub fn golden() -> impl Iterator<Item = (Convolve, Image)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels/tests/golden");
    let index = File::open(folder.join("index.json")).unwrap();
    let cases: Vec<Case> = serde_json::from_reader(BufReader::new(index)).unwrap();
    cases.into_iter().map(move |case| {
        let Kernel { size, sigma, weights } = case.kernel;
        let weights = match (sigma, weights) {
            (_, Some(weights)) => Weights::Custom { size, weights: weights.into() },
            (sigma, None) => Weights::Gaussian { size, sigma: sigma.expect("weights or a sigma") },
        };
        let (image, edge) = (read_png(&folder.join(case.input)), case.edge.parse().expect("a known edge"));
        (Convolve { image, weights, edge, method: Method::Direct }, read_png(&folder.join(case.expected)))
    })
}

fn read_png(path: &Path) -> Image {
    image(&std::fs::read(path).unwrap())
}

/// What is in a file.
pub fn image(file: &[u8]) -> Image {
    let codecs::Picture { width, height, channels, pixels } = codecs::decode(file, u64::MAX).unwrap();
    Image { width, height, channels, pixels: pixels.into() }
}

/// An image of noise, the same for the same seed.
pub fn noise(width: usize, height: usize, channels: usize, seed: u32) -> Image {
    let mut state = seed | 1;
    let pixels = (0..width * height * channels).map(|_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    });
    Image { width, height, channels, pixels: pixels.collect() }
}

/// The convolution of the scenario: a Gaussian of 7 x 7 with sigma 7 and zero edges.
pub fn blur(image: Image, method: Method) -> Convolve {
    Convolve { image, weights: Weights::Gaussian { size: 7, sigma: 7.0 }, edge: Edge::Zero, method }
}

/// The largest difference between two samples.
pub fn distance(one: &Image, other: &Image) -> u8 {
    assert_eq!((one.width, one.height, one.channels), (other.width, other.height, other.channels));
    one.pixels.iter().zip(&*other.pixels).map(|(&one, &other)| one.abs_diff(other)).max().unwrap_or(0)
}
