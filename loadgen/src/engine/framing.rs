//! Where a response ends (RFC 9112, 6.3) and whether its connection can be used again (9.3).

use super::parse::ParseError;

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

impl Framing {
    /// Reads status, version and headers. `no_body`: the request was HEAD.
    pub(super) fn of(head: &httparse::Response<'_, '_>, no_body: bool) -> Result<Self, ParseError> {
        let status = head.code.unwrap_or_default();
        let old = head.version == Some(0);
        let delimited = if no_body || matches!(status, 100..=199 | 204 | 304) {
            Delimited::Length(0)
        } else {
            Self::delimited(head.headers)?
        };
        let close = has_token(head.headers, "connection", "close");
        let keep_alive = has_token(head.headers, "connection", "keep-alive");
        // HTTP/1.0 has no transfer codings: 6.1 asks to close the connection after such a message.
        let faulty = old && delimited == Delimited::Chunked;
        let reusable = delimited != Delimited::Close && !close && !faulty && (!old || keep_alive);
        Ok(Self { delimited, reusable })
    }

    fn delimited(headers: &[httparse::Header<'_>]) -> Result<Delimited, ParseError> {
        let length = content_length(headers)?;
        let mut codings = values(headers, "transfer-encoding").flat_map(tokens).peekable();
        if codings.peek().is_some() {
            if length.is_some() {
                return Err(ParseError::Framing("both Content-Length and Transfer-Encoding"));
            }
            let codings: Vec<&[u8]> = codings.collect();
            let chunked = codings.iter().filter(|coding| coding.eq_ignore_ascii_case(b"chunked")).count();
            let last = codings.last().is_some_and(|coding| coding.eq_ignore_ascii_case(b"chunked"));
            return match (chunked, last) {
                (0, _) => Ok(Delimited::Close),
                (1, true) => Ok(Delimited::Chunked),
                _ => Err(ParseError::Framing("Transfer-Encoding in which chunked is not last")),
            };
        }
        Ok(length.map_or(Delimited::Close, Delimited::Length))
    }
}

/// The length, if there is one. The same one several times is one (RFC 9110, 8.6).
fn content_length(headers: &[httparse::Header<'_>]) -> Result<Option<usize>, ParseError> {
    let mut length = None;
    for value in values(headers, "content-length") {
        for item in value.split(|&byte| byte == b',').map(<[u8]>::trim_ascii) {
            let digits = !item.is_empty() && item.iter().all(u8::is_ascii_digit);
            let invalid = ParseError::Framing("a Content-Length that is no number");
            let text = std::str::from_utf8(item).ok().filter(|_| digits).ok_or(invalid)?;
            // Digits that are too many for a usize are too many for us.
            let this = text.parse().map_err(|_| ParseError::BodyTooLong)?;
            if length.replace(this).is_some_and(|other| other != this) {
                return Err(ParseError::Framing("Content-Length twice with different values"));
            }
        }
    }
    Ok(length)
}

fn values<'h>(headers: &'h [httparse::Header<'h>], name: &'static str) -> impl Iterator<Item = &'h [u8]> {
    headers.iter().filter(move |header| header.name.eq_ignore_ascii_case(name)).map(|header| header.value)
}

fn tokens(value: &[u8]) -> impl Iterator<Item = &[u8]> {
    value.split(|&byte| byte == b',').map(<[u8]>::trim_ascii).filter(|token| !token.is_empty())
}

fn has_token(headers: &[httparse::Header<'_>], name: &'static str, token: &str) -> bool {
    values(headers, name).flat_map(tokens).any(|own| own.eq_ignore_ascii_case(token.as_bytes()))
}
