//! The two loops of the separable method.

use super::lanes::Lanes;
use super::{Pass, SeparableTile};
use crate::convolution::rows::SLACK;

/// Calls a loop that is compiled for the kernel's size where that is a common one (0 stands for any other).
macro_rules! by_size {
    ($pass:expr, $function:ident::<$lanes:ident>($($argument:expr),*)) => {
        match ($pass.fold, $pass.size) {
            (true, 3) => $function::<$lanes, true, 3>($($argument),*),
            (true, 5) => $function::<$lanes, true, 5>($($argument),*),
            (true, 7) => $function::<$lanes, true, 7>($($argument),*),
            (true, _) => $function::<$lanes, true, 0>($($argument),*),
            (false, 3) => $function::<$lanes, false, 3>($($argument),*),
            (false, 5) => $function::<$lanes, false, 5>($($argument),*),
            (false, 7) => $function::<$lanes, false, 7>($($argument),*),
            (false, _) => $function::<$lanes, false, 0>($($argument),*),
        }
    };
}

/// Computes `out` with the instructions of `L`.
///
/// # Safety
///
/// The CPU must have the instructions of `L`.
#[inline(always)]
pub(super) unsafe fn run<L: Lanes>(tile: SeparableTile<'_>, out: &mut [u8]) {
    let SeparableTile { rows, starts, steps, column, row, middle } = tile;
    let reach = steps[row.size - 1];
    let width = (out.len() + reach).next_multiple_of(SLACK);
    let middle = &mut middle[..width + SLACK];
    // SAFETY: the CPU is the caller's promise.
    unsafe {
        by_size!(column, columns::<L>(rows, starts, column, &mut middle[..width]));
        by_size!(row, row_of_sums::<L>(middle, steps, row, out));
    }
}

/// Sums of columns: `out` is a multiple of SLACK long.
///
/// # Safety
///
/// The CPU must have the instructions of `L`.
#[inline(always)]
unsafe fn columns<L: Lanes, const FOLD: bool, const SIZE: usize>(
    rows: &[u8],
    starts: &[usize],
    pass: &Pass,
    out: &mut [i16],
) {
    assert!(starts.iter().all(|start| rows.len() >= out.len() && *start <= rows.len() - out.len()));
    assert!(out.len().is_multiple_of(2 * L::N));
    // SAFETY: each tap reads 2N bytes from start + x, where x + 2N is at most the length of `out` and that many bytes
    // after start are in `rows`; 2N sums are written to `out` from x on. The CPU is the caller's promise.
    unsafe {
        let taps = Taps::<L, FOLD, SIZE>::new(pass, starts);
        for x in (0..out.len()).step_by(2 * L::N) {
            L::store(out.as_mut_ptr().add(x).cast(), taps.sum::<Bytes>(rows.as_ptr().add(x)));
        }
    }
}

/// Sums along the row of the columns' sums, which is SLACK longer than what the taps need. Steps lead from the first
/// tap to each.
///
/// # Safety
///
/// The CPU must have the instructions of `L`.
#[inline(always)]
unsafe fn row_of_sums<L: Lanes, const FOLD: bool, const SIZE: usize>(
    sums: &[i16],
    steps: &[usize],
    pass: &Pass,
    out: &mut [u8],
) {
    let needed = out.len().next_multiple_of(SLACK);
    assert!(steps.iter().all(|step| sums.len() >= needed && *step <= sums.len() - needed));
    let block = 4 * L::N;
    let mut bytes = [0; SLACK];
    // SAFETY: each tap reads 2N sums from x + step (+ 2N), which ends at x + step + 4N at most; x + 4N is at most the
    // rounded length of `out`, because 4N divides SLACK, and that many sums after each step are in `sums`. The 4N bytes
    // written are in `out` or in `bytes`, which holds SLACK >= 4N. The CPU is the caller's promise.
    unsafe {
        let taps = Taps::<L, FOLD, SIZE>::new(pass, steps);
        for x in (0..out.len()).step_by(block) {
            let first = taps.sum::<Sums>(sums.as_ptr().add(x));
            let second = taps.sum::<Sums>(sums.as_ptr().add(x + 2 * L::N));
            if out.len() - x >= block {
                L::store_bytes(out.as_mut_ptr().add(x), first, second);
            } else {
                L::store_bytes(bytes.as_mut_ptr(), first, second);
                let rest = out.len() - x;
                out[x..].copy_from_slice(&bytes[..rest]);
            }
        }
    }
}

