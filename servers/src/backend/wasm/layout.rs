//! Where the host puts what in a guest's memory.

use crate::backend::BackendError;

/// The most memory that a guest gets. It is also the most that the build `threads` allows.
pub(super) const MOST_BYTES: u64 = 1 << 30;

/// Enough for every type and for whole SIMD registers.
const ALIGNMENT: u64 = 16;

/// Places buffers one after the other; nothing is ever taken back.
#[derive(Debug, Clone)]
pub(super) struct Layout {
    end: u64,
}

impl Layout {
    /// Begins at the first address that is the host's.
    pub(super) fn from(start: u32) -> Self {
        Self { end: start.into() }
    }

    /// The address of a buffer of `bytes`.
    pub(super) fn place(&mut self, bytes: usize) -> Result<u32, BackendError> {
        let start = self.end.next_multiple_of(ALIGNMENT);
        let end = start.checked_add(bytes as u64).filter(|&end| end <= MOST_BYTES);
        self.end = end.ok_or(BackendError::GuestMemory { most: MOST_BYTES })?;
        u32::try_from(start).map_err(|_| BackendError::GuestMemory { most: MOST_BYTES })
    }

    /// How large the memory must be.
    pub(super) fn end(&self) -> u64 {
        self.end
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_are_aligned_and_apart() {
        let mut layout = Layout::from(1001);
        let places: Vec<_> = [5, 0, 16, 1].map(|bytes| layout.place(bytes).unwrap()).to_vec();
        assert_eq!(places, [1008, 1024, 1024, 1040]);
        assert_eq!(layout.end(), 1041);
    }

    #[test]
    fn there_is_an_end() {
        let mut layout = Layout::from(16);
        layout.place(MOST_BYTES as usize - 16).unwrap();
        assert!(matches!(layout.place(1), Err(BackendError::GuestMemory { .. })));
        assert!(matches!(layout.place(usize::MAX), Err(BackendError::GuestMemory { .. })));
    }
}
