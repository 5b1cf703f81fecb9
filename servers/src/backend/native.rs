//! The kernels as native code.

use std::io;
use std::num::NonZeroUsize;

use kernels::{ConvolveError, Path};

use super::bands::{self, Helpers};
use super::{Backend, BackendError};
use crate::image::{Convolve, Image};
use crate::job::{Answer, Job};

/// Computes by native code. Keeps nothing between jobs but the threads that help.
#[derive(Debug, Clone)]
pub struct Native {
    job_threads: NonZeroUsize,
    helpers: Helpers,
    path: Path,
}

impl Default for Native {
    /// One thread, and the widest SIMD that this CPU has.
    fn default() -> Self {
        Self { job_threads: NonZeroUsize::MIN, helpers: Helpers::default(), path: Path::best() }
    }
}

impl Native {
    /// Convolves each image in this many bands, each on a thread of its own; other jobs cannot be divided.
    ///
    /// # Errors
    /// The threads cannot be started.
    pub fn with_job_threads(self, job_threads: NonZeroUsize) -> io::Result<Self> {
        Ok(Self { job_threads, helpers: Helpers::start(job_threads)?, ..self })
    }

    /// Convolves on this path. All give the same pixels.
    pub fn with_path(self, path: Path) -> Self {
        Self { path, ..self }
    }

    fn convolve(&self, job: &Convolve) -> Result<Image, BackendError> {
        let convolution = job.check()?;
        let (height, row_bytes) = (job.image.height, job.image.width * job.image.channels);
        // Zeros straight from the system: no pass over the memory beforehand.
        let mut pixels = vec![0; job.image.pixels.len()];
        let bands = bands::cut(&mut pixels, row_bytes, bands::split(height, self.job_threads));
        let run = |(rows, out): (_, &mut [u8])| Ok(convolution.run_allocating(rows, out, self.path)?);
        self.helpers.each(bands, run)?;
        Ok(Image { pixels: pixels.into(), ..job.image })
    }
}

impl Backend for Native {
    fn compute(&mut self, job: &Job) -> Result<Answer, BackendError> {
        Ok(match job {
            Job::Fib { n, salt } => Answer::Integer(kernels::salted_fib(*n, *salt)),
            Job::AtanTan { num, salt } => Answer::Double(kernels::salted_atan_tan(*num, *salt)),
            Job::Convolve(job) => Answer::Image(self.convolve(job)?),
        })
    }
}

impl From<ConvolveError> for BackendError {
    fn from(error: ConvolveError) -> Self {
        Self::Input(error)
    }
}
