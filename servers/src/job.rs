//! A job as data: what a request asks to compute, its salt included, and what comes back.

use std::fmt;

use kernels::{ATAN_TAN_MAX, FIB_MAX};

use crate::image::{Convolve, Image};

/// What a backend computes. The salt travels along and is added where the job is computed.
#[derive(Debug, Clone, PartialEq)]
pub enum Job {
    /// F(n) + salt by naive recursion.
    Fib {
        /// Which Fibonacci number, at most 93.
        n: u32,
        /// Added to the number.
        salt: u32,
    },
    /// The sum of atan(i) * tan(i) for i = num^7 .. 0, + salt.
    AtanTan {
        /// At most 12.
        num: u32,
        /// Added to the sum.
        salt: u32,
    },
    /// An image, decoded, to be convolved; it is its own salt, since no two in flight are alike.
    Convolve(Convolve),
}

/// What a backend makes of a job.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// A whole number.
    Integer(u64),
    /// A double, written as the shortest text that reads back as the same double.
    Double(f64),
    /// An image, not encoded; as text only its measures.
    Image(Image),
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer(value) => value.fmt(f),
            Self::Double(value) => value.fmt(f),
            Self::Image(image) => image.fmt(f),
        }
    }
}

/// A request that names no job that can be computed; the text is for the client.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum JobError {
    /// The size is not a number in range.
    #[error("{what} must be a whole number from 0 to {most}, written in decimal digits, not {given:?}")]
    Size {
        /// The name of the path segment.
        what: &'static str,
        /// What the path has there.
        given: String,
        /// The largest size.
        most: u32,
    },
    /// The salt is no `u32`.
    #[error("salt must be a whole number from 0 to 4294967295, written in decimal digits, not {0:?}")]
    Salt(String),
}

impl Job {
    /// The job of `/fib/{n}?{query}`.
    pub fn fib(n: &str, query: &str) -> Result<Self, JobError> {
        Ok(Self::Fib { n: size("n", n, FIB_MAX)?, salt: salt(query)? })
    }

    /// The job of `/atan-tan/{num}?{query}`.
    pub fn atan_tan(num: &str, query: &str) -> Result<Self, JobError> {
        Ok(Self::AtanTan { num: size("num", num, ATAN_TAN_MAX)?, salt: salt(query)? })
    }
}

fn size(what: &'static str, given: &str, most: u32) -> Result<u32, JobError> {
    digits(given).filter(|&size| size <= most).ok_or_else(|| JobError::Size { what, given: shown(given), most })
}

/// The first `salt` of the query, 0 if there is none; other parameters are ignored.
fn salt(query: &str) -> Result<u32, JobError> {
    let given = query.split('&').find_map(|pair| match pair.split_once('=') {
        Some(("salt", value)) => Some(value),
        None if pair == "salt" => Some(""),
        _ => None,
    });
    given.map_or(Ok(0), |given| digits(given).ok_or_else(|| JobError::Salt(shown(given))))
}

/// Digits only: `u32::from_str` would take a sign as well.
fn digits(text: &str) -> Option<u32> {
    if text.bytes().all(|byte| byte.is_ascii_digit()) { text.parse().ok() } else { None }
}

/// Enough of a client's text to recognise it in a message.
fn shown(given: &str) -> String {
    given.chars().take(40).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_give_salts() {
        assert_eq!(Job::fib("40", ""), Ok(Job::Fib { n: 40, salt: 0 }));
        assert_eq!(Job::fib("40", "salt=4294967295"), Ok(Job::Fib { n: 40, salt: u32::MAX }));
        assert_eq!(Job::fib("7", "a=b&salt=3&salt=x"), Ok(Job::Fib { n: 7, salt: 3 }));
        assert_eq!(Job::atan_tan("12", "salt=1"), Ok(Job::AtanTan { num: 12, salt: 1 }));
    }

    #[test]
    fn what_is_no_number_in_range_is_refused() {
        for n in ["", "94", "-1", "+1", "abc", "1.0", "99999999999999999999"] {
            assert!(matches!(Job::fib(n, ""), Err(JobError::Size { .. })), "{n}");
        }
        for salt in ["salt=", "salt", "salt=-1", "salt=4294967296"] {
            assert!(matches!(Job::fib("1", salt), Err(JobError::Salt(_))), "{salt}");
        }
        for num in ["13", "x"] {
            assert!(matches!(Job::atan_tan(num, ""), Err(JobError::Size { .. })), "{num}");
        }
    }

    #[test]
    fn doubles_are_written_shortest() {
        assert_eq!(Answer::Double(-2_898_550.376_692_899).to_string(), "-2898550.376692899");
        assert_eq!(Answer::Double(0.0).to_string(), "0");
    }
}
