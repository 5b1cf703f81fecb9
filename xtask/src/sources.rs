//! A hash over sources, by which a Wasm module older than its sources is found out.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use sha2::{Digest, Sha256};

/// SHA-256 over path and content of every file that is one of `places` or lies in one, sorted by path.
///
/// The same on every machine: paths are relative to `root` with forward slashes, and each part is preceded by its length.
pub fn sha256(root: &Path, places: &[&str]) -> Result<String> {
    let mut files = Vec::new();
    for place in places {
        collect(root.join(place), &mut files)?;
    }
    let mut named = Vec::with_capacity(files.len());
    for file in files {
        let parts: Vec<_> = file.strip_prefix(root)?.iter().map(|part| part.to_string_lossy()).collect();
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

/// SHA-256 of bytes.
pub fn content_sha256(content: &[u8]) -> String {
    hex(&Sha256::digest(content))
}

fn collect(place: PathBuf, files: &mut Vec<PathBuf>) -> Result<()> {
    if place.is_dir() {
        for entry in fs::read_dir(&place).with_context(|| place.display().to_string())? {
            collect(entry?.path(), files)?;
        }
    } else {
        files.push(place);
    }
    Ok(())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
