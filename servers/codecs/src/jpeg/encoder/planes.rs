//! Rows of pixels as planes of luma and chroma, in whole numbers around zero.

/// Samples of a plane, with rows of a whole number of blocks.
pub(super) struct Plane {
    pub(super) samples: Vec<i16>,
    pub(super) stride: usize,
}

impl Plane {
    pub(super) fn new(stride: usize, rows: usize) -> Self {
        Self { samples: vec![0; stride * rows], stride }
    }

    fn row(&mut self, row: usize) -> &mut [i16] {
        &mut self.samples[row * self.stride..][..self.stride]
    }
}

/// Repeats the last sample to the end of a row.
fn pad(row: &mut [i16], width: usize) {
    let last = row[width - 1];
    row[width..].fill(last);
}

/// A row of grey.
#[inline(always)]
pub(super) fn grey(pixels: &[u8], plane: &mut Plane, row: usize) {
    let row = plane.row(row);
    for (sample, &pixel) in row.iter_mut().zip(pixels) {
        *sample = i16::from(pixel) - 128;
    }
    pad(row, pixels.len());
}

/// Rows of colour: luma for each pixel, chroma for each four.
pub(super) struct Colours {
    pub(super) luma: Plane,
    /// Blue and red.
    pub(super) chroma: [Plane; 2],
    /// Red, green and blue of two rows of pixels.
    parts: [[Vec<i16>; 3]; 2],
}

impl Colours {
    /// For 16 rows of `width` pixels.
    pub(super) fn new(width: usize) -> Self {
        let stride = width.next_multiple_of(16);
        let parts = || [(); 3].map(|()| vec![0; stride]);
        let chroma = || Plane::new(stride / 2, 8);
        Self { luma: Plane::new(stride, 16), chroma: [chroma(), chroma()], parts: [parts(), parts()] }
    }

    /// The rows `row`, which is even, and `row + 1` of 16.
    #[inline(always)]
    pub(super) fn rows(&mut self, pixels: [&[u8]; 2], row: usize) {
        for (index, (pixels, [red, green, blue])) in pixels.into_iter().zip(&mut self.parts).enumerate() {
            let (pixels, _) = pixels.as_chunks::<3>();
            let width = pixels.len();
            for (((red, green), blue), &[r, g, b]) in
                red[..width].iter_mut().zip(&mut green[..width]).zip(&mut blue[..width]).zip(pixels)
            {
                (*red, *green, *blue) = (r.into(), g.into(), b.into());
            }
            pad(red, width);
            pad(green, width);
            pad(blue, width);
            for (((luma, &r), &g), &b) in self.luma.row(row + index).iter_mut().zip(&*red).zip(&*green).zip(&*blue) {
                let sum = times(r << 7, 0.299) + times(g << 7, 0.587) + times(b << 7, 0.114);
                *luma = ((sum + 64) >> 7) - 128;
            }
        }
        let [upper, lower] = &self.parts;
        let fours = |part: usize| upper[part].as_chunks::<2>().0.iter().zip(lower[part].as_chunks::<2>().0);
        let [blue, red] = &mut self.chroma;
        let chroma = blue.row(row / 2).iter_mut().zip(red.row(row / 2));
        for ((((blue, red), r), g), b) in chroma.zip(fours(0)).zip(fours(1)).zip(fours(2)) {
            let (r, g, b) = (sum(r), sum(g), sum(b));
            *blue = (times(r, -0.168_735_9) + times(g, -0.331_264_1) + times(b, 0.5) + 64) >> 7;
            *red = (times(r, 0.5) + times(g, -0.418_687_6) + times(b, -0.081_312_4) + 64) >> 7;
        }
    }
}

/// Four samples together, times 32.
#[inline(always)]
fn sum((upper, lower): (&[i16; 2], &[i16; 2])) -> i16 {
    (upper[0] + upper[1] + lower[0] + lower[1]) << 5
}

/// A product with a number between -1 and 1, to the nearest; a single instruction for many.
#[inline(always)]
fn times(value: i16, factor: f64) -> i16 {
    let factor = (factor * 32_768.0).round() as i32;
    ((i32::from(value) * factor + 0x4000) >> 15) as i16
}
