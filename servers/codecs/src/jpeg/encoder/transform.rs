//! The cosine transform of 8 x 8 samples, by the method of Arai, Agui and Nakajima: what it leaves out is made up for by
//! the factors with which coefficients are quantised.

use super::entropy::Block;
use super::planes::Plane;
use super::tables::ZIGZAG;

/// By what each coefficient is multiplied, columns first.
pub(super) struct Factors([[f32; 8]; 8]);

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

/// The largest coefficient that has a code, and the smallest.
const MOST: f32 = 1023.0;

/// The eight rows of a block.
#[inline(always)]
fn rows(plane: &Plane, x: usize, y: usize) -> [&[i16; 8]; 8] {
    // The planes' rows are of whole blocks.
    std::array::from_fn(|row| plane.samples[(y + row) * plane.stride + x..].first_chunk().unwrap_or(&[0; 8]))
}

/// The transform of eight sequences at a time, of which the first value has the first of each.
macro_rules! pass {
    ($values:expr, $add:expr, $sub:expr, $times:expr) => {{
        let (d, add, sub, times) = ($values, $add, $sub, $times);
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
    }};
}

/// The coefficients of the block at `x` and `y`, quantised: on any CPU.
pub(super) fn transform(plane: &Plane, x: usize, y: usize, factors: &Factors) -> Block {
    type Eight = [f32; 8];
    let pass = |values: [Eight; 8]| -> [Eight; 8] {
        let add = |a: Eight, b: Eight| -> Eight { std::array::from_fn(|i| a[i] + b[i]) };
        let sub = |a: Eight, b: Eight| -> Eight { std::array::from_fn(|i| a[i] - b[i]) };
        pass!(values, add, sub, |a: Eight, factor: f32| a.map(|value| value * factor))
    };
    let rows = pass(rows(plane, x, y).map(|row| row.map(f32::from)));
    let columns = pass(std::array::from_fn(|x| std::array::from_fn(|y| rows[y][x])));
    let mut block = [0; 64];
    let products = columns.as_flattened().iter().zip(factors.0.as_flattened());
    for (place, (value, factor)) in block.iter_mut().zip(products) {
        *place = (value * factor).clamp(-MOST, MOST).round_ties_even() as i16;
    }
    block
}

/// The same with AVX2: the same sums and products, so the same coefficients.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn transform_avx2(plane: &Plane, x: usize, y: usize, factors: &Factors) -> Block {
    use std::arch::x86_64::*;

    let pass = |values: [__m256; 8]| -> [__m256; 8] {
        let times = |a, factor| _mm256_mul_ps(a, _mm256_set1_ps(factor));
        pass!(values, |a, b| _mm256_add_ps(a, b), |a, b| _mm256_sub_ps(a, b), times)
    };
    let rows = rows(plane, x, y).map(|row| {
        // SAFETY: eight numbers of 16 bits are the 16 bytes that are read.
        let row = unsafe { _mm_loadu_si128(row.as_ptr().cast()) };
        _mm256_cvtepi32_ps(_mm256_cvtepi16_epi32(row))
    });
    let columns = pass(transpose(pass(rows)));
    let (least, most) = (_mm256_set1_ps(-MOST), _mm256_set1_ps(MOST));
    let mut block = [0; 64];
    let (places, _) = block.as_chunks_mut::<8>();
    for ((places, column), factors) in places.iter_mut().zip(columns).zip(&factors.0) {
        // SAFETY: eight numbers of 32 bits are the 32 bytes that are read.
        let factors = unsafe { _mm256_loadu_ps(factors.as_ptr()) };
        let products = _mm256_min_ps(_mm256_max_ps(_mm256_mul_ps(column, factors), least), most);
        let whole = _mm256_cvtps_epi32(products);
        let narrow = _mm_packs_epi32(_mm256_castsi256_si128(whole), _mm256_extracti128_si256::<1>(whole));
        // SAFETY: eight numbers of 16 bits are the 16 bytes that are written.
        unsafe { _mm_storeu_si128(places.as_mut_ptr().cast(), narrow) };
    }
    block
}

/// Rows as columns.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
#[inline]
fn transpose(r: [std::arch::x86_64::__m256; 8]) -> [std::arch::x86_64::__m256; 8] {
    use std::arch::x86_64::*;

    let low = |a: usize, b: usize| _mm256_unpacklo_ps(r[a], r[b]);
    let high = |a: usize, b: usize| _mm256_unpackhi_ps(r[a], r[b]);
    let pairs = [low(0, 1), high(0, 1), low(2, 3), high(2, 3), low(4, 5), high(4, 5), low(6, 7), high(6, 7)];
    let front = |a: usize, b: usize| _mm256_shuffle_ps::<0x44>(pairs[a], pairs[b]);
    let back = |a: usize, b: usize| _mm256_shuffle_ps::<0xee>(pairs[a], pairs[b]);
    let upper = [front(0, 2), back(0, 2), front(1, 3), back(1, 3)];
    let lower = [front(4, 6), back(4, 6), front(5, 7), back(5, 7)];
    let left = |i: usize| _mm256_permute2f128_ps::<0x20>(upper[i], lower[i]);
    let right = |i: usize| _mm256_permute2f128_ps::<0x31>(upper[i], lower[i]);
    [left(0), left(1), left(2), left(3), right(0), right(1), right(2), right(3)]
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use super::*;

    fn noise() -> Plane {
        let mut state = 7u32;
        let mut plane = Plane::new(8, 8);
        for sample in &mut plane.samples {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            *sample = (state >> 24) as i16 - 128;
        }
        plane
    }

    #[test]
    fn it_is_the_cosine_transform() {
        let plane = noise();
        let block = transform(&plane, 0, 0, &Factors::new(&[1; 64]));
        let scale = |k: usize| if k == 0 { 0.5f64.sqrt() } else { 1.0 };
        let wave = |k: usize, at: usize| ((2 * at + 1) as f64 * k as f64 * PI / 16.0).cos();
        for u in 0..8 {
            for v in 0..8 {
                let part = |at: usize| f64::from(plane.samples[at]) * wave(u, at % 8) * wave(v, at / 8);
                let exact = 0.25 * scale(u) * scale(v) * (0..64).map(part).sum::<f64>();
                let found = f64::from(block[8 * u + v]);
                assert!((found - exact).abs() < 0.51, "{u} {v}: {found} {exact}");
            }
        }
    }
}
