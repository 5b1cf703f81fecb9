//! A JPEG encoder: baseline, the tables of the standard, colours 4:2:0, as libjpeg does by default.
//!
//! All of it is compiled twice, for any CPU and for those with AVX2. Both give the same file: no step is left to how a CPU
//! rounds.

mod entropy;
mod planes;
mod tables;
mod transform;

use entropy::{Block, Table, Writer};
use planes::{Colours, Plane};
use tables::{AC, Codes, DC, QUANTISATION};
use transform::{Factors, transform};

use super::segments::{Segment, marker};
use crate::{EncodeError, Quality, View};

/// A file of grey or colour.
pub(crate) fn encode(view: View<'_>, quality: Quality) -> Result<Vec<u8>, EncodeError> {
    let View { width, height, channels, .. } = view;
    if channels != 1 && channels != 3 {
        return Err(EncodeError::Channels { format: "JPEG", channels });
    }
    let side = |side: usize| u16::try_from(side).ok().filter(|&side| side > 0);
    let (Some(columns), Some(rows)) = (side(width), side(height)) else {
        return Err(EncodeError::Size { format: "JPEG", width, height });
    };
    let tables = QUANTISATION.map(|table| quantisation(&table, quality));
    let mut file = Vec::with_capacity(view.pixels.len() / 8 + 1024);
    header(&mut file, columns, rows, channels, &tables);
    let tables = tables.each_ref().map(Factors::new);
    let mut file = scan(view, &tables, Writer::new(file)).finish();
    file.extend([0xff, marker::EOI]);
    Ok(file)
}

/// The table at a quality, by the formula of libjpeg.
fn quantisation(table: &[u16; 64], quality: Quality) -> [u8; 64] {
    let quality = u32::from(quality.get());
    let percent = if quality < 50 { 5000 / quality } else { 200 - 2 * quality };
    table.map(|step| ((u32::from(step) * percent + 50) / 100).clamp(1, 255) as u8)
}

/// Everything before the compressed data.
fn header(file: &mut Vec<u8>, width: u16, height: u16, channels: usize, quantisation: &[[u8; 64]; 2]) {
    // Luma has twice the samples of chroma each way; alone it has its own number.
    let components = &[[1, 0x22, 0], [2, 0x11, 1], [3, 0x11, 1]][..channels];
    let tables = if channels == 1 { 1 } else { 2 };
    let (height, width) = (height.to_be_bytes(), width.to_be_bytes());
    file.extend([0xff, marker::SOI]);
    let mut segment = |marker, parts: &[&[u8]]| Segment { marker, body: &parts.concat() }.write(file);
    // JFIF 1.1, square pixels of no known size, no thumbnail.
    segment(marker::APP0, &[b"JFIF\0", &[1, 1, 0, 0, 1, 0, 1, 0, 0]]);
    for (number, table) in (0..).zip(&quantisation[..tables]) {
        segment(marker::DQT, &[&[number], table]);
    }
    let mut frame = components.to_vec();
    if let [grey] = frame.as_mut_slice() {
        grey[1] = 0x11;
    }
    segment(marker::SOF0, &[&[8], &height, &width, &[channels as u8], frame.as_flattened()]);
    for (class, codes) in [(0, &DC), (0x10, &AC)] {
        for (number, Codes { lengths, symbols }) in (class..).zip(&codes[..tables]) {
            segment(marker::DHT, &[&[number], lengths, symbols]);
        }
    }
    let scan: Vec<[u8; 2]> = components.iter().map(|&[id, _, table]| [id, table << 4 | table]).collect();
    segment(marker::SOS, &[&[channels as u8], scan.as_flattened(), &[0, 63, 0]]);
}

/// All blocks, on the widest registers.
fn scan(view: View<'_>, factors: &[Factors; 2], writer: Writer) -> Writer {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        // SAFETY: this CPU has AVX2, as was just found.
        return unsafe { blocks_avx2(view, factors, writer) };
    }
    blocks(view, factors, writer, transform)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn blocks_avx2(view: View<'_>, factors: &[Factors; 2], writer: Writer) -> Writer {
    blocks(view, factors, writer, |plane, x, y, factors| transform::transform_avx2(plane, x, y, factors))
}

/// All blocks. Beyond its edges a picture goes on as it ends.
///
/// Everything in it is inlined: a function or closure apart would be compiled for any CPU.
#[inline(always)]
fn blocks<T>(view: View<'_>, factors: &[Factors; 2], writer: Writer, transform: T) -> Writer
where
    T: Fn(&Plane, usize, usize, &Factors) -> Block,
{
    let View { width, height, channels, pixels } = view;
    let mut scan = Scan {
        factors,
        dc: DC.each_ref().map(Table::new),
        ac: AC.each_ref().map(Table::new),
        last: [0; 3],
        writer,
        transform,
    };
    if channels == 1 {
        let mut plane = Plane::new(width.next_multiple_of(8), 8);
        for top in (0..height).step_by(8) {
            for y in 0..8 {
                planes::grey(row(pixels, width, (top + y).min(height - 1)), &mut plane, y);
            }
            for x in (0..plane.stride).step_by(8) {
                scan.write(0, &plane, x, 0);
            }
        }
    } else {
        let mut colours = Colours::new(width);
        for top in (0..height).step_by(16) {
            for y in (0..16).step_by(2) {
                let row = |y: usize| row(pixels, 3 * width, y.min(height - 1));
                colours.rows([row(top + y), row(top + y + 1)], y);
            }
            let (luma, [blue, red]) = (&colours.luma, &colours.chroma);
            for x in (0..luma.stride).step_by(16) {
                scan.write(0, luma, x, 0);
                scan.write(0, luma, x + 8, 0);
                scan.write(0, luma, x, 8);
                scan.write(0, luma, x + 8, 8);
                scan.write(1, blue, x / 2, 0);
                scan.write(2, red, x / 2, 0);
            }
        }
    }
    scan.writer
}

#[inline(always)]
fn row(pixels: &[u8], bytes: usize, y: usize) -> &[u8] {
    &pixels[y * bytes..][..bytes]
}

/// A scan in the making.
struct Scan<'a, T> {
    /// For luma and for chroma, as the tables.
    factors: &'a [Factors; 2],
    dc: [Table; 2],
    ac: [Table; 2],
    /// The first coefficient of each component's last block.
    last: [i16; 3],
    writer: Writer,
    transform: T,
}

impl<T: Fn(&Plane, usize, usize, &Factors) -> Block> Scan<'_, T> {
    /// The block of a component at `x` and `y`.
    #[inline(always)]
    fn write(&mut self, component: usize, plane: &Plane, x: usize, y: usize) {
        let table = component.min(1);
        let block = (self.transform)(plane, x, y, &self.factors[table]);
        self.writer.block(&block, self.last[component], &self.dc[table], &self.ac[table]);
        self.last[component] = block[0];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cpu_writes_the_same_file() {
        for channels in [1, 3] {
            let (width, height) = (75, 41);
            let sample = |index: usize| (index.wrapping_mul(2_654_435_761) >> 16) as u8;
            let pixels: Vec<u8> = (0..width * height * channels).map(sample).collect();
            let view = View { width, height, channels, pixels: &pixels };
            let tables = QUANTISATION.map(|table| quantisation(&table, Quality::default()));
            let factors = tables.each_ref().map(Factors::new);
            let plain = blocks(view, &factors, Writer::new(Vec::new()), transform).finish();
            assert_eq!(scan(view, &factors, Writer::new(Vec::new())).finish(), plain);
        }
    }
}
