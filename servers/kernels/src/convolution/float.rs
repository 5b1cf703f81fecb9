//! Convolution in doubles, for weights that no 16-bit scale holds well enough.
//!
//! Every sum is taken in one order, row by row and from left to right, and Rust never fuses a multiplication with an
//! addition, so every target gives the same bits.

use super::kernel::{Kernel, MAX_KERNEL_SIZE};
use super::rank_one::RankOne;

/// Samples computed at once: enough for SIMD, and little enough for the stack.
const CHUNK: usize = 64;

/// The direct method; for the first sample of `out`, the first tap of each row of the kernel lies at one of `starts` in
/// `rows`.
pub(super) fn direct(kernel: &Kernel<'_>, rows: &[u8], starts: &[usize], channels: usize, out: &mut [u8]) {
    for (at, out) in (0..).step_by(CHUNK).zip(out.chunks_mut(CHUNK)) {
        let mut sums = [0.0; CHUNK];
        for (j, start) in starts.iter().enumerate() {
            for i in 0..kernel.size() {
                let samples = &rows[start + at + i * channels..][..out.len()];
                add_weighted(&mut sums, samples.iter().map(|&sample| f64::from(sample)), kernel.weight(j, i));
            }
        }
        round(&sums, out);
    }
}

/// The separable method, likewise: columns first, then the row of their sums.
pub(super) fn separable(kernel: &RankOne, rows: &[u8], starts: &[usize], channels: usize, out: &mut [u8]) {
    let mut columns = [0.0; CHUNK + 4 * MAX_KERNEL_SIZE];
    for (at, out) in (0..).step_by(CHUNK).zip(out.chunks_mut(CHUNK)) {
        let columns = &mut columns[..out.len() + (starts.len() - 1) * channels];
        columns.fill(0.0);
        for (start, &weight) in starts.iter().zip(&kernel.column) {
            let samples = &rows[start + at..][..columns.len()];
            add_weighted(columns, samples.iter().map(|&sample| f64::from(sample)), weight);
        }
        let mut sums = [0.0; CHUNK];
        for (i, &weight) in kernel.row[..starts.len()].iter().enumerate() {
            add_weighted(&mut sums, columns[i * channels..][..out.len()].iter().copied(), weight);
        }
        round(&sums, out);
    }
}

fn add_weighted(sums: &mut [f64], samples: impl Iterator<Item = f64>, weight: f64) {
    for (sum, sample) in sums.iter_mut().zip(samples) {
        *sum += weight * sample;
    }
}

/// Half up; the conversion truncates, which is the floor for what is not clamped to 0 anyway.
fn round(sums: &[f64], out: &mut [u8]) {
    for (out, sum) in out.iter_mut().zip(sums) {
        *out = (sum + 0.5) as u8;
    }
}
