//! A guest's memory, of one instance or shared by several.

use std::cell::UnsafeCell;
use std::slice;

use bytes::Bytes;
use wasmtime::{Memory, SharedMemory, Store};

use super::layout::MOST_BYTES;
use crate::backend::BackendError;

const PAGE: u64 = 1 << 16;

/// Only the host reads and writes through it, and only while no guest that has the memory runs.
pub(super) enum GuestMemory {
    /// Of one instance.
    Own(Memory),
    /// Of all instances of one worker.
    Shared(SharedMemory),
}

impl GuestMemory {
    /// Makes it at least so large. It never shrinks: a worker keeps what its largest job took.
    pub(super) fn grow_to(&self, store: &mut Store<()>, bytes: u64) -> Result<(), BackendError> {
        let pages = bytes.div_ceil(PAGE);
        let grown = match self {
            Self::Own(memory) => {
                let missing = pages.saturating_sub(memory.size(&mut *store));
                missing == 0 || memory.grow(store, missing).is_ok()
            }
            Self::Shared(memory) => {
                let missing = pages.saturating_sub(memory.size());
                missing == 0 || memory.grow(missing).is_ok()
            }
        };
        if grown { Ok(()) } else { Err(BackendError::GuestMemory { most: MOST_BYTES }) }
    }

    /// Copies bytes into it.
    ///
    /// # Panics
    /// Where they do not fit: `grow_to` comes first.
    pub(super) fn write(&mut self, store: &mut Store<()>, at: u32, bytes: &[u8]) {
        match self {
            Self::Own(memory) => memory.data_mut(store)[at as usize..][..bytes.len()].copy_from_slice(bytes),
            Self::Shared(memory) => {
                let target = &memory.data()[at as usize..][..bytes.len()];
                // SAFETY: the cells are bytes of the memory, as many as `bytes` has, which lies outside it. Nothing else
                // accesses them: guests run only while `KernelsInstance::compute`, which borrows this whole value
                // mutably, waits for them, and nobody else has the memory.
                unsafe { UnsafeCell::raw_get(target.as_ptr()).copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) }
            }
        }
    }

    /// A copy of bytes in it.
    ///
    /// # Panics
    /// Where there are not so many.
    pub(super) fn read(&mut self, store: &Store<()>, at: u32, length: usize) -> Bytes {
        match self {
            Self::Own(memory) => Bytes::copy_from_slice(&memory.data(store)[at as usize..][..length]),
            Self::Shared(memory) => {
                let source = &memory.data()[at as usize..][..length];
                // SAFETY: as in `write`: nobody writes to the cells while the slice lives, which ends with this statement.
                Bytes::copy_from_slice(unsafe { slice::from_raw_parts(UnsafeCell::raw_get(source.as_ptr()), length) })
            }
        }
    }
}
