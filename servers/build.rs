//! Compiles the Wasm modules ahead of time, so that the program needs no compiler inside.

#[path = "src/backend/wasm/settings.rs"]
mod settings;

use std::path::PathBuf;
use std::{env, fs};

const MODULES: [&str; 4] = ["kernels", "kernels-threads", "study-o0", "study-o3"];

fn main() {
    println!("cargo::rerun-if-changed=src/backend/wasm/settings.rs");
    let target = env::var("TARGET").expect("cargo sets TARGET");
    let mut config = settings::settings();
    config.target(&target).unwrap_or_else(|error| panic!("wasmtime does not compile for {target}: {error:#}"));
    if target.starts_with("x86_64") {
        // x86-64-v2, which every such CPU since about 2010 has; loading the module checks it again.
        for feature in ["has_sse3", "has_ssse3", "has_sse41", "has_sse42", "has_popcnt"] {
            // SAFETY: the flags let the compiler use instructions; the module is refused at load time by a CPU that lacks them.
            unsafe { config.cranelift_flag_enable(feature) };
        }
    }
    let engine = wasmtime::Engine::new(&config).expect("valid engine settings");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    for name in MODULES {
        let module = format!("wasm/{name}.wasm");
        println!("cargo::rerun-if-changed={module}");
        let bytes = fs::read(&module).unwrap_or_else(|error| panic!("{module}: {error}"));
        let compiled = engine.precompile_module(&bytes).unwrap_or_else(|error| panic!("{module}: {error:#}"));
        let file = out.join(name).with_extension("cwasm");
        fs::write(&file, compiled).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    }
}
