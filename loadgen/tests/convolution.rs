//! Sweeps whose requests are pictures: right servers, and servers that are wrong in every way that matters.

mod common;

use std::fs;
use std::sync::{Arc, Mutex};

use codecs::{Format, Picture, Quality, View};
use loadgen::image::Convolution;
use nix::sys::signal::Signal;

use common::{Sandbox, Started, TestServer, array, cells, wait_for, whole};

const PATH: &str = "/convolve?size=5&sigma=2&edge=reflect";
const MOST: u64 = 1 << 20;

/// A small photograph, with something in it everywhere.
fn photograph(format: Format) -> Vec<u8> {
    let (width, height) = (64, 48);
    let sample = |at: usize| {
        let (x, y) = (at / 3 % width, at / 3 / width);
        ((if (x / 9 + y / 7) % 2 == 0 { 190 - x } else { 30 + 2 * y }) + 11 * (at % 3)) as u8
    };
    let pixels: Vec<u8> = (0..width * height * 3).map(sample).collect();
    codecs::encode(View { width, height, channels: 3, pixels: &pixels }, format, Quality::default()).unwrap()
}

/// A sandbox with photographs and a scenario that sends one of them.
fn sandbox(servers: &[&str], image: &str, tolerance: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    fs::create_dir(sandbox.path("pictures")).unwrap();
    sandbox.write("pictures/photo.png", photograph(Format::Png));
    sandbox.write("pictures/photo.jpg", photograph(Format::Jpeg));
    sandbox.write(
        "small.toml",
        format!(
            "name = \"small\"\ntitle = \"small pictures\"\nservers = {servers:?}\nbackends = [\"native\", \"wasm\"]\n\
             concurrency = \"1,3\"\nconnections = \"keep-alive\"\nrequests = {{ per_client = 4, least = 6 }}\n\
             warm_up = {{ concurrency = 1, requests = 2 }}\n[request]\nmethod = \"POST\"\npath = {PATH:?}\n\
             [request.image]\n{image}\n[expect.image]\ntolerance = {tolerance}\n"
        ),
    );
    sandbox
}

const EXACT: &str = "{ mean = 0.1, far = 1, share = 0.0 }";
const NEAR: &str = "{ mean = 3.0, far = 30, share = 0.01 }";

#[test]
fn every_backend_convolves_and_says_where_its_time_went() {
    let sandbox = sandbox(&["event-loop", "worker-pool", "wasm-worker"], "file = \"pictures/photo.jpg\"", NEAR);
    let outcome = sandbox.run(&["sweep", "--scenario", "small.toml", "--out", "out"]);
    outcome.expect_code(0);
    let rows = sandbox.rows("out");
    assert_eq!(rows.len(), 5 * 2);
    for row in &rows {
        let number = |column: &str| row[column].parse::<f64>().unwrap_or_else(|_| panic!("{column}: {row:?}"));
        let parts = ["queue_ms", "decode_ms", "compute_ms", "encode_ms", "transport_ms"].map(number);
        assert!(parts[1] > 0.0 && parts[3] > 0.0, "{row:?}");
        // Rounding of each part, and a transport that is never negative.
        assert!((parts.iter().sum::<f64>() / number("mean_ms") - 1.0).abs() < 0.05, "{row:?}");
        assert!(number("limit_rps") > 0.0 && number("efficiency") > 0.0, "{row:?}");
    }
    for picture in ["throughput.png", "latency.png", "time.png", "resources.png"] {
        assert!(fs::read(sandbox.path("out").join(picture)).unwrap().starts_with(b"\x89PNG"), "{picture}");
    }
    let results = sandbox.results("out");
    assert_eq!(results["scenario"]["request"]["image"]["file"], "pictures/photo.jpg");
    assert!(!array(&results["ceiling"]).is_empty());
}

#[test]
fn stored_pictures_are_asked_for_by_name() {
    let sandbox = sandbox(&["worker-pool"], "file = \"pictures/photo.png\"\ninputs = 4", EXACT);
    let sweep = ["sweep", "--scenario", "small.toml", "--image-size", "40x30", "--image-send", "store", "--out", "out"];
    sandbox.run(&[&sweep[..], &["--backends", "native"]].concat()).expect_code(0);
    let results = sandbox.results("out");
    assert_eq!(results["scenario"]["title"], "small pictures (here: 40x30, stored)");
    let requests: u64 = cells(&results).iter().map(|(_, cell)| whole(&cell["ok"])).sum();
    assert_eq!(requests, 6 + 12);
}

