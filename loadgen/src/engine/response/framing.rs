//! Where a response ends (RFC 9112, 6.3) and whether its connection can be used again (9.3).

use super::error::ParseError;

/// How the body of a response is delimited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Delimited {
    /// By a length; 0 also for responses that have no body.
    Length(usize),
    /// By the chunked coding.
    Chunked,
    /// By the end of the connection.
    Close,
}

/// What the head of a response says about what follows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Framing {
    pub(super) delimited: Delimited,
    /// The server will take another request on the connection.
    pub(super) reusable: bool,
}

/// What the headers say of the framing, read in one pass.
#[derive(Debug, Default)]
struct Said {
    length: Option<usize>,
    codings: usize,
    chunked: usize,
    chunked_is_last: bool,
    close: bool,
    keep_alive: bool,
}

impl Framing {
    /// Reads status, version and headers. `no_body`: the request was HEAD.
    pub(super) fn of(head: &httparse::Response<'_, '_>, no_body: bool) -> Result<Self, ParseError> {
        let bodiless = no_body || matches!(head.code, Some(100..=199 | 204 | 304));
        let said = Said::by(head.headers, bodiless)?;
        let delimited = if bodiless { Delimited::Length(0) } else { said.delimited()? };
        let old = head.version == Some(0);
        // HTTP/1.0 has no transfer codings: 6.1 asks to close the connection after such a message.
        let faulty = old && delimited == Delimited::Chunked;
        let reusable = delimited != Delimited::Close && !said.close && !faulty && (!old || said.keep_alive);
        Ok(Self { delimited, reusable })
    }
}

impl Said {
    /// `bodiless`: what the headers say of the body does not matter.
    fn by(headers: &[httparse::Header<'_>], bodiless: bool) -> Result<Self, ParseError> {
        let mut said = Self::default();
        for httparse::Header { name, value } in headers {
            // The length tells most names apart without reading them.
            match name.len() {
                10 if name.eq_ignore_ascii_case("connection") => {
                    for token in tokens(value) {
                        said.close |= token.eq_ignore_ascii_case(b"close");
                        said.keep_alive |= token.eq_ignore_ascii_case(b"keep-alive");
                    }
                }
                14 if !bodiless && name.eq_ignore_ascii_case("content-length") => said.content_length(value)?,
                17 if !bodiless && name.eq_ignore_ascii_case("transfer-encoding") => {
                    for coding in tokens(value) {
                        said.codings += 1;
                        said.chunked_is_last = coding.eq_ignore_ascii_case(b"chunked");
                        said.chunked += usize::from(said.chunked_is_last);
                    }
                }
                _ => {}
            }
        }
        Ok(said)
    }

    /// The same length several times is one (RFC 9110, 8.6).
    fn content_length(&mut self, value: &[u8]) -> Result<(), ParseError> {
        for item in value.split(|&byte| byte == b',').map(<[u8]>::trim_ascii) {
            let digits = !item.is_empty() && item.iter().all(u8::is_ascii_digit);
            let invalid = ParseError::Framing("a Content-Length that is no number");
            let text = std::str::from_utf8(item).ok().filter(|_| digits).ok_or(invalid)?;
            // Digits that are too many for a usize are too many for us.
            let length = text.parse().map_err(|_| ParseError::BodyTooLong)?;
            if self.length.replace(length).is_some_and(|other| other != length) {
                return Err(ParseError::Framing("Content-Length twice with different values"));
            }
        }
        Ok(())
    }

    fn delimited(&self) -> Result<Delimited, ParseError> {
        if self.codings == 0 {
            return Ok(self.length.map_or(Delimited::Close, Delimited::Length));
        }
        match (self.length, self.chunked, self.chunked_is_last) {
            (Some(_), ..) => Err(ParseError::Framing("both Content-Length and Transfer-Encoding")),
            (None, 0, _) => Ok(Delimited::Close),
            (None, 1, true) => Ok(Delimited::Chunked),
            _ => Err(ParseError::Framing("Transfer-Encoding in which chunked is not last")),
        }
    }
}

fn tokens(value: &[u8]) -> impl Iterator<Item = &[u8]> {
    value.split(|&byte| byte == b',').map(<[u8]>::trim_ascii).filter(|token| !token.is_empty())
}
