//! What is large, endless or silent: memory stays bounded, and the run goes on.

use super::server::{Do, Server};
use super::*;

#[tokio::test]
async fn gigabytes_are_refused_when_announced() {
    for head in [
        "HTTP/1.1 200 OK\r\nContent-Length: 5000000000\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n12a05f200\r\n",
    ] {
        let server = Server::start(move |asked| match asked.salt % 2 {
            0 => vec![Do::Send(head.into()), Do::Send(vec![b'x'; 1 << 16]), Do::Hang],
            _ => vec![Do::Send(reply(asked.salt))],
        })
        .await;
        let measured = run(&load(server.address, 2, 10)).await;
        assert_eq!((measured.ok, measured.errors.get(&ErrorKind::Malformed)), (5, Some(&5)));
    }
}

#[tokio::test]
async fn large_answers_come_whole_and_what_is_too_much_is_noticed() {
    /// The salt, and then the same byte for a long time.
    fn body(salt: u32) -> Vec<u8> {
        let mut body = salt.to_string().into_bytes();
        body.resize(3_000_000, b'0' + (salt % 10) as u8);
        body
    }
    struct Large;
    impl Check for Large {
        fn check(&self, asked: Asked, reply: Reply<'_>) -> Result<(), Mismatch> {
            if reply.body == body(asked.salt) { Ok(()) } else { Err(Mismatch::body("a large body", reply.body)) }
        }
    }
    for excess in [0, 1, 100_000] {
        let server = Server::start(move |asked| {
            let head = b"HTTP/1.1 200 OK\r\nContent-Length: 3000000\r\n\r\n".to_vec();
            vec![Do::Send([head, body(asked.salt), vec![b'x'; excess]].concat()), Do::Close]
        })
        .await;
        let connections = if excess == 0 { Connections::KeepAlive } else { Connections::PerRequest };
        let load = Load { max_body: 4_000_000, connections, check: Arc::new(Large), ..load(server.address, 3, 12) };
        let measured = run(&load).await;
        if excess == 0 {
            assert_eq!((measured.ok, measured.response_bytes), (12, 36_000_000), "{:?}", measured.failures);
        } else {
            // Bytes that come after the client has closed are nobody's.
            assert_eq!(measured.ok + measured.errors.get(&ErrorKind::Malformed).unwrap_or(&0), 12, "{measured:?}");
        }
    }
}

#[tokio::test]
async fn silence_is_a_time_out_and_others_go_on() {
    let server = Server::start(|asked| match asked.salt % 5 {
        0 => vec![Do::Hang],
        _ => vec![Do::Send(reply(asked.salt))],
    })
    .await;
    let load = Load { timeout: Duration::from_secs(1), ..load(server.address, 3, 15) };
    let measured = run(&load).await;
    assert_eq!((measured.ok, measured.errors.get(&ErrorKind::Timeout)), (12, Some(&3)), "{:?}", measured.failures);
    assert!(measured.latency().max().unwrap() >= Duration::from_secs(1));
}

#[tokio::test]
async fn redirects_are_not_followed() {
    let redirect = "HTTP/1.1 302 Found\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n";
    let server = Server::start(|_| vec![Do::Send(redirect.into())]).await;
    let measured = run(&load(server.address, 2, 10)).await;
    assert_all(&measured, ErrorKind::Status);
    assert_eq!((server.requests(), measured.status_codes), (10, [(302, 10)].into()));
}
