//! The cosine transform of 8 x 8 samples, by the method of Arai, Agui and Nakajima: what it leaves out is made up for by
//! the factors with which coefficients are quantised.

use super::entropy::Block;
use super::planes::Plane;
use super::tables::ZIGZAG;

/// A row, or a column, of a block; the compiler makes one register of it.
type Lane = [f32; 8];

/// By what each coefficient is multiplied, columns first.
pub(super) struct Factors([Lane; 8]);

impl Factors {
    /// Of a quantisation table in zigzag order.
    pub(super) fn new(quantisation: &[u8; 64]) -> Self {
        // cos(k pi / 16) * sqrt(2), but 1 for k = 0
        const SCALES: [f64; 8] =
            [1.0, 1.387_039_845, 1.306_562_965, 1.175_875_602, 1.0, 0.785_694_958, 0.541_196_100, 0.275_899_379];
        let mut factors = [[0.0; 8]; 8];
        for (&place, &step) in ZIGZAG.iter().zip(quantisation) {
            let (row, column) = (usize::from(place / 8), usize::from(place % 8));
            factors[column][row] = (1.0 / (f64::from(step) * SCALES[row] * SCALES[column] * 8.0)) as f32;
        }
        Self(factors)
    }
}

/// The coefficients of the block at `x` and `y`, quantised.
#[inline(always)]
pub(super) fn transform(plane: &Plane, x: usize, y: usize, factors: &Factors) -> Block {
    let mut rows: [Lane; 8] = [[0.0; 8]; 8];
    for (row, line) in rows.iter_mut().zip(plane.samples[y * plane.stride..].chunks(plane.stride)) {
        row.copy_from_slice(&line[x..x + 8]);
    }
    let rows = pass(rows);
    let mut columns: [Lane; 8] = [[0.0; 8]; 8];
    for (y, row) in rows.iter().enumerate() {
        for (column, &value) in columns.iter_mut().zip(row) {
            column[y] = value;
        }
    }
    let columns = pass(columns);
    let mut block = [0; 64];
    for ((places, column), factors) in block.chunks_exact_mut(8).zip(&columns).zip(&factors.0) {
        for ((place, &value), &factor) in places.iter_mut().zip(column).zip(factors) {
            // Adding 1.5 * 2^23 leaves the nearest whole number in the lowest bits, which is quicker than to round.
            let number = (value * factor).clamp(-1023.0, 1023.0) + 12_582_912.0;
            *place = number.to_bits() as i16;
        }
    }
    block
}

#[inline(always)]
fn add(mut a: Lane, b: Lane) -> Lane {
    for i in 0..8 {
        a[i] += b[i];
    }
    a
}

#[inline(always)]
fn sub(mut a: Lane, b: Lane) -> Lane {
    for i in 0..8 {
        a[i] -= b[i];
    }
    a
}

#[inline(always)]
fn times(mut a: Lane, factor: f32) -> Lane {
    for value in &mut a {
        *value *= factor;
    }
    a
}

/// The transform of eight sequences at a time: the first has the first of each.
#[inline(always)]
fn pass(d: [Lane; 8]) -> [Lane; 8] {
    let (s0, s1, s2, s3) = (add(d[0], d[7]), add(d[1], d[6]), add(d[2], d[5]), add(d[3], d[4]));
    let (d0, d1, d2, d3) = (sub(d[0], d[7]), sub(d[1], d[6]), sub(d[2], d[5]), sub(d[3], d[4]));
    // Even frequencies.
    let (e0, e1, e2, e3) = (add(s0, s3), add(s1, s2), sub(s1, s2), sub(s0, s3));
    let turned = times(add(e2, e3), 0.707_106_77);
    // Odd frequencies.
    let (o0, o1, o2) = (add(d3, d2), add(d2, d1), add(d1, d0));
    let common = times(sub(o0, o2), 0.382_683_43);
    let low = add(times(o0, 0.541_196_1), common);
    let high = add(times(o2, 1.306_563), common);
    let middle = times(o1, 0.707_106_77);
    let (plus, minus) = (add(d0, middle), sub(d0, middle));
    [
        add(e0, e1),
        add(plus, high),
        add(e3, turned),
        sub(minus, low),
        sub(e0, e1),
        add(minus, low),
        sub(e3, turned),
        sub(plus, high),
    ]
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use super::*;

    #[test]
    fn it_is_the_cosine_transform() {
        let mut state = 7u32;
        let mut random = move || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            f64::from(state >> 24) - 128.0
        };
        let samples: Vec<f64> = (0..64).map(|_| random()).collect();
        let mut plane = Plane::new(8, 8);
        plane.samples = samples.iter().map(|&sample| sample as f32).collect();
        let block = transform(&plane, 0, 0, &Factors::new(&[1; 64]));
        let scale = |k: usize| if k == 0 { 0.5f64.sqrt() } else { 1.0 };
        let wave = |k: usize, at: usize| ((2 * at + 1) as f64 * k as f64 * PI / 16.0).cos();
        for u in 0..8 {
            for v in 0..8 {
                let part = |at: usize| samples[at] * wave(u, at % 8) * wave(v, at / 8);
                let exact = 0.25 * scale(u) * scale(v) * (0..64).map(part).sum::<f64>();
                let found = f64::from(block[8 * u + v]);
                assert!((found - exact).abs() < 0.51, "{u} {v}: {found} {exact}");
            }
        }
    }
}