/// What a tap reads.
trait Source {
    /// In memory.
    type Sample;

    /// Reads 2N samples as 16-bit lanes.
    ///
    /// # Safety
    ///
    /// As for [`Lanes`].
    unsafe fn read<L: Lanes>(from: *const Self::Sample) -> L::V;
}

struct Bytes;

impl Source for Bytes {
    type Sample = u8;

    #[inline(always)]
    unsafe fn read<L: Lanes>(from: *const u8) -> L::V {
        // SAFETY: the caller's promise.
        unsafe { L::widen(from) }
    }
}

struct Sums;

impl Source for Sums {
    type Sample = i16;

    #[inline(always)]
    unsafe fn read<L: Lanes>(from: *const i16) -> L::V {
        // SAFETY: the caller's promise.
        unsafe { L::load(from.cast()) }
    }
}

/// The taps of a pass; with a SIZE, their places and weights are at hand in registers.
///
/// No closures in here: they would not be inlined for certain, and alone they lack the caller's instructions.
struct Taps<'a, L: Lanes, const FOLD: bool, const SIZE: usize> {
    pass: &'a Pass,
    places: &'a [usize],
    known_places: [usize; SIZE],
    known_weights: [L::V; 4],
}

impl<'a, L: Lanes, const FOLD: bool, const SIZE: usize> Taps<'a, L, FOLD, SIZE> {
    /// # Safety
    ///
    /// The CPU must have the instructions of `L`.
    #[inline(always)]
    unsafe fn new(pass: &'a Pass, places: &'a [usize]) -> Self {
        assert!(places.len() == pass.size && (SIZE == 0 || SIZE == pass.size));
        let mut known_places = [0; SIZE];
        known_places.copy_from_slice(&places[..SIZE]);
        let [a, b, c, d, ..] = pass.weights;
        // SAFETY: the CPU is the caller's promise.
        let known_weights = unsafe { [L::splat(a as i32), L::splat(b as i32), L::splat(c as i32), L::splat(d as i32)] };
        Self { pass, places, known_places, known_weights }
    }

    /// The weighted sums of all taps of 2N samples, shifted and narrowed.
    ///
    /// # Safety
    ///
    /// The CPU must have the instructions of `L`, and 2N samples must be readable at each place after `from`.
    #[inline(always)]
    unsafe fn sum<S: Source>(&self, from: *const S::Sample) -> L::V {
        let size = if SIZE > 0 { SIZE } else { self.pass.size };
        let terms = if FOLD { size / 2 + 1 } else { size };
        // SAFETY: taps are numbered below the size. The rest is the caller's promise.
        unsafe {
            let round = L::splat(super::half(self.pass.shift));
            let (mut first, mut second) = (round, round);
            let mut p = 0;
            while 2 * p < terms {
                // A term that does not exist has weight 0.
                let odd = if 2 * p + 1 < terms { 2 * p + 1 } else { 2 * p };
                let (a, b) = L::interleave(self.term::<S>(from, 2 * p), self.term::<S>(from, odd));
                let weight = if SIZE > 0 { self.known_weights[p] } else { L::splat(self.pass.weights[p] as i32) };
                first = L::add32(first, L::multiply(a, weight));
                second = L::add32(second, L::multiply(b, weight));
                p += 1;
            }
            L::narrow((first, second), self.pass.shift)
        }
    }

    /// Term `t`: a tap, or the sum of two at the same distance from the centre.
    ///
    /// # Safety
    ///
    /// As for `sum`; the term must exist.
    #[inline(always)]
    unsafe fn term<S: Source>(&self, from: *const S::Sample, t: usize) -> L::V {
        let radius = if SIZE > 0 { SIZE / 2 } else { self.pass.size / 2 };
        // SAFETY: the caller's promise.
        unsafe {
            if !FOLD {
                self.tap::<S>(from, t)
            } else if t < radius {
                L::add16(self.tap::<S>(from, radius - 1 - t), self.tap::<S>(from, radius + 1 + t))
            } else {
                self.tap::<S>(from, radius)
            }
        }
    }

    /// # Safety
    ///
    /// As for `sum`; the tap must exist.
    #[inline(always)]
    unsafe fn tap<S: Source>(&self, from: *const S::Sample, j: usize) -> L::V {
        let place = if SIZE > 0 { self.known_places[j] } else { self.places[j] };
        // SAFETY: the caller's promise.
        unsafe { S::read::<L>(from.add(place)) }
    }
}
