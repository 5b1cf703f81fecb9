//! Servers that misbehave: each failure has its kind, all are counted, and the run goes on.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::thread;

use crate::common::{Then, Transport, WildServer, array, nothing_listens, response, whole};
use crate::{echo, kinds, only, result, run};

over_http_and_https! {
    nothing_listens_there
    redirects_are_wrong_unless_they_are_meant
    a_server_that_is_busy_sheds
    answers_that_are_none
    heads_and_bodies_without_end
    silence_is_a_time_out_that_counts
    connections_that_the_server_ends_are_made_again
    mixed_failures_each_with_an_example
}

fn nothing_listens_there(transport: Transport) {
    let (_holder, address) = nothing_listens();
    let url = format!("{}://{address}/x", transport.scheme());
    let result = result(1, &url, &["-n", "7", "-c", "2"]);
    assert_eq!((kinds(&result), whole(&result["requests"])), (only("connect_refused", 7), 7));
    for empty in ["elapsed_s", "throughput_rps", "replies_rps"] {
        assert!(result[empty].is_null(), "{empty}: {result}");
    }
    for (name, figure) in result["latency_ms"].as_object().unwrap() {
        assert!(figure.is_null(), "{name}");
    }
    let outcome = run(&url, &["-n", "7"]);
    outcome.expect_code(1);
    assert!(outcome.stdout.contains("connect_refused") && !outcome.stdout.contains("NaN"), "{}", outcome.stdout);
}

fn redirects_are_wrong_unless_they_are_meant(transport: Transport) {
    let server = WildServer::over(transport, |received| match received.path() {
        "/" => (b"HTTP/1.1 302 Found\r\nLocation: /there\r\nContent-Length: 0\r\n\r\n".to_vec(), Then::Keep),
        _ => echo(received),
    });
    let redirected = result(1, &server.url("/"), &["-n", "4"]);
    assert_eq!(
        (kinds(&redirected), &redirected["status_codes"]),
        (only("status", 4), &serde_json::json!({ "302": 4 }))
    );
    let warnings = redirected["warnings"].to_string();
    assert!(warnings.contains("not followed") && warnings.contains("--expect-status 302"), "{warnings}");
    assert_eq!(whole(&result(0, &server.url("/"), &["-n", "4", "--expect-status", "302"])["ok"]), 4);
    assert!(server.received().iter().all(|received| received.path() == "/"));
}

fn a_server_that_is_busy_sheds(transport: Transport) {
    let server = WildServer::over(transport, |_| (response("503 Busy", "later"), Then::Keep));
    let result = result(1, &server.url("/"), &["-n", "5"]);
    assert_eq!(kinds(&result), only("shed", 5));
    let example = &result["failures"][0];
    assert_eq!((example["kind"].as_str(), example["request"].as_str()), (Some("shed"), Some("GET /")));
    assert!(example["received"].to_string().contains("later"), "{example}");
    assert_eq!(result["throughput_rps"], 0.0);
    assert!(result["replies_rps"].as_f64().unwrap() > 0.0);
}

fn answers_that_are_none(transport: Transport) {
    for (answer, then, kind) in [
        (&b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc"[..], Then::Close, "closed_early"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n", Then::Close, "closed_early"),
        (b"", Then::Close, "closed_early"),
        (b"HTTP/1.1 200 OK\r\nContent-Le", Then::Close, "closed_early"),
        (b"220 mail.test ESMTP\r\n", Then::Close, "malformed"),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03 and more of it\r\n\r\n", Then::Close, "malformed"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n", Then::Close, "malformed"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab", Then::Close, "malformed"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n", Then::Close, "malformed"),
    ] {
        let server = WildServer::over(transport, move |_| (answer.to_vec(), then));
        let result = result(1, &server.url("/"), &["-n", "6", "-c", "2"]);
        assert_eq!(kinds(&result), only(kind, 6), "{}", answer.escape_ascii());
        assert_eq!(array(&result["failures"]).len(), 1);
    }
}

fn heads_and_bodies_without_end(transport: Transport) {
    for (beginning, more, kind) in [
        ("HTTP/1.1 200 OK\r\n", "X-More: of the same, and on and on it goes\r\n", "malformed"),
        ("HTTP/1.1 200 OK\r\n\r\n", "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\r\n", "malformed"),
    ] {
        let endless = move || format!("{beginning}{}", more.repeat(100_000)).into_bytes();
        let server = WildServer::over(transport, move |_| (endless(), Then::Silent));
        let result = result(1, &server.url("/"), &["-n", "3", "-c", "1", "--max-body", "1MiB"]);
        assert_eq!(kinds(&result), only(kind, 3), "{more}");
    }
}

