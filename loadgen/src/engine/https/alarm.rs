//! A timer to the microsecond: those of the async runtime have ticks of a millisecond.

use std::io;
use std::os::fd::{AsFd as _, AsRawFd, RawFd};
use std::time::Duration;

use nix::sys::time::TimeSpec;
use nix::sys::timerfd::{ClockId, Expiration, TimerFd, TimerFlags, TimerSetTimeFlags};
use tokio::io::unix::AsyncFd;

/// One at a time.
pub(super) struct Alarm(AsyncFd<Timer>);

struct Timer(TimerFd);

impl AsRawFd for Timer {
    fn as_raw_fd(&self) -> RawFd {
        self.0.as_fd().as_raw_fd()
    }
}

impl Alarm {
    /// Runs within a runtime.
    pub(super) fn new() -> io::Result<Self> {
        let flags = TimerFlags::TFD_CLOEXEC | TimerFlags::TFD_NONBLOCK;
        let timer = Timer(TimerFd::new(ClockId::CLOCK_MONOTONIC, flags)?);
        // SAFETY: the timer owns its file, tells the same number for it always, and is closed by its own drop alone, which
        // comes after that of the registration.
        Ok(Self(unsafe { AsyncFd::register(timer) }?))
    }

    /// Waits for so long.
    pub(super) async fn wait(&self, time: Duration) -> io::Result<()> {
        if time.is_zero() {
            return Ok(());
        }
        self.0.get_ref().0.set(Expiration::OneShot(TimeSpec::from_duration(time)), TimerSetTimeFlags::empty())?;
        loop {
            let mut ready = self.0.readable().await?;
            // Read, it is as before; there is nothing to read where another wait was over meanwhile.
            match ready.try_io(|timer| Ok(nix::unistd::read(&timer.get_ref().0, &mut [0; 8])?)) {
                Ok(read) => return read.map(drop),
                Err(_would_block) => {}
            }
        }
    }
}
