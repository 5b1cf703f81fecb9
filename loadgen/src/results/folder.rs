//! The folder that a run writes to. Files are replaced whole, so that a reader or a crash never meets half of one.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use super::Results;
use super::read::{self, Detail};

/// An output folder that is there and can be written to.
#[derive(Debug, Clone)]
pub struct Folder {
    path: PathBuf,
    /// What was not there before, it and folders above, the innermost first.
    made: Vec<PathBuf>,
}

impl Folder {
    /// Makes the folder. One that has something in it is refused unless `force`.
    ///
    /// # Errors
    /// It exists and is not empty or not a folder, or cannot be made or written to.
    pub fn create(path: &Path, force: bool) -> anyhow::Result<Self> {
        let shown = path.display();
        if path.exists() && !path.is_dir() {
            bail!("output folder {shown}: a file of that name is there; choose another with --out");
        }
        let occupied = path.is_dir()
            && fs::read_dir(path).with_context(|| format!("output folder {shown}: cannot be read"))?.next().is_some();
        if occupied && !force {
            bail!(
                "output folder {shown}: exists and is not empty; choose another with --out, or pass --force to write into it"
            );
        }
        let absent = |folder: &&Path| !folder.as_os_str().is_empty() && !folder.exists();
        let made: Vec<PathBuf> = path.ancestors().take_while(absent).map(Path::to_owned).collect();
        let cannot = || format!("output folder {shown}: cannot be made; choose another with --out");
        if !made.is_empty() {
            fs::create_dir_all(path.parent().unwrap_or(path)).with_context(cannot)?;
            // Not `create_dir_all`: of two runs that want the same folder at the same moment, one has to notice.
            fs::create_dir(path).with_context(cannot)?;
        }
        let folder = Self { path: path.to_owned(), made };
        // An empty run file shows now, not after half an hour, whether the folder can be written to.
        folder.write(".probe", b"").with_context(|| format!("output folder {shown}: choose another with --out"))?;
        fs::remove_file(path.join(".probe")).ok();
        Ok(folder)
    }

    /// Makes a new folder of this name or, where there is one, `NAME-2`, `NAME-3` and so on.
    ///
    /// # Errors
    /// It cannot be made or written to.
    pub fn create_new(path: &Path) -> anyhow::Result<Self> {
        let mut candidate = path.to_owned();
        for number in 2..100 {
            if !candidate.exists() {
                match Self::create(&candidate, false) {
                    // Somebody else was faster.
                    Err(_) if candidate.is_dir() => {}
                    made => return made,
                }
            }
            candidate = PathBuf::from(format!("{}-{number}", path.display()));
        }
        Self::create(path, false)
    }

    /// A folder that a run wrote, or a file in it.
    pub fn open(path: &Path) -> Self {
        let folder = if path.is_file() { path.parent().unwrap_or(path) } else { path };
        Self { path: folder.to_owned(), made: Vec::new() }
    }

    /// Reads results.json.
    ///
    /// # Errors
    /// It is not there, is no results.json, is from a newer program or makes no sense; the message says where.
    pub fn load(&self, detail: Detail) -> anyhow::Result<Results> {
        let path = self.path.join("results.json");
        let shown = path.display();
        let json = fs::read(&path).with_context(|| format!("{shown}: no results of a sweep here"))?;
        read::parse(&json, detail).with_context(|| shown.to_string())
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Replaces a file of the folder.
    ///
    /// # Errors
    /// Of the file system, with the path.
    pub fn write(&self, name: &str, bytes: &[u8]) -> anyhow::Result<()> {
        let (path, partial) = (self.path.join(name), self.path.join(format!(".{name}.part")));
        fs::write(&partial, bytes)
            .and_then(|()| fs::rename(&partial, &path))
            .inspect_err(|_| drop(fs::remove_file(&partial)))
            .with_context(|| format!("{}: cannot be written", path.display()))
    }

    /// Takes away the folders that were made for this run, as far as they are empty: nothing was measured.
    pub fn remove_if_ours(&self) {
        for folder in &self.made {
            fs::remove_dir(folder).ok();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_of_the_same_second_have_folders_of_their_own() {
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path().join("results/fib-1");
        let names = [(); 3].map(|()| Folder::create_new(&path).unwrap().path().file_name().unwrap().to_owned());
        assert_eq!(names, ["fib-1", "fib-1-2", "fib-1-3"]);
    }

    #[test]
    fn an_occupied_folder_is_refused_unless_forced() {
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path().join("a/b");
        let folder = Folder::create(&path, false).unwrap();
        folder.write("x", b"1").unwrap();
        let message = format!("{:#}", Folder::create(&path, false).unwrap_err());
        assert!(message.contains("not empty") && message.contains("--force"), "{message}");
        Folder::create(&path, true).unwrap().write("x", b"2").unwrap();
        assert_eq!(fs::read(path.join("x")).unwrap(), b"2");
        assert!(Folder::create(&path.join("x"), true).is_err());
        assert!(Folder::create(&path.join("x/y"), true).is_err());
    }
}