#[test]
fn a_server_of_the_users_own_is_asked_too_and_left_as_it_was() {
    let stored: Arc<Mutex<Vec<String>>> = Arc::default();
    let there = Arc::clone(&stored);
    let server = TestServer::with_bodies(move |_, path, body| {
        let mut stored = there.lock().unwrap();
        // It convolves nothing.
        let Some(name) = path.strip_prefix("/images/").filter(|name| !name.contains('/')) else {
            return Some((404, Vec::new()));
        };
        if body.is_empty() {
            stored.retain(|known| known != name);
            return Some((204, Vec::new()));
        }
        stored.push(name.to_owned());
        Some((201, Vec::new()))
    });
    let sandbox = sandbox(&[], "file = \"pictures/photo.png\"\nsend = \"store\"", EXACT);
    let outcome = sandbox.run(&["sweep", "--scenario", "small.toml", "--url", &server.url(), "--out", "out"]);
    outcome.expect_code(2).expect_message(&[
        "POST /images/small-0/convolve",
        "expected status 200",
        "received status 404",
    ]);
    let left = stored.lock().unwrap();
    assert!(left.is_empty(), "{left:?}");
}

/// What a right server answers.
fn convolved(body: &[u8], change: impl Fn(&mut Vec<u8>)) -> Vec<u8> {
    let picture = codecs::decode(body, MOST).unwrap();
    let mut pixels = Vec::new();
    Convolution::of_path(PATH).unwrap().rows(&picture, |_, row| pixels.extend_from_slice(row));
    change(&mut pixels);
    codecs::encode(Picture { pixels, ..picture }.view(), Format::Png, Quality::default()).unwrap()
}

/// The first requests verify, warm up included; answers may become wrong after them.
const FIRST: u64 = 3 + 2;

/// A run of a scenario against one server of our own.
fn run(answer: impl Fn(u64, &[u8]) -> Vec<u8> + Send + Sync + 'static) -> (Sandbox, common::Outcome) {
    let server = TestServer::with_bodies(move |number, path, body| match path {
        // Whether it is there is asked without a body.
        PATH if body.is_empty() => Some((400, Vec::new())),
        PATH => Some((200, answer(number, body))),
        _ => Some((404, Vec::new())),
    });
    let sandbox = sandbox(&[], "file = \"pictures/photo.png\"", EXACT);
    let outcome = sandbox.run(&["sweep", "--scenario", "small.toml", "--url", &server.url(), "--out", "out"]);
    (sandbox, outcome)
}

/// What the first failure of kind `body` says.
fn told(sandbox: &Sandbox) -> (String, String) {
    let results = sandbox.results("out");
    let cells = cells(&results);
    let failure = cells.iter().flat_map(|(_, cell)| array(&cell["failures"])).next().expect("a failure");
    assert_eq!(failure["kind"], "body");
    assert!(failure["request"].as_str().unwrap().starts_with("POST /convolve"));
    (failure["expected"].as_str().unwrap().to_owned(), failure["received"].as_str().unwrap().to_owned())
}

#[test]
fn a_right_server_of_ones_own_is_right() {
    let (sandbox, outcome) = run(|_, body| convolved(body, |_| {}));
    outcome.expect_code(0);
    assert!(sandbox.rows("out").iter().all(|row| row["errors"] == "0"));
}

#[test]
fn pictures_that_were_not_convolved_are_not_measured() {
    let (_sandbox, outcome) = run(|_, body| body.to_vec());
    outcome.expect_code(2).expect_message(&["expected input 0 convolved", "received the input itself", "not measured"]);
    // Packed anew: other bytes, the same pixels.
    let (_sandbox, outcome) = run(|_, body| {
        let picture = codecs::decode(body, MOST).unwrap();
        codecs::encode(picture.view(), Format::Png, Quality::default()).map(|file| [file, vec![0]].concat()).unwrap()
    });
    outcome.expect_code(2).expect_message(&["expected input 0 convolved", "received a picture that is off by"]);
}

#[test]
fn mixed_up_answers_are_caught_at_once_and_later() {
    // Everybody gets what the one before had.
    let swapped = |from: u64| {
        let last: Mutex<Vec<u8>> = Mutex::default();
        move |number: u64, body: &[u8]| {
            let mine = convolved(body, |_| {});
            let before = std::mem::replace(&mut *last.lock().unwrap(), mine.clone());
            if number >= from && !before.is_empty() { before } else { mine }
        }
    };
    let (_sandbox, outcome) = run(swapped(0));
    outcome.expect_code(2).expect_message(&["expected input", "received a picture that is off by"]);
    let (sandbox, outcome) = run(swapped(FIRST + 1));
    outcome.expect_code(1);
    let (expected, received) = told(&sandbox);
    assert!(expected.contains("bytes as its first answer to input"), "{expected}");
    assert!(received.contains("its answer to input"), "{received}");
}

#[test]
fn a_picture_that_changes_later_is_caught_however_little() {
    let (sandbox, outcome) = run(|number, body| {
        convolved(body, |pixels| {
            if number > FIRST + 8 {
                pixels[1000] ^= 1;
            }
        })
    });
    outcome.expect_code(1);
    let (expected, received) = told(&sandbox);
    assert!(expected.contains("as its first answer to input"), "{expected}");
    assert!(received.contains("a picture of") && received.contains("other from byte"), "{received}");
}

