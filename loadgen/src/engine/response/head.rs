//! The head of a response: status line and headers.

use std::mem::MaybeUninit;

use super::error::ParseError;
use super::framing::Framing;

/// The most headers of a response.
const MAX_HEADERS: usize = 256;
/// What servers say of their time is passed over from here on.
const MAX_SERVER_TIMING: usize = 1 << 10;

/// Length, status and framing of the head that `bytes` start with, if it is complete; what the server says of its time is copied out.
pub(super) fn read_head(
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
    let is_timing = |name: &str| name.len() == 13 && name.eq_ignore_ascii_case("server-timing");
    if let Some(header) = head.headers.iter().find(|header| is_timing(header.name)) {
        server_timing.clear();
        server_timing.extend_from_slice(header.value.get(..MAX_SERVER_TIMING).unwrap_or(header.value));
    }
    Ok(Some((length, head.code.unwrap_or_default(), Framing::of(&head, no_body)?)))
}
