//! Images that clients leave with a server.

mod common;

use std::thread;

use codecs::{Format, Quality, View};
use common::Server;
use servers::{Config, Variant};

fn png(side: usize) -> Vec<u8> {
    let pixels: Vec<u8> = (0..side * side).map(|n| (n * 7) as u8).collect();
    codecs::encode(View { width: side, height: side, channels: 1, pixels: &pixels }, Format::Png, Quality::default())
        .unwrap()
}

#[test]
fn an_image_is_kept_replaced_and_deleted() {
    let server = Server::start(Variant::MultiEventLoop, 3);
    let (first, second) = (png(5), png(9));
    let mut client = server.connect();
    client.get("/images/a.png").problem(404);
    client.post("/images/a.png/convolve", &[]).problem(404);
    client.request("DELETE", "/images/a.png", "", &[]).problem(404);
    assert_eq!(client.request("PUT", "/images/a.png", "", &first).status, 201);
    assert_eq!(client.get("/images/a.png").bytes, first);
    assert_eq!(client.request("PUT", "/images/a.png", "", &second).status, 204);
    // Loops of their own, one store.
    for _ in 0..6 {
        assert_eq!(server.get("/images/a.png").bytes, second);
    }
    assert_eq!(client.request("DELETE", "/images/a.png", "", &[]).status, 204);
    client.get("/images/a.png").problem(404);
    // No computation, so no metric but for the one that should have been convolved.
    assert_eq!(server.metric("cpubound_requests_started_total"), 1);
}

#[test]
fn what_is_no_image_is_not_kept() {
    let server = Server::start(Variant::EventLoop, 1);
    let mut client = server.connect();
    for (status, body) in [(400, &b""[..]), (415, b"hello"), (422, &png(5)[..20]), (422, b"\xff\xd8\xff\xe0\0\x10JFIF")]
    {
        client.request("PUT", "/images/a", "", body).problem(status);
        client.get("/images/a").problem(404);
    }
}

#[test]
fn names_lead_nowhere_else() {
    let server = Server::start(Variant::EventLoop, 1);
    let long = "x".repeat(10_000);
    let names = [
        "",
        ".",
        "..",
        ".hidden",
        "..%2F..%2Fetc%2Fpasswd",
        "a%2Fb",
        "a%2fb",
        "%2e%2e",
        "a%00",
        "%00",
        "a%0Ab",
        "a%20b",
        "a+b",
        "a%5Cb",
        "C%3A",
        "%C3%A4",
        "a*",
        "~root",
        "%",
        &long,
    ];
    let file = png(5);
    for name in names {
        let path = format!("/images/{name}");
        for (method, path) in [("GET", &path), ("PUT", &path), ("DELETE", &path), ("POST", &format!("{path}/convolve"))]
        {
            let detail = server.connect().request(method, path, "", &file).problem(400);
            assert!(detail.starts_with("a name has") && detail.len() < 400, "{detail}");
        }
    }
    for path in ["/images", "/images/a/b", "/images/../fib/1", "/images/a/../b", "//images/a", "/images//convolve/x"] {
        server.connect().request("PUT", path, "", &file).problem(404);
    }
    assert_eq!(server.get("/healthz").body, "ok");
}

#[test]
fn a_full_store_says_so() {
    let file = png(50);
    let config = Config { store_bytes: 2 * (file.len() as u64 + 600), ..Config::new(Variant::WorkerPool) };
    let server = Server::configured(config);
    let mut client = server.connect();
    let mut put = |name: &str| client.request("PUT", &format!("/images/{name}"), "", &file);
    assert_eq!([put("a").status, put("b").status], [201, 201]);
    let detail = put("c").problem(507);
    assert!(detail.contains("delete"), "{detail}");
    assert_eq!(put("a").status, 204);
    assert_eq!(client.request("DELETE", "/images/b", "", &[]).status, 204);
    assert_eq!(client.request("PUT", "/images/c", "", &file).status, 201);
}

#[test]
fn clients_do_not_get_in_each_others_way() {
    let server = Server::start(Variant::ReusePort, 2);
    let address = server.address;
    thread::scope(|scope| {
        for index in 0..12 {
            scope.spawn(move || {
                let mut client = common::Client::connect(address);
                let (path, file) = (format!("/images/{index}"), png(3 + index));
                for round in 0..5 {
                    let status = client.request("PUT", &path, "", &file).status;
                    assert_eq!(status, if round == 0 { 201 } else { 204 });
                    assert_eq!(client.get(&path).bytes, file);
                    assert_eq!(client.post(&format!("{path}/convolve?kernel=custom&weights=1"), &[]).bytes, file);
                }
            });
        }
    });
}
