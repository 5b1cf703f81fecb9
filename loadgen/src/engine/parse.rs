//! An HTTP/1.1 response parser as a state machine: bytes in, complete or not out. It does no input
//! or output, and it gives the same result however its bytes are split.

use std::mem::MaybeUninit;

use super::chunked::Chunked;
use super::framing::{Delimited, Framing};

/// The longest head of a response.
pub(super) const MAX_HEAD: usize = 64 << 10;
/// The most headers of a response.
const MAX_HEADERS: usize = 256;
/// Room made at once for a body whose length is announced; more only as it arrives.
const ROOM_AT_ONCE: usize = 1 << 20;

/// Why some bytes are not one complete response.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum ParseError {
    #[error("no HTTP/1.1 response head: {0}")]
    Head(httparse::Error),
    #[error("a response head of more than {MAX_HEAD} bytes")]
    HeadTooLong,
    #[error("an invalid status code or an unasked switch of protocols: {0}")]
    StatusCode(u16),
    #[error("{0}")]
    Framing(&'static str),
    #[error("an invalid chunked body: {0}")]
    Chunk(&'static str),
    #[error("a response body longer than allowed")]
    BodyTooLong,
    #[error("bytes that belong to no response")]
    Excess,
    #[error("the connection was closed before the response was complete")]
    ClosedEarly,
}

/// Whether a response has been read to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Progress {
    Incomplete,
    Complete,
}

#[derive(Debug)]
enum State {
    Head,
    Length(usize),
    Chunked(Chunked),
    UntilClose,
    Complete,
    Failed(ParseError),
}

/// Reads one response at a time. Its buffers are used again for the next one.
#[derive(Debug)]
pub(super) struct Parser {
    state: State,
    no_body: bool,
    max_body: usize,
    fed: bool,
    head: Vec<u8>,
    status: u16,
    reusable: bool,
    server_timing: Vec<u8>,
    body: Vec<u8>,
}

impl Parser {
    /// `no_body`: the requests are HEAD, so responses have no body whatever their heads say.
    pub(super) fn new(no_body: bool, max_body: usize) -> Self {
        Self {
            state: State::Head,
            no_body,
            max_body,
            fed: false,
            head: Vec::new(),
            status: 0,
            reusable: false,
            server_timing: Vec::new(),
            body: Vec::new(),
        }
    }

    /// Makes ready for another response.
    pub(super) fn reset(&mut self) {
        self.state = State::Head;
        self.fed = false;
        self.head.clear();
        self.body.clear();
        self.server_timing.clear();
        (self.status, self.reusable) = (0, false);
    }

    /// Takes the bytes that came next. After an error it gives the same error again.
    pub(super) fn feed(&mut self, bytes: &[u8]) -> Result<Progress, ParseError> {
        let mut rest = bytes;
        while !rest.is_empty() {
            self.fed = true;
            match self.step(rest) {
                Ok(used) => rest = rest.get(used..).unwrap_or_default(),
                Err(error) => {
                    self.state = State::Failed(error);
                    return Err(error);
                }
            }
        }
        Ok(if matches!(self.state, State::Complete) { Progress::Complete } else { Progress::Incomplete })
    }

    /// Takes the end of the connection, which completes a response that it delimits.
    pub(super) fn finish(&mut self) -> Result<(), ParseError> {
        match self.state {
            State::Complete => Ok(()),
            State::UntilClose => {
                self.state = State::Complete;
                Ok(())
            }
            State::Failed(error) => Err(error),
            State::Head | State::Length(_) | State::Chunked(_) => Err(ParseError::ClosedEarly),
        }
    }

    /// Whether any byte has come since the last reset.
    pub(super) fn has_begun(&self) -> bool {
        self.fed
    }

    /// What came of a head that is not complete, for messages.
    pub(super) fn head(&self) -> &[u8] {
        &self.head
    }

    pub(super) fn status(&self) -> u16 {
        self.status
    }

