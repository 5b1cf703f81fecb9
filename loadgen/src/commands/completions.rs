//! `loadgen completions SHELL`: what a shell needs to complete a command line.

use std::process::ExitCode;

use clap::CommandFactory;
use clap_complete::generate;

use crate::cli::{Cli, CompletionsArgs};

use super::print;

/// Prints the script.
pub fn run(arguments: &CompletionsArgs) -> anyhow::Result<ExitCode> {
    let mut script = Vec::new();
    generate(arguments.shell, &mut Cli::command(), "loadgen", &mut script);
    print(&String::from_utf8_lossy(&script))?;
    Ok(ExitCode::SUCCESS)
}
