//! The folder that a run writes to. Files are replaced whole, so that a reader or a crash never meets half of one.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use super::{Results, csv};

/// An output folder that is there and can be written to.
#[derive(Debug, Clone)]
pub struct Folder(PathBuf);

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
        fs::create_dir_all(path)
            .with_context(|| format!("output folder {shown}: cannot be made; choose another with --out"))?;
        let folder = Self(path.to_owned());
        // An empty run file shows now, not after half an hour, whether the folder can be written to.
        folder.write(".probe", b"").with_context(|| format!("output folder {shown}: choose another with --out"))?;
        fs::remove_file(path.join(".probe")).ok();
        Ok(folder)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Replaces a file of the folder.
    ///
    /// # Errors
    /// Of the file system, with the path.
    pub fn write(&self, name: &str, bytes: &[u8]) -> anyhow::Result<()> {
        let (path, partial) = (self.0.join(name), self.0.join(format!(".{name}.part")));
        fs::write(&partial, bytes)
            .and_then(|()| fs::rename(&partial, &path))
            .with_context(|| format!("{}: cannot be written", path.display()))
    }

    /// Takes away what [`Folder::save`] wrote, and the folder if nothing else is in it: nothing was measured.
    pub fn remove_if_ours(&self) {
        for name in ["results.json", "results.csv"] {
            fs::remove_file(self.0.join(name)).ok();
        }
        fs::remove_dir(&self.0).ok();
    }

    /// Writes results.json and results.csv.
    ///
    /// # Errors
    /// Of the file system, with the path.
    pub fn save(&self, results: &Results) -> anyhow::Result<()> {
        let mut json = serde_json::to_vec(results).context("results.json")?;
        json.push(b'\n');
        self.write("results.json", &json)?;
        self.write("results.csv", &csv::to_csv(results).context("results.csv")?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
