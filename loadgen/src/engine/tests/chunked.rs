//! Chunked bodies that are not.

use super::super::response::{ParseError, Parser, Progress};

fn feed(chunks: &str) -> Result<Progress, ParseError> {
    let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    Parser::new(false, 1000).feed(format!("{head}{chunks}").as_bytes())
}

#[test]
fn invalid_chunks_are_refused() {
    for chunks in [
        "\r\n",
        "g\r\n",
        " 1\r\nx\r\n",
        "-1\r\n",
        "+1\r\nx\r\n",
        "0x1\r\nx\r\n",
        "1\nx\n0\n\n",
        "1;ext\nx",
        "1\rx",
        "1\r\nxy\r\n",
        "1\r\nx\n",
        "1\r\nx\rz",
        "0\r\nTrailer: x\n",
        "0\r\n\n",
        "0\r\n\rx",
    ] {
        assert!(matches!(feed(chunks), Err(ParseError::Chunk(_))), "{chunks:?}: {:?}", feed(chunks));
    }
}

#[test]
fn sizes_beyond_the_limit_are_refused_before_their_data() {
    for chunks in ["3e9\r\n", "fffffffffffffffffffffffff\r\n", "1f4\r\n", "7fffffffffffffff\r\n"] {
        let fits = chunks == "1f4\r\n";
        assert_eq!(feed(chunks), if fits { Ok(Progress::Incomplete) } else { Err(ParseError::BodyTooLong) });
    }
    let two = format!("1f4\r\n{}\r\n1f5\r\n", "x".repeat(500));
    assert_eq!(feed(&two), Err(ParseError::BodyTooLong));
}

#[test]
fn endless_extensions_zeros_and_trailers_end() {
    for (start, more) in [("1;", "x"), ("0", "0"), ("0\r\n", "Some: trailer\r\n")] {
        let chunks = format!("{start}{}", more.repeat(100_000));
        assert_eq!(feed(&chunks), Err(ParseError::Chunk("too many bytes between data")));
    }
}

#[test]
fn many_small_chunks_are_no_overhead() {
    let chunks = format!("{}0\r\n\r\n", "1;extension\r\nx\r\n".repeat(1000));
    assert_eq!(feed(&chunks), Ok(Progress::Complete));
}
