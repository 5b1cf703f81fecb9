//! Which servers of the catalogue can run here: where they are, which programs were found for them, and what is missing.

mod folder;
mod program;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::PathBuf;

pub use folder::{ENVIRONMENT, FolderError};
pub use program::Program;

use crate::catalog::{self, Entry, Need};
use crate::server::{Access, Server};

const FOLDER: &str = "{servers_dir}";

/// What is installed here; programs are asked for their version once, when a server first needs them.
#[derive(Debug)]
pub struct Installed {
    /// The folder `servers`; `None`: not found.
    folder: Option<String>,
    programs: RefCell<BTreeMap<String, Result<Program, Lack>>>,
}

/// What a server needs and is not here: at least one thing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Missing(Vec<Lack>);

/// One thing that is not here.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Lack {
    /// What it is, and what is wrong with it.
    what: String,
    /// How to get it.
    way_out: String,
}

impl std::fmt::Display for Missing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let told: Vec<String> = self.0.iter().map(|Lack { what, way_out }| format!("{what}: {way_out}")).collect();
        f.write_str(&told.join("; "))
    }
}

impl Installed {
    /// Looks for the folder `servers`: the one that is given, or named in the environment, else that of the current
    /// folder or of those around it, else that of the source code of this program.
    ///
    /// # Errors
    /// There is no such folder where it was said to be.
    pub fn look(given: Option<PathBuf>) -> Result<Self, FolderError> {
        Ok(Self { folder: folder::find(given)?, programs: RefCell::default() })
    }

    /// The server, with the programs and files that were found put into its command.
    ///
    /// # Errors
    /// All that it needs and is not here, the runtime first.
    pub fn server(&self, entry: &Entry) -> Result<Server, Missing> {
        if entry.runtime == catalog::Runtime::BuiltIn && !cfg!(feature = "serve") {
            let (what, way_out) = ("this loadgen was built without its servers", "build it with the feature `serve`");
            return Err(Missing(vec![Lack { what: what.into(), way_out: way_out.into() }]));
        }
        let mut server = Server::from(entry);
        let words = match &mut server.access {
            Access::Catalogued { command, .. } => &mut command[..],
            _ => &mut [],
        };
        for word in words.iter_mut().filter(|word| word.starts_with(FOLDER)) {
            // Where the server itself is not there, nothing else would help.
            *word = self.file(word).map_err(|lack| Missing(vec![lack]))?;
        }
        let mut lacks = Vec::new();
        for name in entry.all_needs() {
            match self.need(name) {
                Ok(None) => {}
                Ok(Some(program)) => words
                    .iter_mut()
                    .filter(|word| word.strip_prefix('{').and_then(|word| word.strip_suffix('}')) == Some(name))
                    .for_each(|word| word.clone_from(&program.path)),
                Err(lack) => lacks.push(lack),
            }
        }
        server.runtime = self.runtime(entry.runtime).and_then(Result::ok).map(|program| program.to_string());
        if lacks.is_empty() { Ok(server) } else { Err(Missing(lacks)) }
    }

    /// The program of a runtime, or why there is none; `None` for what needs none.
    pub fn runtime(&self, runtime: catalog::Runtime) -> Option<Result<Program, Missing>> {
        self.need(runtime.need()?).map_err(|lack| Missing(vec![lack])).transpose()
    }

    /// A file below the folder `servers`, from a word that begins with its placeholder.
    fn file(&self, word: &str) -> Result<String, Lack> {
        let path = self.filled(word)?;
        if std::path::Path::new(&path).exists() {
            return Ok(path);
        }
        let way_out = "--servers-dir says where the whole folder `servers` of the project is".into();
        Err(Lack { what: format!("there is no {path}"), way_out })
    }

    /// A text with the folder in its place.
    fn filled(&self, text: &str) -> Result<String, Lack> {
        let folder = self.folder.as_ref().ok_or_else(|| Lack {
            what: "the folder `servers` of the project is not here".into(),
            way_out: "--servers-dir says where it is".into(),
        })?;
        Ok(text.replace(FOLDER, folder))
    }

    /// The program of a need, where it is one that is here.
    fn need(&self, name: &str) -> Result<Option<Program>, Lack> {
        // The catalogue is tested: every name is known.
        let Some(need) = catalog::need(name) else { return Ok(None) };
        let get = self.filled(&need.get)?;
        if let Some(file) = &need.file {
            let path = self.filled(&format!("{FOLDER}/{file}"))?;
            let here = std::path::Path::new(&path).exists();
            let lack = Lack { what: format!("{} is not there", need.title), way_out: get };
            return if here { Ok(None) } else { Err(lack) };
        }
        let mut programs = self.programs.borrow_mut();
        let program = programs.entry(name.to_owned()).or_insert_with(|| {
            let place = |path: &String| match path.starts_with('/') {
                true => Some(path.clone()),
                false => self.filled(&format!("{FOLDER}/{path}")).ok(),
            };
            let below = need.below.iter().filter_map(place);
            look_for(need, below).map_err(|what| Lack { what, way_out: get })
        });
        program.clone().map(Some)
    }
}

/// A program that will do, else what is wrong.
fn look_for(need: &Need, mut below: impl Iterator<Item = String>) -> Result<Program, String> {
    let (title, name) = (&need.title, need.program.as_deref().unwrap_or_default());
    let path = below.find(|path| program::is_program(path.as_ref())).or_else(|| program::in_path(name));
    let path = path.ok_or_else(|| format!("{title} is not installed"))?;
    let program = program::ask(title, path, &need.version_argument)?;
    match &need.least {
        Some(least) if program::older(&program.version, least) => {
            let Program { version, path, .. } = program;
            Err(format!("{title} is too old: found {version} ({path}), needs {least} or newer"))
        }
        _ => Ok(program),
    }
}
