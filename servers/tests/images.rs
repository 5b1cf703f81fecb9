//! Images are convolved on every variant, whatever kind of file they come in, and whatever is wrong with them.

mod common;
#[path = "common/pictures.rs"]
mod pictures;

use std::fs;
use std::path::Path;

use codecs::{Format, Quality, View};
use common::{Client, Response, Server, WAITS_WIDE};
use kernels::{Edge, Method};
use pictures::{blur, distance, golden, image, noise};
use servers::{Answer, Backend, Convolve, Image, Job, Native, Variant, Weights};

fn encoded(image: &Image, format: Format) -> Vec<u8> {
    let Image { width, height, channels, ref pixels } = *image;
    codecs::encode(View { width, height, channels, pixels }, format, Quality::default()).unwrap()
}

/// The file that a server should answer with.
fn convolved(job: Convolve, format: Format) -> Vec<u8> {
    match Native::default().compute(&Job::Convolve(job)).unwrap() {
        Answer::Image(image) => encoded(&image, format),
        other => panic!("{other:?}"),
    }
}

fn assert_is_file(response: &Response, format: Format, file: &[u8]) {
    assert_eq!((response.status, response.header("content-type")), (200, Some(format.mime())), "{}", response.body);
    assert!(response.bytes == file, "another file");
    let timing = response.header("server-timing").expect("Server-Timing");
    let names: Vec<_> = timing.split(", ").map(|part| part.split_once(";dur=").unwrap().0).collect();
    assert_eq!(names, ["queue", "decode", "compute", "encode", "cpu"]);
}

/// A form as curl sends it, with a field before the one that matters.
fn form(file: &[u8]) -> (&'static str, Vec<u8>) {
    let before = b"--b0undary\r\nContent-Disposition: form-data; name=\"note\"\r\n\r\nhello\r\n--b0undary\r\n\
        Content-Disposition: form-data; name=\"image\"; filename=\"a.jpg\"\r\nContent-Type: application/octet-stream\r\n\r\n";
    let body = [before, file, b"\r\n--b0undary--\r\n"].concat();
    ("Content-Type: multipart/form-data; boundary=b0undary\r\n", body)
}

#[test]
fn every_variant_convolves_what_is_sent_and_what_is_stored() {
    for variant in Variant::ALL {
        let server = Server::start(variant, 2);
        for format in [Format::Jpeg, Format::Png] {
            let file = encoded(&noise(61, 40, 3, 5), format);
            let expected = convolved(blur(image(&file), Method::Direct), format);
            let mut client = server.connect();
            assert_is_file(&client.post("/convolve", &file), format, &expected);
            // The type that curl sends with --data-binary, and one that lies.
            for kind in ["application/x-www-form-urlencoded", "image/gif", "text/plain"] {
                let headers = format!("Content-Type: {kind}\r\n");
                assert_is_file(&client.request("POST", "/convolve", &headers, &file), format, &expected);
            }
            let (headers, body) = form(&file);
            assert_is_file(&client.request("POST", "/convolve?quality=80", headers, &body), format, &expected);
            let name = format!("/images/{format:?}");
            assert_eq!(client.request("PUT", &name, "", &file).status, 201, "{variant}");
            // Each on a connection of its own, so that every loop is asked.
            for _ in 0..4 {
                assert_is_file(&server.connect().post(&format!("{name}/convolve"), &[]), format, &expected);
                let stored = server.get(&name);
                assert_eq!((stored.status, stored.header("content-type")), (200, Some(format.mime())), "{variant}");
                assert!(stored.bytes == file, "{variant}");
            }
        }
        assert_eq!(server.metric("cpubound_requests_finished_total{outcome=\"ok\"}"), 18, "{variant}");
    }
}

/// The query that asks for a convolution.
fn query(job: &Convolve) -> String {
    let kernel = match &job.weights {
        Weights::Gaussian { size, sigma } => format!("kernel=gaussian&size={size}&sigma={sigma}"),
        Weights::Custom { weights, .. } => {
            let weights: Vec<_> = weights.iter().map(ToString::to_string).collect();
            format!("kernel=custom&weights={}", weights.join(","))
        }
    };
    format!("/convolve?{kernel}&edge={}&method={}", job.edge.name(), job.method.name())
}

