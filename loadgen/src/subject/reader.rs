//! The thread that reads all that a server writes, and sees its end. It sleeps while there is nothing to read.

use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd};
use std::process::Child;

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;

use super::exit::ExitReport;
use super::link::{Link, Notice};
use super::output::{Kind, Output, Stream};

/// More than a pipe holds; so many reads empty it even where a survivor keeps writing.
const LAST_READS: usize = 64;

/// Reads until the shepherd is gone, then what is left in the pipes; tells how the server ended.
pub fn read_until_gone(mut child: Child, mut link: Link, output: &Output) -> ExitReport {
    let mut buffer = vec![0; 64 * 1024];
    let mut stdout = Pipe::new(child.stdout.take(), Kind::Output);
    let mut stderr = Pipe::new(child.stderr.take(), Kind::Error);
    let mut report = None;
    loop {
        let link_ready = wait(&link, &stdout, &stderr);
        stdout.read_if_ready(&mut buffer, output);
        stderr.read_if_ready(&mut buffer, output);
        if link_ready {
            let alive = link.read_some().unwrap_or(false);
            while let Some(notice) = link.next_notice() {
                if let Notice::Ended(how) = notice {
                    report = Some(how);
                }
            }
            if !alive {
                break;
            }
        }
    }
    stdout.drain(&mut buffer, output);
    stderr.drain(&mut buffer, output);
    output.close();
    // A shepherd that ended as it should has left nothing. If it was killed, this is for what stayed in its group;
    // before `wait`, so that the number cannot be another's.
    let _ = killpg(Pid::from_raw(child.id() as i32), Signal::SIGKILL);
    let _ = child.wait();
    report.unwrap_or(ExitReport::Lost)
}

/// Sleeps until there is something to read. True if it is from the shepherd.
fn wait(link: &Link, stdout: &Pipe<impl AsFd>, stderr: &Pipe<impl AsFd>) -> bool {
    let mut fds = vec![PollFd::new(link.stream().as_fd(), PollFlags::POLLIN)];
    fds.extend([stdout.fd(), stderr.fd()].into_iter().flatten().map(|fd| PollFd::new(fd, PollFlags::POLLIN)));
    // An error of poll (a signal came) is as good as nothing to read.
    poll(&mut fds, PollTimeout::NONE).is_ok() && fds[0].any().unwrap_or(true)
}

struct Pipe<R> {
    source: Option<R>,
    stream: Stream,
}

impl<R: Read + AsFd> Pipe<R> {
    /// Reads once, if that takes no waiting. False if there was nothing, or it ended.
    fn read_if_ready(&mut self, buffer: &mut [u8], output: &Output) -> bool {
        let Some(source) = &mut self.source else {
            return false;
        };
        let mut fds = [PollFd::new(source.as_fd(), PollFlags::POLLIN)];
        if !matches!(poll(&mut fds, PollTimeout::ZERO), Ok(1..)) {
            return false;
        }
        match source.read(buffer) {
            Ok(count @ 1..) => output.take_in(&mut self.stream, &buffer[..count]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Ok(0) | Err(_) => self.close(output),
        }
        self.source.is_some()
    }

    /// Reads what is there, and no more.
    fn drain(&mut self, buffer: &mut [u8], output: &Output) {
        let mut reads = 0;
        while reads < LAST_READS && self.read_if_ready(buffer, output) {
            reads += 1;
        }
        self.close(output);
    }

    fn close(&mut self, output: &Output) {
        self.source = None;
        output.end_of(&mut self.stream);
    }
}

impl<R: AsFd> Pipe<R> {
    fn new(source: Option<R>, kind: Kind) -> Self {
        Self { source, stream: Stream::new(kind) }
    }

    fn fd(&self) -> Option<BorrowedFd<'_>> {
        self.source.as_ref().map(AsFd::as_fd)
    }
}