    pub(super) fn body(&self) -> &[u8] {
        &self.body
    }

    /// The value of the `Server-Timing` header, where there is one.
    pub(super) fn server_timing(&self) -> Option<&[u8]> {
        (!self.server_timing.is_empty()).then_some(&self.server_timing)
    }

    /// Whether the server will take another request on the connection.
    pub(super) fn is_reusable(&self) -> bool {
        self.reusable
    }

    /// Uses at least one of `bytes`, of which there is one; returns how many.
    fn step(&mut self, bytes: &[u8]) -> Result<usize, ParseError> {
        match &mut self.state {
            State::Head => self.step_head(bytes),
            State::Length(left) => {
                let data = bytes.get(..*left).unwrap_or(bytes);
                self.body.extend_from_slice(data);
                *left -= data.len();
                if *left == 0 {
                    self.state = State::Complete;
                }
                Ok(data.len())
            }
            State::Chunked(chunked) => {
                let used = chunked.feed(bytes, &mut self.body)?;
                if chunked.is_complete() {
                    self.state = State::Complete;
                }
                Ok(used)
            }
            State::UntilClose => {
                if bytes.len() > self.max_body - self.body.len() {
                    return Err(ParseError::BodyTooLong);
                }
                self.body.extend_from_slice(bytes);
                Ok(bytes.len())
            }
            State::Complete => Err(ParseError::Excess),
            State::Failed(error) => Err(*error),
        }
    }

    fn step_head(&mut self, bytes: &[u8]) -> Result<usize, ParseError> {
        let before = self.head.len();
        let taken = bytes.get(..MAX_HEAD - before).unwrap_or(bytes);
        self.head.extend_from_slice(taken);
        let Some((length, status, framing)) = read_head(&self.head, self.no_body, &mut self.server_timing)? else {
            let full = self.head.len() == MAX_HEAD;
            return if full { Err(ParseError::HeadTooLong) } else { Ok(taken.len()) };
        };
        match status {
            // Interim responses say that the real one is still to come.
            100 | 102..=199 => {}
            200..=999 => {
                (self.status, self.reusable) = (status, framing.reusable);
                self.state = match framing.delimited {
                    Delimited::Length(length) if length > self.max_body => {
                        return Err(ParseError::BodyTooLong);
                    }
                    Delimited::Length(0) => State::Complete,
                    Delimited::Length(length) => {
                        self.body.reserve(length.min(ROOM_AT_ONCE));
                        State::Length(length)
                    }
                    Delimited::Chunked => State::Chunked(Chunked::new(self.max_body)),
                    Delimited::Close => State::UntilClose,
                };
            }
            _ => return Err(ParseError::StatusCode(status)),
        }
        self.head.clear();
        // The head was not complete without these bytes, so it ends among them.
        Ok(length.saturating_sub(before).max(1))
    }
}

/// Length, status and framing of the head that `bytes` start with, if it is complete; what the server says of its time is copied out.
fn read_head(
    bytes: &[u8],
    no_body: bool,
    server_timing: &mut Vec<u8>,
) -> Result<Option<(usize, u16, Framing)>, ParseError> {
    let mut headers = [const { MaybeUninit::uninit() }; MAX_HEADERS];
    let mut head = httparse::Response::new(&mut []);
    // RFC 9112, 5.2: a client reads a folded header value as one with spaces.
    let parsed = httparse::ParserConfig::default()
        .allow_obsolete_multiline_headers_in_responses(true)
        .parse_response_with_uninit_headers(&mut head, bytes, &mut headers)
        .map_err(ParseError::Head)?;
    let httparse::Status::Complete(length) = parsed else {
        return Ok(None);
    };
    if let Some(header) = head.headers.iter().find(|header| header.name.eq_ignore_ascii_case("server-timing")) {
        server_timing.clear();
        server_timing.extend_from_slice(header.value);
    }
    Ok(Some((length, head.code.unwrap_or_default(), Framing::of(&head, no_body)?)))
}
