//! Waits for what happens next.

use std::io;
use std::os::fd::AsFd;
use std::time::Duration;

use nix::errno::Errno;
use nix::sys::epoll::{Epoll, EpollCreateFlags, EpollEvent, EpollFlags, EpollTimeout};
use nix::sys::time::TimeSpec;
use nix::sys::timerfd::{ClockId, Expiration, TimerFd, TimerFlags, TimerSetTimeFlags};

use super::super::clock::Ns;

/// What has happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Event {
    /// The level is to end.
    Stop,
    /// A time that was waited for has come.
    Timer,
    /// Something on a client's connection.
    Client {
        /// Its number.
        client: usize,
        /// It takes bytes again, or has failed.
        writable: bool,
        /// Nothing comes after what can be read now.
        ended: bool,
    },
}

/// An epoll instance to which each connection is added once: it tells changes only (edge-triggered), so a request costs no
/// call that arms it again.
#[derive(Debug)]
pub(super) struct Poller {
    epoll: Epoll,
    events: Vec<EpollEvent>,
    /// For times that epoll's milliseconds are too coarse for.
    timer: TimerFd,
    armed: Option<Ns>,
}

/// Few enough that an open loop looks at its schedule in between.
const AT_ONCE: usize = 64;
const STOP: u64 = u64::MAX;
const TIMER: u64 = u64::MAX - 1;

impl Poller {
    pub(super) fn new(stop: impl AsFd) -> io::Result<Self> {
        let epoll = Epoll::new(EpollCreateFlags::EPOLL_CLOEXEC)?;
        let flags = TimerFlags::TFD_CLOEXEC | TimerFlags::TFD_NONBLOCK;
        let timer = TimerFd::new(ClockId::CLOCK_MONOTONIC, flags)?;
        epoll.add(stop, EpollEvent::new(EpollFlags::EPOLLIN, STOP))?;
        // A timer that is set anew needs not be read: only its next expiry is a change.
        epoll.add(&timer, EpollEvent::new(EpollFlags::EPOLLIN | EpollFlags::EPOLLET, TIMER))?;
        Ok(Self { epoll, events: vec![EpollEvent::empty(); AT_ONCE], timer, armed: None })
    }

    /// Begins to watch a client's connection.
    pub(super) fn add(&self, connection: impl AsFd, client: usize) -> io::Result<()> {
        let flags = EpollFlags::EPOLLIN | EpollFlags::EPOLLRDHUP | EpollFlags::EPOLLET;
        Ok(self.epoll.add(connection, EpollEvent::new(flags, client as u64))?)
    }

    /// From now on tells also when it takes bytes again; and tells anew what has not been read yet.
    pub(super) fn watch_writes(&self, connection: impl AsFd, client: usize) -> io::Result<()> {
        let flags = EpollFlags::EPOLLIN | EpollFlags::EPOLLOUT | EpollFlags::EPOLLRDHUP | EpollFlags::EPOLLET;
        Ok(self.epoll.modify(connection, &mut EpollEvent::new(flags, client as u64))?)
    }

    /// Sets the timer to an exact time, unless it is set to that already.
    pub(super) fn arm(&mut self, at: Ns, now: Ns) -> io::Result<()> {
        if self.armed.replace(at) != Some(at) {
            // Zero would switch it off.
            let left = Duration::from_nanos(at.saturating_sub(now).max(1));
            self.timer.set(Expiration::OneShot(TimeSpec::from_duration(left)), TimerSetTimeFlags::empty())?;
        }
        Ok(())
    }

    /// Sleeps until something happens, or until so many nanoseconds have passed, rounded up to milliseconds. Returns
    /// how many events there are.
    pub(super) fn wait(&mut self, at_most: Option<Ns>) -> io::Result<usize> {
        let milliseconds = |ns: Ns| i32::try_from(ns.div_ceil(1_000_000)).unwrap_or(i32::MAX);
        let timeout = at_most.and_then(|ns| EpollTimeout::try_from(milliseconds(ns)).ok());
        match self.epoll.wait(&mut self.events, timeout.unwrap_or(EpollTimeout::NONE)) {
            Ok(count) => Ok(count),
            Err(Errno::EINTR) => Ok(0),
            Err(error) => Err(error.into()),
        }
    }

    /// The event with this index.
    pub(super) fn event(&mut self, index: usize) -> Event {
        let Some(event) = self.events.get(index) else { return Event::Timer };
        match event.data() {
            STOP => Event::Stop,
            TIMER => {
                self.armed = None;
                Event::Timer
            }
            client => {
                let flags = event.events();
                let broken = EpollFlags::EPOLLERR | EpollFlags::EPOLLHUP;
                Event::Client {
                    client: client as usize,
                    writable: flags.intersects(EpollFlags::EPOLLOUT | broken),
                    ended: flags.intersects(EpollFlags::EPOLLRDHUP | broken),
                }
            }
        }
    }
}
