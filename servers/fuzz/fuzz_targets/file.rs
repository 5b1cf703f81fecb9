//! Any bytes as the file that a client sends.

#![no_main]

#[path = "../../tests/doors/mod.rs"]
mod doors;

use libfuzzer_sys::fuzz_target;

fuzz_target!(
    init: {
        // A panic of the JPEG decoder is caught and an error; any other is a finding.
        std::panic::set_hook(Box::new(|panic| {
            if !panic.location().is_some_and(|place| place.file().contains("zune-jpeg")) {
                eprintln!("{panic}");
                std::process::abort();
            }
        }));
    },
    |data: &[u8]| doors::file(data)
);
