//! Servers behind unix sockets.

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::UnixListener;

use super::*;

#[tokio::test]
async fn a_unix_socket_is_a_target_like_any_other() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("server");
    let listener = UnixListener::bind(&path).unwrap();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            tokio::spawn(async move {
                let mut head = Vec::new();
                while let Ok(byte) = stream.read_u8().await {
                    head.push(byte);
                    if head.ends_with(b"\r\n\r\n") {
                        let head = String::from_utf8(std::mem::take(&mut head)).unwrap();
                        let salt = head.split("salt=").nth(1).and_then(|rest| rest.split(' ').next()?.parse().ok());
                        stream.write_all(&reply(salt.unwrap())).await.unwrap();
                    }
                }
            });
        }
    });
    for connections in [Connections::KeepAlive, Connections::PerRequest] {
        // More than the queue of a listener holds.
        let load = Load { target: Target::Unix(path.clone()), connections, ..load(nowhere(), 300, 900) };
        let measured = run(&load).await;
        assert_eq!((measured.ok, measured.errors_total()), (900, 0), "{:?}", measured.failures);
    }
    let none = Load { target: Target::Unix(folder.path().join("none")), ..load(nowhere(), 2, 10) };
    assert_all(&run(&none).await, ErrorKind::ConnectRefused);
    let too_long = Load { target: Target::Unix("x".repeat(500).into()), ..load(nowhere(), 2, 10) };
    let error = super::super::run(&too_long, &Live::default(), pending()).await.unwrap_err();
    assert!(error.to_string().contains("is no path of a unix socket"), "{error}");
}

fn nowhere() -> SocketAddr {
    "127.0.0.1:1".parse().unwrap()
}
