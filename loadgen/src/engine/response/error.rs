//! What is wrong with some bytes.

/// The longest head of a response.
pub(super) const MAX_HEAD: usize = 64 << 10;

/// Why some bytes are not one complete response.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ParseError {
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
