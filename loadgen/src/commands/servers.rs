//! Servers of servers.toml by name: those that can run here, and what the others lack.

use std::path::PathBuf;

use anyhow::bail;

use crate::catalog;
use crate::installed::Installed;
use crate::results::Skipped;
use crate::server::Server;

/// Looks for them, with `folder` as `--servers-dir` has it.
///
/// # Errors
/// A name that is none, or a folder that is none.
pub(super) fn catalogued(names: &[&str], folder: Option<PathBuf>) -> anyhow::Result<(Vec<Server>, Vec<Skipped>)> {
    let installed = Installed::look(folder)?;
    let (mut servers, mut skipped) = (Vec::new(), Vec::new());
    for &name in names {
        let Some(entry) = catalog::find(name) else {
            bail!("--servers: there is no server `{name}`; servers: {}", catalog::names().join(", "));
        };
        match installed.server(entry) {
            Ok(server) => servers.push(server),
            Err(missing) => skipped.push(Skipped { server: name.into(), reason: format!("missing: {missing}") }),
        }
    }
    Ok((servers, skipped))
}
