//! How a server ended.

use std::fmt;

use nix::sys::signal::Signal;
use nix::sys::wait::WaitStatus;

/// How a server ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExitReport {
    /// It ended by itself, with this status.
    Exited(i32),
    /// A signal, by its number, ended it.
    Signalled(i32),
    /// Its shepherd was killed, and the server with it, so nobody saw how.
    Lost,
}

impl ExitReport {
    /// What `wait` tells, if it tells of an end.
    pub(super) fn of(status: WaitStatus) -> Option<Self> {
        match status {
            WaitStatus::Exited(_, code) => Some(Self::Exited(code)),
            WaitStatus::Signaled(_, signal, _) => Some(Self::Signalled(signal as i32)),
            _ => None,
        }
    }

    /// The status it gave, if it ended by itself.
    pub fn code(&self) -> Option<i32> {
        match self {
            Self::Exited(code) => Some(*code),
            _ => None,
        }
    }

    /// The number of the signal that ended it.
    pub fn signal(&self) -> Option<i32> {
        match self {
            Self::Signalled(signal) => Some(*signal),
            _ => None,
        }
    }

    /// As a shell tells it: the status, or 128 + signal.
    pub(super) fn shell_status(&self) -> u8 {
        match self {
            Self::Exited(code) => *code as u8,
            Self::Signalled(signal) => 128u8.saturating_add(*signal as u8),
            Self::Lost => 128 + Signal::SIGKILL as u8,
        }
    }

    /// A predicate for "the server …": `exited with status 3`, `was killed by SIGKILL`.
    pub fn describe(&self) -> String {
        self.to_string()
    }
}

impl fmt::Display for ExitReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exited(code) => write!(f, "exited with status {code}"),
            Self::Signalled(number) => match Signal::try_from(*number) {
                Ok(signal) => write!(f, "was killed by {signal}"),
                Err(_) => write!(f, "was killed by signal {number}"),
            },
            Self::Lost => write!(f, "was killed together with the process that watched over it"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_reads_as_a_predicate() {
        assert_eq!(ExitReport::Exited(3).describe(), "exited with status 3");
        assert_eq!(ExitReport::Signalled(9).describe(), "was killed by SIGKILL");
        assert_eq!(ExitReport::Signalled(40).describe(), "was killed by signal 40");
        assert_eq!(ExitReport::Signalled(9).shell_status(), 137);
    }
}
