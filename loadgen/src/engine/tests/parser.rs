//! The parser: any split of any response gives the same result.

use proptest::prelude::*;

use super::super::response::invariants::{self, MAX_BODY, parse, split};
use super::super::response::{ParseError, Parser, Progress};

/// A valid response, its body and how it is delimited.
fn response() -> impl Strategy<Value = (Vec<u8>, u16, Vec<u8>)> {
    let body = proptest::collection::vec(any::<u8>(), 0..300);
    let header = "[A-Za-z][A-Za-z0-9-]{0,12}:[ \t]{0,3}[!-~]{0,20}[ \t]{0,2}\r\n";
    let headers = proptest::collection::vec(header, 0..6).prop_filter("framing headers are ours", |headers| {
        let framing = ["content-length:", "transfer-encoding:", "connection:"];
        headers.iter().all(|header| framing.iter().all(|name| !header.to_lowercase().starts_with(name)))
    });
    let interim = prop_oneof![Just(""), Just("HTTP/1.1 100 Continue\r\n\r\n"), Just("HTTP/1.1 103 \r\nA: b\r\n\r\n")];
    let chunk_sizes = proptest::collection::vec((1usize..50, "(;[a-z]{1,5}(=[a-z0-9\"]{0,5})?)?"), 1..8);
    (200u16..600, body, headers, interim, 0u8..3, chunk_sizes).prop_map(
        |(status, body, headers, interim, framing, chunk_sizes)| {
            let status = if status == 204 || status == 304 { 200 } else { status };
            let mut bytes = format!("{interim}HTTP/1.1 {status} Some reason\r\n{}", headers.concat()).into_bytes();
            match framing {
                0 => {
                    bytes.extend(format!("content-LENGTH: {}\r\n\r\n", body.len()).bytes());
                    bytes.extend(&body);
                }
                1 => {
                    bytes.extend(b"Transfer-Encoding: chunked\r\n\r\n");
                    let mut rest = body.as_slice();
                    for (size, extension) in chunk_sizes.iter().cycle() {
                        let (chunk, after) = rest.split_at(*size.min(&rest.len()));
                        bytes.extend(format!("{:x}{extension}\r\n", chunk.len()).bytes());
                        if chunk.is_empty() {
                            break;
                        }
                        bytes.extend(chunk.iter().chain(b"\r\n"));
                        rest = after;
                    }
                    bytes.extend(b"Some: trailer\r\n\r\n");
                }
                _ => {
                    bytes.extend(b"\r\n");
                    bytes.extend(&body);
                }
            }
            (bytes, status, body)
        },
    )
}

proptest! {
    #[test]
    fn any_split_of_a_valid_response_gives_the_same(
        (bytes, status, body) in response(),
        cuts in proptest::collection::vec(0usize..1000, 0..20),
    ) {
        let whole = parse([bytes.as_slice()]).unwrap();
        prop_assert_eq!((whole.status, &whole.body), (status, &body));
        prop_assert_eq!(whole.reusable, !whole.at_close);
        prop_assert_eq!(&parse(split(&bytes, &cuts)).unwrap(), &whole);
        prop_assert_eq!(&parse(bytes.chunks(1)).unwrap(), &whole);
    }

    #[test]
    fn a_response_cut_short_is_never_complete((bytes, ..) in response(), keep in 0usize..1000) {
        let whole = parse([bytes.as_slice()]).unwrap();
        let cut = &bytes[..bytes.len() * keep / 1000];
        if let Ok(parsed) = parse([cut]) {
            // Only a body that the end of the connection delimits can be cut unseen.
            prop_assert!(whole.at_close && parsed.at_close);
        }
    }

    #[test]
    fn bytes_after_a_response_are_an_error(
        (bytes, ..) in response(),
        excess in proptest::collection::vec(any::<u8>(), 1..20),
        cuts in proptest::collection::vec(0usize..1000, 0..5),
    ) {
        if !parse([bytes.as_slice()]).unwrap().at_close {
            let long = [bytes, excess].concat();
            prop_assert_eq!(parse(split(&long, &cuts)), Err(ParseError::Excess));
        }
    }

    /// Damaged responses and plain garbage: no panic, and the same verdict for any split.
    #[test]
    fn any_split_of_anything_gives_the_same(
        (mut bytes, ..) in response(),
        damage in proptest::collection::vec((0usize..1000, any::<u8>()), 0..6),
        cuts in proptest::collection::vec(0usize..1000, 0..10),
    ) {
        for (place, byte) in damage {
            let place = bytes.len() * place / 1000;
            bytes[place] = byte;
        }
        invariants::hold(&bytes, &cuts);
    }

    #[test]
    fn garbage_is_no_response(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        invariants::hold(&bytes, &[]);
    }
}

#[test]
fn a_body_may_be_as_long_as_allowed_and_no_longer() {
    for (length, fits) in [(MAX_BODY, true), (MAX_BODY + 1, false)] {
        let body = vec![b'x'; length];
        let by_length = format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\n");
        let by_close = "HTTP/1.1 200 OK\r\n\r\n".to_owned();
        let chunked = format!("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{length:x}\r\n");
        for (head, tail) in [(by_length, ""), (by_close, ""), (chunked, "\r\n0\r\n\r\n")] {
            let parsed = parse([head.as_bytes(), &body, tail.as_bytes()]);
            assert_eq!(parsed.is_ok(), fits, "{head}");
        }
    }
}

#[test]
fn a_parser_can_be_used_again() {
    let mut parser = Parser::new(false, MAX_BODY);
    assert!(parser.feed(b"nonsense").is_err());
    assert!(parser.feed(b"HTTP/1.1 200 OK\r\n\r\n").is_err());
    parser.reset();
    assert!(!parser.has_begun());
    let piece = b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx";
    assert_eq!(parser.feed(piece), Ok(Progress::Complete));
    let response = parser.response(piece);
    assert_eq!((response.status, response.body), (200, &b"x"[..]));
}
