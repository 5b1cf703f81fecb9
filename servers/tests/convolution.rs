//! Every backend gives the same pixels, on every path, and refuses what cannot be convolved.

#[path = "common/pictures.rs"]
mod pictures;

use std::cell::RefCell;
use std::num::NonZeroUsize;

use kernels::{ConvolveError, Edge, Method, Path};
use pictures::{blur, distance, golden, noise};
use proptest::prelude::*;
use servers::{Answer, Backend, BackendError, Convolve, Image, Job, Native, WasmBuild, WasmModule, Weights};

type Named = (String, Box<dyn Backend>);

/// The backends whose pixels are the same to the byte.
fn exact() -> Vec<Named> {
    let threads = || (1..=4).filter_map(NonZeroUsize::new);
    let mut backends: Vec<Named> = Vec::new();
    for path in Path::available() {
        for threads in threads() {
            let native = Native::default().with_path(path).with_job_threads(threads).unwrap();
            backends.push((format!("native {} on {threads}", path.name()), Box::new(native)));
        }
    }
    backends.push(wasm(WasmBuild::Optimised, NonZeroUsize::MIN));
    backends.extend(threads().map(|threads| wasm(WasmBuild::Threads, threads)));
    backends
}

/// The study's convolution, in doubles.
fn study() -> Vec<Named> {
    [WasmBuild::StudyO0, WasmBuild::StudyO3].map(|build| wasm(build, NonZeroUsize::MIN)).into()
}

fn wasm(build: WasmBuild, threads: NonZeroUsize) -> Named {
    let instance = WasmModule::load(build).unwrap().instantiate(threads).unwrap();
    (format!("wasm {build} on {threads}"), Box::new(instance))
}

fn convolve(backend: &mut dyn Backend, job: &Convolve) -> Result<Image, BackendError> {
    match backend.compute(&Job::Convolve(job.clone()))? {
        Answer::Image(image) => Ok(image),
        other => panic!("{other:?} is no image"),
    }
}

/// Asserts that all backends agree, and gives what they agree on.
fn agreed(exact: &mut [Named], study: &mut [Named], job: &Convolve) -> Image {
    let mut images = exact.iter_mut().map(|(name, backend)| {
        (&*name, convolve(&mut **backend, job).unwrap_or_else(|error| panic!("{name}: {error}")))
    });
    let (_, first) = images.next().expect("a backend");
    for (name, image) in images {
        assert!(image == first, "{name} differs by {} for {job:?}", distance(&image, &first));
    }
    if (job.image.channels, job.edge, job.method) == (3, Edge::Zero, Method::Direct) {
        for (name, backend) in study {
            let image = convolve(&mut **backend, job).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert!(distance(&image, &first) <= 1, "{name} differs by more than 1 for {job:?}");
        }
    }
    first
}

#[test]
fn golden_images_are_the_same_everywhere() {
    let (mut exact, mut study) = (exact(), study());
    let mut separable = 0;
    for (job, expected) in golden() {
        let image = agreed(&mut exact, &mut study, &job);
        assert!(distance(&image, &expected) <= 1, "{job:?}");
        let job = Convolve { method: Method::Separable, ..job };
        if job.check().is_ok() {
            separable += 1;
            assert!(distance(&agreed(&mut exact, &mut study, &job), &expected) <= 1, "{job:?}");
        }
    }
    assert!(separable > 0);
}

#[test]
fn large_and_small_jobs_follow_each_other() {
    let (mut exact, mut study) = (exact(), study());
    for (width, height) in [(3, 2), (701, 93), (1, 1), (64, 64)] {
        for method in Method::ALL {
            agreed(&mut exact, &mut study, &blur(noise(width, height, 3, 7), method));
        }
    }
}

fn weights() -> impl Strategy<Value = Weights> {
    let size = || (0..=4usize).prop_map(|half| 2 * half + 1);
    let gaussian = (size(), 0.1..20.0).prop_map(|(size, sigma)| Weights::Gaussian { size, sigma });
    let custom = size().prop_flat_map(|size| {
        let weights = proptest::collection::vec(-2.0..2.0f64, size * size);
        weights.prop_map(move |weights| Weights::Custom { size, weights: weights.into() })
    });
    prop_oneof![gaussian, custom]
}

fn image() -> impl Strategy<Value = Image> {
    (1..40usize, 1..20usize, 1..=4usize, any::<u32>())
        .prop_map(|(width, height, channels, seed)| noise(width, height, channels, seed))
}

