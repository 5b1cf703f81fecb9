//! Convolution as its definition says, in doubles, as slow as it is plain.

use kernels::Edge;

/// An image of its own.
#[derive(Clone, Debug)]
pub struct Picture {
    pub data: Vec<u8>,
    pub width: usize,
    pub height: usize,
    pub channels: usize,
}

/// The exact result, not rounded, for every sample.
pub fn exact(picture: &Picture, size: usize, weights: &[f64], edge: Edge) -> Vec<f64> {
    let Picture { width, height, channels, .. } = *picture;
    let radius = (size / 2) as i64;
    let mut sums = Vec::with_capacity(picture.data.len());
    for y in 0..height as i64 {
        for x in 0..width as i64 {
            for channel in 0..channels {
                let mut sum = 0.0;
                for j in 0..size as i64 {
                    for i in 0..size as i64 {
                        let (x, y) = (place(x + i - radius, width, edge), place(y + j - radius, height, edge));
                        if let (Some(x), Some(y)) = (x, y) {
                            let sample = picture.data[(y * width + x) * channels + channel];
                            sum += f64::from(sample) * weights[j as usize * size + i as usize];
                        }
                    }
                }
                sums.push(sum);
            }
        }
    }
    sums
}

/// Walks from outside to the place that stands for `at`, a step of the definition at a time.
fn place(mut at: i64, len: usize, edge: Edge) -> Option<usize> {
    let len = len as i64;
    while !(0..len).contains(&at) {
        at = match edge {
            Edge::Zero => return None,
            Edge::Nearest => at.clamp(0, len - 1),
            Edge::Reflect if at < 0 => -1 - at,
            Edge::Reflect => 2 * len - 1 - at,
            Edge::Mirror if len == 1 => 0,
            Edge::Mirror if at < 0 => -at,
            Edge::Mirror => 2 * len - 2 - at,
            Edge::Wrap if at < 0 => at + len,
            Edge::Wrap => at - len,
        };
    }
    Some(at as usize)
}

/// The weights of a Gaussian kernel, by its formula.
pub fn gaussian(size: usize, sigma: f64) -> Vec<f64> {
    let radius = (size / 2) as f64;
    let mut weights: Vec<f64> = (0..size * size)
        .map(|at| ((at / size) as f64 - radius, (at % size) as f64 - radius))
        .map(|(y, x)| (-(x * x + y * y) / (2.0 * sigma * sigma)).exp())
        .collect();
    let sum: f64 = weights.iter().sum();
    weights.iter_mut().for_each(|weight| *weight /= sum);
    weights
}

/// Half up, clamped.
pub fn rounded(sum: f64) -> u8 {
    (sum + 0.5).floor().clamp(0.0, 255.0) as u8
}
