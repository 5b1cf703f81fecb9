//! The limit of open files: raised where that is allowed, named where it is in the way.

use anyhow::{Context, ensure};
use nix::sys::resource::{Resource, getrlimit, setrlimit};

/// Files that loadgen has open beside its clients' sockets, generously.
const OTHER_FILES: u64 = 64;

/// Raises the limit as far as `clients` need; a client that has no socket would count as a server's error.
pub(super) fn raise_for(clients: u32) -> anyhow::Result<()> {
    let (soft, hard) = getrlimit(Resource::RLIMIT_NOFILE).context("limit of open files")?;
    let needed = u64::from(clients) + OTHER_FILES;
    if soft < needed {
        let raised = setrlimit(Resource::RLIMIT_NOFILE, needed.min(hard), hard);
        ensure!(
            hard >= needed && raised.is_ok(),
            "{clients} clients need {needed} open files, but the limit is {hard} (`ulimit -Hn`); raise it, or use fewer clients"
        );
    }
    Ok(())
}
