//! The project's own side of scripts/bench-kernels: computes what it is told to on standard input and says how long it took.
//!
//! The first line of output names the contenders, separated by tabs. Each line of input is one of them; it is answered
//! with the milliseconds of one computation.

use std::hint::black_box;
use std::io::{BufRead, Write, stdin, stdout};
use std::num::NonZeroUsize;
use std::ops::Range;
use std::thread;
use std::time::Instant;

use kernels::{Convolution, Edge, Method, Path, Scratch};
use servers::{Backend, Convolve, Image, Job, Native, WasmBuild, WasmModule, Weights};

const WIDTH: usize = 1680;
const HEIGHT: usize = 1050;
const CHANNELS: usize = 3;

/// Images that two threads compute before they end: starting them is not what is measured.
const IMAGES: u32 = 8;

/// What is measured: its name, how often it computes at a time, and how.
struct Contender<'a> {
    name: String,
    times: u32,
    work: Box<dyn FnMut() + 'a>,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let fib = std::env::args().nth(1).map_or(Ok(32), |n| n.parse())?;
    let jobs = Method::ALL.map(job);
    let convolutions = [jobs[0].check()?, jobs[1].check()?];
    let mut contenders: Vec<Contender<'_>> = Vec::new();
    let mut add = |name: String, times, work| contenders.push(Contender { name, times, work });
    for (convolution, method) in convolutions.iter().zip(Method::ALL) {
        let name = method.name();
        for path in Path::available() {
            add(format!("kernel {name} {}", path.name()), 1, Box::new(kernel(convolution, path, 0..HEIGHT)));
        }
        let (half, whole) = (0..HEIGHT / 2, 0..HEIGHT);
        add(format!("kernel {name} halves on 2 threads"), IMAGES, two(convolution, half, HEIGHT / 2..HEIGHT));
        add(format!("kernel {name} copies on 2 threads"), IMAGES, two(convolution, whole.clone(), whole));
    }
    // From here on as the servers compute: with a new image for the answer, and for Wasm copied in and out.
    let direct = Job::Convolve(jobs[0].clone());
    for path in Path::available() {
        add(format!("native {}", path.name()), 1, compute(Native::default().with_path(path), &direct));
    }
    let (one, two) = (NonZeroUsize::MIN, NonZeroUsize::new(2).ok_or("zero")?);
    add("native on 2 threads".into(), 1, compute(Native::default().with_job_threads(two)?, &direct));
    for build in WasmBuild::ALL {
        add(format!("wasm {build}"), 1, compute(WasmModule::load(build)?.instantiate(one)?, &direct));
    }
    let threads = WasmModule::load(WasmBuild::Threads)?;
    add("wasm threads on 2 threads".into(), 1, compute(threads.instantiate(two)?, &direct));
    let fib = Job::Fib { n: fib, salt: 0 };
    add("fib native".into(), 1, compute(Native::default(), &fib));
    add("fib wasm".into(), 1, compute(WasmModule::load(WasmBuild::Optimised)?.instantiate(one)?, &fib));
    serve(contenders)
}

/// The convolution of the scenario of that name, on noise.
fn job(method: Method) -> Convolve {
    let mut state = 1u32;
    let pixels = (0..WIDTH * HEIGHT * CHANNELS).map(|_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    });
    let image = Image { width: WIDTH, height: HEIGHT, channels: CHANNELS, pixels: pixels.collect() };
    Convolve { image, weights: Weights::Gaussian { size: 7, sigma: 7.0 }, edge: Edge::Zero, method }
}

/// The kernel alone, into memory that is there already.
fn kernel<'a>(convolution: &'a Convolution<'a>, path: Path, rows: Range<usize>) -> impl FnMut() + Send + 'a {
    let need = convolution.scratch();
    let (mut bytes, mut words) = (vec![0; need.bytes], vec![0; need.words]);
    let mut out = vec![0; rows.len() * WIDTH * CHANNELS];
    move || {
        let scratch = Scratch { bytes: &mut bytes, words: &mut words };
        convolution.run(rows.clone(), black_box(&mut out), scratch, path).expect("the input is right");
    }
}

/// Two bands at once.
fn two<'a>(convolution: &'a Convolution<'a>, one: Range<usize>, other: Range<usize>) -> Box<dyn FnMut() + 'a> {
    let mut one = kernel(convolution, Path::best(), one);
    let mut other = kernel(convolution, Path::best(), other);
    Box::new(move || {
        thread::scope(|scope| {
            scope.spawn(|| (0..IMAGES).for_each(|_| other()));
            (0..IMAGES).for_each(|_| one());
        });
    })
}

fn compute(mut backend: impl Backend + 'static, job: &Job) -> Box<dyn FnMut()> {
    let job = job.clone();
    Box::new(move || drop(black_box(backend.compute(black_box(&job)).expect("the job is right"))))
}

fn serve(mut contenders: Vec<Contender<'_>>) -> Result<(), Box<dyn std::error::Error>> {
    let names: Vec<_> = contenders.iter().map(|contender| contender.name.as_str()).collect();
    println!("{}", names.join("\t"));
    for line in stdin().lock().lines() {
        let line = line?;
        let contender = contenders.iter_mut().find(|contender| contender.name == line).ok_or("unknown contender")?;
        let begun = Instant::now();
        (contender.work)();
        writeln!(stdout(), "{}", begun.elapsed().as_secs_f64() * 1e3 / f64::from(contender.times))?;
        stdout().flush()?;
    }
    Ok(())
}
