//! `cargo xtask wasm`: rebuilds the checked-in Wasm modules, so that building the servers needs no Wasm target.

mod build;
mod c;
mod rust;

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::sources;
use build::{BUILDS, Build, Made};

const FOLDER: &str = "servers/wasm";
const RECORD: &str = "builds.toml";

/// Builds every module, puts it in the folder and records compiler, command and hashes in `builds.toml`.
pub fn rebuild(root: &Path) -> Result<()> {
    // All of them first: a failure leaves everything as it was.
    let made = BUILDS.iter().map(|build| build.recipe.make(root).with_context(|| build.file));
    let made = made.collect::<Result<Vec<_>>>()?;
    let folder = root.join(FOLDER);
    let mut record = "# Written by `cargo xtask wasm`.\n".to_owned();
    for (build, made) in BUILDS.iter().zip(made) {
        fs::write(folder.join(build.file), &made.module).with_context(|| format!("{FOLDER}/{}", build.file))?;
        println!("{FOLDER}/{}: {} bytes", build.file, made.module.len());
        record.push_str(&entry(root, build, &made)?);
    }
    fs::write(folder.join(RECORD), record).context(RECORD)
}

fn entry(root: &Path, build: &Build, made: &Made) -> Result<String> {
    Ok(format!(
        "\n[[build]]\n\
         file = {:?}\n\
         compiler = {:?}\n\
         command = {:?}\n\
         sources = {:?}\n\
         sources_sha256 = \"{}\"\n\
         wasm_sha256 = \"{}\"\n",
        build.file,
        made.compiler,
        made.command,
        build.recipe.sources(),
        build.recipe.sources_sha256(root)?,
        sources::content_sha256(&made.module),
    ))
}

/// What a program prints, without the last line's end.
fn output_of(command: &mut Command) -> Result<String> {
    let program = command.get_program().to_owned();
    let output = command.output().with_context(|| format!("{} did not start", program.display()))?;
    ensure!(output.status.success(), "{} failed: {}", program.display(), String::from_utf8_lossy(&output.stderr));
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(serde::Deserialize)]
    struct Record {
        build: Vec<Entry>,
    }

    #[derive(serde::Deserialize)]
    struct Entry {
        file: String,
        sources_sha256: String,
        wasm_sha256: String,
    }

    #[test]
    fn modules_are_as_recorded_and_as_new_as_their_sources() {
        let root = crate::root().unwrap();
        let text = fs::read_to_string(root.join(FOLDER).join(RECORD)).unwrap();
        let record: Record = toml::from_str(&text).unwrap();
        let files: Vec<_> = record.build.iter().map(|entry| entry.file.as_str()).collect();
        assert_eq!(files, BUILDS.map(|build| build.file), "run `cargo xtask wasm`");
        for (entry, build) in record.build.iter().zip(&BUILDS) {
            let sources = build.recipe.sources_sha256(root).unwrap();
            assert_eq!(entry.sources_sha256, sources, "{}: sources changed; run `cargo xtask wasm`", entry.file);
            let module = fs::read(root.join(FOLDER).join(&entry.file)).unwrap();
            assert_eq!(
                entry.wasm_sha256,
                sources::content_sha256(&module),
                "{}: not the module that was recorded",
                entry.file
            );
        }
    }

    #[test]
    fn no_module_is_without_a_record() {
        let folder = crate::root().unwrap().join(FOLDER);
        for file in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name()) {
            let name = file.to_string_lossy();
            assert!(!name.ends_with(".wasm") || BUILDS.iter().any(|build| build.file == name), "{name}");
        }
    }
}
