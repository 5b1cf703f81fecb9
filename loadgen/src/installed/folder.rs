//! Where the servers on other runtimes are.

use std::path::{Path, PathBuf};

/// Names the folder where no flag does.
pub const ENVIRONMENT: &str = "LOADGEN_SERVERS_DIR";
/// What the folder is known by.
const LANDMARK: &str = "node/package.json";

/// The folder that was named is none.
#[derive(Debug, thiserror::Error)]
#[error("{origin} {}: {reason}", folder.display())]
pub struct FolderError {
    origin: &'static str,
    folder: PathBuf,
    reason: String,
}

/// The folder that is given, else the first of the usual places.
pub(super) fn find(given: Option<PathBuf>) -> Result<Option<String>, FolderError> {
    let named = match (given, std::env::var_os(ENVIRONMENT).filter(|value| !value.is_empty())) {
        (Some(folder), _) => Some(("--servers-dir", folder)),
        (None, Some(folder)) => Some((ENVIRONMENT, folder.into())),
        (None, None) => None,
    };
    match named {
        Some((origin, folder)) => check(&folder).map(Some).map_err(|reason| FolderError { origin, folder, reason }),
        None => Ok(usual_places().find_map(|folder| check(&folder).ok())),
    }
}

/// `servers` here and in each folder around this one, from near to far, then where this program was built.
fn usual_places() -> impl Iterator<Item = PathBuf> {
    let depth = std::env::current_dir().map_or(0, |here| here.components().count());
    // Relative, so that command lines in results are the same on every machine.
    let around = (0..depth).map(|up| PathBuf::from("../".repeat(up)).join("servers"));
    around.chain(Path::new(env!("CARGO_MANIFEST_DIR")).parent().map(|root| root.join("servers")))
}

/// The folder as text, else why it is none.
fn check(folder: &Path) -> Result<String, String> {
    if !folder.is_dir() {
        return Err("there is no such folder".into());
    }
    if !folder.join(LANDMARK).is_file() {
        return Err(format!("holds no {LANDMARK}: name the folder `servers` of the project"));
    }
    let text = folder.to_str().ok_or("its name is no UTF-8 text, which command lines in results have to be")?;
    Ok(match text.trim_end_matches('/') {
        "" => text.into(),
        trimmed => trimmed.into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_known_by_its_landmark() {
        let folder = tempfile::tempdir().unwrap();
        let named = |folder: &Path| find(Some(folder.to_owned())).map_err(|error| error.to_string());
        let absent = named(&folder.path().join("absent")).unwrap_err();
        assert!(absent.starts_with("--servers-dir ") && absent.contains("absent: there is no such folder"), "{absent}");
        assert!(named(folder.path()).unwrap_err().contains("node/package.json"));
        std::fs::create_dir(folder.path().join("node")).unwrap();
        std::fs::write(folder.path().join(LANDMARK), "{}").unwrap();
        assert_eq!(named(&folder.path().join("")).unwrap().as_deref(), folder.path().to_str());
    }
}
