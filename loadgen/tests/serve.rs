//! `loadgen serve`: a server by hand.

mod common;

use std::io::{Read, Write};
use std::net::TcpStream;

use nix::sys::signal::Signal;

use common::{LONG, SERVERS, Sandbox, Started, fib};

/// A whole response to GET.
fn get(url: &str, path: &str) -> String {
    let host = url.strip_prefix("http://").expect("an address");
    let mut stream = TcpStream::connect(host).expect("it listens");
    stream.set_read_timeout(Some(LONG)).unwrap();
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").unwrap();
    let mut response = String::new();
    stream.read_to_string(&mut response).unwrap();
    response
}

#[test]
fn every_variant_listens_answers_and_ends_in_order() {
    for (index, variant) in SERVERS.into_iter().enumerate() {
        let sandbox = Sandbox::new();
        let mut server = Started::new(&sandbox, &["serve", variant, "--port", "0"]);
        let url = server.announced();
        assert!(url.starts_with("http://127.0.0.1:") && !url.ends_with(":0"), "{url}");
        let answer = get(&url, "/fib/20?salt=5");
        assert!(
            answer.starts_with("HTTP/1.1 200 ") && answer.ends_with(&format!("\r\n\r\n{}", fib(20) + 5)),
            "{answer}"
        );
        server.signal(if index % 2 == 0 { Signal::SIGTERM } else { Signal::SIGINT });
        let outcome = server.end();
        outcome.expect_code(0);
        assert_eq!((outcome.stdout, outcome.stderr), (format!("listening on {url}\n"), String::new()), "{variant}");
    }
}

#[test]
fn it_ends_with_a_connection_open() {
    let sandbox = Sandbox::new();
    let mut server = Started::new(&sandbox, &["serve", "reuse-port", "--port", "0"]);
    let url = server.announced();
    let _idle = TcpStream::connect(url.strip_prefix("http://").unwrap()).unwrap();
    server.signal(Signal::SIGTERM);
    server.end().expect_code(0);
}

#[test]
fn it_listens_on_ipv6() {
    let sandbox = Sandbox::new();
    let mut server = Started::new(&sandbox, &["serve", "event-loop", "--host", "::1", "--port", "0"]);
    let url = server.announced();
    assert!(url.starts_with("http://[::1]:"), "{url}");
    assert!(get(&url, "/hello").ends_with("\r\n\r\nhello"));
    // And a sweep finds it there.
    let asked = format!("{url}/hello");
    let sweep = ["sweep", "--url", &asked, "--expect-body", "hello", "--concurrency", "1", "--quick", "--out", "out"];
    let outcome = assert_cmd::Command::from_std(sandbox.command(&sweep)).timeout(LONG).output().unwrap();
    assert!(outcome.status.success(), "{outcome:?}");
}

#[test]
fn the_largest_n_can_be_set() {
    let sandbox = Sandbox::new();
    let mut server =
        Started::new(&sandbox, &["serve", "worker-pool", "--port", "0", "--max-n", "10", "--workers", "3"]);
    let url = server.announced();
    assert!(get(&url, "/fib/10").starts_with("HTTP/1.1 200 "));
    let refused = get(&url, "/fib/11");
    assert!(refused.starts_with("HTTP/1.1 422 ") && refused.contains("application/problem+json"), "{refused}");
}

#[test]
fn it_runs_on_the_cpus_that_it_was_given() {
    let sandbox = Sandbox::new();
    let usable = std::fs::read_to_string("/proc/self/status").unwrap();
    let list = usable.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:\t")).unwrap();
    // The last of a list such as `0-3,8`.
    let last = list.rsplit([',', '-']).next().unwrap();
    let mut server = Started::new(&sandbox, &["serve", "event-loop", "--port", "0", "--cpus", last]);
    server.announced();
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.pid())).unwrap();
    assert!(status.contains(&format!("Cpus_allowed_list:\t{last}\n")), "{status}");
}

/// The CPUs of each worker of a server, by the numbers of the workers.
fn cpus_of_workers(pid: u32) -> Vec<(usize, String)> {
    let field = |status: &str, name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name)).expect("the kernel tells");
        line.trim().to_owned()
    };
    let mut workers: Vec<(usize, String)> = std::fs::read_dir(format!("/proc/{pid}/task"))
        .expect("it runs")
        .flatten()
        .filter_map(|task| {
            let status = std::fs::read_to_string(task.path().join("status")).ok()?;
            let name = field(&status, "Name:");
            let index = name.strip_prefix("worker-").or(name.strip_prefix("loop-"))?.parse().ok()?;
            Some((index, field(&status, "Cpus_allowed_list:")))
        })
        .collect();
    workers.sort_unstable();
    workers
}

#[test]
fn pinned_workers_keep_to_a_cpu_each() {
    let usable = loadgen::results::machine::usable_cpus();
    for variant in ["worker-pool", "worker-array", "wasm-worker", "multi-event-loop", "reuse-port"] {
        for pinned in [true, false] {
            let sandbox = Sandbox::new();
            let mut arguments = vec!["serve", variant, "--port", "0", "--workers", "3"];
            arguments.extend(pinned.then_some("--pin-workers"));
            let mut server = Started::new(&sandbox, &arguments);
            let url = server.announced();
            assert!(get(&url, "/fib/20?salt=5").ends_with(&format!("\r\n\r\n{}", fib(20) + 5)));
            let found = cpus_of_workers(server.pid());
            if pinned {
                let cpu = |index: usize| (index, usable[index % usable.len()].to_string());
                assert_eq!(found, [0, 1, 2].map(cpu), "{variant}");
            } else {
                let all = &found[0].1;
                assert!(found.len() == 3 && found.iter().all(|(_, cpus)| cpus == all), "{variant}: {found:?}");
            }
            server.signal(Signal::SIGTERM);
            server.end().expect_code(0);
        }
    }
}
