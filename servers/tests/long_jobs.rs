//! What happens around a job that takes long: a gate holds it, so nothing depends on how fast the machine is.

mod common;

use std::thread;
use std::time::Duration;

use common::{Server, WAITS};
use servers::Variant;

const OFF_THE_LOOP: [Variant; 5] =
    [Variant::ThreadPerRequest, Variant::WorkerPool, Variant::WorkerArray, Variant::WasmWorker, Variant::SpawnBlocking];

fn waiting_job(salt: u32) -> String {
    format!("/fib/{WAITS}?salt={salt}")
}

#[test]
fn healthz_answers_during_a_job_off_the_loop() {
    for variant in OFF_THE_LOOP {
        let server = Server::gated(variant, 1);
        let mut computing = server.connect();
        computing.send("GET", &waiting_job(3));
        server.gate.await_arrivals(1);
        assert_eq!(server.get("/healthz").body, "ok", "{variant}");
        server.gate.open();
        assert_eq!(computing.receive().body, "3", "{variant}");
    }
}

#[test]
fn a_loop_blocked_for_ten_seconds_disconnects_nobody() {
    thread::scope(|scope| {
        for variant in [Variant::EventLoop, Variant::MultiEventLoop, Variant::ReusePort] {
            scope.spawn(move || {
                // One loop, so that all connections are on the one that is blocked.
                let server = Server::gated(variant, 1);
                let mut idle = server.connect();
                let mut waiting = server.connect();
                let mut half_sent = server.connect();
                for client in [&mut idle, &mut waiting, &mut half_sent] {
                    assert_eq!(client.get("/hello").body, "hello");
                }
                let mut computing = server.connect();
                computing.send("GET", &waiting_job(1));
                server.gate.await_arrivals(1);
                waiting.send("GET", "/fib/10");
                std::io::Write::write_all(&mut half_sent.stream, b"GET /fib/11 HTTP/1.1\r\n").unwrap();
                let mut late = server.connect();
                late.send("GET", "/fib/12");
                thread::sleep(Duration::from_secs(10));
                server.gate.open();
                assert_eq!(computing.receive().body, "1", "{variant}");
                assert_eq!(waiting.receive().body, "55", "{variant}");
                assert_eq!(late.receive().body, "144", "{variant}");
                std::io::Write::write_all(&mut half_sent.stream, b"Host: test\r\n\r\n").unwrap();
                assert_eq!(half_sent.receive().body, "89", "{variant}");
                for client in [&mut idle, &mut waiting, &mut half_sent, &mut late, &mut computing] {
                    assert_eq!(client.get("/hello").body, "hello", "{variant}");
                }
            });
        }
    });
}

#[test]
fn a_job_whose_client_left_is_skipped() {
    for variant in [Variant::WorkerPool, Variant::WorkerArray] {
        let server = Server::gated(variant, 1);
        let mut computing = server.connect();
        computing.send("GET", &waiting_job(1));
        server.gate.await_arrivals(1);
        let mut leaving = server.connect();
        leaving.send("GET", "/fib/10");
        server.await_metric("cpubound_requests_started_total", 2);
        drop(leaving);
        server.await_metric("cpubound_requests_finished_total{outcome=\"cancelled\"}", 1);
        server.gate.open();
        assert_eq!(computing.receive().body, "1", "{variant}");
        server.await_metric("cpubound_jobs_skipped_total", 1);
        assert_eq!(server.metric("cpubound_jobs_computed_total"), 1, "{variant}");
    }
}

#[test]
fn a_shutdown_closes_idle_connections_and_lets_requests_end() {
    for variant in OFF_THE_LOOP {
        let mut server = Server::gated(variant, 1);
        let mut idle = server.connect();
        assert_eq!(idle.get("/hello").body, "hello");
        let mut computing = server.connect();
        computing.send("GET", &waiting_job(7));
        server.gate.await_arrivals(1);
        server.shut_down();
        assert!(idle.is_closed(), "{variant}");
        server.gate.open();
        let response = computing.receive();
        assert_eq!((response.body.as_str(), response.header("connection")), ("7", Some("close")), "{variant}");
        assert!(computing.is_closed(), "{variant}");
        server.join().unwrap();
    }
}

#[test]
fn a_shutdown_does_not_wait_for_a_job_that_takes_too_long() {
    for variant in [Variant::WorkerPool, Variant::MultiEventLoop, Variant::ReusePort] {
        let mut server = Server::gated(variant, 1);
        let mut computing = server.connect();
        computing.send("GET", &waiting_job(7));
        server.gate.await_arrivals(1);
        server.shut_down();
        server.join().unwrap();
    }
}

#[test]
fn a_shutdown_ends_every_variant() {
    for variant in Variant::ALL {
        let mut server = Server::start(variant, 2);
        let mut idle = server.connect();
        assert_eq!(idle.get("/fib/5").body, "5");
        server.shut_down();
        assert!(idle.is_closed(), "{variant}");
        server.join().unwrap();
        assert!(std::net::TcpStream::connect(server.address).is_err(), "{variant}");
    }
}
