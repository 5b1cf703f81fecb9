//! Every flag does what it says.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::common::{Received, Sandbox, Then, Transport, WildServer, response, whole};
use crate::{echo, kinds, only, result, result_in, run};

over_http_and_https! {
    exactly_so_many_requests_by_so_many_clients
    for_so_long_and_whichever_comes_first
    every_request_has_a_salt_of_its_own_everywhere
    method_headers_and_body_arrive_as_given
    what_is_right_can_be_said
    connections_are_kept_or_not
    a_warm_up_is_sent_and_not_counted
    an_open_loop_keeps_its_schedule_and_says_how_well
    an_open_loop_that_cannot_keep_up_says_so
    long_bodies_are_cut_off
}

fn text(received: &Received) -> String {
    String::from_utf8_lossy(&received.body).into_owned()
}

fn exactly_so_many_requests_by_so_many_clients(transport: Transport) {
    for (requests, clients, threads, sending) in [
        ("10", "3", "1", 3),
        ("1", "1", "1", 1),
        ("17", "17", "4", 17),
        ("100", "10", "3", 10),
        ("3", "8", "2", 3),
        ("7", "2", "5", 2),
    ] {
        let server = WildServer::over(transport, echo);
        let result = result(0, &server.url("/"), &["-n", requests, "-c", clients, "--threads", threads]);
        assert_eq!(whole(&result["ok"]).to_string(), requests);
        assert_eq!((server.received().len().to_string(), whole(&result["clients"])), (requests.to_owned(), sending));
        assert!(server.connections() <= sending, "{} connections", server.connections());
        assert_eq!((whole(&result["in_flight_at_end"]), whole(&result["reconnects"])), (0, 0));
    }
}

#[test]
fn the_url_may_stand_by_itself() {
    let (sandbox, server) = (Sandbox::new(), WildServer::start(echo));
    let url = server.url("/x");
    sandbox.run(&["run", &url, "-n", "3"]).expect_code(0);
    sandbox.run(&["run", "-n", "3", &url]).expect_code(0);
    assert_eq!(server.received().len(), 6);
    sandbox.run(&["run", "-n", "3"]).expect_code(2).expect_message(&["URL"]);
    sandbox.run(&["run", &url, "--url", &url, "-n", "3"]).expect_code(2).expect_message(&["--url"]);
    sandbox.run(&["run", "ftp://h/", "-n", "3"]).expect_code(2).expect_message(&["ftp://h/", "http"]);
}

#[test]
fn more_clients_than_requests_are_named() {
    let server = WildServer::start(echo);
    let outcome = run(&server.url("/"), &["-n", "2", "-c", "5"]);
    outcome.expect_code(0);
    assert!(outcome.stdout.contains("only 2 of the 5 clients"), "{}", outcome.stdout);
    // Nobody asked for the ten that there are by default.
    let outcome = run(&server.url("/"), &["-n", "2"]);
    assert!(!outcome.expect_code(0).stdout.contains("of the 10 clients"), "{}", outcome.stdout);
}

fn for_so_long_and_whichever_comes_first(transport: Transport) {
    let server = WildServer::over(transport, echo);
    let result = result(0, &server.url("/"), &["-d", "2s", "-c", "2"]);
    let elapsed = result["elapsed_s"].as_f64().unwrap();
    assert!((0.5..60.0).contains(&elapsed), "{elapsed}");
    assert!(whole(&result["in_flight_at_end"]) <= 2, "{result}");
    let count_first = crate::result(0, &server.url("/"), &["-n", "5", "-d", "1h"]);
    assert_eq!(whole(&count_first["requests"]), 5);
    let silent = WildServer::over(transport, |_| (Vec::new(), Then::Silent));
    let time_first = crate::result(1, &silent.url("/"), &["-n", "5", "-d", "2s"]);
    assert_eq!((whole(&time_first["requests"]), whole(&time_first["in_flight_at_end"])), (0, 5));
    assert!(time_first["warnings"].to_string().contains("none of 5 requests ended"), "{time_first}");
}

