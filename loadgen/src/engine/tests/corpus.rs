//! The corpus of the fuzz target (`loadgen/fuzz`), replayed: what was once odd stays handled.

use std::fs;
use std::path::Path;

use super::super::response::invariants;

#[test]
fn the_corpus_holds() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus/response");
    let mut replayed = 0;
    for entry in fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display())) {
        let bytes = fs::read(entry.unwrap().path()).unwrap();
        invariants::hold_for(&bytes);
        replayed += 1;
    }
    assert!(replayed >= 20, "{replayed} files");
}
