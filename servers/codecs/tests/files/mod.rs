//! The reference files.

#![allow(dead_code, reason = "each test uses what it needs")]

use std::fs;
use std::path::PathBuf;

use codecs::{Picture, decode};

fn folder() -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "tests", "data"].iter().collect()
}

/// Every file with its name, in order.
pub fn files() -> Vec<(String, Vec<u8>)> {
    let entries = fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let is_image =
        |name: &String| name.ends_with(".jpg") || (name.ends_with(".png") && !name.ends_with(".expected.png"));
    let mut names: Vec<String> = entries.filter(is_image).collect();
    names.sort();
    names.into_iter().map(|name| (name.clone(), read(&name))).collect()
}

/// One file.
pub fn read(name: &str) -> Vec<u8> {
    fs::read(folder().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// What should be in a file. PNG of 8 bits a sample, for which the round trips vouch.
pub fn expected(name: &str) -> Picture {
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    decode(&read(&format!("{stem}.expected.png")), u64::MAX).unwrap()
}
