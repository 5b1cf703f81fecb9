//! `loadgen list`: scenarios and servers, and what is missing for those that cannot run here.

use std::process::ExitCode;

use crate::catalog::{self, Runtime};
use crate::scenario::{self, Form, Scenario};

/// Prints both lists.
pub fn run() -> anyhow::Result<ExitCode> {
    println!("Scenarios (loadgen sweep --scenario NAME)");
    for name in scenario::names() {
        let scenario = Scenario::load(name, Form::Usual)?;
        let (levels, servers) = (&scenario.concurrency, scenario.servers.len());
        let sizes = scenario.sizes.as_ref().map(|sizes| format!(", sizes {sizes}")).unwrap_or_default();
        println!("  {name:<20} {}; {servers} servers, concurrency {levels}{sizes}", scenario.title);
    }
    println!("\nServers (loadgen serve NAME, loadgen sweep --servers A,B)");
    for entry in catalog::all() {
        let workers = if entry.worker_arguments.is_empty() { "" } else { " [--workers]" };
        let missing = missing(entry).map(|missing| format!(" (missing: {missing})")).unwrap_or_default();
        println!("  {:<20} {}{workers}{missing}", entry.name, entry.description);
    }
    Ok(ExitCode::SUCCESS)
}

/// What a server needs that is not here.
pub fn missing(entry: &catalog::Entry) -> Option<String> {
    match entry.runtime {
        Runtime::BuiltIn if cfg!(feature = "serve") => None,
        Runtime::BuiltIn => Some("this loadgen was built without its servers (feature `serve`)".into()),
    }
}
