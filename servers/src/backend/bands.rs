//! Bands of rows: how several threads share one image.

use std::num::NonZeroUsize;
use std::ops::Range;

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