#[test]
fn any_job_is_the_same_everywhere() {
    let backends = RefCell::new((exact(), study()));
    let jobs = (image(), weights(), proptest::sample::select(Edge::ALL.to_vec()));
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig::with_cases(64));
    let result = runner.run(&jobs, |(image, weights, edge)| {
        for method in Method::ALL {
            let job = Convolve { image: image.clone(), weights: weights.clone(), edge, method };
            if !matches!(job.check(), Err(ConvolveError::NotSeparable)) {
                let (exact, study) = &mut *backends.borrow_mut();
                agreed(exact, study, &job);
            }
        }
        Ok(())
    });
    result.unwrap();
}

/// Jobs that nobody can compute.
fn impossible() -> Vec<Convolve> {
    let good = blur(noise(5, 4, 3, 1), Method::Direct);
    let gaussian = |size, sigma| Convolve { weights: Weights::Gaussian { size, sigma }, ..good.clone() };
    let custom =
        |size, weights: &[f64]| Convolve { weights: Weights::Custom { size, weights: weights.into() }, ..good.clone() };
    let measures = |width, height, channels| Convolve {
        image: Image { width, height, channels, ..good.image.clone() },
        ..good.clone()
    };
    let mut jobs = vec![
        custom(3, &[]),
        custom(3, &[1.0; 8]),
        custom(0, &[]),
        custom(2, &[1.0; 4]),
        custom(1, &[f64::NAN]),
        custom(1, &[f64::INFINITY]),
        custom(1, &[f64::MAX]),
        Convolve { method: Method::Separable, ..custom(3, &[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]) },
        measures(5, 4, 0),
        measures(5, 4, 5),
        measures(5, 5, 3),
        measures(0, 4, 3),
        measures(5, 0, 3),
        measures(usize::MAX, usize::MAX, 4),
        measures(1 << 32, 4, 3),
        measures(5, (1 << 32) + 4, 3),
        measures(1 << 31, 1 << 31, 4),
    ];
    jobs.extend([0, 2, 257, 1 << 20, 1 << 40, usize::MAX].map(|size| gaussian(size, 1.0)));
    jobs.extend([0.0, -1.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY].map(|sigma| gaussian(3, sigma)));
    jobs
}

#[test]
fn what_cannot_be_convolved_is_refused_everywhere_for_the_same_reason() {
    let good = blur(noise(5, 4, 3, 1), Method::Direct);
    for (name, backend) in exact().iter_mut().chain(&mut study()) {
        for job in impossible() {
            let reason = job.check().unwrap_err();
            match convolve(&mut **backend, &job) {
                // By its text: what is not a number does not equal itself.
                Err(BackendError::Input(error)) => assert_eq!(error.to_string(), reason.to_string(), "{name}: {job:?}"),
                other => panic!("{name} answered {other:?} to {job:?}"),
            }
        }
        convolve(&mut **backend, &good).unwrap();
    }
}

#[test]
fn the_study_takes_only_what_it_was_written_for() {
    for (name, mut backend) in study() {
        let good = blur(noise(5, 4, 3, 1), Method::Direct);
        for job in [
            Job::Fib { n: 1, salt: 0 },
            Job::AtanTan { num: 1, salt: 0 },
            Job::Convolve(Convolve { edge: Edge::Wrap, ..good.clone() }),
            Job::Convolve(Convolve { method: Method::Separable, ..good.clone() }),
            Job::Convolve(Convolve { image: noise(5, 4, 4, 1), ..good }),
        ] {
            let result = backend.compute(&job);
            assert!(matches!(result, Err(BackendError::Unsupported(_))), "{name}: {result:?}");
        }
    }
}

#[test]
fn a_trap_is_an_error_of_its_job_alone() {
    let threads = NonZeroUsize::new(3).unwrap();
    for (name, mut backend) in [wasm(WasmBuild::Optimised, NonZeroUsize::MIN), wasm(WasmBuild::Threads, threads)] {
        let blur = blur(noise(30, 20, 3, 1), Method::Direct);
        let before = convolve(&mut *backend, &blur).unwrap();
        for _ in 0..3 {
            // Deeper than any stack.
            let trap = backend.compute(&Job::Fib { n: u32::MAX, salt: 0 });
            assert!(matches!(trap, Err(BackendError::Trap(_))), "{name}: {trap:?}");
            assert_eq!(backend.compute(&Job::Fib { n: 10, salt: 1 }).unwrap(), Answer::Integer(56), "{name}");
            assert!(convolve(&mut *backend, &blur).unwrap() == before, "{name}");
        }
        let sum = Job::AtanTan { num: 4, salt: 1 };
        assert_eq!(backend.compute(&sum).unwrap(), Native::default().compute(&sum).unwrap(), "{name}");
    }
}
