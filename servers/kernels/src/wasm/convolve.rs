//! The convolution for a host that shares the memory: it writes a request and buffers above `__heap_base` and calls.

use core::mem::{align_of, size_of};
use core::ptr::{with_exposed_provenance, with_exposed_provenance_mut};
use core::slice::{from_raw_parts, from_raw_parts_mut};

use crate::{Convolution, ConvolveError, Edge, Image, Kernel, Method, Path, Scratch};

/// Why nothing was done.
#[derive(Clone, Copy)]
enum Refusal {
    /// The convolution was refused, as it would be natively.
    Input = 1,
    /// The request or a buffer is not in the host's part of the memory, overlaps another, or names an edge or method
    /// that is none.
    Request = 2,
}

impl From<ConvolveError> for Refusal {
    fn from(_: ConvolveError) -> Self {
        Self::Input
    }
}

/// A buffer: where it starts, and how many elements it has.
#[derive(Clone, Copy)]
#[repr(C)]
struct Region {
    start: u32,
    len: u32,
}

/// What the host writes: 88 bytes, little-endian, at a multiple of 8.
#[derive(Clone, Copy)]
#[repr(C)]
struct Request {
    /// Of a Gaussian kernel.
    sigma: f64,
    /// `u8`.
    image: Region,
    /// `u8`; the rows of the band only.
    out: Region,
    /// `f64`, of a custom kernel.
    weights: Region,
    /// `u8`, as many as `convolve_scratch` says.
    scratch_bytes: Region,
    /// `u32`, as many as `convolve_scratch` says.
    scratch_words: Region,
    width: u32,
    height: u32,
    channels: u32,
    /// 0: Gaussian, else custom.
    custom: u32,
    size: u32,
    /// Its place in [`Edge::ALL`].
    edge: u32,
    /// Its place in [`Method::ALL`].
    method: u32,
    first_row: u32,
    end_row: u32,
    _reserved: u32,
}

/// What the scratch memory of a band must hold: bytes + words * 2^32, or a negative code.
// SAFETY: no other symbol of this module has the name.
#[unsafe(no_mangle)]
extern "C" fn convolve_scratch(request: u32) -> i64 {
    let scratch = Request::read(request).and_then(|request| Ok(request.convolution()?.scratch()));
    match scratch {
        // Addresses have 32 bits, so no more words than 2^30 fit.
        Ok(scratch) => ((scratch.words as i64) << 32) | scratch.bytes as i64,
        Err(refusal) => -(refusal as i64),
    }
}

/// Convolves the rows `first_row` to `end_row` of the image into `out`; 0, or a code when nothing was done.
///
/// Several threads may work on one image at once, each with an output, scratch and stack of its own.
// SAFETY: no other symbol of this module has the name.
#[unsafe(no_mangle)]
extern "C" fn convolve(request: u32) -> i32 {
    let done = Request::read(request).and_then(|request| {
        let (out, scratch) = request.writable()?;
        let rows = request.first_row as usize..request.end_row as usize;
        Ok(request.convolution()?.run(rows, out, scratch, Path::best())?)
    });
    done.map_or_else(|refusal| refusal as i32, |()| 0)
}

impl Request {
    fn read(at: u32) -> Result<Self, Refusal> {
        let request = Region { start: at, len: 1 };
        Ok(request.shared::<Self>()?[0])
    }

    fn convolution(&self) -> Result<Convolution<'_>, Refusal> {
        let (width, height, channels) = (self.width as usize, self.height as usize, self.channels as usize);
        let image = Image::new(self.image.shared()?, width, height, channels)?;
        let kernel = if self.custom == 0 {
            Kernel::gaussian(self.size as usize, self.sigma)?
        } else {
            Kernel::custom(self.size as usize, self.weights.shared()?)?
        };
        let edge = *Edge::ALL.get(self.edge as usize).ok_or(Refusal::Request)?;
        let method = *Method::ALL.get(self.method as usize).ok_or(Refusal::Request)?;
        Ok(Convolution::new(image, kernel, edge, method)?)
    }

    /// The buffers that are written to, after a look that none of them overlaps anything else.
    fn writable<'a>(&self) -> Result<(&'a mut [u8], Scratch<'a>), Refusal> {
        let written = [self.out.range::<u8>()?, self.scratch_bytes.range::<u8>()?, self.scratch_words.range::<u32>()?];
        let read = [self.image.range::<u8>()?, self.weights.range::<f64>()?];
        for (index, one) in written.iter().enumerate() {
            for other in written[index + 1..].iter().chain(&read) {
                if one.0 < other.1 && other.0 < one.1 {
                    return Err(Refusal::Request);
                }
            }
        }
        // SAFETY: `range` found each of them in the host's part of the memory, and they overlap neither each other nor
        // what is read. No other thread touches them: the host gives each call its own.
        unsafe {
            Ok((
                self.out.exclusive()?,
                Scratch { bytes: self.scratch_bytes.exclusive()?, words: self.scratch_words.exclusive()? },
            ))
        }
    }
}

impl Region {
    /// Start and end, if that is aligned for `T` and in the host's part of the memory.
    fn range<T>(self) -> Result<(usize, usize), Refusal> {
        unsafe extern "C" {
            /// Where the linker's part of the memory ends.
            static __heap_base: u8;
        }
        if self.len == 0 {
            return Ok((0, 0));
        }
        let start = self.start as usize;
        let bytes = (self.len as usize).checked_mul(size_of::<T>()).ok_or(Refusal::Request)?;
        let end = start.checked_add(bytes).ok_or(Refusal::Request)?;
        // The whole memory may have 2^16 pages, one byte more than a `usize` can say.
        let memory = core::arch::wasm32::memory_size(0) as u64 * 65536;
        let heap = (&raw const __heap_base).addr();
        let fits = start.is_multiple_of(align_of::<T>()) && start >= heap && end as u64 <= memory;
        if fits { Ok((start, end)) } else { Err(Refusal::Request) }
    }

    /// The elements, to read. `T` is a number or made of numbers only.
    fn shared<'a, T: Copy>(self) -> Result<&'a [T], Refusal> {
        let (start, end) = self.range::<T>()?;
        if start == end {
            return Ok(&[]);
        }
        // SAFETY: aligned and in the memory, in the part that no Rust object lives in; every pattern of bits is a `T`.
        // The host writes nothing there during a call, and `writable` lets no output overlap it.
        Ok(unsafe { from_raw_parts(with_exposed_provenance(start), self.len as usize) })
    }

    /// The elements, to write.
    ///
    /// # Safety
    /// Nothing else refers to them.
    unsafe fn exclusive<'a, T: Copy>(self) -> Result<&'a mut [T], Refusal> {
        let (start, end) = self.range::<T>()?;
        if start == end {
            return Ok(&mut []);
        }
        // SAFETY: as in `shared`, and exclusive by this function's own condition.
        Ok(unsafe { from_raw_parts_mut(with_exposed_provenance_mut(start), self.len as usize) })
    }
}
