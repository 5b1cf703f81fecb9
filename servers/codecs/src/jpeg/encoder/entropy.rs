//! Coefficients as Huffman codes.

use super::tables::{Codes, ZIGZAG};

/// A block's coefficients, columns first: place 8 x + y.
pub(super) type Block = [i16; 64];

/// Where each place of a [`Block`] is in zigzag order.
const ORDER: [u8; 64] = {
    let mut order = [0; 64];
    let mut zigzag = 0;
    while zigzag < 64 {
        let place = ZIGZAG[zigzag] as usize;
        order[place % 8 * 8 + place / 8] = zigzag as u8;
        zigzag += 1;
    }
    order
};

/// A Huffman table to encode by: the code and its length for each symbol.
pub(super) struct Table([(u16, u8); 256]);

impl Table {
    pub(super) fn new(codes: &Codes) -> Self {
        let mut table = [(0, 0); 256];
        let mut symbols = codes.symbols.iter();
        let mut code = 0u16;
        for (length, &count) in (1..).zip(&codes.lengths) {
            for &symbol in symbols.by_ref().take(count.into()) {
                table[usize::from(symbol)] = (code, length);
                code += 1;
            }
            // Of 16 ones there is no code, so this loses nothing.
            code <<= 1;
        }
        Self(table)
    }
}

/// The compressed data of a scan in the making.
pub(super) struct Writer {
    file: Vec<u8>,
    /// The last bits, the newest lowest.
    bits: u64,
    /// How many of them have no byte yet, at most 63.
    count: u32,
}

impl Writer {
    /// Goes on after a header.
    pub(super) fn new(file: Vec<u8>) -> Self {
        Self { file, bits: 0, count: 0 }
    }

    /// Fills the last byte with ones, as it has to be.
    pub(super) fn finish(mut self) -> Vec<u8> {
        self.put(0x7f, 7);
        while self.count >= 8 {
            self.count -= 8;
            self.byte((self.bits >> self.count) as u8);
        }
        self.file
    }

    /// The block, of which `last` was the first coefficient of the one before.
    pub(super) fn block(&mut self, block: &Block, last: i16, dc: &Table, ac: &Table) {
        let mut values = [0i16; 64];
        // A bit for each coefficient that is not zero, in zigzag order: mostly few.
        let mut present = 0u64;
        for (column, places) in block.chunks_exact(8).zip(ORDER.chunks_exact(8)) {
            if column == [0; 8] {
                continue;
            }
            for (&value, &place) in column.iter().zip(places) {
                values[usize::from(place & 63)] = value;
                present |= u64::from(value != 0) << place;
            }
        }
        self.symbol(values[0] - last, 0, dc);
        present &= !1;
        let mut place = 0;
        while present != 0 {
            let next = present.trailing_zeros();
            let mut zeros = next - place - 1;
            while zeros > 15 {
                self.code(ac.0[0xf0]);
                zeros -= 16;
            }
            self.symbol(values[next as usize & 63], zeros, ac);
            present &= present - 1;
            place = next;
        }
        if place < 63 {
            self.code(ac.0[0]);
        }
    }

    /// A value after so many zeros: the code of its length, then its lowest bits, those of a negative one less by 1.
    fn symbol(&mut self, value: i16, zeros: u32, table: &Table) {
        let size = 16 - value.unsigned_abs().leading_zeros();
        let bits = (i32::from(value) + i32::from(value >> 15)) as u32 & ((1 << size) - 1);
        let (code, length) = table.0[(zeros << 4 | size) as usize & 255];
        self.put(u64::from(code) << size | u64::from(bits), u32::from(length) + size);
    }

    fn code(&mut self, (code, length): (u16, u8)) {
        self.put(code.into(), length.into());
    }

    /// At most 32 bits.
    fn put(&mut self, bits: u64, count: u32) {
        self.bits = self.bits << count | bits;
        self.count += count;
        if self.count >= 32 {
            self.count -= 32;
            let word = (self.bits >> self.count) as u32;
            // A byte of ones is followed by a zero, lest it be taken for a marker.
            if (word & 0x8080_8080 & !word.wrapping_add(0x0101_0101)) == 0 {
                self.file.extend_from_slice(&word.to_be_bytes());
            } else {
                word.to_be_bytes().into_iter().for_each(|byte| self.byte(byte));
            }
        }
    }

    fn byte(&mut self, byte: u8) {
        self.file.push(byte);
        if byte == 0xff {
            self.file.push(0);
        }
    }
}
