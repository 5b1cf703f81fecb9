//! Tells the threads of a level to stop: a file that becomes readable, so that it wakes whoever sleeps.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;

use nix::sys::eventfd::{EfdFlags, EventFd};

/// Clones stop the same level.
#[derive(Debug, Clone)]
pub(super) struct Stop(Arc<EventFd>);

impl Stop {
    pub(super) fn new() -> io::Result<Self> {
        Ok(Self(Arc::new(EventFd::from_flags(EfdFlags::EFD_CLOEXEC | EfdFlags::EFD_NONBLOCK)?)))
    }

    /// Stops them. It is never undone: nobody reads the file.
    pub(super) fn set(&self) {
        // Only a counter at its end refuses, and then it is readable already.
        let _ = self.0.write(1);
    }
}

impl AsFd for Stop {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}
