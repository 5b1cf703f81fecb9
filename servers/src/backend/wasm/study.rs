//! The convolution of the study `wasm-image`, in C: what it took, and nothing else.

use kernels::{Edge, Method};
use wasmtime::{Instance, Module, Store, TypedFunc};

use super::WasmError;
use super::layout::Layout;
use super::memory::GuestMemory;
use super::stack::{Stack, heap_base};
use crate::backend::{Backend, BackendError};
use crate::image::{Convolve, Image, Weights};
use crate::job::{Answer, Job};

/// Rounds half up, as every path of this project; 0 would truncate as the study's C did.
const HALF: f64 = 0.5;

type Parameters = (u32, u32, u32, u32, u32, u32, u32, u32, f64);

/// What one worker owns.
pub(super) struct StudyInstance {
    store: Store<()>,
    memory: GuestMemory,
    stack: Stack,
    convolve: TypedFunc<Parameters, i32>,
    free_from: u32,
}

impl StudyInstance {
    /// One instance with a memory of its own.
    pub(super) fn new(module: &Module) -> Result<Self, WasmError> {
        let mut store = Store::new(module.engine(), ());
        let instance = Instance::new(&mut store, module, &[])?;
        let memory = instance.get_memory(&mut store, "memory").ok_or_else(|| WasmError::missing("memory"))?;
        Ok(Self {
            memory: GuestMemory::Own(memory),
            stack: Stack::of(&instance, &mut store)?,
            convolve: instance.get_typed_func(&mut store, "convolve")?,
            free_from: heap_base(&instance, &mut store)?,
            store,
        })
    }

    fn convolve(&mut self, job: &Convolve) -> Result<Image, BackendError> {
        job.check()?;
        if (job.image.channels, job.edge, job.method) != (3, Edge::Zero, Method::Direct) {
            return Err(unsupported("the study's code convolves RGB images directly, with zero edges, and no others"));
        }
        let weights: Vec<u8> = weights(&job.weights).iter().flat_map(|weight| weight.to_le_bytes()).collect();
        let pixels = &job.image.pixels;
        let mut layout = Layout::from(self.free_from);
        let kernel = layout.place(weights.len())?;
        let image = layout.place(pixels.len())?;
        let output = layout.place(pixels.len())?;
        self.memory.grow_to(&mut self.store, layout.end())?;
        self.memory.write(&mut self.store, kernel, &weights);
        self.memory.write(&mut self.store, image, pixels);
        // All below what has a place in 32 bits.
        let [width, height, size] = [job.image.width, job.image.height, job.weights.size()].map(|number| number as u32);
        let parameters = (image, output, width, height, kernel, size, 0, height, HALF);
        let code = self.stack.after(self.convolve.call(&mut self.store, parameters), &mut self.store)?;
        if code != 0 {
            return Err(BackendError::Guest(code.into()));
        }
        let pixels = self.memory.read(&self.store, output, pixels.len());
        Ok(Image { pixels, ..job.image })
    }
}

impl Backend for StudyInstance {
    fn compute(&mut self, job: &Job) -> Result<Answer, BackendError> {
        match job {
            Job::Convolve(job) => self.convolve(job).map(Answer::Image),
            Job::Fib { .. } | Job::AtanTan { .. } => Err(unsupported("the study's code only convolves images")),
        }
    }
}

fn unsupported(why: &str) -> BackendError {
    BackendError::Unsupported(why.into())
}

/// The weights as doubles; a Gaussian is normalised to a sum of 1.
fn weights(weights: &Weights) -> Vec<f64> {
    match weights {
        Weights::Custom { weights, .. } => weights.to_vec(),
        Weights::Gaussian { size, sigma } => {
            let from_centre = |index: usize| index as f64 - (size / 2) as f64;
            let weight = |place: usize| {
                let (x, y) = (from_centre(place % size), from_centre(place / size));
                (-(x * x + y * y) / (2.0 * sigma * sigma)).exp()
            };
            let weights: Vec<f64> = (0..size * size).map(weight).collect();
            let sum: f64 = weights.iter().sum();
            weights.into_iter().map(|weight| weight / sum).collect()
        }
    }
}
