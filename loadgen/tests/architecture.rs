//! Who may import whom, as docs/ARCHITECTURE.md says; and that docs/results.schema.json knows every field.

mod common;

use std::fs;
use std::path::{Path, PathBuf};

use common::assert_as_the_schema_says;
use loadgen::catalog;
use loadgen::results::{Detail, parse};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate lies in the workspace").to_owned()
}

/// All Rust files below a path (or the file itself).
fn sources(path: &Path) -> Vec<PathBuf> {
    if path.is_file() {
        return vec![path.to_owned()];
    }
    let entries = fs::read_dir(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let paths = entries.map(|entry| entry.expect("a readable entry").path());
    paths
        .filter(|path| path.is_dir() || path.extension().is_some_and(|end| end == "rs"))
        .flat_map(|path| sources(&path))
        .collect()
}

/// Code without comments, so that links in docs do not count.
fn code(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    text.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

/// Names that follow `prefix` in code: `crate::` finds the modules that a file uses.
fn names_after(code: &str, prefix: &str) -> Vec<String> {
    let is_name = |each: char| each.is_alphanumeric() || each == '_';
    let mut names = Vec::new();
    for (at, _) in code.match_indices(prefix) {
        if code[..at].ends_with(is_name) || code[..at].ends_with(':') {
            continue;
        }
        let rest = &code[at + prefix.len()..];
        // `crate::{a, b::c}` names several.
        let list = rest.strip_prefix('{').and_then(|rest| rest.split_once('}')).map(|(list, _)| list);
        for item in list.unwrap_or(rest).split(',').take(if list.is_some() { usize::MAX } else { 1 }) {
            let name: String = item.trim().chars().take_while(|&each| is_name(each)).collect();
            if !name.is_empty() {
                names.push(name);
            }
        }
    }
    names
}

#[test]
fn crates_depend_on_ours_as_allowed() {
    let ours = ["codecs", "kernels", "servers", "charts", "loadgen", "node-kernels", "xtask"];
    for (manifest, allowed) in [
        ("servers/kernels", &[][..]),
        ("servers/codecs", &[]),
        ("servers", &["codecs", "kernels"]),
        ("servers/native", &["kernels"]),
        ("charts", &[]),
        ("loadgen", &["charts", "codecs", "servers"]),
        ("xtask", &["kernels"]),
    ] {
        let text = fs::read_to_string(root().join(manifest).join("Cargo.toml")).expect("a manifest");
        let manifest_table: toml::Table = text.parse().expect("valid TOML");
        for section in ["dependencies", "dev-dependencies", "build-dependencies"] {
            let names =
                manifest_table.get(section).and_then(toml::Value::as_table).into_iter().flat_map(toml::Table::keys);
            for name in names.filter(|name| ours.contains(&name.as_str())) {
                assert!(allowed.contains(&name.as_str()), "{manifest} must not depend on {name}");
            }
        }
    }
}

#[test]
fn only_serve_and_ceiling_know_our_servers() {
    for path in sources(&root().join("loadgen/src")) {
        let may = path.ends_with("commands/serve.rs") || path.ends_with("commands/ceiling.rs");
        let code = code(&path);
        // The report has a section of this name.
        let section = code.lines().any(|line| line.starts_with("use super::") && line.contains("servers"));
        let uses = !section && !names_after(&code, "servers::").is_empty();
        assert!(may || !uses, "{} must not use the crate servers", path.display());
    }
}

#[test]
fn modules_of_loadgen_import_only_what_lies_before_them() {
    for (module, allowed) in [
        ("engine", &[][..]),
        ("subject", &[]),
        ("catalog.rs", &[]),
        ("interrupt.rs", &[]),
        ("control.rs", &[]),
        ("target.rs", &[]),
        ("image", &["engine"]),
        ("scenario", &["engine", "catalog", "image"]),
        ("server.rs", &["catalog"]),
        ("installed", &["catalog", "server"]),
        ("plan.rs", &["scenario", "server"]),
        ("results", &["engine", "subject", "scenario"]),
        ("analysis", &["results", "scenario", "format"]),
        ("report", &["results", "analysis", "colour", "engine", "format", "scenario"]),
        ("format.rs", &[]),
        ("colour.rs", &[]),
        ("running.rs", &["control", "results", "scenario", "server", "subject", "target"]),
        ("contract", &["catalog", "control", "engine", "image", "running", "scenario"]),
    ] {
        for path in sources(&root().join("loadgen/src").join(module)) {
            // Unit tests stand last in a file and may use what they like.
            let code = code(&path);
            let code = code.split("#[cfg(test)]").next().unwrap_or_default();
            for name in names_after(code, "crate::") {
                let own = name == module.trim_end_matches(".rs");
                assert!(own || allowed.contains(&name.as_str()), "{} must not import {name}", path.display());
            }
        }
    }
}

#[test]
fn the_catalogue_agrees_with_the_variants() {
    for variant in servers::Variant::ALL {
        let entry = catalog::find(variant.name()).unwrap_or_else(|| panic!("{variant} is missing in servers.toml"));
        assert_eq!(!entry.worker_arguments.is_empty(), variant.has_workers(), "{variant}");
        assert_eq!(!entry.pin_arguments.is_empty(), variant.has_workers(), "{variant}");
    }
}

#[test]
fn the_schema_knows_every_field_that_is_written() {
    // Of an older schema: what came since is written with its default.
    let results = parse(include_bytes!("fixtures/results-schema-1.json"), Detail::Whole).expect("it is read");
    let mut written = serde_json::to_value(&results).expect("it is written");
    written["schema_version"] = loadgen::results::SCHEMA_VERSION.into();
    assert_as_the_schema_says(&written);
}

#[test]
fn imports_are_found_in_every_form() {
    assert_eq!(names_after("use crate::a::b;\nuse crate::{c, d::e};\nmycrate::x()", "crate::"), ["a", "c", "d"]);
}
