//! Chores of this workspace, run as `cargo xtask CHORE`.

mod native;
mod recursion;
mod sources;
mod wasm;

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result};

const HELP: &str = "\
usage: cargo xtask CHORE

  wasm        rebuild the modules of servers/wasm from servers/kernels and servers/wasm/study and record how
              (WASM_RUSTC: a rustc that has the target; WASM_LINKER: a linker other than its own; WASM_CLANG: a clang)
  node-native build servers/native, the kernels as a module for Node, into servers/node/kernels.node
  recursion   show by measurement that fib makes every one of its calls";

fn main() -> ExitCode {
    let chore = std::env::args().nth(1);
    let done = match chore.as_deref() {
        Some("wasm") => root().and_then(wasm::rebuild),
        Some("node-native") => root().and_then(native::build),
        Some("recursion") => root().and_then(recursion::show),
        Some("help" | "--help" | "-h") => {
            println!("{HELP}");
            Ok(())
        }
        other => {
            eprintln!("{}\n\n{HELP}", other.map_or("no chore given".into(), |name| format!("unknown chore {name:?}")));
            return ExitCode::from(2);
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// The workspace's root.
fn root() -> Result<&'static Path> {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().context("xtask lies in no workspace")
}
