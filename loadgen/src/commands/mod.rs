//! One file for each subcommand.

#[cfg(feature = "serve")]
mod ceiling;
mod compare;
mod completions;
mod file_limit;
mod inputs;
mod list;
mod own_servers;
mod provenance;
mod report;
pub mod run;
#[cfg(feature = "serve")]
pub mod serve;
mod servers;
mod sweep;
mod verify;

use std::future::Future;
use std::io::{ErrorKind, Write};
use std::process::ExitCode;

use anyhow::Context;

use crate::cli::Command;

/// Requests failed, answers were wrong, or some servers could not be started.
pub const FAILED: u8 = 1;
/// The command line or a scenario is wrong, or nothing could be started.
pub const UNUSABLE: u8 = 2;

/// Runs a subcommand.
///
/// # Errors
/// What ends in exit code [`UNUSABLE`].
pub fn run(command: Command) -> anyhow::Result<ExitCode> {
    match command {
        Command::Sweep(arguments) => block_on(sweep::run(*arguments)),
        Command::Run(arguments) => block_on(run::run(*arguments)),
        Command::List(arguments) => list::run(arguments),
        Command::Verify(arguments) => block_on(verify::run(arguments)),
        #[cfg(feature = "serve")]
        Command::Serve(arguments) => serve::run(&arguments),
        #[cfg(feature = "serve")]
        Command::Ceiling(arguments) => ceiling::run(&arguments),
        Command::Report(arguments) => report::run(&arguments),
        Command::Compare(arguments) => compare::run(&arguments),
        Command::Completions(arguments) => completions::run(&arguments),
        Command::Shepherd(arguments) => {
            let grace = std::time::Duration::from_millis(arguments.grace_ms);
            Ok(crate::subject::shepherd(&arguments.cpus, grace, arguments.command))
        }
    }
}

/// Writes to standard output.
///
/// # Errors
/// It cannot be written to, as when a disk is full. A reader that closed the pipe has seen enough, and is none.
fn print(text: &str) -> anyhow::Result<()> {
    let mut stdout = anstream::stdout();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        outcome => outcome.context("standard output"),
    }
}

/// One thread for everything that loadgen does: it must not take CPU from the servers.
fn block_on(task: impl Future<Output = anyhow::Result<ExitCode>>) -> anyhow::Result<ExitCode> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().context("async runtime")?;
    let outcome = runtime.block_on(task);
    // An interrupt does not wait for pictures that are still being computed.
    runtime.shutdown_background();
    outcome
}
