//! Ctrl-C and SIGTERM.

use nix::sys::signal::Signal::{SIGINT, SIGTERM};

use crate::common::{Sandbox, Started, Then, Transport, WildServer, wait_for, whole};
use crate::{checked, echo};

over_http_and_https! {
    one_signal_ends_it_with_a_full_report
    requests_under_way_are_counted_when_it_ends
}

/// A run under way, of which the server has seen some requests.
fn under_way(sandbox: &Sandbox, server: &WildServer, flags: &[&str]) -> Started {
    let url = server.url("/");
    let trusting: &[&str] = if url.starts_with("https") { &["--insecure"] } else { &[] };
    let started = Started::new(sandbox, &[&["run", "--url", &url, "-d", "1h", "--json"], flags, trusting].concat());
    wait_for("some requests", || (server.received().len() >= 20).then_some(()));
    started
}

fn one_signal_ends_it_with_a_full_report(transport: Transport) {
    let sandbox = Sandbox::new();
    for (signal, flags) in [
        (SIGINT, &["-c", "3"][..]),
        (SIGTERM, &["-c", "3", "--threads", "2"]),
        (SIGINT, &["-c", "3", "--rate", "500"]),
        (SIGTERM, &["-n", "1000000000", "-c", "2", "--hdr", "times.hlog"]),
    ] {
        let server = WildServer::over(transport, echo);
        let started = under_way(&sandbox, &server, flags);
        started.signal(signal);
        let outcome = started.end();
        let result = checked(outcome.expect_code(130));
        assert_eq!(result["interrupted"], true);
        assert!(whole(&result["ok"]) > 0 && result["throughput_rps"].is_f64(), "{result}");
        // In an open loop requests may wait for a connection, too.
        assert!(whole(&result["in_flight_at_end"]) <= 3 || flags.contains(&"--rate"), "{result}");
    }
    assert!(sandbox.path("times.hlog").metadata().unwrap().len() > 100);
}

fn requests_under_way_are_counted_when_it_ends(transport: Transport) {
    let (sandbox, server) = (
        Sandbox::new(),
        WildServer::over(transport, |received| match received.number {
            0..20 => echo(received),
            _ => (Vec::new(), Then::Silent),
        }),
    );
    let started = under_way(&sandbox, &server, &["-c", "4"]);
    wait_for("silence", || (server.received().len() == 24).then_some(()));
    started.signal(SIGINT);
    let result = checked(started.end().expect_code(130));
    assert_eq!((whole(&result["ok"]), whole(&result["in_flight_at_end"])), (20, 4));
}

#[test]
fn a_warm_up_ends_too() {
    let (sandbox, server) = (Sandbox::new(), WildServer::start(echo));
    let started = under_way(&sandbox, &server, &["--warmup", "1h"]);
    started.signal(SIGTERM);
    let result = checked(started.end().expect_code(130));
    assert!(whole(&result["warm_up"]["requests"]) >= 20);
    assert_eq!(whole(&result["requests"]), 0);
}

#[test]
fn a_second_signal_ends_it_at_once() {
    let (sandbox, server) = (Sandbox::new(), WildServer::start(echo));
    let started = under_way(&sandbox, &server, &[]);
    // The report may be out before the second arrives; either way it is over.
    let pid = nix::unistd::Pid::from_raw(started.pid() as i32);
    for signal in [SIGINT, SIGTERM] {
        let _ = nix::sys::signal::kill(pid, signal);
    }
    started.end().expect_code(130);
}
