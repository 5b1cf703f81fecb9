//! A hash over the sources of the kernels, by which a Wasm module older than its sources is found out.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use sha2::{Digest, Sha256};

/// SHA-256 over path and content of each of `servers/kernels/src/**` and its `Cargo.toml`, sorted by path.
///
/// The same on every machine: paths are relative with forward slashes, and each part is preceded by its length.
pub fn sha256(root: &Path) -> Result<String> {
    let kernels = root.join("servers/kernels");
    let mut files = vec![kernels.join("Cargo.toml")];
    collect(&kernels.join("src"), &mut files)?;
    let mut named = Vec::with_capacity(files.len());
    for file in files {
        let parts: Vec<_> = file.strip_prefix(&kernels)?.iter().map(|part| part.to_string_lossy()).collect();
        let content = fs::read(&file).with_context(|| file.display().to_string())?;
        named.push((parts.join("/"), content));
    }
    named.sort();
    let mut hash = Sha256::new();
    for (name, content) in named {
        for part in [name.as_bytes(), &content] {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
    }
    Ok(hex(&hash.finalize()))
}

/// SHA-256 of a file.
pub fn file_sha256(file: &Path) -> Result<String> {
    let content = fs::read(file).with_context(|| file.display().to_string())?;
    Ok(hex(&Sha256::digest(content)))
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
