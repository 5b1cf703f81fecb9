//! A limit of open files that is hit in the middle of a level. It holds for a whole process, so this is one of its own.

use std::future::pending;
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::thread;
use std::time::Duration;

use loadgen::engine::{self, Asked, Check, ErrorKind, Live, Load, Mismatch, Reply, Request};
use nix::sys::resource::{Resource, getrlimit, setrlimit};

struct Anything;

impl Check for Anything {
    fn check(&self, _: Asked, _: Reply<'_>) -> Result<(), Mismatch> {
        Ok(())
    }
}

/// Answers everything on a thread for each connection.
fn serve(listener: TcpListener) {
    for stream in listener.incoming() {
        // It has no more files than the level has.
        let Ok(mut stream) = stream else { continue };
        thread::spawn(move || {
            let mut request = [0; 1000];
            while stream.read(&mut request).is_ok_and(|count| count > 0) {
                if stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").is_err() {
                    break;
                }
            }
        });
    }
}

#[test]
fn a_level_that_runs_out_of_files_says_so_and_goes_on() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("its address");
    thread::spawn(|| serve(listener));
    let (_, hard) = getrlimit(Resource::RLIMIT_NOFILE).expect("a limit");
    setrlimit(Resource::RLIMIT_NOFILE, 60.min(hard), hard).expect("a lower limit");

    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    // The server runs out of files too, and then accepts nobody.
    let timeout = Duration::from_secs(1);
    let load =
        Load { clients: 200, requests: 2000, timeout, ..Load::new(address, "test", Request::get("/"), Anything) };
    let measured = runtime.block_on(engine::run(&load, &Live::default(), pending())).expect("a level");

    assert_eq!((measured.started, measured.in_flight_at_end), (2000, 0));
    assert_eq!(measured.ok + measured.errors_total(), 2000);
    assert!(measured.ok > 0, "{measured:?}");
    assert!(measured.out_of_files > 0);
    let example = measured.failures.iter().find(|example| example.kind == ErrorKind::ConnectOther);
    assert!(example.expect("an example").received.contains("ulimit -n"));
}
