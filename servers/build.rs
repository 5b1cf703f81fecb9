//! Compiles the Wasm modules ahead of time, so that the program needs no compiler inside.

#[path = "src/backend/wasm/settings.rs"]
mod settings;

use std::path::PathBuf;
use std::{env, fs};

const MODULES: [&str; 4] = ["kernels", "kernels-threads", "study-o0", "study-o3"];

/// x86-64-v2, which every such CPU since about 2010 has.
const BASELINE: &[&str] = &["has_sse3", "has_ssse3", "has_sse41", "has_sse42", "has_popcnt"];
/// x86-64-v3, which most have: its SIMD instructions with three operands are worth 7% of a convolution.
const AVX2: &[&str] = &["has_avx", "has_avx2", "has_fma", "has_bmi1", "has_bmi2", "has_lzcnt"];

fn main() {
    println!("cargo::rerun-if-changed=src/backend/wasm/settings.rs");
    for name in MODULES {
        println!("cargo::rerun-if-changed=wasm/{name}.wasm");
    }
    if env::var("CARGO_CFG_TARGET_ARCH").is_ok_and(|architecture| architecture == "x86_64") {
        compile("baseline", BASELINE);
        compile("avx2", &[BASELINE, AVX2].concat());
    } else {
        compile("baseline", &[]);
    }
}

/// Compiles every module for CPUs with some features, into a folder of that name.
fn compile(folder: &str, features: &[&str]) {
    let target = env::var("TARGET").expect("cargo sets TARGET");
    let mut config = settings::settings();
    config.target(&target).unwrap_or_else(|error| panic!("wasmtime does not compile for {target}: {error:#}"));
    for feature in features {
        // SAFETY: the flags let the compiler use instructions; the module is refused at load time by a CPU that lacks them.
        unsafe { config.cranelift_flag_enable(feature) };
    }
    let engine = wasmtime::Engine::new(&config).expect("valid engine settings");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR")).join(folder);
    fs::create_dir_all(&out).unwrap_or_else(|error| panic!("{}: {error}", out.display()));
    for name in MODULES {
        let module = format!("wasm/{name}.wasm");
        let bytes = fs::read(&module).unwrap_or_else(|error| panic!("{module}: {error}"));
        let compiled = engine.precompile_module(&bytes).unwrap_or_else(|error| panic!("{module}: {error:#}"));
        let file = out.join(name).with_extension("cwasm");
        fs::write(&file, compiled).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    }
}
