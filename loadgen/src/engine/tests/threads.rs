//! Several threads are as exact as one.

use super::server::{Do, Server};
use super::*;

#[tokio::test]
async fn counts_are_exact_for_any_number_of_threads() {
    for connections in [Connections::KeepAlive, Connections::PerRequest] {
        for (clients, requests, threads) in [(10, 10, 3), (3, 10, 3), (2, 9, 4), (1, 5, 2), (64, 1001, 2), (7, 500, 4)]
        {
            let server = Server::start(|asked| vec![Do::Send(reply(asked.salt))]).await;
            let load = Load { connections, threads, ..load(server.address, clients, requests) };
            let measured = run(&load).await;
            assert_eq!((measured.started, measured.ok, measured.in_flight_at_end), (requests, requests, 0));
            assert_eq!((server.requests(), measured.threads), (requests, threads.min(measured.clients)));
            assert_eq!(server.salts(), (7..7 + requests as u32).collect::<Vec<_>>());
            assert_eq!(measured.times.map(|times| times.len() as u64), (requests <= 1000).then_some(requests));
            let most = if connections == Connections::KeepAlive { clients as u64 } else { requests };
            assert!(server.connections() <= most);
        }
    }
}

#[tokio::test]
async fn threads_stop_together() {
    let server = Server::start(|_| vec![Do::Hang]).await;
    let live = Live::default();
    let all_hang = async {
        while live.started() < 9 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    let load = Load { threads: 3, ..load(server.address, 9, 100) };
    let measured = run_until(&load, &live, all_hang).await;
    assert_eq!((measured.started, measured.in_flight_at_end), (9, 9));
}

#[tokio::test]
async fn a_dead_server_is_given_up_by_all_threads() {
    let socket = tokio::net::TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let load = Load { threads: 2, ..load(socket.local_addr().unwrap(), 4, 1_000_000_000) };
    let measured = run(&load).await;
    assert_all(&measured, ErrorKind::ConnectRefused);
    assert!(measured.given_up > 0);
}

#[tokio::test]
async fn a_load_that_nobody_waits_for_ends() {
    let server = Server::start(|asked| vec![Do::Send(reply(asked.salt))]).await;
    let live = Live::default();
    let load = Load { threads: 2, ..load(server.address, 4, Load::UNTIL_STOPPED) };
    let some = async {
        while live.completed() < 20 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    tokio::select! { _ = super::super::run(&load, &live, pending()) => unreachable!(), () = some => {} }
    // Its threads have ended with it, so nothing changes any more.
    let started = live.started();
    tokio::time::sleep(Duration::from_millis(20)).await;
    assert_eq!((live.started(), server.requests() >= 20), (started, true));
}

#[tokio::test]
async fn a_duration_ends_a_closed_loop() {
    let server = Server::start(|asked| vec![Do::Wait(Duration::from_millis(5)), Do::Send(reply(asked.salt))]).await;
    let duration = Some(Duration::from_millis(100));
    for (threads, drain) in [(1, Duration::ZERO), (2, Duration::ZERO), (1, Duration::from_secs(60))] {
        let load = Load { threads, duration, drain, ..load(server.address, 4, Load::UNTIL_STOPPED) };
        let measured = run(&load).await;
        assert!(measured.errors.is_empty() && measured.started > 0);
        if drain.is_zero() {
            assert!(measured.in_flight_at_end <= 4);
        } else {
            assert_eq!(measured.in_flight_at_end, 0);
        }
    }
    // What ends first, ends it.
    let measured = run(&Load { duration: Some(Duration::from_secs(3600)), ..load(server.address, 4, 10) }).await;
    assert_eq!(measured.ok, 10);
}

#[tokio::test]
async fn a_panic_of_a_check_is_not_lost() {
    struct Panics;
    impl Check for Panics {
        fn check(&self, _: Asked, _: Reply<'_>) -> Result<(), Mismatch> {
            panic!("of the check");
        }
    }
    let server = Server::start(|asked| vec![Do::Send(reply(asked.salt))]).await;
    for threads in [1, 2] {
        let load = Load { check: Arc::new(Panics), threads, ..load(server.address, 2, 10) };
        let running = tokio::spawn(async move { super::super::run(&load, &Live::default(), pending()).await });
        assert!(running.await.unwrap_err().is_panic());
    }
}
