//! What is sent, and on which connection.

use std::sync::Mutex;

use super::server::{Do, Server};
use super::*;

/// A server that closes each connection after `k` replies. `announced`: it says so in the last one.
async fn closing_after(k: u64, announced: bool) -> Server {
    Server::start(move |asked| {
        let last = asked.before + 1 == k;
        let reply = String::from_utf8(reply(asked.salt)).unwrap();
        let reply = match last && announced {
            true => reply.replacen("\r\n", "\r\nConnection: close\r\n", 1),
            false => reply,
        };
        let end = last.then_some(Do::Close);
        std::iter::once(Do::Send(reply.into_bytes())).chain(end).collect()
    })
    .await
}

#[tokio::test]
async fn a_server_that_closes_now_and_then_causes_reconnects_and_no_errors() {
    for announced in [true, false] {
        for k in [1, 2, 3, 10] {
            let server = closing_after(k, announced).await;
            let measured = run(&load(server.address, 1, 30)).await;
            assert_eq!((measured.ok, measured.reconnects), (30, 30u64.div_ceil(k) - 1), "{k} {announced}");
            let measured = run(&load(server.address, 5, 100)).await;
            assert_eq!((measured.ok, measured.errors_total()), (100, 0), "{:?}", measured.failures);
        }
    }
}

#[tokio::test]
async fn a_request_that_meets_a_closed_connection_is_sent_again_once() {
    // The server takes the second request of each connection, and closes without a word.
    let server = Server::start(|asked| match asked.before {
        0 => vec![Do::Send(reply(asked.salt))],
        _ => vec![Do::Close],
    })
    .await;
    let measured = run(&load(server.address, 1, 10)).await;
    assert_eq!((measured.ok, measured.reconnects), (10, 9));
    assert_eq!(server.requests(), 19);

    // On a new connection that is an error, not a reason to try for ever.
    let server = Server::start(|asked| match asked.before_in_all {
        0 => vec![Do::Send(reply(asked.salt))],
        _ => vec![Do::Close],
    })
    .await;
    let measured = run(&load(server.address, 1, 10)).await;
    assert_eq!((measured.ok, measured.errors.get(&ErrorKind::ClosedEarly)), (1, Some(&9)));
    assert_eq!(server.requests(), 11);
}

#[tokio::test]
async fn a_response_that_has_begun_is_not_asked_for_again() {
    let server = Server::start(|asked| match asked.before {
        0 => vec![Do::Send(reply(asked.salt))],
        _ => vec![Do::Send(b"HTTP/1.1".to_vec()), Do::Close],
    })
    .await;
    let measured = run(&load(server.address, 1, 10)).await;
    assert_eq!((measured.ok, measured.errors.get(&ErrorKind::ClosedEarly)), (5, Some(&5)));
}

#[tokio::test]
async fn bytes_after_a_response_are_a_protocol_error_also_when_they_come_late() {
    let server = Server::start(|asked| {
        let twice = [reply(asked.salt), reply(asked.salt)].concat();
        vec![Do::Send(twice)]
    })
    .await;
    assert_all(&run(&load(server.address, 2, 10)).await, ErrorKind::Malformed);

    let server = Server::start(|asked| match asked.before {
        0 => vec![Do::Send(reply(asked.salt)), Do::Yield, Do::Send(reply(asked.salt))],
        _ => vec![Do::Yield, Do::Send(reply(asked.salt))],
    })
    .await;
    let measured = run(&load(server.address, 1, 10)).await;
    assert!(measured.errors_total() >= 4, "{measured:?}");
    assert!(measured.errors.keys().all(|kind| matches!(kind, ErrorKind::Malformed | ErrorKind::Body)));
}

/// The head of the only request of `load`, as the server saw it, and its body.
async fn sent(change: impl FnOnce(&mut Load)) -> (String, Vec<u8>) {
    let seen = Arc::new(Mutex::new(None));
    let keep = seen.clone();
    let server = Server::start(move |asked| {
        *keep.lock().unwrap() = Some((asked.head.clone(), asked.body.clone()));
        vec![Do::Send(reply(asked.salt))]
    })
    .await;
    let mut load = load(server.address, 1, 1);
    change(&mut load);
    assert_eq!(run(&load).await.ok, 1);
    seen.lock().unwrap().take().unwrap()
}

