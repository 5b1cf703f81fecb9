//! Bands of rows: how several threads share one image.

use std::io;
use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::Arc;

use rayon::{ThreadPool, ThreadPoolBuilder};

use super::BackendError;

/// The threads that help a worker with its images, started once: made anew for each image they would cost about 0.4 ms.
#[derive(Debug, Clone, Default)]
pub(super) struct Helpers(Option<Arc<ThreadPool>>);

impl Helpers {
    /// Helpers for jobs of this many threads, one of which is the worker's own; none for 1.
    pub(super) fn start(job_threads: NonZeroUsize) -> io::Result<Self> {
        let count = job_threads.get() - 1;
        let builder = ThreadPoolBuilder::new().num_threads(count).thread_name(|index| format!("band-{index}"));
        let pool = if count > 0 { Some(Arc::new(builder.build().map_err(io::Error::other)?)) } else { None };
        Ok(Self(pool))
    }

    /// Computes all bands, the first on this thread and the others by the helpers; a panic of any is a panic here.
    ///
    /// # Errors
    /// That of the first band that has one.
    pub(super) fn each<T: Send>(
        &self,
        bands: impl Iterator<Item = T>,
        compute: impl Fn(T) -> Result<(), BackendError> + Sync,
    ) -> Result<(), BackendError> {
        let Some(pool) = &self.0 else {
            let mut bands = bands;
            return bands.try_for_each(compute);
        };
        let bands: Vec<T> = bands.collect();
        let mut outcomes: Vec<Result<(), BackendError>> = bands.iter().map(|_| Ok(())).collect();
        let mut parts = bands.into_iter().zip(&mut outcomes);
        let first = parts.next();
        pool.in_place_scope(|scope| {
            for (band, outcome) in parts {
                let compute = &compute;
                scope.spawn(move |_| *outcome = compute(band));
            }
            if let Some((band, outcome)) = first {
                *outcome = compute(band);
            }
        });
        outcomes.into_iter().collect()
    }
}

/// Splits `rows` into at most `count` bands, none empty, whose sizes differ by at most one.
pub(super) fn split(rows: usize, count: NonZeroUsize) -> impl ExactSizeIterator<Item = Range<usize>> {
    let count = count.get().min(rows);
    (0..count).map(move |band| {
        // No product, which could overflow: the first `rows % count` bands have one row more.
        let start = |band: usize| band * (rows / count) + band.min(rows % count);
        start(band)..start(band + 1)
    })
}

/// Cuts a buffer of whole rows into the bands.
pub(super) fn cut(
    mut buffer: &mut [u8],
    row_bytes: usize,
    bands: impl Iterator<Item = Range<usize>>,
) -> impl Iterator<Item = (Range<usize>, &mut [u8])> {
    bands.map(move |band| {
        let (this, rest) = std::mem::take(&mut buffer).split_at_mut(band.len() * row_bytes);
        buffer = rest;
        (band, this)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bands_cover_every_row_once() {
        for rows in [0, 1, 2, 3, 7, 1050] {
            for count in 1..10 {
                let bands: Vec<_> = split(rows, NonZeroUsize::new(count).unwrap()).collect();
                assert_eq!(bands.len(), count.min(rows));
                assert!(bands.iter().flat_map(Clone::clone).eq(0..rows), "{bands:?}");
                let (least, most) = (bands.iter().map(Range::len).min(), bands.iter().map(Range::len).max());
                assert!(most.unwrap_or(0) - least.unwrap_or(0) <= 1, "{bands:?}");
            }
        }
    }

    #[test]
    fn a_buffer_is_cut_at_whole_rows() {
        let mut buffer: Vec<u8> = (0..10).collect();
        let cut: Vec<_> = cut(&mut buffer, 2, split(5, NonZeroUsize::new(2).unwrap())).collect();
        assert_eq!(cut, [(0..3, &mut [0, 1, 2, 3, 4, 5][..]), (3..5, &mut [6, 7, 8, 9])]);
    }
}
