//! Any query, content type and body.

#![no_main]

#[path = "../../tests/doors/mod.rs"]
mod doors;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| doors::request(data));
