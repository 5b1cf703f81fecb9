//! The files that fuzzing found worth keeping, and the reference files, each also with bytes changed and cut off.

mod doors;

use std::fs;
use std::path::{Path, PathBuf};

fn files(folder: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let paths = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
    let files: Vec<_> =
        paths.filter(|path| path.is_file()).map(|path| (path.clone(), fs::read(&path).unwrap())).collect();
    assert!(files.len() > 20, "{} has {} files only", folder.display(), files.len());
    files
}

#[test]
fn files_of_the_corpus_do_no_harm() {
    for (_, file) in files("fuzz/corpus/file") {
        doors::file(&file);
    }
}

#[test]
fn requests_of_the_corpus_do_no_harm() {
    for (_, request) in files("fuzz/corpus/request") {
        doors::request(&request);
    }
}

#[test]
fn damaged_files_of_every_kind_do_no_harm() {
    let mut state = 1u32;
    let mut random = move || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as usize
    };
    for (path, file) in files("codecs/tests/data") {
        // The expected pixels are all of one kind.
        if path.to_str().is_some_and(|path| path.contains(".expected.")) {
            continue;
        }
        for _ in 0..20 {
            let mut damaged = file.clone();
            for _ in 0..=random() % 3 {
                let at = random() % damaged.len();
                damaged[at] = random() as u8;
            }
            doors::file(&damaged);
        }
    }
}
