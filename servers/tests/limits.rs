//! What is too large is refused before it costs anything.

mod common;

use std::io::Write as _;

use codecs::{Format, Quality, View};
use common::{Client, Server};
use servers::{Config, Variant};

const MAX_BODY: usize = 100_000;
const MAX_PIXELS: u64 = 50 * 40;

fn server(variant: Variant) -> Server {
    Server::configured(Config { max_body: MAX_BODY, max_pixels: MAX_PIXELS, ..Config::new(variant) })
}

fn png(width: usize, height: usize) -> Vec<u8> {
    let pixels = vec![7; width * height];
    codecs::encode(View { width, height, channels: 1, pixels: &pixels }, Format::Png, Quality::default()).unwrap()
}

fn begin(client: &mut Client, path: &str, headers: &str) {
    let method = if path.ends_with("convolve") { "POST" } else { "PUT" };
    write!(client.stream, "{method} {path} HTTP/1.1\r\nHost: test\r\n{headers}\r\n").unwrap();
}

const ROUTES: [&str; 2] = ["/convolve", "/images/a"];

#[test]
fn a_body_that_is_announced_too_large_is_refused_unread() {
    for variant in Variant::ALL {
        let server = server(variant);
        for path in ROUTES {
            let mut client = server.connect();
            begin(&mut client, path, &format!("Content-Length: {}\r\n", MAX_BODY + 1));
            // Nothing of it was sent.
            let response = client.receive();
            assert!(response.problem(413).contains("100000"), "{variant}");
            assert_eq!(response.header("connection"), Some("close"), "{variant}");
        }
        assert_eq!(server.get("/healthz").status, 200, "{variant}");
    }
}

#[test]
fn a_body_that_grows_too_large_is_refused_when_it_does() {
    for variant in [Variant::EventLoop, Variant::WorkerPool] {
        let server = server(variant);
        for path in ROUTES {
            let mut client = server.connect();
            begin(&mut client, path, "Transfer-Encoding: chunked\r\n");
            let chunk = [b"2710\r\n".as_slice(), &[0x55; 10_000], b"\r\n"].concat();
            // The last chunk, and the end, never come.
            for _ in 0..=MAX_BODY / 10_000 {
                client.stream.write_all(&chunk).unwrap();
            }
            let response = client.receive();
            response.problem(413);
            assert_eq!(response.header("connection"), Some("close"), "{variant}");
        }
    }
}

#[test]
fn a_chunked_body_within_the_limit_is_read() {
    let server = server(Variant::WorkerPool);
    let file = png(20, 10);
    let mut client = server.connect();
    begin(&mut client, "/convolve", "Transfer-Encoding: chunked\r\n");
    for piece in file.chunks(10) {
        write!(client.stream, "{:x}\r\n", piece.len()).unwrap();
        client.stream.write_all(piece).unwrap();
        client.stream.write_all(b"\r\n").unwrap();
    }
    client.stream.write_all(b"0\r\n\r\n").unwrap();
    assert_eq!(client.receive().status, 200);
    assert_eq!(client.get("/healthz").status, 200);
}

#[test]
fn a_client_that_asks_first_is_told_to_go_on_or_not() {
    let server = server(Variant::WorkerPool);
    let file = png(20, 10);
    let mut client = server.connect();
    begin(&mut client, "/convolve", &format!("Expect: 100-continue\r\nContent-Length: {}\r\n", file.len()));
    assert_eq!(client.try_receive(false).unwrap().status, 100);
    client.stream.write_all(&file).unwrap();
    assert_eq!(client.receive().status, 200);
    let mut client = server.connect();
    begin(&mut client, "/convolve", &format!("Expect: 100-continue\r\nContent-Length: {}\r\n", MAX_BODY + 1));
    client.receive().problem(413);
}

#[test]
fn more_pixels_than_allowed_are_refused_from_the_header() {
    let server = server(Variant::WorkerPool);
    let (fits, large) = (png(50, 40), png(41, 50));
    // Of the large one only the header is there: nothing else is looked at.
    for (path, method) in [("/convolve", "POST"), ("/images/a", "PUT")] {
        let mut client = server.connect();
        assert!(client.request(method, path, "", &fits).status < 300);
        let detail = client.request(method, path, "", &large[..33]).problem(413);
        assert!(detail.contains("41 x 50") && detail.contains("2000"), "{detail}");
    }
    assert_eq!(server.metric("cpubound_jobs_computed_total"), 1);
}