#[test]
fn verify_and_ceiling_take_the_pictures_of_a_scenario() {
    let sandbox = sandbox(&["worker-pool"], "file = \"pictures/photo.jpg\"\nsize = \"32x24\"\ninputs = 3", NEAR);
    let outcome = sandbox.run(&["verify", "--scenario", "small.toml"]);
    outcome.expect_code(0);
    assert_eq!(outcome.stdout.lines().filter(|line| line.ends_with("right")).count(), 2, "{}", outcome.stdout);
    let ceiling = ["ceiling", "--seconds", "0.01", "--threads", "1", "--json"];
    for what in [&["--scenario", "small.toml"][..], &["--path", PATH, "--input", "pictures/photo.png"]] {
        let outcome = sandbox.run(&[&ceiling[..], what].concat());
        outcome.expect_code(0);
        let line: serde_json::Value = serde_json::from_str(&outcome.stdout).unwrap();
        assert!(line["rate_rps"].as_f64().unwrap() > 0.0);
    }
}

#[test]
fn pictures_that_are_none_are_refused_with_file_line_and_key() {
    let refused = |image: &str, flags: &[&str], named: &[&str]| {
        let sandbox = sandbox(&["worker-pool"], image, NEAR);
        sandbox.write("pictures/words.jpg", "no picture");
        sandbox.write("pictures/cut.png", &photograph(Format::Png)[..300]);
        let before = sandbox.contents();
        let outcome = sandbox.run(&[&["sweep", "--scenario", "small.toml"], flags].concat());
        outcome.expect_code(2).expect_message(named);
        assert_eq!(sandbox.contents(), before, "{}", outcome.stderr);
    };
    let line = "small.toml, line 9: request.image.file";
    refused("file = \"pictures/none.jpg\"", &[], &[line, "pictures/none.jpg", "deep-field"]);
    refused("file = \"pictures\"", &[], &[line, "pictures", "directory"]);
    refused("file = \"pictures/words.jpg\"", &[], &[line, "words.jpg", "neither a JPEG nor a PNG"]);
    refused("file = \"pictures/cut.png\"", &[], &["request.image.file", "cut.png", "too early"]);
    let good = "file = \"pictures/photo.png\"";
    refused(&format!("{good}\nsize = \"100\""), &[], &["small.toml", "size", "`100`"]);
    refused(&format!("{good}\ninputs = 0"), &[], &["line 9: request.image.inputs", "1 to 1000"]);
    refused(&format!("{good}\nsend = \"mail\""), &[], &["small.toml", "mail", "upload"]);
    refused(good, &["--image-size", "0x5"], &["--image-size", "`0x5`", "11384x4221"]);
    refused(good, &["--image-send", "mail"], &["--image-send", "upload"]);
    refused(good, &["--image", "none.png"], &["--image: none.png", "no such file"]);
    refused(good, &["--image", "pictures/words.jpg"], &["--image: pictures/words.jpg", "neither"]);
    let sandbox = sandbox(&["worker-pool"], good, NEAR);
    let outcome = sandbox.run(&["sweep", "--scenario", "fib", "--image-size", "5x5"]);
    outcome.expect_code(2).expect_message(&["--image-size: scenario fib sends no pictures"]);
    let outcome = sandbox.run(&["ceiling", "--path", PATH, "--input", "none.png"]);
    outcome.expect_code(2).expect_message(&["--input none.png"]);
    sandbox.write("plain.png", {
        let view = View { width: 8, height: 8, channels: 1, pixels: &[7; 64] };
        codecs::encode(view, Format::Png, Quality::default()).unwrap()
    });
    let outcome = sandbox.run(&["sweep", "--scenario", "small.toml", "--image", "plain.png"]);
    outcome.expect_code(2).expect_message(&["plain.png", "take one with more in it"]);
}

#[test]
fn an_interrupt_does_not_wait_for_pictures() {
    let sandbox = sandbox(&["worker-pool"], "file = \"pictures/photo.jpg\"\nsize = \"9000x9000\"\ninputs = 1000", NEAR);
    let started = Started::new(&sandbox, &["sweep", "--scenario", "small.toml"]);
    // SIGINT is the second bit of the signals that are caught.
    wait_for("a handler of signals", || {
        let status = fs::read_to_string(format!("/proc/{}/status", started.pid())).ok()?;
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"))?;
        (u64::from_str_radix(caught.trim(), 16).ok()? & 2 != 0).then_some(())
    });
    started.signal(Signal::SIGINT);
    let outcome = started.end();
    outcome.expect_code(130);
    sandbox.assert_nothing_left();
}
