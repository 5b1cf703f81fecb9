//! `loadgen report DIR`: charts and table again, from saved results. A sweep ends with the same.

use std::io::{ErrorKind, Write};
use std::process::ExitCode;

use anyhow::Context;

use crate::cli::ReportArgs;
use crate::report::{charts, table};
use crate::results::{Folder, Results};

use super::FAILED;

/// Reads a folder of results, draws its charts and prints its table.
pub fn run(arguments: &ReportArgs) -> anyhow::Result<ExitCode> {
    let folder = Folder::open(&arguments.folder);
    let results = folder.load()?;
    let drawn = write(&results, &folder, arguments.json)?;
    Ok(if drawn { ExitCode::SUCCESS } else { ExitCode::from(FAILED) })
}

/// Writes the charts and prints table or JSON; false if something could not be written, which is said.
pub fn write(results: &Results, folder: &Folder, json: bool) -> anyhow::Result<bool> {
    let mut drawn = true;
    for (name, picture) in charts::all(results) {
        if let Err(error) = picture.map_err(anyhow::Error::from).and_then(|bytes| folder.write(name, &bytes)) {
            eprintln!("loadgen: {name}: {error:#}");
            drawn = false;
        }
    }
    let text =
        if json { serde_json::to_string(results).context("results as JSON")? + "\n" } else { table::render(results) };
    let mut stdout = std::io::stdout();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        // A reader that closed the pipe has seen enough.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(drawn),
        Err(error) => {
            eprintln!("loadgen: standard output: {error}; the results are in {}", folder.path().display());
            Ok(false)
        }
        Ok(()) => Ok(drawn),
    }
}
