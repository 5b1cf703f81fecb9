//! `cargo xtask wasm`: rebuilds the checked-in Wasm module, so that building the servers needs no Wasm target.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use crate::sources;

const FOLDER: &str = "servers/wasm";
const MODULE: &str = "kernels.wasm";
const TARGET: &str = "wasm32-unknown-unknown";
const CARGO_ARGUMENTS: &str =
    "rustc --package kernels --lib --crate-type cdylib --release --target wasm32-unknown-unknown";
/// No names and debug information: the module is checked in, so it should be small and tell nothing of the machine.
const FLAGS: &str = "-Copt-level=3 -Cpanic=abort -Cstrip=symbols";

/// Builds the module, puts it in its folder and records compiler, flags and hashes in `builds.toml`.
pub fn rebuild(root: &Path) -> Result<()> {
    let rustc = env::var_os("WASM_RUSTC").unwrap_or_else(|| "rustc".into());
    check_target(&rustc)?;
    let target_dir = env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from).join("wasm");
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .current_dir(root)
        .args(CARGO_ARGUMENTS.split(' '))
        .arg("--target-dir")
        .arg(&target_dir)
        .env("RUSTC", &rustc)
        .env("CARGO_ENCODED_RUSTFLAGS", flags(root))
        .status()
        .context("cargo did not start")?;
    ensure!(status.success(), "cargo failed: {status}");

    let built = target_dir.join(TARGET).join("release").join(MODULE);
    let module = fs::read(&built).with_context(|| built.display().to_string())?;
    for private in private_paths(root) {
        ensure!(
            !module.windows(private.len()).any(|window| window == private.as_bytes()),
            "the module contains a path of this machine: {private}"
        );
    }
    let folder = root.join(FOLDER);
    fs::write(folder.join(MODULE), &module).with_context(|| format!("{FOLDER}/{MODULE}"))?;
    fs::write(folder.join("builds.toml"), record(root, &version(&rustc)?)?).context("builds.toml")?;
    println!("{FOLDER}/{MODULE}: {} bytes", module.len());
    Ok(())
}

/// The flags as cargo takes them, separated by a character that is in no path.
fn flags(root: &Path) -> OsString {
    let mut flags: Vec<String> = FLAGS.split(' ').map(String::from).collect();
    flags.extend(private_paths(root).map(|path| format!("--remap-path-prefix={path}=.")));
    if let Ok(linker) = env::var("WASM_LINKER") {
        flags.push(format!("-Clinker={linker}"));
    }
    flags.join("\x1f").into()
}

/// Folders whose names must not get into the module.
fn private_paths(root: &Path) -> impl Iterator<Item = String> {
    let home = env::var("HOME").ok().filter(|home| home.len() > 1);
    [Some(root.display().to_string()), env::var("CARGO_HOME").ok(), home].into_iter().flatten()
}

fn check_target(rustc: &OsString) -> Result<()> {
    let output = Command::new(rustc)
        .args(["--print", "target-libdir", "--target", TARGET])
        .output()
        .with_context(|| format!("{} did not start", rustc.display()))?;
    let folder = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim());
    if !output.status.success() || !folder.is_dir() {
        bail!("{} has no target {TARGET}; `rustup target add {TARGET}` installs it", rustc.display());
    }
    Ok(())
}

fn version(rustc: &OsString) -> Result<String> {
    let output = Command::new(rustc).arg("--version").output().context("rustc did not start")?;
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

fn record(root: &Path, rustc: &str) -> Result<String> {
    Ok(format!(
        "# Written by `cargo xtask wasm`.\n\n\
         [[build]]\n\
         file = \"{MODULE}\"\n\
         rustc = \"{rustc}\"\n\
         command = \"cargo {CARGO_ARGUMENTS}\"\n\
         rustflags = \"{FLAGS}\"\n\
         sources_sha256 = \"{}\"\n\
         wasm_sha256 = \"{}\"\n",
        sources::sha256(root)?,
        sources::file_sha256(&root.join(FOLDER).join(MODULE))?,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(serde::Deserialize)]
    struct Builds {
        build: Vec<Build>,
    }

    #[derive(serde::Deserialize)]
    struct Build {
        file: String,
        sources_sha256: String,
        wasm_sha256: String,
    }

    #[test]
    fn modules_are_as_recorded_and_as_new_as_their_sources() {
        let root = crate::root().unwrap();
        let text = fs::read_to_string(root.join(FOLDER).join("builds.toml")).unwrap();
        let builds: Builds = toml::from_str(&text).unwrap();
        assert!(!builds.build.is_empty());
        let sources = sources::sha256(root).unwrap();
        for build in builds.build {
            assert_eq!(build.sources_sha256, sources, "{}: sources changed; run `cargo xtask wasm`", build.file);
            let module = sources::file_sha256(&root.join(FOLDER).join(&build.file)).unwrap();
            assert_eq!(build.wasm_sha256, module, "{}: not the module that was recorded", build.file);
        }
    }
}
