//! The loop of the direct method.

use super::DirectTile;
use super::lanes::Lanes;
use crate::convolution::rows::SLACK;

/// Computes `out` with the instructions of `L`, `U` registers at once: a multiple of 4.
///
/// # Safety
///
/// The CPU must have the instructions of `L`.
#[inline(always)]
pub(super) unsafe fn run<L: Lanes, const U: usize>(tile: DirectTile<'_>, out: &mut [u8]) {
    let DirectTile { rows, starts, channels, fold, weights, shift, pairs } = tile;
    let size = starts.len();
    let block = U * L::N;
    const { assert!(U.is_multiple_of(4) && SLACK.is_multiple_of(U * L::N)) };
    let width = out.len().next_multiple_of(SLACK) + (size - 1) * channels;
    let count = weights.len() / size;
    let pairs = &mut pairs[..count * width];
    for (p, pairs) in pairs.chunks_exact_mut(width).enumerate() {
        interleave(rows, starts, fold, p, pairs);
    }

    let mut bytes = [0; SLACK];
    for x in (0..out.len()).step_by(block) {
        // SAFETY: every vector starts at p * width + x + i * channels + u * N with u < U and ends N later. x + U * N is
        // at most the rounded length of `out`, because U * N divides SLACK, and i * channels at most (size - 1) *
        // channels, so it ends within row p of `pairs`, whose length is count * width. The U * N bytes written are in
        // `out`, or in `bytes`, which holds SLACK. The CPU is the caller's promise.
        unsafe {
            let mut sums = [L::splat(super::half(shift)); U];
            for p in 0..count {
                let row = pairs.as_ptr().add(p * width + x);
                for (i, &weight) in weights[p * size..][..size].iter().enumerate() {
                    let weight = L::splat(weight as i32);
                    let tap = row.add(i * channels);
                    for (u, sum) in sums.iter_mut().enumerate() {
                        *sum = L::add32(*sum, L::multiply(L::load(tap.add(u * L::N).cast()), weight));
                    }
                }
            }
            let whole = out.len() - x >= block;
            let to = if whole { out.as_mut_ptr().add(x) } else { bytes.as_mut_ptr() };
            for (q, [a, b, c, d]) in sums.as_chunks().0.iter().enumerate() {
                let first = L::narrow(L::as_interleaved(*a, *b), shift);
                let second = L::narrow(L::as_interleaved(*c, *d), shift);
                L::store_bytes(to.add(q * 4 * L::N), first, second);
            }
            if !whole {
                let rest = out.len() - x;
                out[x..].copy_from_slice(&bytes[..rest]);
            }
        }
    }
}

/// Writes terms 2p and 2p + 1 of each column of samples as the halves of a word. (A term that does not exist has weight
/// 0.)
#[inline(always)]
fn interleave(rows: &[u8], starts: &[usize], fold: bool, p: usize, pairs: &mut [u32]) {
    let row = |tap: usize| &rows[starts[tap]..][..pairs.len()];
    let radius = starts.len() / 2;
    // In memory the first comes first, whatever the target's order of bytes.
    let word = |first: u16, second: u16| (u32::from(first) | u32::from(second) << 16).to_le();
    let add = |a: &u8, b: &u8| u16::from(*a) + u16::from(*b);
    if !fold {
        let (a, b) = (row(2 * p), row((2 * p + 1).min(starts.len() - 1)));
        for ((pair, a), b) in pairs.iter_mut().zip(a).zip(b) {
            *pair = word((*a).into(), (*b).into());
        }
        return;
    }
    let mirrored = |t: usize| (row(radius - 1 - t), row(radius + 1 + t));
    let centre = row(radius);
    if 2 * p + 1 < radius {
        let ((a, b), (c, d)) = (mirrored(2 * p), mirrored(2 * p + 1));
        for ((((pair, a), b), c), d) in pairs.iter_mut().zip(a).zip(b).zip(c).zip(d) {
            *pair = word(add(a, b), add(c, d));
        }
    } else if 2 * p < radius {
        let (a, b) = mirrored(2 * p);
        for (((pair, a), b), c) in pairs.iter_mut().zip(a).zip(b).zip(centre) {
            *pair = word(add(a, b), (*c).into());
        }
    } else {
        for (pair, c) in pairs.iter_mut().zip(centre) {
            *pair = word((*c).into(), 0);
        }
    }
}
