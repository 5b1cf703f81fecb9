//! The study's convolution in C, compiled to Wasm by clang.

use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::build::Made;
use super::output_of;

const SOURCE: &str = "servers/wasm/study/convolution.c";
/// Freestanding, with nothing but the export and the end of its own data, above which the host puts buffers.
const FLAGS: &str = "--target=wasm32-unknown-unknown -mmutable-globals -nostdlib -ffreestanding -Wall -Wextra -Werror \
     -Wl,--no-entry -Wl,--export=__heap_base -Wl,--export=__stack_pointer -Wl,--strip-all";

/// Compiles the source with [`FLAGS`] at the level `optimisation`.
pub fn make(root: &Path, optimisation: &str) -> Result<Made> {
    let clang = env::var_os("WASM_CLANG").unwrap_or_else(|| "clang".into());
    let output = env::temp_dir().join(format!("cpubound-study-{}.wasm", std::process::id()));
    let status = Command::new(&clang)
        .current_dir(root)
        .args(FLAGS.split_whitespace())
        .args([optimisation, SOURCE, "-o"])
        .arg(&output)
        .status()
        .with_context(|| format!("{} did not start; clang and lld are needed", clang.display()))?;
    ensure!(status.success(), "clang failed: {status}");
    let module = fs::read(&output).with_context(|| output.display().to_string())?;
    fs::remove_file(&output).with_context(|| output.display().to_string())?;
    let version = output_of(Command::new(&clang).arg("--version"))?;
    Ok(Made {
        module,
        compiler: version.lines().next().unwrap_or_default().to_owned(),
        command: format!("clang {FLAGS} {optimisation} {SOURCE}"),
    })
}
