//! Whom https trusts, and what it cannot do.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::thread;

use crate::common::{Sandbox, Transport, WildServer, whole};
use crate::{checked, echo, kinds, only, result, result_in};

#[test]
fn a_certificate_of_its_own_is_trusted_only_when_told() {
    let (sandbox, server) = (Sandbox::new(), WildServer::over(Transport::Https, echo));
    sandbox.write("server.pem", server.certificate());
    let url = format!("https://localhost:{}/", server.address().port());
    let trusted = result_in(&sandbox, 0, &url, &["-n", "6", "-c", "2", "--cacert", "server.pem"]);
    assert_eq!(whole(&trusted["ok"]), 6);
    // A certificate of somebody else.
    sandbox.write("other.pem", WildServer::over(Transport::Https, echo).certificate());
    let refused = result_in(&sandbox, 1, &url, &["-n", "3", "--cacert", "other.pem"]);
    assert_eq!(kinds(&refused), only("connect_other", 3));
    let example = refused["failures"][0]["received"].to_string();
    assert!(example.contains("certificate") && example.contains("--insecure"), "{example}");
    // Nor is it trusted without being told.
    let outcome = sandbox.run(&["run", "--url", &url, "-n", "3", "--json"]);
    match outcome.code {
        Some(1) => assert_eq!(kinds(&checked(&outcome)), only("connect_other", 3)),
        // A machine without any certificates has nobody to trust.
        _ => _ = outcome.expect_code(2).expect_message(&["--cacert"]),
    }
    assert_eq!(server.received().len(), 6);
}

#[test]
fn a_server_that_speaks_no_tls() {
    let plain = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("https://{}/", plain.local_addr().unwrap());
    thread::spawn(move || {
        for mut stream in plain.incoming().flatten().take(4) {
            let _ = stream.read(&mut [0; 1024]);
            let _ = stream.write_all(b"HTTP/1.1 400 What\r\nContent-Length: 0\r\n\r\n");
        }
    });
    let result = result(1, &url, &["-n", "4", "-c", "1"]);
    assert_eq!(kinds(&result), only("connect_other", 4));
}

#[test]
fn silence_instead_of_a_handshake() {
    let deaf = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("https://{}/", deaf.local_addr().unwrap());
    let result = result(1, &url, &["-n", "4", "-c", "2", "--timeout", "200ms"]);
    assert_eq!(kinds(&result), only("connect_timeout", 4));
    assert!(result["latency_ms"]["min"].as_f64().unwrap() >= 200.0, "{result}");
}

#[test]
fn flags_that_do_not_go_together() {
    let sandbox = Sandbox::new();
    sandbox.write("empty.pem", "nothing");
    for (url, flags, named) in [
        ("http://127.0.0.1:1/", &["--insecure"][..], &["--insecure", "https"][..]),
        ("http://127.0.0.1:1/", &["--cacert", "empty.pem"], &["--cacert", "https"]),
        ("https://127.0.0.1:1/", &["--cacert", "no/such.pem"], &["--cacert", "no/such.pem"]),
        ("https://127.0.0.1:1/", &["--cacert", "empty.pem"], &["--cacert", "empty.pem", "no certificate"]),
        ("https://127.0.0.1:1/", &["--cacert", "empty.pem", "--insecure"], &["--cacert", "--insecure"]),
    ] {
        let outcome = sandbox.run(&[&["run", "--url", url, "-n", "1"], flags].concat());
        outcome.expect_code(2).expect_message(named);
    }
}
