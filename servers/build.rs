//! Compiles the Wasm module of the kernels ahead of time, so that the program needs no compiler inside.

#[path = "src/backend/wasm_settings.rs"]
mod wasm_settings;

use std::path::PathBuf;
use std::{env, fs};

const MODULE: &str = "wasm/kernels.wasm";

fn main() {
    println!("cargo::rerun-if-changed={MODULE}");
    println!("cargo::rerun-if-changed=src/backend/wasm_settings.rs");
    let target = env::var("TARGET").expect("cargo sets TARGET");
    let mut config = wasm_settings::settings();
    config.target(&target).unwrap_or_else(|error| panic!("wasmtime does not compile for {target}: {error:#}"));
    if target.starts_with("x86_64") {
        // x86-64-v2, which every such CPU since about 2010 has; loading the module checks it again.
        for feature in ["has_sse3", "has_ssse3", "has_sse41", "has_sse42", "has_popcnt"] {
            // SAFETY: the flags let the compiler use instructions; the module is refused at load time by a CPU that lacks them.
            unsafe { config.cranelift_flag_enable(feature) };
        }
    }
    let engine = wasmtime::Engine::new(&config).expect("valid engine settings");
    let module = fs::read(MODULE).unwrap_or_else(|error| panic!("{MODULE}: {error}"));
    let compiled = engine.precompile_module(&module).unwrap_or_else(|error| panic!("{MODULE}: {error:#}"));
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR")).join("kernels.cwasm");
    fs::write(&out, compiled).unwrap_or_else(|error| panic!("{}: {error}", out.display()));
}
