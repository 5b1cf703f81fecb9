//! Times the convolution: `cargo run --release -p kernels --features std --example convolve_bench [-- ROUNDS]`.
//!
//! 1680 x 1050 RGB, 7 x 7 Gaussian with sigma 7, zero border. Prints a line for each case, tab-separated: name, median
//! and minimum over all rounds of the milliseconds for an image (with two threads and all each: for two images). The
//! cases take turns, so that a slow minute of the machine falls on all alike.

use std::hint::black_box;
use std::thread;
use std::time::Instant;

use kernels::{Convolution, Edge, Image, Kernel, Method, Path, Scratch};

const WIDTH: usize = 1680;
const HEIGHT: usize = 1050;
const CHANNELS: usize = 3;
const FIB: u32 = 32;
/// Images in a round: threads are started once for all of them.
const IMAGES: u32 = 4;

/// A band's working memory, made once.
struct Buffers {
    bytes: Vec<u8>,
    words: Vec<u32>,
}

impl Buffers {
    fn of(convolution: &Convolution<'_>) -> Self {
        let need = convolution.scratch();
        Self { bytes: vec![0; need.bytes], words: vec![0; need.words] }
    }

    fn run(&mut self, convolution: &Convolution<'_>, rows: std::ops::Range<usize>, out: &mut [u8], path: Path) {
        let scratch = Scratch { bytes: &mut self.bytes, words: &mut self.words };
        convolution.run(rows, out, scratch, path).expect("the input is right");
    }
}

/// A name and a function that does the work [`IMAGES`] times.
type Case<'a> = (String, Box<dyn FnMut() + 'a>);

fn main() {
    let rounds = std::env::args().nth(1).map_or(41, |rounds| rounds.parse().expect("a number of rounds"));
    let mut state = 1u32;
    let data: Vec<u8> = (0..WIDTH * HEIGHT * CHANNELS)
        .map(|_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 24) as u8
        })
        .collect();
    let image = Image::new(&data, WIDTH, HEIGHT, CHANNELS).expect("a right image");
    let kernel = Kernel::gaussian(7, 7.0).expect("a right kernel");
    // Without symmetry nothing can be folded.
    let skew: Vec<f64> = (1..=49).map(|weight| f64::from(weight) / 1225.0).collect();
    let skew = Kernel::custom(7, &skew).expect("a right kernel");

    let new = |kernel, method| Convolution::new(image, kernel, Edge::Zero, method).expect("they fit");
    let plain = new(skew, Method::Direct);
    let both = [new(kernel, Method::Direct), new(kernel, Method::Separable)];
    let mut cases: Vec<Case<'_>> = Vec::new();
    for path in Path::available() {
        cases.push((format!("direct-asymmetric {}", path.name()), one(&plain, path)));
    }
    for (convolution, method) in both.iter().zip(Method::ALL) {
        for path in Path::available() {
            cases.push((format!("{} {}", method.name(), path.name()), one(convolution, path)));
        }
        let path = Path::best();
        cases.push((
            format!("{} {} two threads, half each", method.name(), path.name()),
            two(convolution, HEIGHT / 2, path),
        ));
        cases
            .push((format!("{} {} two threads, all each", method.name(), path.name()), two(convolution, HEIGHT, path)));
    }
    cases.push((
        format!("fib({FIB})"),
        Box::new(|| {
            for _ in 0..IMAGES {
                black_box(kernels::fib(FIB));
            }
        }),
    ));
    measure(cases, rounds);
}

fn one<'a>(convolution: &'a Convolution<'a>, path: Path) -> Box<dyn FnMut() + 'a> {
    let mut buffers = Buffers::of(convolution);
    let mut out = vec![0; WIDTH * HEIGHT * CHANNELS];
    Box::new(move || {
        for _ in 0..IMAGES {
            buffers.run(convolution, 0..HEIGHT, black_box(&mut out), path);
        }
    })
}

/// Two threads with `rows` rows each: the lower and the upper half of one image, or twice the whole.
fn two<'a>(convolution: &'a Convolution<'a>, rows: usize, path: Path) -> Box<dyn FnMut() + 'a> {
    let mut buffers = [Buffers::of(convolution), Buffers::of(convolution)];
    let mut outs = [vec![0; rows * WIDTH * CHANNELS], vec![0; rows * WIDTH * CHANNELS]];
    Box::new(move || {
        let [first, second] = &mut buffers;
        let [out, other] = &mut outs;
        thread::scope(|scope| {
            scope.spawn(|| {
                for _ in 0..IMAGES {
                    second.run(convolution, HEIGHT - rows..HEIGHT, black_box(other), path);
                }
            });
            for _ in 0..IMAGES {
                first.run(convolution, 0..rows, black_box(out), path);
            }
        });
    })
}

fn measure(mut cases: Vec<Case<'_>>, rounds: usize) {
    let mut times = vec![Vec::new(); cases.len()];
    for round in 0..=rounds {
        for ((_, work), times) in cases.iter_mut().zip(&mut times) {
            let start = Instant::now();
            work();
            // The first round warms up.
            if round > 0 {
                times.push(start.elapsed().as_secs_f64() * 1e3 / f64::from(IMAGES));
            }
        }
    }
    for ((name, _), mut times) in cases.into_iter().zip(times) {
        times.sort_by(f64::total_cmp);
        println!("{name}\t{:.3}\t{:.3}", times[times.len() / 2], times[0]);
    }
}
