//! `cargo xtask node-native`: builds servers/native and puts it where servers/node/native.mjs looks for it.

use std::env;
use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

const PACKAGE: &str = "node-kernels";
const MODULE: &str = "servers/node/kernels.node";

/// Builds the module in the profile in which this program was built: release by the alias `cargo xtask`, dev where CI has
/// built that anyway (kernels are optimised in both).
pub fn build(root: &Path) -> Result<()> {
    // Release or debug, in whatever target directory is in use.
    let program = env::current_exe().context("this program's own path")?;
    let folder = program.parent().context("this program lies in no folder")?;
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(["build", "--locked", "--package", PACKAGE]).current_dir(root);
    if !cfg!(debug_assertions) {
        cargo.arg("--release");
    }
    let status = cargo.status().context("cargo does not start")?;
    ensure!(status.success(), "cargo build --package {PACKAGE} ended with {status}");
    let built = folder.join(format!("{DLL_PREFIX}{}{DLL_SUFFIX}", PACKAGE.replace('-', "_")));
    // Under a name of its own first: a server that has the old file open keeps it.
    let (module, fresh) = (root.join(MODULE), root.join(format!("{MODULE}.new")));
    fs::copy(&built, &fresh).with_context(|| format!("cannot copy {} to {}", built.display(), fresh.display()))?;
    fs::rename(&fresh, &module).with_context(|| format!("cannot write {}", module.display()))?;
    println!("{MODULE} is built: node servers/node/native.mjs, or loadgen … --servers node-native");
    Ok(())
}
