//! Tells the program which commit it was built from.

use std::process::Command;

fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok().filter(|output| output.status.success())?;
    String::from_utf8(output.stdout).ok().map(|text| text.trim().to_owned())
}

fn main() {
    let commit = git(&["rev-parse", "--short=12", "HEAD"]);
    println!("cargo::rustc-env=LOADGEN_COMMIT={}", commit.as_deref().unwrap_or("commit unknown"));
    // Only the commit that is checked out matters; without git the build does not change.
    for path in ["HEAD", "logs/HEAD"] {
        if let Some(file) = git(&["rev-parse", "--path-format=absolute", "--git-path", path])
            && std::path::Path::new(&file).exists()
        {
            println!("cargo::rerun-if-changed={file}");
        }
    }
    println!("cargo::rerun-if-changed=build.rs");
}
