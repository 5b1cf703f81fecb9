//! The command `loadgen`; all of it is in the library beside.

use std::io::Write;
use std::process::ExitCode;

use clap::Parser;
use loadgen::{cli::Cli, commands};

fn main() -> ExitCode {
    match commands::run(Cli::parse().command) {
        Ok(code) => code,
        Err(error) => {
            // `eprintln!` would panic where standard error is closed.
            let _ = writeln!(std::io::stderr(), "loadgen: {error:#}");
            ExitCode::from(commands::UNUSABLE)
        }
    }
}
