//! The engine settings, in one place: `build.rs` compiles the modules with them and the server loads them with them, and
//! wasmtime refuses a module whose settings differ.

/// Neither fuel nor epochs: a job is never interrupted, so nothing is paid for the possibility.
pub(crate) fn settings() -> wasmtime::Config {
    let mut config = wasmtime::Config::new();
    config.consume_fuel(false).epoch_interruption(false);
    // Several instances share a memory in the build `threads`.
    config.wasm_threads(true).shared_memory(true);
    config
}
