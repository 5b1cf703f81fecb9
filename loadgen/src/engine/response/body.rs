//! The body of a response that is read in pieces.

/// Bytes so far, in memory that is used again for the next response.
#[derive(Debug, Default)]
pub(crate) struct Body {
    /// Those of this response, then what is left of earlier ones: memory that need not be cleared again.
    bytes: Vec<u8>,
    length: usize,
}

impl Body {
    /// An empty one in the memory of an earlier one.
    pub(crate) fn reuse(memory: Vec<u8>) -> Self {
        Self { bytes: memory, length: 0 }
    }

    /// Takes the memory out.
    pub(crate) fn into_memory(self) -> Vec<u8> {
        self.bytes
    }

    pub(crate) fn len(&self) -> usize {
        self.length
    }

    pub(crate) fn as_slice(&self) -> &[u8] {
        self.bytes.get(..self.length).unwrap_or_default()
    }

    pub(crate) fn extend_from_slice(&mut self, data: &[u8]) {
        let room = self.bytes.get_mut(self.length..).unwrap_or_default();
        let (over, beyond) = data.split_at(room.len().min(data.len()));
        room[..over.len()].copy_from_slice(over);
        self.bytes.extend_from_slice(beyond);
        self.length += data.len();
    }

    /// Room for `size` more bytes, to be written into and then `added`.
    pub(crate) fn room(&mut self, size: usize) -> &mut [u8] {
        let end = self.length + size;
        if self.bytes.len() < end {
            self.bytes.resize(end, 0);
        }
        &mut self.bytes[self.length..end]
    }

    /// `count` bytes were written into the room.
    pub(crate) fn added(&mut self, count: usize) {
        self.length = (self.length + count).min(self.bytes.len());
    }
}