#[test]
fn golden_images_are_the_same_by_native_code_and_wasm() {
    let servers = [Variant::WorkerPool, Variant::WasmWorker].map(|variant| Server::start(variant, 1));
    let mut clients = servers.each_ref().map(Server::connect);
    let mut count = 0;
    for (job, expected) in golden() {
        let file = encoded(&job.image, Format::Png);
        let answers = clients.each_mut().map(|client| client.post(&query(&job), &file));
        let right = convolved(job.clone(), Format::Png);
        for answer in &answers {
            assert_is_file(answer, Format::Png, &right);
            assert!(distance(&image(&answer.bytes), &expected) <= 1, "{job:?}");
        }
        count += 1;
    }
    assert!(count > 60, "{count}");
}

/// The kernel of one 1 leaves every pixel as it is: so the answer shows how a file was read.
#[test]
fn files_of_every_kind_are_read() {
    let server = Server::start(Variant::WorkerPool, 1);
    let mut client = server.connect();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("codecs/tests/data");
    let mut count = 0;
    for entry in fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        let Some((stem, "png" | "jpg")) = name.rsplit_once('.').filter(|(stem, _)| !stem.ends_with(".expected")) else {
            continue;
        };
        let file = fs::read(&path).unwrap();
        let answer = client.post("/convolve?kernel=custom&weights=1&quality=100", &file);
        assert_eq!(answer.status, 200, "{name}: {}", answer.body);
        let (seen, expected) =
            (image(&answer.bytes), image(&fs::read(folder.join(format!("{stem}.expected.png"))).unwrap()));
        match Format::sniff(&answer.bytes) {
            Some(Format::Png) => assert!(name.ends_with(".png") && seen == expected, "{name}"),
            // Twice through JPEG, the second time with less colour.
            format => {
                assert!(format.is_some() && name.ends_with(".jpg"), "{name}");
                assert_eq!(
                    (seen.width, seen.height, seen.channels),
                    (expected.width, expected.height, expected.channels)
                );
                let sum: u64 = seen.pixels.iter().zip(&expected.pixels).map(|(a, b)| u64::from(a.abs_diff(*b))).sum();
                assert!(sum as f64 / (seen.pixels.len() as f64) < 6.0, "{name}");
            }
        }
        count += 1;
    }
    assert!(count >= 70, "{count}");
}

#[test]
fn wrong_parameters_are_named() {
    let server = Server::start(Variant::WorkerPool, 1);
    let file = encoded(&noise(5, 4, 3, 1), Format::Png);
    let mut client = server.connect();
    assert_eq!(client.request("PUT", "/images/a", "", &file).status, 201);
    let wrong = [
        ("size", "size=8"),
        ("size", "size=0"),
        ("size", "size=1001"),
        ("sigma", "sigma=0"),
        ("sigma", "sigma=-1"),
        ("sigma", "sigma=nan"),
        ("kernel", "kernel=box"),
        ("edge", "edge=constant"),
        ("method", "method=fft"),
        ("method", "method=separable&kernel=custom&weights=0,1,0,1,0,0,0,0,0"),
        ("quality", "quality=0"),
        ("quality", "quality=101"),
        ("weights", "kernel=custom"),
        ("weights", "kernel=custom&weights=1,2,3,4"),
        ("weights", "kernel=custom&weights=1,2,3"),
        ("weights", "kernel=custom&weights=inf"),
        ("weights", "weights=1"),
    ];
    for (name, query) in wrong {
        for path in ["/convolve", "/images/a/convolve"] {
            let detail = server.connect().post(&format!("{path}?{query}"), &file).problem(400);
            assert!(detail.starts_with(name), "{query}: {detail}");
        }
    }
    assert_eq!(server.metric("cpubound_requests_finished_total{outcome=\"invalid\"}"), 2 * wrong.len() as u64);
    assert_eq!(server.metric("cpubound_jobs_computed_total"), 0);
    assert_eq!(client.post("/images/a/convolve", &[]).status, 200);
}

