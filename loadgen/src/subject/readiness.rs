//! When a server that was started can be reached. (Whether it answers HTTP is for the caller to ask.)

use std::net::SocketAddr;
use std::time::Duration;

use tokio::net::TcpStream;

use super::address::{ANNOUNCEMENT, addresses};
use super::exit::ExitReport;
use super::process::Process;

/// How a server tells that it is ready.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ready {
    /// It prints `listening on http://HOST:PORT`.
    Announced,
    /// It was told this address and accepts connections there.
    Polled(SocketAddr),
}

/// Why a server did not become ready.
#[derive(Debug, thiserror::Error)]
pub enum ReadyError {
    /// It ended.
    #[error("server {name} {report} before it listened; run its command by hand to see why{}", silence(last_words))]
    Exited {
        /// The server.
        name: String,
        /// How it ended.
        report: ExitReport,
        /// The last lines that it wrote.
        last_words: Vec<String>,
    },
    /// It runs, but cannot be reached.
    #[error(
        "server {name} was not ready within {limit:?}: {}; check its command, or allow it more time with --ready-timeout{}",
        missing(how),
        silence(last_words)
    )]
    TooLate {
        /// The server.
        name: String,
        /// How long it had.
        limit: Duration,
        /// What was waited for.
        how: Ready,
        /// The last lines that it wrote.
        last_words: Vec<String>,
    },
    /// It printed something that is no address.
    #[error(
        "server {name} printed `{line}`; it must be `{ANNOUNCEMENT}http://HOST:PORT`, \
         with an IP address or `localhost` and the port that it listens on"
    )]
    Nonsense {
        /// The server.
        name: String,
        /// The line.
        line: String,
    },
}

fn missing(how: &Ready) -> String {
    match how {
        Ready::Announced => format!("it did not print `{ANNOUNCEMENT}http://HOST:PORT`"),
        Ready::Polled(address) => format!("nothing listens on {address}"),
    }
}

/// The last words are for the caller to show; that there are none is told here.
fn silence(last_words: &[String]) -> &'static str {
    if last_words.is_empty() { " (it printed nothing)" } else { "" }
}

/// Waits until `process` listens; tells where.
pub async fn wait_ready(process: &Process, how: Ready, limit: Duration) -> Result<SocketAddr, ReadyError> {
    let name = process.name().to_owned();
    let ready = async {
        match how {
            Ready::Announced => announced(process).await,
            Ready::Polled(address) => Some(Ok(first_to_accept(&[address]).await)),
        }
    };
    // An end is told first: where a server's port was taken, somebody else accepts.
    let outcome = tokio::time::timeout(limit, async {
        tokio::select! {
            biased;
            report = process.exited() => Err(report),
            Some(ready) = ready => Ok(ready),
        }
    });
    match outcome.await {
        Ok(Ok(Ok(address))) => Ok(address),
        Ok(Ok(Err(line))) => Err(ReadyError::Nonsense { name, line }),
        Ok(Err(report)) => Err(ReadyError::Exited { name, report, last_words: process.last_words() }),
        Err(_) => Err(ReadyError::TooLate { name, limit, how, last_words: process.last_words() }),
    }
}

/// The address announced, or a line that holds none; nothing if the server ended before.
async fn announced(process: &Process) -> Option<Result<SocketAddr, String>> {
    let line = process.line_starting_with(ANNOUNCEMENT).await?;
    Some(match addresses(&line).as_deref() {
        None => Err(line),
        Some([address]) => Ok(*address),
        Some(several) => Ok(first_to_accept(several).await),
    })
}

/// Tries to connect, with growing pauses, until one accepts.
async fn first_to_accept(addresses: &[SocketAddr]) -> SocketAddr {
    let mut pause = Duration::from_millis(5);
    loop {
        for &address in addresses {
            if let Ok(stream) = TcpStream::connect(address).await {
                // Where nobody listens, a connection can by chance be made to itself.
                if stream.local_addr().ok() != Some(address) {
                    return address;
                }
            }
        }
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(Duration::from_millis(100));
    }
}
