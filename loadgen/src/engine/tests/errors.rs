//! Each kind of error, from a server made for it.

use std::io;

use tokio::net::{TcpSocket, TcpStream};

use super::server::{Do, Server};
use super::*;

async fn assert_error(server: &Server, kind: ErrorKind) -> Measured {
    let mut last = None;
    for connections in [Connections::KeepAlive, Connections::PerRequest] {
        let measured = run(&Load { connections, ..load(server.address, 2, 10) }).await;
        assert_all(&measured, kind);
        assert_eq!(measured.throughput_rps().unwrap_or(0.0), 0.0);
        assert!(measured.failures[0].request.starts_with("GET /?salt="));
        last = Some(measured);
    }
    last.unwrap()
}

/// An address at which nobody listens; nobody else can, while the socket lives.
fn dead() -> (TcpSocket, SocketAddr) {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let address = socket.local_addr().unwrap();
    (socket, address)
}

#[tokio::test]
async fn connections_that_are_refused() {
    let (_held, address) = dead();
    let measured = run(&load(address, 2, 10)).await;
    assert_all(&measured, ErrorKind::ConnectRefused);
    assert_eq!((measured.replies, measured.elapsed, measured.throughput_rps()), (0, None, None));
}

#[tokio::test]
async fn a_dead_server_ends_a_long_level_and_every_request_is_counted() {
    let (_held, address) = dead();
    let measured = run(&load(address, 4, 1_000_000_000)).await;
    assert_all(&measured, ErrorKind::ConnectRefused);
    assert_eq!(measured.started, 1_000_000_000);
    assert!(measured.given_up > 0);
}

#[tokio::test]
async fn a_dead_server_is_tried_until_the_stop_where_there_is_no_other_end() {
    let (_held, address) = dead();
    let stop = tokio::time::sleep(Duration::from_millis(2300));
    let measured = run_until(&load(address, 1, Load::UNTIL_STOPPED), &Live::default(), stop).await;
    assert!(measured.started < 1000, "{} attempts", measured.started);
    assert_eq!(measured.given_up, 0);
}

#[tokio::test]
async fn connections_that_nobody_accepts() {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let listener = socket.listen(1).unwrap();
    let address = listener.local_addr().unwrap();
    // Until the queue of the listener is full.
    let mut waiting = Vec::new();
    while let Ok(stream) = tokio::time::timeout(Duration::from_millis(300), TcpStream::connect(address)).await {
        waiting.push(stream.unwrap());
        assert!(waiting.len() < 100);
    }
    let measured = run(&Load { timeout: Duration::from_millis(30), ..load(address, 2, 4) }).await;
    assert_all(&measured, ErrorKind::ConnectTimeout);
    assert!(measured.latency().min().unwrap() >= Duration::from_millis(30));
}

#[test]
fn errors_of_connecting_have_kinds() {
    for (error, kind) in [
        (io::ErrorKind::ConnectionRefused, ErrorKind::ConnectRefused),
        (io::ErrorKind::AddrNotAvailable, ErrorKind::NoPorts),
        (io::ErrorKind::TimedOut, ErrorKind::ConnectTimeout),
        (io::ErrorKind::NetworkUnreachable, ErrorKind::ConnectOther),
    ] {
        assert_eq!(ErrorKind::of_connect(&error.into()), kind);
    }
}

#[tokio::test]
async fn an_address_that_cannot_be_connected_to() {
    // TCP has no broadcast.
    let measured = run(&load("255.255.255.255:9".parse().unwrap(), 2, 4)).await;
    assert_all(&measured, ErrorKind::ConnectOther);
}

#[tokio::test]
async fn connections_that_are_reset() {
    let server = Server::start(|_| vec![Do::Reset]).await;
    assert_error(&server, ErrorKind::Reset).await;
    let head = b"HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nansw";
    let server = Server::start(|_| vec![Do::Send(head.to_vec()), Do::Yield, Do::Reset]).await;
    assert_error(&server, ErrorKind::Reset).await;
}

#[tokio::test]
async fn connections_that_are_closed_early() {
    for sent in [
        "",
        "HTTP/1.1 200 OK\r\nContent-Le",
        "HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nanswer",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n8\r\nanswer 7\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n8\r\nanswer 7\r\n0\r\n",
        "HTTP/1.1 100 Continue\r\n\r\n",
    ] {
        let measured = assert_error(&Server::sending(sent).await, ErrorKind::ClosedEarly).await;
        assert_eq!(measured.replies, 0);
    }
}

