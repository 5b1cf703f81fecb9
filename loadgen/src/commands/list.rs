//! `loadgen list`: scenarios and servers, and what is missing for those that cannot run here.

use std::process::ExitCode;

use crate::catalog::{self, Entry, Runtime};
use crate::cli::ListArgs;
use crate::installed::Installed;
use crate::scenario::{self, Form, Scenario};

/// Servers by what runs them.
const GROUPS: [(&str, &[Runtime]); 3] = [
    ("Servers (loadgen serve NAME, loadgen sweep --servers A,B)", &[Runtime::BuiltIn]),
    ("Servers on Node.js", &[Runtime::Node]),
    ("Servers on Bun and Deno", &[Runtime::Bun, Runtime::Deno]),
];

/// Prints both lists.
pub fn run(arguments: ListArgs) -> anyhow::Result<ExitCode> {
    let installed = Installed::look(arguments.folder.servers_dir)?;
    let mut text = String::from("Scenarios (loadgen sweep --scenario NAME)\n");
    for name in scenario::names() {
        let scenario = Scenario::load(name, Form::Usual)?;
        let (levels, servers) = (&scenario.concurrency, scenario.servers.len());
        let sizes = scenario.sizes.as_ref().map(|sizes| format!(", sizes {sizes}")).unwrap_or_default();
        text += &format!("  {name:<20} {}; {servers} servers, concurrency {levels}{sizes}\n", scenario.title);
    }
    for (title, runtimes) in GROUPS {
        text += &format!("\n{title}\n{}", group(&installed, runtimes));
    }
    super::print(&text)?;
    Ok(ExitCode::SUCCESS)
}

/// The servers of some runtimes, and what was found to run them.
fn group(installed: &Installed, runtimes: &[Runtime]) -> String {
    let entries: Vec<&Entry> = catalog::all().iter().filter(|entry| runtimes.contains(&entry.runtime)).collect();
    let width = entries.iter().map(|entry| entry.name.len()).max().unwrap_or(0).max(20);
    let mut text = String::new();
    for entry in entries {
        let missing = installed.server(entry).err();
        let of_runtime = installed.runtime(entry.runtime).and_then(Result::err);
        let workers = if entry.worker_arguments.is_empty() { "" } else { " [--workers]" };
        // What all lack is told in full once, below.
        let lacks_runtime = missing.is_some() && missing == of_runtime;
        let mark = if lacks_runtime { " (missing: what it runs on)" } else { "" };
        text += &format!("  {:<width$} {}{workers}{mark}\n", entry.name, entry.description);
        let mut note = |note: String| text += &format!("  {:<width$} {note}\n", "");
        if let Some(fault) = &entry.fault {
            note(format!("at fault on purpose: {fault}"));
        }
        if let Some(missing) = missing.filter(|_| !lacks_runtime) {
            note(format!("missing: {missing}"));
        }
    }
    for found in runtimes.iter().filter_map(|&runtime| installed.runtime(runtime)) {
        text += &match found {
            Ok(program) => format!("  here: {program} ({})\n", program.path),
            Err(missing) => format!("  missing: {missing}\n"),
        };
    }
    text
}
