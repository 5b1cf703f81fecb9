//! The command `loadgen`; all of it is in the library beside.

use std::io::Write;
use std::process::ExitCode;

use clap::Parser;
use loadgen::{cli::Cli, colour, commands};

fn main() -> ExitCode {
    colour::obey(std::env::args_os().skip(1));
    match commands::run(Cli::parse().command) {
        Ok(code) => code,
        Err(error) => {
            // `eprintln!` would panic where standard error is closed.
            let _ = writeln!(anstream::stderr(), "{} {error:#}", colour::styled(colour::ERROR, "loadgen:"));
            ExitCode::from(commands::UNUSABLE)
        }
    }
}