#[tokio::test]
async fn time_outs_are_visible_in_the_response_times() {
    let server = Server::start(|asked| match asked.salt % 2 {
        0 => vec![Do::Send(b"HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\n".to_vec()), Do::Hang],
        _ => vec![Do::Hang],
    })
    .await;
    let timeout = Duration::from_millis(40);
    let measured = run(&Load { timeout, ..load(server.address, 2, 10) }).await;
    assert_all(&measured, ErrorKind::Timeout);
    assert!(measured.latency().min().unwrap() >= timeout);
    assert_eq!((measured.latency().count(), measured.replies_mean()), (10, None));
}

#[tokio::test]
async fn a_time_out_beyond_all_clocks_is_none() {
    let server = Server::start(|asked| vec![Do::Send(reply(asked.salt))]).await;
    let measured = run(&Load { timeout: Duration::MAX, ..load(server.address, 2, 10) }).await;
    assert_eq!(measured.ok, 10);
}

#[tokio::test]
async fn replies_that_are_no_http() {
    let endless_head = format!("HTTP/1.1 200 OK\r\n{}", "X-Filler: abcdefghijklmnop\r\n".repeat(5000));
    let endless_interim = "HTTP/1.1 100 Continue\r\n\r\n".repeat(3000);
    let too_many_headers = format!("HTTP/1.1 200 OK\r\n{}Content-Length: 0\r\n\r\n", "A: b\r\n".repeat(300));
    for sent in [
        "\u{1}\u{2}garbage that is no response at all\r\n\r\n",
        "HTTP/2 200 OK\r\n\r\n",
        "HTTP/1.1 OK\r\n\r\n",
        "HTTP/1.1 101 Switching Protocols\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: eight\r\n\r\nanswer 7",
        "HTTP/1.1 200 OK\r\nContent-Length: +8\r\n\r\nanswer 7",
        "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 8\r\nContent-Length: 9\r\n\r\nanswer 7",
        "HTTP/1.1 200 OK\r\nContent-Length: 8, 9\r\n\r\nanswer 7",
        "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999999\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 8\r\nTransfer-Encoding: chunked\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n",
        // More than max_body allows.
        "HTTP/1.1 200 OK\r\nContent-Length: 1048577\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nanswer 7and more",
        &endless_head,
        &endless_interim,
        &too_many_headers,
    ] {
        let measured = assert_error(&Server::sending(sent).await, ErrorKind::Malformed).await;
        assert_eq!(measured.replies, 0, "{sent}");
    }
}

#[tokio::test]
async fn an_endless_body_is_cut_off() {
    let server = Server::start(|_| {
        let head = b"HTTP/1.1 200 OK\r\n\r\n".to_vec();
        std::iter::once(head).chain((0..40).map(|_| vec![b'x'; 1 << 16])).map(Do::Send).collect()
    })
    .await;
    assert_all(&run(&load(server.address, 2, 6)).await, ErrorKind::Malformed);
}

#[tokio::test]
async fn answers_that_are_wrong() {
    let server = Server::sending("HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\nno").await;
    let measured = assert_error(&server, ErrorKind::Status).await;
    assert_eq!((measured.replies, measured.response_bytes), (10, 20));
    assert!(measured.replies_rps().is_some() && measured.throughput_rps() == Some(0.0));
    assert_eq!(measured.failures[0].received, "status 404, \"no\"");

    let server = Server::sending("HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n").await;
    let measured = assert_error(&server, ErrorKind::Shed).await;
    assert_eq!(measured.status_codes, [(503, 10)].into());

    let server = Server::sending("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nanswer x").await;
    let measured = assert_error(&server, ErrorKind::Body).await;
    assert_eq!(measured.outcomes.wrong.count(), 10);
    assert!(measured.latency().is_empty());
}

#[tokio::test]
async fn an_answer_to_another_request_is_caught() {
    let server = Server::start(|asked| vec![Do::Send(reply(asked.salt ^ 1))]).await;
    assert_error(&server, ErrorKind::Body).await;
}

#[tokio::test]
async fn one_failure_of_each_kind_is_kept_and_the_others_go_on() {
    let server = Server::start(|asked| match asked.salt % 4 {
        0 => vec![Do::Close],
        1 => vec![Do::Send(reply(0))],
        _ => vec![Do::Send(reply(asked.salt))],
    })
    .await;
    let measured = run(&load(server.address, 1, 40)).await;
    assert_eq!((measured.ok, measured.failures.len()), (20, 2));
}
