//! Responses as servers really send them, by both transports.

use crate::common::{Then, Transport, WildServer, whole};
use crate::{kinds, only, result};

over_http_and_https! {
    bodies_in_every_framing
    responses_without_a_body
    interim_responses_are_no_answers
}

fn bodies_in_every_framing(transport: Transport) {
    for (answer, then, kept) in [
        ("HTTP/1.1 200 OK\r\ncontent-LENGTH:  8 \r\n\r\nanswer 7", Then::Keep, true),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nans\r\n5\r\nwer 7\r\n0\r\n\r\n", Then::Keep, true),
        (
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\nTrailer: T\r\n\r\n8;name=\"a;b\"\r\nanswer 7\r\n0\r\nT: 1\r\n\r\n",
            Then::Keep,
            true,
        ),
        ("HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 8\r\n\r\nanswer 7", Then::Keep, true),
        ("HTTP/1.0 200 OK\r\nContent-Length: 8\r\n\r\nanswer 7", Then::Close, false),
        ("HTTP/1.1 200 OK\r\n\r\nanswer 7", Then::Close, false),
        ("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 8\r\n\r\nanswer 7", Then::Keep, false),
    ] {
        let server = WildServer::over(transport, move |_| (answer.into(), then));
        let flags = ["-n", "8", "-c", "2", "--expect-body", "answer 7"];
        // By TLS an end of the connection that is not announced may be somebody's cut: it delimits nothing.
        let head = answer.to_ascii_lowercase();
        if transport == Transport::Https && !head.contains("length") && !head.contains("chunked") {
            assert_eq!(kinds(&result(1, &server.url("/"), &flags)), only("closed_early", 8));
            continue;
        }
        let result = result(0, &server.url("/"), &flags);
        let connections = if kept { 2 } else { 8 };
        assert_eq!((whole(&result["ok"]), result["errors"].as_u64()), (8, Some(0)), "{answer}");
        assert!(server.connections() <= connections && (kept || server.connections() == 8), "{answer}");
    }
}

fn responses_without_a_body(transport: Transport) {
    for (method, status, answer) in [
        ("HEAD", "200", "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n"),
        ("HEAD", "200", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"),
        ("GET", "204", "HTTP/1.1 204 No Content\r\n\r\n"),
        ("GET", "304", "HTTP/1.1 304 Not Modified\r\nContent-Length: 1000\r\n\r\n"),
        ("GET", "200", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"),
    ] {
        let server = WildServer::over(transport, move |_| (answer.into(), Then::Keep));
        let flags = ["-n", "8", "-c", "2", "-m", method, "--expect-status", status, "--expect-body", ""];
        let result = result(0, &server.url("/"), &flags);
        assert_eq!((whole(&result["ok"]), whole(&result["reconnects"])), (8, 0), "{answer}");
        assert_eq!(result["status_codes"][status], 8, "{answer}");
    }
}

fn interim_responses_are_no_answers(transport: Transport) {
    let last = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
    let interim = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n";
    let server = WildServer::over(transport, move |_| (format!("{interim}{last}").into_bytes(), Then::Keep));
    let right = result(0, &server.url("/"), &["-n", "8", "-c", "2", "--expect-body", "ok"]);
    assert_eq!(right["status_codes"], serde_json::json!({ "200": 8 }));
    assert_eq!(server.received().len(), 8);
    // Nothing after it: no answer.
    let server = WildServer::over(transport, move |_| (interim.into(), Then::Close));
    assert_eq!(kinds(&result(1, &server.url("/"), &["-n", "4", "-c", "2"])), only("closed_early", 4));
    // A switch of protocols that nobody asked for.
    let server = WildServer::over(transport, |_| (b"HTTP/1.1 101 Switching Protocols\r\n\r\n".to_vec(), Then::Keep));
    assert_eq!(whole(&result(1, &server.url("/"), &["-n", "4", "-c", "2", "--timeout", "2s"])["errors"]), 4);
}
