//! Whatever a server sends, however it is split: no panic, and the same verdict.
//!
//! The parser is a part of loadgen that is not public, and stands on its own: it is included as it is.
//! `cargo test -p loadgen corpus` replays the corpus with a stable compiler.

#![no_main]

#[path = "../../src/engine/response/invariants.rs"]
mod invariants;
#[path = "../../src/engine/response/mod.rs"]
mod response;

use response::{ParseError, Parser, Progress};

libfuzzer_sys::fuzz_target!(|input: &[u8]| invariants::hold_for(input));
