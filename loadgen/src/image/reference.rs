//! Convolution by its definition, in doubles: slow, plain, and no code of any server's.

use codecs::Picture;

use super::{Convolution, Edge};

impl Convolution {
    /// Gives each row of the result to `row`, from the top: the sum over (i, j) of sample(x + i, y + j) * weight(i, j) of
    /// every channel, rounded half up and held between 0 and 255.
    pub fn rows(&self, picture: &Picture, mut row: impl FnMut(usize, &[u8])) {
        let Picture { width, height, channels, .. } = *picture;
        let (size, radius) = (self.size, (self.size / 2) as isize);
        let length = width * channels;
        let mut around = vec![0.0; (width + size - 1) * channels];
        let (mut sums, mut rounded) = (vec![0.0; length], vec![0; length]);
        for y in 0..height {
            sums.fill(0.0);
            for (j, weights) in self.weights.chunks_exact(size).enumerate() {
                let Some(source) = self.edge.place(y as isize + j as isize - radius, height) else { continue };
                self.widened(picture, source, &mut around);
                for (i, &weight) in weights.iter().enumerate() {
                    for (sum, sample) in sums.iter_mut().zip(&around[i * channels..]) {
                        *sum += sample * weight;
                    }
                }
            }
            for (sample, sum) in rounded.iter_mut().zip(&sums) {
                *sample = (sum + 0.5).floor().clamp(0.0, 255.0) as u8;
            }
            row(y, &rounded);
        }
    }

    /// A row of the picture with what lies to its left and right.
    fn widened(&self, picture: &Picture, y: usize, around: &mut [f64]) {
        let Picture { width, channels, ref pixels, .. } = *picture;
        let row = &pixels[y * width * channels..(y + 1) * width * channels];
        for (at, samples) in around.chunks_exact_mut(channels).enumerate() {
            match self.edge.place(at as isize - (self.size / 2) as isize, width) {
                Some(x) => samples.iter_mut().zip(&row[x * channels..]).for_each(|(to, &from)| *to = f64::from(from)),
                None => samples.fill(0.0),
            }
        }
    }
}

impl Edge {
    /// The place from 0 to `length` that stands for `at`; `None`: nothing but zeros.
    fn place(self, mut at: isize, length: usize) -> Option<usize> {
        let last = length as isize - 1;
        // A step of the definition at a time, until it leads inside.
        while !(0..=last).contains(&at) {
            at = match self {
                Self::Zero => return None,
                Self::Nearest => at.clamp(0, last),
                Self::Reflect if at < 0 => -1 - at,
                Self::Reflect => 2 * last + 1 - at,
                Self::Mirror if last == 0 => 0,
                Self::Mirror if at < 0 => -at,
                Self::Mirror => 2 * last - at,
                Self::Wrap if at < 0 => at + length as isize,
                Self::Wrap => at - length as isize,
            };
        }
        Some(at as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn convolved(convolution: &Convolution, width: usize, channels: usize, pixels: &[u8]) -> Vec<u8> {
        let height = pixels.len() / width / channels;
        let picture = Picture { width, height, channels, pixels: pixels.to_vec() };
        let mut rows = Vec::new();
        convolution.rows(&picture, |y, row| {
            assert_eq!(rows.len(), y * width * channels);
            rows.extend_from_slice(row);
        });
        rows
    }

    fn custom(weights: &[f64], edge: Edge) -> Convolution {
        Convolution { size: weights.len().isqrt(), weights: weights.to_vec(), edge }
    }

    #[test]
    fn a_kernel_is_not_turned_around() {
        // The sample to the right, so a correlation moves the picture to the left.
        let right = custom(&[0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], Edge::Zero);
        assert_eq!(convolved(&right, 3, 1, &[1, 2, 3, 4, 5, 6]), [2, 3, 0, 5, 6, 0]);
        // Channels keep apart.
        assert_eq!(convolved(&right, 3, 2, &[1, 2, 3, 4, 5, 6]), [3, 4, 5, 6, 0, 0]);
    }

    #[test]
    fn edges_are_those_of_scipy() {
        // scipy.ndimage: a sample three to the right, of a row of 1 2 3 4.
        let mut far = vec![0.0; 49];
        far[3 * 7 + 6] = 1.0;
        for (edge, expected) in [
            (Edge::Zero, [4, 0, 0, 0]),
            (Edge::Nearest, [4, 4, 4, 4]),
            (Edge::Reflect, [4, 4, 3, 2]),
            (Edge::Mirror, [4, 3, 2, 1]),
            (Edge::Wrap, [4, 1, 2, 3]),
        ] {
            assert_eq!(convolved(&custom(&far, edge), 4, 1, &[1, 2, 3, 4]), expected, "{edge:?}");
        }
        // Pictures smaller than the kernel.
        for (_, edge) in Edge::ALL {
            let size = convolved(&custom(&far, edge), 1, 1, &[9]);
            assert_eq!(size, [if edge == Edge::Zero { 0 } else { 9 }], "{edge:?}");
        }
    }

    #[test]
    fn sums_are_rounded_half_up_and_held_in_range() {
        let halves = |weight| custom(&[weight], Edge::Zero);
        assert_eq!(convolved(&halves(0.5), 5, 1, &[0, 1, 2, 3, 255]), [0, 1, 1, 2, 128]);
        assert_eq!(convolved(&halves(2.0), 2, 1, &[127, 200]), [254, 255]);
        assert_eq!(convolved(&halves(-0.5), 2, 1, &[1, 200]), [0, 0]);
    }

    #[test]
    fn a_gaussian_leaves_a_plain_picture_as_it_is() {
        let blur = Convolution::gaussian(5, 1.3, Edge::Reflect);
        assert_eq!(convolved(&blur, 6, 3, &[77; 6 * 4 * 3]), [77; 6 * 4 * 3]);
    }
}
