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
        let sources = Sources { rows, starts, fold };
        let done = if L::WEAVES {
            // SAFETY: the CPU is the caller's promise.
            unsafe { weave::<L>(sources.term(2 * p, width), sources.term(2 * p + 1, width), pairs) }
        } else {
            0
        };
        interleave(sources, p, done, pairs);
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

/// Where the terms of a sum over a column come from.
#[derive(Clone, Copy)]
struct Sources<'a> {
    rows: &'a [u8],
    starts: &'a [usize],
    fold: bool,
}

/// A row of samples, or two to be added.
type Term<'a> = (&'a [u8], Option<&'a [u8]>);

impl<'a> Sources<'a> {
    /// The first `width` samples of a term; of any where it does not exist, since its weight is 0.
    fn term(self, t: usize, width: usize) -> Term<'a> {
        let row = |tap: usize| &self.rows[self.starts[tap]..][..width];
        let radius = self.starts.len() / 2;
        if !self.fold {
            (row(t.min(self.starts.len() - 1)), None)
        } else if t < radius {
            (row(radius - 1 - t), Some(row(radius + 1 + t)))
        } else {
            (row(radius), None)
        }
    }
}

/// Does the work of [`interleave`] for as many words as fill whole registers, and says how many.
///
/// # Safety
///
/// The CPU must have the instructions of `L`.
#[inline(always)]
unsafe fn weave<L: Lanes>(first: Term<'_>, second: Term<'_>, pairs: &mut [u32]) -> usize {
    let mut chunks = pairs.chunks_exact_mut(2 * L::N);
    let done = chunks.len() * 2 * L::N;
    for row in [Some(first.0), first.1, Some(second.0), second.1].into_iter().flatten() {
        assert!(row.len() >= done);
    }
    for (x, chunk) in (0..done).step_by(2 * L::N).zip(&mut chunks) {
        // SAFETY: x + 2N is at most `done`, and so are all rows; the chunk holds 2N words, which are two registers. The
        // CPU is the caller's promise.
        unsafe {
            let load = |(row, other): Term<'_>| {
                let one = L::widen(row.as_ptr().add(x));
                other.map_or(one, |other| L::add16(one, L::widen(other.as_ptr().add(x))))
            };
            let (low, high) = L::interleave(load(first), load(second));
            L::store(chunk.as_mut_ptr().cast(), low);
            L::store(chunk.as_mut_ptr().add(L::N).cast(), high);
        }
    }
    done
}

/// Writes terms 2p and 2p + 1 of each column of samples, but for the first `from`, as the halves of a word. (A term that
/// does not exist has weight 0.)
#[inline(always)]
fn interleave(sources: Sources<'_>, p: usize, from: usize, pairs: &mut [u32]) {
    let Sources { rows, starts, fold } = sources;
    let pairs = &mut pairs[from..];
    let row = |tap: usize| &rows[starts[tap] + from..][..pairs.len()];
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
