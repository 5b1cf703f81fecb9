//! Rows of pixels as planes of luma and chroma, in numbers around zero.

/// Samples of a plane, with rows of a whole number of blocks.
pub(super) struct Plane {
    pub(super) samples: Vec<f32>,
    pub(super) stride: usize,
}

impl Plane {
    pub(super) fn new(stride: usize, rows: usize) -> Self {
        Self { samples: vec![0.0; stride * rows], stride }
    }

    fn row(&mut self, row: usize) -> &mut [f32] {
        &mut self.samples[row * self.stride..][..self.stride]
    }

    /// Repeats the last sample to the end of a row.
    fn pad(&mut self, row: usize, width: usize) {
        let row = self.row(row);
        let last = row[width - 1];
        row[width..].fill(last);
    }
}

/// A row of grey.
#[inline(always)]
pub(super) fn grey(pixels: &[u8], plane: &mut Plane, row: usize) {
    for (sample, &pixel) in plane.row(row).iter_mut().zip(pixels) {
        *sample = f32::from(pixel) - 128.0;
    }
    plane.pad(row, pixels.len());
}

/// Rows of colour: luma for each pixel, chroma for each four.
pub(super) struct Colours {
    pub(super) luma: Plane,
    pub(super) chroma: [Plane; 2],
    /// Chroma of two rows of pixels.
    full: [Plane; 2],
}

impl Colours {
    /// For 16 rows of `width` pixels.
    pub(super) fn new(width: usize) -> Self {
        let stride = width.next_multiple_of(16);
        let planes = |stride, rows| [Plane::new(stride, rows), Plane::new(stride, rows)];
        Self { luma: Plane::new(stride, 16), chroma: planes(stride / 2, 8), full: planes(stride, 2) }
    }

    /// Row `row` of 16; after every second, chroma of both is averaged.
    #[inline(always)]
    pub(super) fn row(&mut self, pixels: &[u8], row: usize) {
        let (pixels, _) = pixels.as_chunks::<3>();
        let [blue, red] = &mut self.full;
        let chroma = blue.row(row % 2).iter_mut().zip(red.row(row % 2));
        for ((luma, (blue, red)), &[r, g, b]) in self.luma.row(row).iter_mut().zip(chroma).zip(pixels) {
            let (r, g, b) = (f32::from(r), f32::from(g), f32::from(b));
            *luma = 0.299 * r + 0.587 * g + 0.114 * b - 128.0;
            *blue = -0.168_735_9 * r - 0.331_264_1 * g + 0.5 * b;
            *red = 0.5 * r - 0.418_687_6 * g - 0.081_312_4 * b;
        }
        self.luma.pad(row, pixels.len());
        if row % 2 == 1 {
            for (full, half) in self.full.iter_mut().zip(&mut self.chroma) {
                full.pad(0, pixels.len());
                full.pad(1, pixels.len());
                let (upper, lower) = full.samples.split_at(full.stride);
                let (upper, lower) = (upper.as_chunks::<2>().0, lower.as_chunks::<2>().0);
                for ((sample, upper), lower) in half.row(row / 2).iter_mut().zip(upper).zip(lower) {
                    *sample = (upper[0] + upper[1] + lower[0] + lower[1]) * 0.25;
                }
            }
        }
    }
}