fn silence_is_a_time_out_that_counts(transport: Transport) {
    let server = WildServer::over(transport, |received| match received.number {
        3 => (Vec::new(), Then::Silent),
        _ => echo(received),
    });
    let result = result(1, &server.url("/"), &["-n", "10", "-c", "1", "--timeout", "300ms"]);
    assert_eq!((kinds(&result), whole(&result["ok"])), (only("timeout", 1), 9));
    assert!(result["latency_ms"]["max"].as_f64().unwrap() >= 300.0, "{result}");
    assert!(result["histograms"]["timed_out"].is_string());
}

#[test]
fn a_server_that_never_reads() {
    // Accepts, by the kernel, and never reads.
    let deaf = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", deaf.local_addr().unwrap());
    let result = result(1, &url, &["-n", "4", "-c", "2", "--timeout", "200ms"]);
    assert_eq!(kinds(&result), only("timeout", 4));
    assert!(result["latency_ms"]["min"].as_f64().unwrap() >= 200.0, "{result}");
    // Nothing came back, so there are no rates.
    assert!(result["throughput_rps"].is_null() && result["replies_rps"].is_null());
}

#[test]
fn a_server_that_dies_in_the_middle_ends_the_run_with_everything_counted() {
    // Ten answers on each of two connections; from then on nobody listens.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let dies = thread::spawn(move || {
        let both: Vec<_> = (0..2).map(|_| listener.accept().unwrap().0).collect();
        drop(listener);
        for mut stream in both {
            for _ in 0..10 {
                assert!(stream.read(&mut [0; 1000]).unwrap() > 0);
                stream.write_all(&response("200 OK", "")).unwrap();
            }
        }
    });
    let result = result(1, &url, &["-n", "1000000000", "-c", "2"]);
    dies.join().unwrap();
    assert_eq!((whole(&result["ok"]), whole(&result["requests"])), (20, 1_000_000_000));
    let given_up = whole(&result["given_up"]);
    assert!(given_up > 0 && whole(&result["errors_by_kind"]["connect_refused"]) >= given_up, "{result}");
    assert!(
        result["warnings"].to_string().contains(&format!("the last {given_up} requests were not tried")),
        "{result}"
    );
}

#[test]
fn a_connection_that_breaks_is_reset() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    // Closed with the request unread, a connection is reset.
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten().take(5) {
            let _ = stream.read(&mut [0; 1]);
        }
    });
    let result = result(1, &url, &["-n", "5", "-c", "1"]);
    assert_eq!(whole(&result["errors"]), 5);
    assert!(kinds(&result).keys().all(|kind| kind == "reset" || kind == "closed_early"), "{result}");
}

fn connections_that_the_server_ends_are_made_again(transport: Transport) {
    let server = WildServer::over(transport, |received| {
        let (answer, _) = echo(received);
        // Without a word: the client finds out with its next request.
        (answer, if received.number % 5 == 4 { Then::Close } else { Then::Keep })
    });
    let result = result(0, &server.url("/"), &["-n", "30", "-c", "2"]);
    assert_eq!(whole(&result["ok"]), 30);
    let reconnects = whole(&result["reconnects"]);
    assert!((4..=6).contains(&reconnects), "{reconnects}");
    // A server that says so, too.
    let said = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";
    let server = WildServer::over(transport, move |_| (said.into(), Then::Close));
    let result = crate::result(0, &server.url("/"), &["-n", "10", "-c", "1"]);
    assert_eq!((whole(&result["ok"]), server.connections()), (10, 10));
}

fn mixed_failures_each_with_an_example(transport: Transport) {
    let server = WildServer::over(transport, |received| match received.number % 4 {
        0 => echo(received),
        1 => (response("500 Oops", "fell over"), Then::Keep),
        2 => (b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc".to_vec(), Then::Close),
        _ => (b"not http\r\n\r\n".to_vec(), Then::Close),
    });
    let outcome = run(&server.url("/x"), &["-n", "40", "-c", "1"]);
    outcome.expect_code(1);
    for line in ["closed_early       10", "malformed       10", "status       10", "10 ok, 30 errors", "fell over"] {
        assert!(outcome.stdout.contains(line), "no `{line}` in {}", outcome.stdout);
    }
}

#[test]
fn other_clients_of_our_servers_are_noticed() {
    // Counts every request twice, as if there were another client.
    let server = WildServer::start(|received| {
        let others = 2 * received.number;
        let metrics = format!("cpubound_requests_started_total {others}\n");
        (response("200 OK", if received.path() == "/metrics" { metrics } else { "55".into() }), Then::Keep)
    });
    let result = result(0, &server.url("/fib/10"), &["-n", "20"]);
    let counted = whole(&result["server_requests_started"]);
    assert!(counted >= 40, "{counted}");
    assert!(result["warnings"].to_string().contains(&format!("the server counts {counted} requests")), "{result}");
    // A path that is not one of ours: nobody is asked.
    let plain = WildServer::start(echo);
    assert!(crate::result(0, &plain.url("/fibula"), &["-n", "2"])["server_requests_started"].is_null());
    assert_eq!(plain.received().len(), 2);
}
