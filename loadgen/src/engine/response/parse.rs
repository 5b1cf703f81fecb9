//! An HTTP/1.1 response parser as a state machine: bytes in, complete or not out. It gives the same result however its
//! bytes are split. A response that comes in one piece, as most do, is read where it lies, without a copy.

use std::ops::Range;

use super::body::Body;
use super::chunked::Chunked;
use super::error::{MAX_HEAD, ParseError};
use super::framing::Delimited;
use super::head::read_head;

/// The most room made at once for a body whose length is announced; more only as it arrives.
const ROOM_AT_ONCE: usize = 256 << 10;
/// From how many missing bytes on they are read to where they belong, not by way of a buffer.
const LARGE: usize = 16 << 10;

/// Whether a response has been read to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Progress {
    Incomplete,
    Complete,
}

/// A complete response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Response<'a> {
    pub(crate) status: u16,
    /// Whether the server will take another request on the connection.
    pub(crate) reusable: bool,
    /// The value of the `Server-Timing` header, where there is one.
    pub(crate) server_timing: Option<&'a [u8]>,
    pub(crate) body: &'a [u8],
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

/// Reads one response at a time.
#[derive(Debug)]
pub(crate) struct Parser {
    state: State,
    no_body: bool,
    max_body: usize,
    fed: bool,
    /// Bytes of the interim responses before this one; bounded, so that endless ones end.
    interim: usize,
    /// A head that came in pieces.
    head: Vec<u8>,
    status: u16,
    reusable: bool,
    server_timing: Vec<u8>,
    body: Body,
    /// Where in the last piece the whole body lies, if it does.
    in_piece: Option<Range<usize>>,
}

impl Parser {
    /// `no_body`: the requests are HEAD, so responses have no body whatever their heads say.
    pub(crate) fn new(no_body: bool, max_body: usize) -> Self {
        Self {
            state: State::Head,
            no_body,
            max_body,
            fed: false,
            interim: 0,
            head: Vec::new(),
            status: 0,
            reusable: false,
            server_timing: Vec::new(),
            body: Body::default(),
            in_piece: None,
        }
    }

    /// Makes ready for another response. Gives away the memory of the last body.
    pub(crate) fn reset(&mut self) -> Vec<u8> {
        self.state = State::Head;
        self.fed = false;
        // Heads seldom come in pieces: not worth keeping memory for, of each of many connections.
        self.head = Vec::new();
        self.server_timing.clear();
        (self.status, self.reusable, self.in_piece, self.interim) = (0, false, None, 0);
        std::mem::take(&mut self.body).into_memory()
    }

    /// Lends memory for the body of the response that is to come.
    pub(crate) fn lend(&mut self, memory: Vec<u8>) {
        self.body = Body::reuse(memory);
    }

    /// Takes the bytes that came next. After an error it gives the same error again.
    pub(crate) fn feed(&mut self, piece: &[u8]) -> Result<Progress, ParseError> {
        let mut used = 0;
        while used < piece.len() {
            self.fed = true;
            match self.step(piece, used) {
                Ok(more) => used += more,
                Err(error) => return self.fail(error),
            }
        }
        Ok(if matches!(self.state, State::Complete) { Progress::Complete } else { Progress::Incomplete })
    }

    /// Where the bytes that come next may be read to directly, if many of a known number are missing.
    pub(crate) fn room(&mut self) -> Option<&mut [u8]> {
        match self.state {
            State::Length(left) if left >= LARGE => Some(self.body.room(left.min(ROOM_AT_ONCE))),
            _ => None,
        }
    }

    /// `count` bytes, at least one, were read into the room.
    pub(crate) fn read_into_room(&mut self, count: usize) -> Progress {
        let State::Length(left) = &mut self.state else { return Progress::Incomplete };
        self.body.added(count);
        *left = left.saturating_sub(count);
        if *left > 0 {
            return Progress::Incomplete;
        }
        self.state = State::Complete;
        Progress::Complete
    }

    /// Takes the end of the connection, which completes a response that it delimits.
    pub(crate) fn finish(&mut self) -> Result<(), ParseError> {
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

    /// The response that was completed by this piece, or by the end after it.
    pub(crate) fn response<'a>(&'a self, piece: &'a [u8]) -> Response<'a> {
        Response {
            status: self.status,
            reusable: self.reusable,
            server_timing: (!self.server_timing.is_empty()).then_some(&self.server_timing),
            body: match &self.in_piece {
                Some(place) => piece.get(place.clone()).unwrap_or_default(),
                None => self.body.as_slice(),
            },
        }
    }

    /// Whether any byte has come since the last reset.
    pub(crate) fn has_begun(&self) -> bool {
        self.fed
    }

    /// Whether the server will take another request on the connection, once the response is complete.
    pub(crate) fn is_reusable(&self) -> bool {
        self.reusable
    }

    /// What has come of the response, for messages: the beginning of a head that is not complete, or status and length of the body.
    pub(crate) fn so_far(&self) -> (&[u8], u16, usize) {
        (&self.head, self.status, self.body.len())
    }

    fn fail<T>(&mut self, error: ParseError) -> Result<T, ParseError> {
        self.state = State::Failed(error);
        Err(error)
    }

    /// Uses at least one of the bytes from `at` on, of which there is one; returns how many.
    fn step(&mut self, piece: &[u8], at: usize) -> Result<usize, ParseError> {
        let bytes = piece.get(at..).unwrap_or_default();
        match &mut self.state {
            State::Head => self.step_head(bytes),
            State::Length(left) => {
                let data = bytes.get(..*left).unwrap_or(bytes);
                if data.len() < *left {
                    self.body.extend_from_slice(data);
                    *left -= data.len();
                    return Ok(data.len());
                }
                if self.body.len() == 0 {
                    self.in_piece = Some(at..at + data.len());
                } else {
                    self.body.extend_from_slice(data);
                }
                self.state = State::Complete;
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
        if before > 0 {
            self.head.extend_from_slice(taken);
        }
        let so_far = if before > 0 { &self.head } else { taken };
        let read = read_head(so_far, self.no_body, &mut self.server_timing);
        if before == 0 && !matches!(read, Ok(Some(_))) {
            self.head.extend_from_slice(taken);
        }
        let Some((length, status, framing)) = read? else {
            let full = before + taken.len() == MAX_HEAD;
            return if full { Err(ParseError::HeadTooLong) } else { Ok(taken.len()) };
        };
        match status {
            // Interim responses say that the real one is still to come.
            100 | 102..=199 => {
                self.interim += length;
                if self.interim > MAX_HEAD {
                    return Err(ParseError::HeadTooLong);
                }
            }
            200..=999 => {
                (self.status, self.reusable) = (status, framing.reusable);
                self.state = match framing.delimited {
                    Delimited::Length(length) if length > self.max_body => return Err(ParseError::BodyTooLong),
                    Delimited::Length(0) => State::Complete,
                    Delimited::Length(length) => State::Length(length),
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
