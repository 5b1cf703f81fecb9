//! What cannot be run is refused: exit code 2, nothing on standard output, and a message that names it.

use crate::common::{Sandbox, WildServer};
use crate::{echo, run_in};

fn refused(sandbox: &Sandbox, url: &str, flags: &[&str], named: &[&str]) {
    let before = sandbox.contents();
    let outcome = run_in(sandbox, url, flags);
    outcome.expect_code(2).expect_message(named);
    assert_eq!(outcome.stdout, "", "{flags:?}");
    assert_eq!(sandbox.contents(), before, "{flags:?}");
}

#[test]
fn urls_that_are_none() {
    let sandbox = Sandbox::new();
    for (url, named) in [
        ("", &["--url", "not a URL"][..]),
        ("not a url", &["--url", "not a url"]),
        ("127.0.0.1:80/x", &["--url", "127.0.0.1:80/x"]),
        ("localhost:80", &["--url", "localhost:80", "http"]),
        ("http://", &["--url", "http://"]),
        ("http://[::1", &["--url", "http://[::1"]),
        ("http://h:99999/", &["--url", "99999"]),
        ("http://127.0.0.1:0/", &["--url", "port 0"]),
        ("ftp://127.0.0.1/", &["--url", "ftp"]),
        ("file:///etc/passwd", &["--url", "file"]),
        ("http://me:secret@127.0.0.1/", &["127.0.0.1", "Authorization"]),
        ("http://no-such-host.invalid/", &["--url", "no-such-host.invalid", "resolve"]),
    ] {
        refused(&sandbox, url, &["-n", "1"], named);
    }
    let outcome = sandbox.run(&["run", "-n", "1"]);
    outcome.expect_code(2).expect_message(&["<URL>", "--url"]);
}

#[test]
fn values_that_are_none() {
    let (sandbox, server) = (Sandbox::new(), WildServer::start(echo));
    sandbox.write("body.txt", "text");
    for (flags, named) in [
        (&["-n", "0"][..], &["--requests", "'0'"][..]),
        (&["-n", "-1"], &["-1"]),
        (&["-n", "many"], &["--requests", "'many'"]),
        (&["-n", "99999999999999999999"], &["--requests"]),
        (&["-c", "0"], &["--clients", "0"]),
        (&["-c", "100001"], &["--clients", "100001"]),
        (&["-d", "0s"], &["--duration", "'0s'", "more than 0"]),
        (&["-d", "10"], &["--duration", "'10'", "unit"]),
        (&["-d", "soon"], &["--duration", "'soon'"]),
        (&["--rate", "0"], &["--rate", "'0'", "more than 0"]),
        (&["--rate", "-5"], &["--rate", "'-5'", "more than 0"]),
        (&["--rate", "NaN"], &["--rate", "'NaN'"]),
        (&["--rate", "inf"], &["--rate", "'inf'"]),
        (&["--rate", "fast"], &["--rate", "'fast'"]),
        (&["--arrivals", "poisson"], &["--rate"]),
        (&["--rate", "5", "--arrivals", "bursty"], &["--arrivals", "bursty", "poisson"]),
        (&["--timeout", "0s"], &["--timeout", "'0s'", "more than 0"]),
        (&["--timeout", "0"], &["--timeout", "'0'"]),
        (&["--warmup", "0"], &["--warmup", "'0'"]),
        (&["--warmup", "x"], &["--warmup", "'x'"]),
        (&["--threads", "0"], &["--threads", "0"]),
        (&["--max-body", "0"], &["--max-body", "'0'"]),
        (&["--max-body", "1MB"], &["--max-body", "'1MB'"]),
        (&["-H", "no colon"], &["-H", "no colon"]),
        (&["-H", ": nameless"], &["-H", ": nameless"]),
        (&["-H", "X: a\r\nEvil: b"], &["-H", "line break"]),
        (&["-H", "X: a\nEvil: b"], &["-H", "line break"]),
        (&["-H", "Content-Length: 5"], &["-H", "Content-Length"]),
        (&["-m", "GET /"], &["-m", "GET /"]),
        (&["-m", ""], &["-m"]),
        (&["--body-file", "no/such/file"], &["--body-file", "no/such/file"]),
        (&["--body-file", "."], &["--body-file", "."]),
        (&["--form", "no-equals"], &["--form", "no-equals", "field=value"]),
        (&["--form", "image=@no/such.jpg"], &["--form", "no/such.jpg"]),
        (&["--form", "a=b", "-H", "Content-Type: text/plain"], &["--form", "Content-Type"]),
        (&["--form", "a=b", "--body", "x"], &["--form", "--body"]),
        (&["--body-file", "body.txt", "--body", "x"], &["--body-file", "--body"]),
        (&["--expect-status", "99"], &["--expect-status", "'99'"]),
        (&["--expect-status", "ok"], &["--expect-status", "'ok'"]),
        (&["--expect-sha256", "abc"], &["--expect-sha256", "64 hex digits"]),
        (&["--connections", "pooled"], &["--connections", "pooled", "per-request"]),
        (&["--json", "--csv"], &["--json", "--csv"]),
        (&["--hdr", "no/such/folder/x.hlog"], &["--hdr", "no/such/folder/x.hlog"]),
        (&["--hdr-interval", "1s"], &["--hdr"]),
        (&["--hdr", "x.hlog", "--hdr-interval", "5ms"], &["--hdr-interval", "10ms"]),
        (&["--hdr", "x.hlog", "--hdr-interval", "1"], &["--hdr-interval", "unit"]),
        (&["--unix-socket", "no.sock"], &["--unix-socket", "no.sock"]),
        (&["--unix-socket", "body.txt"], &["--unix-socket", "body.txt", "no socket"]),
        (&["--nonsense"], &["--nonsense"]),
    ] {
        refused(&sandbox, &server.url("/"), flags, named);
    }
    assert_eq!(server.received().len(), 0, "nothing was sent");
}

#[test]
fn the_limit_of_open_files_is_raised_or_named() {
    let (sandbox, server) = (Sandbox::new(), WildServer::start(echo));
    let limited = |limit: &str| {
        let loadgen = env!("CARGO_BIN_EXE_loadgen");
        let script = format!("ulimit {limit} && exec {loadgen} run --url {} -c 1000 -n 1000", server.url("/"));
        let output = std::process::Command::new("sh").arg("-c").arg(script).current_dir(sandbox.path("")).output();
        let output = output.unwrap();
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let (code, words) = limited("-n 256");
    assert_eq!(code, Some(2), "{words}");
    assert!(words.contains("1000 clients") && words.contains("256") && words.contains("ulimit"), "{words}");
    assert_eq!(server.received().len(), 0);
    let (code, words) = limited("-S -n 256");
    assert_eq!(code, Some(0), "{words}");
    assert_eq!(server.received().len(), 1000);
}