/// Whatever is sent, the server answers with the right status, and then serves others as before.
#[test]
fn wrong_bodies_are_told_apart() {
    let jpeg = encoded(&noise(40, 30, 3, 1), Format::Jpeg);
    let png = encoded(&noise(40, 30, 3, 1), Format::Png);
    let mut two_frames = jpeg.clone();
    two_frames[163] ^= 0xff;
    let (form_headers, form_body) = form(&jpeg);
    let other_field = String::from_utf8_lossy(&form(b"x").1).replace("\"image\"", "\"photo\"").into_bytes();
    let plain = "";
    let cases: [(&str, u16, &str, Vec<u8>); 12] = [
        ("nothing", 400, plain, vec![]),
        ("text", 415, plain, b"hello".to_vec()),
        ("another format", 415, plain, b"GIF89a\x01\0\x01\0\0\0\0;".to_vec()),
        ("half a JPEG", 422, plain, jpeg[..jpeg.len() / 2].to_vec()),
        ("the first bytes of a JPEG", 422, plain, jpeg[..3].to_vec()),
        ("half a PNG", 422, plain, png[..png.len() / 2].to_vec()),
        ("a PNG header", 422, plain, png[..33].to_vec()),
        ("a form without the field", 400, form_headers, other_field),
        ("half a form", 400, form_headers, form_body[..form_body.len() / 2].to_vec()),
        ("no boundary", 400, "Content-Type: multipart/form-data\r\n", form_body.clone()),
        ("an empty field", 400, form_headers, form(b"").1),
        ("a form that says it is none", 415, "Content-Type: image/jpeg\r\n", form_body),
    ];
    for variant in [Variant::EventLoop, Variant::WorkerPool, Variant::ReusePort] {
        let server = Server::start(variant, 1);
        let mut client = server.connect();
        for (what, status, headers, body) in &cases {
            let response = client.request("POST", "/convolve", headers, body);
            assert_eq!(response.status, *status, "{what} on {variant}: {}", response.body);
            response.problem(*status);
            assert_eq!(client.post("/convolve", &png).status, 200, "after {what} on {variant}");
        }
        assert_eq!(server.metric("cpubound_requests_finished_total{outcome=\"invalid\"}"), cases.len() as u64);
    }
}

#[test]
fn methods_are_refused_with_those_there_are() {
    let server = Server::start(Variant::EventLoop, 1);
    for (path, methods) in [("/convolve", "POST"), ("/images/a/convolve", "POST"), ("/images/a", "GET, PUT, DELETE")] {
        for method in ["GET", "PUT", "DELETE", "POST", "PATCH"].iter().filter(|method| !methods.contains(**method)) {
            let response = server.connect().request(method, path, "", b"x");
            response.problem(405);
            assert_eq!(response.header("allow"), Some(methods));
        }
    }
}

/// While an image is convolved, or is being sent, or something large and wrong is decoded, others are served.
#[test]
fn others_are_served_meanwhile() {
    let waiting = encoded(&noise(WAITS_WIDE, 10, 3, 1), Format::Png);
    let large = encoded(&noise(900, 700, 3, 1), Format::Jpeg);
    for variant in [Variant::ThreadPerRequest, Variant::WorkerPool, Variant::WorkerArray, Variant::SpawnBlocking] {
        let server = Server::gated(variant, 1);
        let mut sending = server.connect();
        sending.send("GET", "/healthz");
        assert_eq!(sending.receive().status, 200);
        let head = format!("POST /convolve HTTP/1.1\r\nHost: test\r\nContent-Length: {}\r\n\r\n", large.len());
        send(&mut sending, &[head.as_bytes(), &large[..large.len() / 2]].concat());
        let mut computing = server.connect();
        let head = format!("POST /convolve HTTP/1.1\r\nHost: test\r\nContent-Length: {}\r\n\r\n", waiting.len());
        send(&mut computing, &[head.as_bytes(), &waiting].concat());
        server.gate.await_arrivals(1);
        let mut corrupt = server.connect();
        let head = format!("POST /convolve HTTP/1.1\r\nHost: test\r\nContent-Length: {}\r\n\r\n", large.len() - 9);
        send(&mut corrupt, &[head.as_bytes(), &large[..large.len() - 9]].concat());
        assert_eq!(server.get("/healthz").body, "ok", "{variant}");
        server.gate.open();
        assert_eq!(computing.receive().status, 200, "{variant}");
        corrupt.receive().problem(422);
        send(&mut sending, &large[large.len() / 2..]);
        assert_eq!(sending.receive().status, 200, "{variant}");
    }
}

fn send(client: &mut Client, bytes: &[u8]) {
    std::io::Write::write_all(&mut client.stream, bytes).unwrap();
}

#[test]
fn edges_and_methods_reach_the_kernel() {
    let server = Server::start(Variant::EventLoop, 1);
    let mut client = server.connect();
    let image = noise(33, 21, 4, 9);
    let file = encoded(&image, Format::Png);
    for edge in Edge::ALL {
        for method in Method::ALL {
            let job = Convolve { edge, ..blur(image.clone(), method) };
            assert_is_file(&client.post(&query(&job), &file), Format::Png, &convolved(job, Format::Png));
        }
    }
}
