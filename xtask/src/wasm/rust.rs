//! The crate `kernels`, compiled to Wasm by rustc.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use super::build::Made;
use super::output_of;

const TARGET: &str = "wasm32-unknown-unknown";
const CARGO_ARGUMENTS: &str =
    "rustc --package kernels --lib --crate-type cdylib --release --target wasm32-unknown-unknown";
/// Optimised as one, so that nothing is left of panic messages: they are never shown, and hold paths.
const PROFILE: [(&str, &str); 2] = [("CARGO_PROFILE_RELEASE_LTO", "fat"), ("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "1")];
/// No names and debug information: the module is checked in, so it should be small and tell nothing of the machine.
const FLAGS: &str = "-Copt-level=3 -Cpanic=abort -Cstrip=symbols -Clink-arg=--export=__heap_base \
     -Clink-arg=--export=__stack_pointer";
/// Shared memory, which the host makes; a stack pointer that it sets for each instance.
///
/// The core library of the rustup target is compiled without atomics, at which the linker takes offence unless told not to
/// check. Nothing in it, nor in the kernels, uses them: threads only share buffers, of which each writes a part of its own.
pub const THREADS: &str = "-Ctarget-feature=+simd128,+atomics,+bulk-memory,+mutable-globals \
     -Clink-arg=--shared-memory -Clink-arg=--import-memory -Clink-arg=--max-memory=1073741824 \
     -Clink-arg=--no-check-features";

/// Builds the crate with [`FLAGS`] and `more_flags`.
pub fn make(root: &Path, more_flags: &str) -> Result<Made> {
    let rustc = env::var_os("WASM_RUSTC").unwrap_or_else(|| "rustc".into());
    check_target(&rustc)?;
    let target_dir = env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from).join("wasm");
    let private = private_paths(root, &rustc)?;
    let flags = format!("{FLAGS} {more_flags}");
    let mut all_flags: Vec<String> = flags.split(' ').map(String::from).collect();
    all_flags.extend(private.iter().map(|path| format!("--remap-path-prefix={path}=.")));
    if let Ok(linker) = env::var("WASM_LINKER") {
        all_flags.push(format!("-Clinker={linker}"));
    }
    let status = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .current_dir(root)
        .args(CARGO_ARGUMENTS.split(' '))
        .arg("--target-dir")
        .arg(&target_dir)
        .env("RUSTC", &rustc)
        // As cargo takes them, separated by a character that is in no path.
        .env("CARGO_ENCODED_RUSTFLAGS", all_flags.join("\x1f"))
        .envs(PROFILE)
        .status()
        .context("cargo did not start")?;
    ensure!(status.success(), "cargo failed: {status}");

    let built = target_dir.join(TARGET).join("release/kernels.wasm");
    let module = fs::read(&built).with_context(|| built.display().to_string())?;
    for path in private {
        ensure!(
            !module.windows(path.len()).any(|window| window == path.as_bytes()),
            "the module contains a path of this machine: {path}"
        );
    }
    let profile = PROFILE.map(|(name, value)| format!("{name}={value}")).join(" ");
    Ok(Made {
        module,
        compiler: output_of(Command::new(&rustc).arg("--version"))?,
        command: format!("RUSTFLAGS='{flags}' {profile} cargo {CARGO_ARGUMENTS}"),
    })
}

/// Folders whose names must not get into the module.
fn private_paths(root: &Path, rustc: &OsStr) -> Result<Vec<String>> {
    let home = env::var("HOME").ok().filter(|home| home.len() > 1);
    let sysroot = output_of(Command::new(rustc).args(["--print", "sysroot"]))?;
    Ok([Some(root.display().to_string()), env::var("CARGO_HOME").ok(), home, Some(sysroot)]
        .into_iter()
        .flatten()
        .collect())
}

fn check_target(rustc: &OsStr) -> Result<()> {
    let folder = output_of(Command::new(rustc).args(["--print", "target-libdir", "--target", TARGET]));
    if !folder.is_ok_and(|folder| Path::new(&folder).is_dir()) {
        bail!("{} has no target {TARGET}; `rustup target add {TARGET}` installs it", rustc.display());
    }
    Ok(())
}
