//! What loadgen and a shepherd say to each other, over a socket that is the shepherd's standard input.
//!
//! loadgen writes [`STOP`], or closes its end (also by dying): then everything is killed at once.
//! The shepherd writes one line for each [`Notice`].

use std::io::{self, Read};
use std::os::unix::net::UnixStream;

use super::exit::ExitReport;

/// The byte that asks a shepherd to stop its server gently.
pub const STOP: u8 = b's';

/// What of a start went wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// The shepherd's own preparation.
    Setup,
    /// Setting the CPUs.
    Cpus,
    /// Starting the program.
    Program,
}

/// What a shepherd tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Notice {
    /// The server runs, as this process.
    Started(u32),
    /// The server could not be started: the step and the system's error number.
    Failed(Step, i32),
    /// The server is gone, and all of its descendants are.
    Ended(ExitReport),
}

impl Notice {
    /// The line for this notice.
    pub fn line(&self) -> String {
        match self {
            Self::Started(pid) => format!("started {pid}\n"),
            Self::Failed(Step::Setup, errno) => format!("setup {errno}\n"),
            Self::Failed(Step::Cpus, errno) => format!("cpus {errno}\n"),
            Self::Failed(Step::Program, errno) => format!("program {errno}\n"),
            Self::Ended(ExitReport::Exited(code)) => format!("exited {code}\n"),
            Self::Ended(ExitReport::Signalled(signal)) => format!("signalled {signal}\n"),
            Self::Ended(ExitReport::Lost) => "lost 0\n".to_owned(),
        }
    }

    fn parse(line: &str) -> Option<Self> {
        let (word, number) = line.split_once(' ')?;
        let number: i32 = number.parse().ok()?;
        Some(match word {
            "started" => Self::Started(u32::try_from(number).ok()?),
            "setup" => Self::Failed(Step::Setup, number),
            "cpus" => Self::Failed(Step::Cpus, number),
            "program" => Self::Failed(Step::Program, number),
            "exited" => Self::Ended(ExitReport::Exited(number)),
            "signalled" => Self::Ended(ExitReport::Signalled(number)),
            "lost" => Self::Ended(ExitReport::Lost),
            _ => return None,
        })
    }
}

/// loadgen's end of the socket, read as notices.
#[derive(Debug)]
pub struct Link {
    stream: UnixStream,
    unread: Vec<u8>,
}

impl Link {
    pub fn new(stream: UnixStream) -> Self {
        Self { stream, unread: Vec::new() }
    }

    pub fn stream(&self) -> &UnixStream {
        &self.stream
    }

    /// Reads once. False when the shepherd is gone.
    pub fn read_some(&mut self) -> io::Result<bool> {
        let mut buffer = [0; 256];
        loop {
            match self.stream.read(&mut buffer) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
                Ok(0) => return Ok(false),
                Ok(count) => {
                    self.unread.extend_from_slice(&buffer[..count]);
                    return Ok(true);
                }
            }
        }
    }

    /// The next notice among what was read. Lines that are none are passed over.
    pub fn next_notice(&mut self) -> Option<Notice> {
        while let Some(end) = self.unread.iter().position(|&byte| byte == b'\n') {
            let line: Vec<u8> = self.unread.drain(..=end).collect();
            if let Some(notice) = str::from_utf8(&line[..end]).ok().and_then(Notice::parse) {
                return Some(notice);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn notices_arrive_as_they_were_sent() {
        let sent = [
            Notice::Started(4711),
            Notice::Failed(Step::Setup, 1),
            Notice::Failed(Step::Cpus, 22),
            Notice::Failed(Step::Program, 2),
            Notice::Ended(ExitReport::Exited(255)),
            Notice::Ended(ExitReport::Signalled(9)),
            Notice::Ended(ExitReport::Lost),
        ];
        let (ours, mut theirs) = UnixStream::pair().unwrap();
        for notice in &sent {
            theirs.write_all(notice.line().as_bytes()).unwrap();
            theirs.write_all(b"nonsense\nstarted -1\n").unwrap();
        }
        drop(theirs);
        let mut link = Link::new(ours);
        while link.read_some().unwrap() {}
        let received: Vec<Notice> = std::iter::from_fn(|| link.next_notice()).collect();
        assert_eq!(received, sent);
    }
}
