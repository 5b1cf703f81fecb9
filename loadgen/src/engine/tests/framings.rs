//! Responses as servers really send them.

use super::server::{Do, Server};
use super::*;

/// Runs against a server that answers with `format`, in which `BODY` stands for the right body and
/// `CHUNKED` for it in two chunks; in one piece, and byte by byte.
async fn assert_right(format: &'static str, close: bool) -> Measured {
    let text = move |salt| {
        let body = answer(salt);
        let (left, right) = body.split_at(3);
        let chunked = format!("3;name=\"a;b\"\r\n{left}\r\n{:X} \r\n{right}\r\n000\r\n", right.len());
        let length = body.len().to_string();
        format.replace("BODY", &body).replace("CHUNKED", &chunked).replace("LENGTH", &length).into_bytes()
    };
    let by_byte = Server::start(move |asked| {
        let bytes = text(asked.salt).into_iter();
        let sends = bytes
            .enumerate()
            .flat_map(|(index, byte)| [Do::Send(vec![byte])].into_iter().chain((index % 16 == 0).then_some(Do::Yield)));
        sends.chain(close.then_some(Do::Close)).collect()
    })
    .await;
    assert_eq!(run(&load(by_byte.address, 2, 4)).await.ok, 4, "{format}");
    let at_once = Server::start(move |asked| {
        std::iter::once(Do::Send(text(asked.salt))).chain(close.then_some(Do::Close)).collect()
    })
    .await;
    let measured = run(&load(at_once.address, 2, 10)).await;
    assert_eq!((measured.ok, measured.errors_total()), (10, 0), "{format}: {:?}", measured.failures);
    assert_eq!(at_once.connections(), 2 + measured.reconnects);
    measured
}

#[tokio::test]
async fn framings_that_keep_the_connection() {
    for format in [
        "HTTP/1.1 200 OK\r\nContent-Length: LENGTH\r\n\r\nBODY",
        "HTTP/1.1 200\r\ncONTENT-lENGTH:LENGTH\r\n\r\nBODY",
        "HTTP/1.1 200 OK\r\nContent-Length: \t LENGTH \t \r\n\r\nBODY",
        "HTTP/1.1 200 OK\r\nContent-Length: LENGTH\r\nContent-Length: LENGTH\r\n\r\nBODY",
        "HTTP/1.1 200 OK\r\nContent-Length: LENGTH, LENGTH\r\n\r\nBODY",
        "HTTP/1.1 200 OK\r\nX-Folded: a\r\n  b\r\nContent-Length: LENGTH\r\n\r\nBODY",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nCHUNKED\r\n",
        "HTTP/1.1 200 OK\r\ntransfer-encoding: Chunked\r\nTrailer: X\r\n\r\nCHUNKEDX: y\r\nZ: \r\n\r\n",
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n\
         HTTP/1.1 200 OK\r\nContent-Length: LENGTH\r\n\r\nBODY",
        "HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\nContent-Length: LENGTH\r\n\r\nBODY",
    ] {
        assert_eq!(assert_right(format, false).await.reconnects, 0, "{format}");
    }
}

#[tokio::test]
async fn framings_that_end_the_connection_reconnect_quietly() {
    for (format, close) in [
        ("HTTP/1.1 200 OK\r\n\r\nBODY", true),
        ("HTTP/1.1 200 OK\r\nConnection: foo, Close\r\nContent-Length: LENGTH\r\n\r\nBODY", true),
        // A server may say that it closes and leave it to us.
        ("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: LENGTH\r\n\r\nBODY", false),
        ("HTTP/1.1 200 OK\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\nCHUNKED\r\n", false),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\nBODY", true),
        ("HTTP/1.0 200 OK\r\nContent-Length: LENGTH\r\n\r\nBODY", false),
        ("HTTP/1.0 200 OK\r\n\r\nBODY", true),
        ("HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\nCHUNKED\r\n", true),
    ] {
        assert_eq!(assert_right(format, close).await.reconnects, 8, "{format}");
    }
}

struct NoBody(u16);

impl Check for NoBody {
    fn check(&self, _: Asked, reply: Reply<'_>) -> Result<(), Mismatch> {
        assert_eq!(reply.body, b"");
        if reply.status == self.0 { Ok(()) } else { Err(Mismatch::status(self.0, reply.status, reply.body)) }
    }
}

#[tokio::test]
async fn responses_without_a_body_end_with_their_head() {
    for (method, status, head) in [
        ("HEAD", 200, "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n"),
        ("HEAD", 200, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"),
        ("GET", 204, "HTTP/1.1 204 No Content\r\n\r\n"),
        ("GET", 304, "HTTP/1.1 304 Not Modified\r\nContent-Length: 1000\r\n\r\n"),
    ] {
        let server = Server::start(|_| vec![Do::Send(head.into())]).await;
        let mut load = load(server.address, 2, 10);
        load.request.method = method.to_owned();
        load.check = Arc::new(NoBody(status));
        let measured = run(&load).await;
        assert_eq!((measured.ok, measured.reconnects), (10, 0), "{head}");
    }
}

#[tokio::test]
async fn a_head_with_many_headers() {
    let headers = (0..200).map(|number| format!("X-{number}: {}\r\n", "v".repeat(200))).collect::<String>();
    let server = Server::start(move |asked| {
        let body = answer(asked.salt);
        let reply = format!("HTTP/1.1 200 OK\r\n{headers}Content-Length: {}\r\n\r\n{body}", body.len());
        vec![Do::Send(reply.into_bytes())]
    })
    .await;
    assert_eq!(run(&load(server.address, 2, 10)).await.ok, 10);
}
