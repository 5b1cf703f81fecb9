//! Every variant keeps the contract.

mod common;

use std::num::NonZeroUsize;
use std::thread;

use common::{Client, PANICS, Server};
use servers::{BackendChoice, Variant, WasmBuild};

const FIB_15: u64 = 610;

/// 50 clients at once, each with a salt of its own, over two requests on one connection.
fn answers_are_right_under_load(variant: Variant) {
    let server = Server::start(variant, 3);
    let address = server.address;
    let client = move |salt: u64| {
        let mut client = Client::connect(address);
        for salt in [salt, salt + 4_000_000_000] {
            let response = client.get(&format!("/fib/15?salt={salt}"));
            assert_eq!((response.status, response.body), (200, (FIB_15 + salt).to_string()));
        }
    };
    thread::scope(|scope| (0..50).for_each(|salt| drop(scope.spawn(move || client(salt)))));
    assert_eq!(server.metric("cpubound_requests_started_total"), 100);
    assert_eq!(server.metric("cpubound_requests_finished_total{outcome=\"ok\"}"), 100);
}

/// What is not a job: wrong sizes and salts, routes and methods.
fn errors_are_problems(variant: Variant) {
    let server = Server::start(variant, 1);
    let mut client = server.connect();
    for n in ["94", "-1", "abc", "", "+1", "1.0", "99999999999999999999"] {
        let detail = client.get(&format!("/fib/{n}")).problem(400);
        assert!(detail.contains(&format!("{n:?}")), "{detail}");
    }
    for salt in ["", "-1", "abc", "4294967296", "+1"] {
        let detail = client.get(&format!("/fib/1?salt={salt}")).problem(400);
        assert!(detail.starts_with("salt must be"), "{detail}");
        client.get(&format!("/atan-tan/1?salt={salt}")).problem(400);
    }
    for num in ["13", "-1", "abc", ""] {
        client.get(&format!("/atan-tan/{num}")).problem(400);
    }
    for n in [51, 93] {
        let detail = client.get(&format!("/fib/{n}")).problem(422);
        assert!(detail.contains("at most 50"), "{detail}");
    }
    for path in ["/", "/fib", "/fib/1/2", "/nowhere"] {
        client.get(path).problem(404);
    }
    for (method, path) in [("POST", "/fib/1"), ("PUT", "/hello"), ("DELETE", "/healthz"), ("POST", "/metrics")] {
        client.send(method, path);
        let response = client.receive();
        response.problem(405);
        assert_eq!(response.header("allow"), Some("GET"));
    }
    client.send("HEAD", "/hello");
    let response = client.try_receive(false).unwrap();
    assert_eq!((response.status, response.header("allow")), (405, Some("GET")));
    // And after all that the connection is as good as new.
    assert_eq!(client.get("/fib/0").body, "0");
}

fn plain_routes_answer(variant: Variant) {
    let server = Server::start(variant, 2);
    let mut client = server.connect();
    let hello = client.get("/hello");
    assert_eq!((hello.status, hello.body.as_str(), hello.header("content-length")), (200, "hello", Some("5")));
    assert_eq!(hello.header("content-type"), Some("text/plain; charset=utf-8"));
    assert_eq!(client.get("/healthz").body, "ok");
    assert_eq!(client.get("/fib/20").body, "6765");
    assert_eq!(client.get("/atan-tan/0?salt=7").body, "7");
    let sum: f64 = client.get("/atan-tan/3?salt=5").body.parse().unwrap();
    assert_eq!(sum, kernels::atan_tan(3) + 5.0);
    let fib = client.get("/fib/1?salt=41&unknown=parameter");
    assert_eq!(fib.body, "42");
    let timing = fib.header("server-timing").expect("Server-Timing");
    let names: Vec<_> = timing.split(", ").map(|part| part.split_once(";dur=").unwrap()).collect();
    assert_eq!(names.iter().map(|&(name, _)| name).collect::<Vec<_>>(), ["queue", "compute", "cpu"]);
    assert!(names.iter().all(|(_, ms)| ms.parse::<f64>().unwrap() >= 0.0), "{timing}");
    assert!(server.metric("process_threads") >= 1);
    assert!(client.get("/metrics").body.contains("\nprocess_cpu_seconds_total "));
}

fn a_panic_fails_one_job_alone(variant: Variant) {
    let server = Server::gated(variant, 1);
    let mut client = server.connect();
    for _ in 0..2 {
        let detail = client.get(&format!("/fib/{PANICS}")).problem(500);
        assert!(detail.contains("on purpose"), "{detail}");
        assert_eq!(client.get("/fib/10?salt=1").body, "56");
    }
    assert_eq!(server.metric("cpubound_requests_finished_total{outcome=\"failed\"}"), 2);
}

/// The tests of every variant, under its name.
macro_rules! for_each_variant {
    ($($module:ident: $variant:ident),* $(,)?) => {
        $(mod $module {
            use super::*;

            #[test]
            fn answers_are_right_under_load() {
                super::answers_are_right_under_load(Variant::$variant);
            }

            #[test]
            fn errors_are_problems() {
                super::errors_are_problems(Variant::$variant);
            }

            #[test]
            fn plain_routes_answer() {
                super::plain_routes_answer(Variant::$variant);
            }

            #[test]
            fn a_panic_fails_one_job_alone() {
                super::a_panic_fails_one_job_alone(Variant::$variant);
            }
        })*

        #[test]
        fn no_variant_is_forgotten() {
            assert_eq!([$(Variant::$variant),*], Variant::ALL);
        }
    };
}

for_each_variant! {
    event_loop: EventLoop,
    thread_per_request: ThreadPerRequest,
    worker_pool: WorkerPool,
    worker_array: WorkerArray,
    wasm_worker: WasmWorker,
    multi_event_loop: MultiEventLoop,
    reuse_port: ReusePort,
    spawn_blocking: SpawnBlocking,
}

/// Any variant computes by any backend; what a backend cannot compute at all is said to be so.
#[test]
fn backends_are_chosen_apart_from_variants() {
    let wasm = |build, threads| {
        let job_threads = NonZeroUsize::new(threads).unwrap();
        BackendChoice::Wasm { build, job_threads }
    };
    for variant in [Variant::EventLoop, Variant::ThreadPerRequest, Variant::WasmWorker] {
        let server = Server::start_on(variant, 2, wasm(WasmBuild::Threads, 2));
        assert_eq!(server.get("/fib/20?salt=1").body, "6766");
        let server = Server::start_on(variant, 2, wasm(WasmBuild::StudyO0, 1));
        let detail = server.get("/fib/20").problem(501);
        assert!(detail.contains("only convolves"), "{detail}");
        assert_eq!(server.get("/hello").status, 200);
    }
}