fn every_request_has_a_salt_of_its_own_everywhere(transport: Transport) {
    let server =
        WildServer::over(transport, |received| (response("200 OK", format!("{}!", text(received))), Then::Keep));
    let url = server.url("/a/{salt}?b={salt}");
    let flags = ["-n", "20", "-c", "4", "-H", "X-Id: <{salt}>", "--body", "({salt})", "--expect-body", "({salt})!"];
    assert_eq!(whole(&result(0, &url, &flags)["ok"]), 20);
    let received = server.received();
    let salts: BTreeSet<&str> = received
        .iter()
        .map(|received| {
            let salt = received.path().rsplit('=').next().unwrap();
            assert!(salt.parse::<u32>().is_ok(), "{}", received.path());
            assert_eq!(received.path(), format!("/a/{salt}?b={salt}"));
            assert_eq!(received.header("x-id"), Some(format!("<{salt}>").as_str()));
            assert_eq!(text(received), format!("({salt})"));
            salt
        })
        .collect();
    assert_eq!(salts.len(), 20);
    // The same seed, the same salts.
    let paths = |seed| {
        let server = WildServer::over(transport, echo);
        result(0, &server.url("/{salt}"), &["-n", "5", "-c", "1", "--seed", seed]);
        server.received().iter().map(|received| received.path().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(paths("7"), paths("7"));
    assert_ne!(paths("7"), paths("8"));
}

fn method_headers_and_body_arrive_as_given(transport: Transport) {
    let server = WildServer::over(transport, echo);
    let flags =
        ["-n", "1", "-m", "PATCH", "-H", "X-A: 1", "-H", "x-a:  2 ", "-H", "Host: other.test", "--body", "a\nb"];
    result(0, &server.url("/p?q=1"), &flags);
    let received = server.received().remove(0);
    assert!(received.head.starts_with("PATCH /p?q=1 HTTP/1.1\r\n"), "{}", received.head);
    assert!(received.head.to_lowercase().contains("\r\nx-a: 1\r\nx-a: 2"), "{}", received.head);
    assert_eq!((received.header("host"), received.header("content-length")), (Some("other.test"), Some("3")));
    assert_eq!(received.head.to_lowercase().matches("\nhost:").count(), 1);
    assert_eq!(text(&received), "a\nb");

    let method = |flags: &[&str]| {
        result(0, &server.url("/"), &[&["-n", "1"], flags].concat());
        server.received().pop().unwrap().head.split(' ').next().unwrap().to_owned()
    };
    assert_eq!(method(&[]), "GET");
    assert_eq!(method(&["--body", ""]), "POST");
    assert_eq!(method(&["--body", "x", "-m", "GET"]), "GET");
    assert_eq!(server.received()[1].header("host"), Some(server.address().to_string().as_str()));
}

#[test]
fn a_body_file_is_sent_to_the_byte() {
    let (sandbox, server) = (Sandbox::new(), WildServer::start(echo));
    let bytes: Vec<u8> = (0..=255).cycle().take(100_000).collect();
    sandbox.write("body.bin", &bytes);
    result_in(&sandbox, 0, &server.url("/"), &["-n", "3", "-c", "2", "-m", "PUT", "--body-file", "body.bin"]);
    assert!(server.received().iter().all(|received| received.body == bytes));
    assert_eq!(server.received().len(), 3);
}

#[test]
fn a_form_is_what_a_multipart_parser_sees() {
    let (sandbox, server) = (Sandbox::new(), WildServer::start(echo));
    let image = b"\xff\xd8\r\n--not-a-boundary\r\n\r\n\x00\xff\xd9";
    sandbox.write("a photo.jpg", image);
    let flags =
        ["-n", "2", "--form", "name=value=1", "--form", "image=@a photo.jpg;type=image/jpeg", "--form", "empty="];
    result_in(&sandbox, 0, &server.url("/"), &flags);
    for received in server.received() {
        assert!(received.head.starts_with("POST "), "{}", received.head);
        let parts = multipart(&received);
        let heads: Vec<&str> = parts.iter().map(|(head, _)| head.as_str()).collect();
        assert_eq!(
            heads,
            [
                "Content-Disposition: form-data; name=\"name\"",
                "Content-Disposition: form-data; name=\"image\"; filename=\"a photo.jpg\"\r\nContent-Type: image/jpeg",
                "Content-Disposition: form-data; name=\"empty\"",
            ]
        );
        let contents: Vec<&[u8]> = parts.iter().map(|(_, content)| content.as_slice()).collect();
        assert_eq!(contents, [b"value=1", &image[..], b""]);
    }
}

/// The parts of a form by RFC 2046: heads and contents.
fn multipart(received: &Received) -> Vec<(String, Vec<u8>)> {
    let kind = received.header("content-type").expect("a type");
    let boundary = kind.strip_prefix("multipart/form-data; boundary=").expect("a boundary");
    let delimiter = format!("\r\n--{boundary}");
    // The first delimiter has no line before it.
    let mut rest = [b"\r\n", received.body.as_slice()].concat();
    let mut parts = Vec::new();
    loop {
        let find = |rest: &[u8], what: &[u8]| rest.windows(what.len()).position(|window| window == what);
        let at = find(&rest, delimiter.as_bytes()).expect("another delimiter");
        if !parts.is_empty() || at > 0 {
            let part = &rest[..at];
            let end = find(part, b"\r\n\r\n").expect("a head");
            parts.push((String::from_utf8(part[2..end].to_vec()).unwrap(), part[end + 4..].to_vec()));
        }
        rest.drain(..at + delimiter.len());
        if rest == b"--\r\n" {
            return parts;
        }
        assert!(rest.starts_with(b"\r\n"), "a line ends after the delimiter");
    }
}

fn what_is_right_can_be_said(transport: Transport) {
    let server = WildServer::over(transport, |received| match received.path() {
        "/404" => (response("404 Not Found", "who knows"), Then::Keep),
        "/204" => (b"HTTP/1.1 204 No Content\r\n\r\n".to_vec(), Then::Keep),
        _ => (response("200 OK", "abc"), Then::Keep),
    });
    let hash = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    let three = ["-n", "3"];
    for (path, flags) in [
        ("/", &[][..]),
        ("/204", &[]),
        ("/404", &["--expect-status", "404"]),
        ("/404", &["--expect-status", "2xx,404"]),
        ("/", &["--expect-body", "abc"]),
        ("/", &["--expect-sha256", hash]),
        ("/404", &["--expect-status", "4xx", "--expect-body", "who knows"]),
    ] {
        assert_eq!(whole(&result(0, &server.url(path), &[&three, flags].concat())["ok"]), 3, "{path} {flags:?}");
    }
    for (path, flags, kind) in [
        ("/404", &[][..], "status"),
        ("/", &["--expect-status", "204"], "status"),
        ("/", &["--expect-body", "abd"], "body"),
        ("/", &["--expect-body", ""], "body"),
        ("/404", &["--expect-status", "404", "--expect-sha256", hash], "body"),
    ] {
        assert_eq!(kinds(&result(1, &server.url(path), &[&three, flags].concat())), only(kind, 3), "{path} {flags:?}");
    }
}

fn connections_are_kept_or_not(transport: Transport) {
    let per_request = WildServer::over(transport, echo);
    let kept = WildServer::over(transport, echo);
    result(0, &kept.url("/"), &["-n", "30", "-c", "3"]);
    assert!(kept.connections() <= 3);
    let result = result(0, &per_request.url("/"), &["-n", "30", "-c", "3", "--connections", "per-request"]);
    assert_eq!((per_request.connections(), whole(&result["reconnects"])), (30, 0));
    assert!(per_request.received().iter().all(|received| received.header("connection") == Some("close")));
    assert!(kept.received().iter().all(|received| received.header("connection") != Some("close")));
}

fn a_warm_up_is_sent_and_not_counted(transport: Transport) {
    let server = WildServer::over(transport, |received| match received.number {
        0..6 => (response("500 Not Yet", ""), Then::Keep),
        _ => echo(received),
    });
    let result = result(0, &server.url("/{salt}"), &["-n", "10", "-c", "2", "--warmup", "6"]);
    assert_eq!((whole(&result["warm_up"]["requests"]), whole(&result["warm_up"]["errors"])), (6, 6));
    assert_eq!((whole(&result["requests"]), server.received().len()), (10, 16));
    let paths: BTreeSet<String> = server.received().iter().map(|received| received.path().to_owned()).collect();
    assert_eq!(paths.len(), 16, "salts of their own");
    let timed = crate::result(0, &WildServer::over(transport, echo).url("/"), &["-n", "1", "--warmup", "100ms"]);
    // How many there were, only the machine knows.
    assert!(timed["warm_up"]["requests"].is_u64());
    assert_eq!(timed["requests"], 1);
    assert!(crate::result(0, &server.url("/"), &["-n", "1"])["warm_up"].is_null());
}

#[test]
fn a_unix_socket() {
    let sandbox = Sandbox::new();
    let server = WildServer::unix(&sandbox.path("app.sock"), echo);
    let flags = ["-n", "12", "-c", "3", "--unix-socket", "app.sock"];
    let result = result_in(&sandbox, 0, "http://some.host/path", &flags);
    assert_eq!((&result["address"], whole(&result["ok"])), (&Value::from("app.sock"), 12));
    let received = server.received().remove(0);
    assert_eq!((received.path(), received.header("host")), ("/path", Some("some.host")));
    assert!(server.connections() <= 3);
}

#[test]
fn ipv6_and_localhost() {
    let four = WildServer::start(echo);
    let by_name = format!("http://localhost:{}/", four.address().port());
    assert_eq!(whole(&result(0, &by_name, &["-n", "3"])["ok"]), 3);
    let host = format!("localhost:{}", four.address().port());
    assert_eq!(four.received()[0].header("host"), Some(host.as_str()));
    // A machine without IPv6 has no such address.
    let Ok(listener) = std::net::TcpListener::bind("[::1]:0") else { return };
    let six = WildServer::on(listener, echo);
    assert_eq!(whole(&result(0, &six.url("/"), &["-n", "3"])["ok"]), 3);
    let host = format!("[::1]:{}", six.address().port());
    assert_eq!(six.received()[0].header("host"), Some(host.as_str()));
}

fn an_open_loop_keeps_its_schedule_and_says_how_well(transport: Transport) {
    let server = WildServer::over(transport, echo);
    for arrivals in ["constant", "poisson"] {
        let flags = ["-n", "40", "--rate", "100", "--arrivals", arrivals, "-c", "20"];
        let result = result(0, &server.url("/"), &flags);
        assert_eq!((whole(&result["ok"]), &result["pace"]["open"]["arrivals"]), (40, &Value::from(arrivals)));
        let schedule = &result["schedule"];
        assert_eq!(schedule["asked_rps"], 100.0);
        // 39 gaps of 10 ms; a slow machine takes longer, and chance plays with random ones.
        let least = if arrivals == "constant" { 0.38 } else { 0.1 };
        assert!(result["elapsed_s"].as_f64().unwrap() > least, "{result}");
        assert!(schedule["sent_rps"].as_f64().unwrap() > 0.0);
        for times in ["lateness_ms", "service_ms"] {
            assert!(schedule[times]["max"].as_f64() >= schedule[times]["mean"].as_f64(), "{schedule}");
            assert!(schedule[times]["mean"].as_f64().unwrap() >= 0.0, "{schedule}");
        }
        assert!(result["latency_ms"]["max"].as_f64() >= schedule["service_ms"]["max"].as_f64(), "{result}");
    }
    assert!(result(0, &server.url("/"), &["-n", "1"])["schedule"].is_null());
}

fn an_open_loop_that_cannot_keep_up_says_so(transport: Transport) {
    let slow = WildServer::over(transport, |received| {
        std::thread::sleep(std::time::Duration::from_millis(50));
        echo(received)
    });
    let result = result(0, &slow.url("/"), &["-n", "20", "--rate", "200", "-c", "2"]);
    assert!(whole(&result["schedule"]["waited"]) > 0);
    let warnings = result["warnings"].to_string();
    assert!(warnings.contains("found all 2 connections in use") && warnings.contains("-c"), "{warnings}");
    // What a request waited for a connection is in its response time.
    assert!(result["latency_ms"]["max"].as_f64() > result["schedule"]["service_ms"]["max"].as_f64(), "{result}");
}

fn long_bodies_are_cut_off(transport: Transport) {
    let server = WildServer::over(transport, |_| (response("200 OK", "x".repeat(5000)), Then::Keep));
    assert_eq!(whole(&result(0, &server.url("/"), &["-n", "3", "--max-body", "5000"])["ok"]), 3);
    let result = result(1, &server.url("/"), &["-n", "3", "--max-body", "4KiB"]);
    assert_eq!(kinds(&result), only("malformed", 3));
}
