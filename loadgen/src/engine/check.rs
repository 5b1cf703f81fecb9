//! Whether an answer is right.

use std::fmt;

use super::ErrorKind;

/// Decides whether an answer is the right one for its request.
pub trait Check: Send + Sync {
    /// Called for every complete response, with what tells its request from others. Its time
    /// is no part of the response time, but it takes CPU that the server may want.
    fn check(&self, asked: Asked, reply: Reply<'_>) -> Result<(), Mismatch>;
}

/// What tells a request from the others of its level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Asked {
    /// Its salt.
    pub salt: u32,
    /// The number of its input, from 0.
    pub input: usize,
}

/// A complete response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reply<'a> {
    /// Of its last head.
    pub status: u16,
    /// Without framing.
    pub body: &'a [u8],
}

impl Reply<'_> {
    /// Whether the body is this text, to the byte. It is not written down to be compared: `format_args!` needs no memory.
    pub fn body_is(&self, text: fmt::Arguments<'_>) -> bool {
        let mut rest = Rest(self.body);
        fmt::write(&mut rest, text).is_ok() && rest.0.is_empty()
    }
}

/// What is left of some bytes after the text so far; an error where they differ.
struct Rest<'a>(&'a [u8]);

impl fmt::Write for Rest<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0 = self.0.strip_prefix(text.as_bytes()).ok_or(fmt::Error)?;
        Ok(())
    }
}

/// An answer that is not the right one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mismatch {
    kind: ErrorKind,
    expected: String,
    received: String,
}

impl Mismatch {
    /// The status is wrong: [`ErrorKind::Shed`] for 503, else [`ErrorKind::Status`].
    /// The body often says why, so its beginning is kept.
    pub fn status(expected: impl fmt::Display, status: u16, body: &[u8]) -> Self {
        let kind = if status == 503 { ErrorKind::Shed } else { ErrorKind::Status };
        let received = match body {
            [] => format!("status {status}"),
            _ => format!("status {status}, {}", excerpt(body)),
        };
        Self { kind, expected: format!("status {expected}"), received }
    }

    /// The body is wrong. Long texts are cut.
    pub fn body(expected: impl AsRef<[u8]>, received: &[u8]) -> Self {
        Self { kind: ErrorKind::Body, expected: excerpt(expected.as_ref()), received: excerpt(received) }
    }

    /// `Status`, `Shed` or `Body`.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// What the answer should have been.
    pub fn expected(&self) -> &str {
        &self.expected
    }

    /// What it was.
    pub fn received(&self) -> &str {
        &self.received
    }
}

/// The beginning of some bytes as printable text, for messages.
pub(super) fn excerpt(bytes: &[u8]) -> String {
    const LONGEST: usize = 120;
    let start = bytes.get(..LONGEST).unwrap_or(bytes);
    let text: String = match std::str::from_utf8(start) {
        Ok(text) => text.escape_debug().collect(),
        Err(_) => start.escape_ascii().to_string(),
    };
    match bytes.len() {
        0 => "nothing".to_owned(),
        length if length > LONGEST => format!("\"{text}\" … ({length} bytes)"),
        _ => format!("\"{text}\""),
    }
}
