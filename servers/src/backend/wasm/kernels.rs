//! The kernels as Wasm: one instance, or several on threads of their own that share a memory.

use std::num::NonZeroUsize;

use kernels::ConvolveError;
use wasmtime::{Module, SharedMemory};

use super::WasmError;
use super::guest::{Guest, Refusal};
use super::layout::Layout;
use super::memory::GuestMemory;
use super::request::{self, Region, Request};
use super::stack::heap_base;
use crate::backend::bands::{self, Helpers};
use crate::backend::{Backend, BackendError};
use crate::image::{Convolve, Image, Weights};
use crate::job::{Answer, Job};

/// The stack of each further thread, as large as the one that the linker makes. Pages that are not touched cost nothing.
const STACK_BYTES: u32 = 1 << 20;

/// What one worker owns.
pub(super) struct KernelsInstance {
    /// The first computes what cannot be divided.
    guests: Vec<Guest>,
    helpers: Helpers,
    memory: GuestMemory,
    /// The first address above all stacks.
    free_from: u32,
}

impl KernelsInstance {
    /// One instance with a memory of its own.
    pub(super) fn single(module: &Module) -> Result<Self, WasmError> {
        let mut guest = Guest::new(module, None)?;
        let memory =
            guest.instance.get_memory(&mut guest.store, "memory").ok_or_else(|| WasmError::missing("memory"))?;
        let free_from = heap_base(&guest.instance, &mut guest.store)?;
        Ok(Self { guests: vec![guest], helpers: Helpers::default(), memory: GuestMemory::Own(memory), free_from })
    }

    /// An instance for each thread, with a shared memory.
    pub(super) fn threads(module: &Module, threads: NonZeroUsize) -> Result<Self, WasmError> {
        let import = module.imports().find_map(|import| import.ty().memory().cloned());
        let memory = SharedMemory::new(module.engine(), import.ok_or_else(|| WasmError::missing("memory"))?)?;
        let guests = (0..threads.get()).map(|_| Guest::new(module, Some(&memory)));
        let mut guests = guests.collect::<Result<Vec<_>, _>>()?;
        let mut layout = match guests.first_mut() {
            Some(first) => Layout::from(heap_base(&first.instance, &mut first.store)?),
            None => return Err(WasmError::missing("instance")),
        };
        // The first keeps the stack that the linker made.
        for guest in guests.iter_mut().skip(1) {
            let bottom = layout.place(STACK_BYTES as usize).map_err(|error| WasmError(error.to_string()))?;
            guest.move_stack(bottom + STACK_BYTES)?;
        }
        let free_from = u32::try_from(layout.end()).map_err(|_| WasmError::missing("memory"))?;
        let helpers = Helpers::start(threads).map_err(|error| WasmError(error.to_string()))?;
        Ok(Self { guests, helpers, memory: GuestMemory::Shared(memory), free_from })
    }

    fn convolve(&mut self, job: &Convolve) -> Result<Image, BackendError> {
        let mut layout = Layout::from(self.free_from);
        let (pixels, height) = (&job.image.pixels, job.image.height);
        let weights: Vec<u8> = match &job.weights {
            Weights::Gaussian { .. } => Vec::new(),
            Weights::Custom { weights, .. } => weights.iter().flat_map(|weight| weight.to_le_bytes()).collect(),
        };
        let bands: Vec<_> = bands::split(height, threads_of(&self.guests)).collect();
        let requests = layout.place(bands.len().max(1) * request::BYTES)?;
        let whole = Request {
            image: region(&mut layout, pixels.len(), 1)?,
            out: region(&mut layout, pixels.len(), 1)?,
            weights: region(&mut layout, weights.len() / size_of::<f64>(), size_of::<f64>())?,
            ..Request::default()
        };
        self.write(&layout, whole.image.start, pixels)?;
        self.write(&layout, whole.weights.start, &weights)?;
        let bytes = whole.to_bytes(job).ok_or_else(|| refused(job, Refusal::INPUT))?;
        self.write(&layout, requests, &bytes)?;
        let scratch = self.guests[0].scratch(requests)?.map_err(|refusal| refused(job, refusal))?;

        // The guest has found the image to be as long as it should be, so no product below overflows.
        let row_bytes = job.image.width * job.image.channels;
        let mut calls = Vec::with_capacity(bands.len());
        for (index, band) in bands.iter().enumerate() {
            let request = Request {
                out: Region {
                    start: whole.out.start + (band.start * row_bytes) as u32,
                    len: (band.len() * row_bytes) as u32,
                },
                scratch_bytes: region(&mut layout, scratch.bytes as usize, 1)?,
                scratch_words: region(&mut layout, scratch.words as usize, size_of::<u32>())?,
                first_row: band.start as u32,
                end_row: band.end as u32,
                ..whole
            };
            let at = requests + (index * request::BYTES) as u32;
            let bytes = request.to_bytes(job).ok_or_else(|| refused(job, Refusal::INPUT))?;
            self.write(&layout, at, &bytes)?;
            calls.push(at);
        }
        self.call_all(job, &calls)?;
        let pixels = self.memory.read(&self.guests[0].store, whole.out.start, pixels.len());
        Ok(Image { pixels, ..job.image })
    }

    /// Copies bytes into a memory that has grown to the layout's size.
    fn write(&mut self, layout: &Layout, at: u32, bytes: &[u8]) -> Result<(), BackendError> {
        let store = &mut self.guests[0].store;
        self.memory.grow_to(store, layout.end())?;
        self.memory.write(store, at, bytes);
        Ok(())
    }

    /// Has each guest compute a band: the first on this thread, the others on those of the helpers.
    fn call_all(&mut self, job: &Convolve, requests: &[u32]) -> Result<(), BackendError> {
        let call =
            |(guest, &request): (&mut Guest, &u32)| guest.convolve(request)?.map_err(|refusal| refused(job, refusal));
        self.helpers.each(self.guests.iter_mut().zip(requests), call)
    }
}

impl Backend for KernelsInstance {
    fn compute(&mut self, job: &Job) -> Result<Answer, BackendError> {
        let guest = &mut self.guests[0];
        match job {
            Job::Fib { n, salt } => guest.call(|guest| &guest.fib, (*n, *salt)).map(Answer::Integer),
            Job::AtanTan { num, salt } => guest.call(|guest| &guest.atan_tan, (*num, *salt)).map(Answer::Double),
            Job::Convolve(job) => self.convolve(job).map(Answer::Image),
        }
    }
}

fn threads_of(guests: &[Guest]) -> NonZeroUsize {
    NonZeroUsize::new(guests.len()).unwrap_or(NonZeroUsize::MIN)
}

/// A place for `len` elements of `bytes` bytes each.
fn region(layout: &mut Layout, len: usize, bytes: usize) -> Result<Region, BackendError> {
    let start = layout.place(len.saturating_mul(bytes))?;
    // What has a place is at most as long as the memory.
    Ok(Region { start, len: len as u32 })
}

/// What is wrong, in the words of the same source as native code; beyond that only 32 bits can be too few.
fn refused(job: &Convolve, refusal: Refusal) -> BackendError {
    if refusal == Refusal::INPUT {
        BackendError::Input(job.check().err().unwrap_or(ConvolveError::TooLarge))
    } else {
        BackendError::Guest(refusal.0)
    }
}
