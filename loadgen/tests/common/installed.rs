//! Servers on other runtimes, where those are installed. Where `CI` is set they have to be.

use std::path::{Path, PathBuf};

use loadgen::catalog::{self, Entry, Runtime};
use loadgen::installed::Installed;
use loadgen::server::Server;

/// The folder `servers` of the source code.
pub fn servers_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate lies in the workspace").join("servers")
}

/// A server of the catalogue; `None`, and the test says so, where something is missing for it.
pub fn needs(test: &str, server: &str) -> Option<Server> {
    let entry = catalog::find(server).expect("it is in servers.toml");
    let installed = Installed::look(Some(servers_folder())).expect("the folder is there");
    match installed.server(entry) {
        Ok(server) => Some(server),
        Err(missing) => {
            assert!(std::env::var_os("CI").is_none(), "{test}: {server}: {missing} (.ci/run installs it)");
            eprintln!("skipped: {test}: {server}: missing: {missing}");
            None
        }
    }
}

/// Every server on another runtime that can run here.
pub fn on_other_runtimes(test: &str) -> Vec<(&'static Entry, Server)> {
    let others = catalog::all().iter().filter(|entry| entry.runtime != Runtime::BuiltIn);
    others.filter_map(|entry| Some((entry, needs(test, &entry.name)?))).collect()
}
