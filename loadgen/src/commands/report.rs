//! `loadgen report DIR`: files and table again, from saved results. A sweep ends with the same.

use std::process::ExitCode;

use anyhow::Context;

use crate::analysis::claims;
use crate::cli::ReportArgs;
use crate::report::charts::{self, Format};
use crate::report::{csv, html, table};
use crate::results::{Detail, Folder, Results};

use super::{FAILED, print};

/// Reads a folder of results, writes all that is made from them again, and prints its table.
pub fn run(arguments: &ReportArgs) -> anyhow::Result<ExitCode> {
    let folder = Folder::open(&arguments.folder);
    let mut results = folder.load(Detail::Whole)?;
    // By the rules of this program, not by those of the one that ran it.
    results.verdicts = claims::verdicts(&results);
    let written = write(&results, &folder, &arguments.format, arguments.json)?;
    Ok(if written { ExitCode::SUCCESS } else { ExitCode::from(FAILED) })
}

/// Writes results.csv, the charts and report.html, and prints table or JSON; false if something could not be written, which is said.
pub fn write(results: &Results, folder: &Folder, formats: &[Format], json: bool) -> anyhow::Result<bool> {
    let mut written = true;
    for (name, contents) in files(results, formats) {
        if let Err(error) = contents.and_then(|bytes| folder.write(&name, &bytes)) {
            eprintln!("loadgen: {name}: {error:#}");
            written = false;
        }
    }
    let text =
        if json { serde_json::to_string(results).context("results as JSON")? + "\n" } else { table::render(results) };
    if let Err(error) = print(&text) {
        eprintln!("loadgen: {error:#}; the results are in {}", folder.path().display());
        written = false;
    }
    Ok(written)
}

/// Every file that is made from results, by name.
fn files(results: &Results, formats: &[Format]) -> Vec<(String, anyhow::Result<Vec<u8>>)> {
    let mut files = vec![("results.csv".to_owned(), csv::to_csv(results).map_err(Into::into))];
    let charts = charts::all(results);
    for chart in &charts {
        for &format in formats {
            files.push((format!("{}.{}", chart.name, format.ending()), chart.picture(format).map_err(Into::into)));
        }
    }
    // Last, since it links to the others.
    files.push(("report.html".to_owned(), Ok(html::page(results, &charts, formats).into_bytes())));
    files
}