#[tokio::test]
async fn requests_look_as_they_should() {
    let (head, _) = sent(|_| {}).await;
    assert_eq!(head, "GET /?salt=7 HTTP/1.1\r\nHost: test\r\n\r\n");
    let (head, _) = sent(|load| load.connections = Connections::PerRequest).await;
    assert_eq!(head, "GET /?salt=7 HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n");
    let (head, _) = sent(|load| {
        load.request.path = "/{salt}/x?salt={salt}".to_owned();
        load.request.headers = vec![("HOST".to_owned(), "own".to_owned()), ("X".to_owned(), "y".to_owned())];
    })
    .await;
    assert_eq!(head, "GET /7/x?salt=7 HTTP/1.1\r\nHOST: own\r\nX: y\r\n\r\n");
    let (head, _) = sent(|load| load.request.method = "POST".to_owned()).await;
    assert_eq!(head, "POST /?salt=7 HTTP/1.1\r\nHost: test\r\nContent-Length: 0\r\n\r\n");
}

#[tokio::test]
async fn headers_and_bodies_are_filled_in_where_asked() {
    let post = |load: &mut Load, fill_bodies| {
        let bodies = vec![b"{salt}, input {input}, {salt} {".as_slice().into()];
        let headers = vec![("X-Salt".to_owned(), "{salt}/{input}".to_owned())];
        load.request = Request { method: "POST".to_owned(), headers, bodies, fill_bodies, ..load.request.clone() };
        load.first_salt = 1234;
    };
    let (head, body) = sent(|load| post(load, true)).await;
    assert!(head.contains("X-Salt: 1234/0\r\n"), "{head}");
    assert_eq!(body, b"1234, input 0, 1234 {");
    let (head, body) = sent(|load| post(load, false)).await;
    assert!(head.contains("X-Salt: 1234/0\r\n"), "{head}");
    assert_eq!(body, b"{salt}, input {input}, {salt} {");
}

#[tokio::test]
async fn a_large_body_arrives_whole() {
    let body: Vec<u8> = (0..20_000_000u32).map(|index| (index % 251) as u8).collect();
    let expected = body.clone();
    let (head, got) = sent(move |load| {
        load.request.method = "POST".to_owned();
        load.request.bodies = vec![body.into()];
    })
    .await;
    assert!(head.contains("Content-Length: 20000000\r\n"));
    assert!(got == expected);
}

#[tokio::test]
async fn an_answer_that_comes_before_the_request_is_sent_counts() {
    // Answers on sight of the head and never reads the body.
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        let mut kept = Vec::new();
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut head = [0; 100];
            tokio::io::AsyncReadExt::read_exact(&mut stream, &mut head).await.unwrap();
            let busy = b"HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n";
            tokio::io::AsyncWriteExt::write_all(&mut stream, busy).await.unwrap();
            kept.push(stream);
        }
    });
    let mut load = load(address, 2, 4);
    load.request.method = "POST".to_owned();
    load.request.bodies = vec![vec![b'x'; 20_000_000].into()];
    assert_all(&run(&load).await, ErrorKind::Shed);
}

#[tokio::test]
async fn ipv6() {
    let server = Server::start_at("[::1]:0", |asked| vec![Do::Send(reply(asked.salt))]).await;
    assert_eq!(run(&load(server.address, 2, 10)).await.ok, 10);
}

#[tokio::test]
async fn each_client_asks_for_an_input_of_its_own() {
    let seen = Arc::new(Mutex::new(std::collections::BTreeMap::<String, usize>::new()));
    let keep = Arc::clone(&seen);
    let server = Server::start(move |asked| {
        let line =
            asked.head.split(" HTTP").next().unwrap_or_default().split('&').next().unwrap_or_default().to_owned();
        let what = format!("{line} {}", String::from_utf8_lossy(&asked.body));
        *keep.lock().unwrap().entry(what).or_default() += 1;
        vec![Do::Send(reply(asked.salt))]
    })
    .await;
    let mut load = load(server.address, 3, 30);
    let bodies = ["zero", "one!"].map(|text| Arc::from(text.as_bytes()));
    let paths = "/{input}?a&salt={salt}".to_owned();
    load.request = Request { method: "POST".into(), path: paths, bodies: bodies.into(), inputs: 2, ..Request::get("") };
    assert_eq!(run(&load).await.ok, 30);
    let seen = seen.lock().unwrap();
    assert_eq!(seen.keys().collect::<Vec<_>>(), ["POST /0?a zero", "POST /1?a one!"]);
}
