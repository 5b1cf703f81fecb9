//! Servers of the user's own, from `--url` and `--command`, and what they are asked.

use anyhow::{anyhow, ensure};

use crate::cli::SweepArgs;
use crate::engine::Connections;
use crate::scenario::{Expect, Levels, RequestCount, Scenario, WarmUp, is_path, request, sizes::SIZE};
use crate::server::Server;
use crate::target;

/// `NAME=REST`, where a name is lower-case, so that `PORT={port} node app.js` has none.
fn split_name(text: &str) -> (Option<&str>, &str) {
    let is_name = |name: &str| {
        name.starts_with(|first: char| first.is_ascii_lowercase() || first.is_ascii_digit())
            && name.chars().all(|each| each.is_ascii_lowercase() || each.is_ascii_digit() || "-_.".contains(each))
    };
    match text.split_once('=') {
        Some((name, rest)) if is_name(name) => (Some(name), rest),
        _ => (None, text),
    }
}

/// Servers of `--url` and `--command`.
pub(super) fn own_servers(arguments: &SweepArgs) -> anyhow::Result<Vec<Server>> {
    let mut servers = Vec::new();
    for text in &arguments.url {
        let (name, address) = split_name(text);
        let url = target::parse(address, &["http"]).map_err(|reason| anyhow!("--url {address}: {reason}"))?;
        let host = url.host_str().unwrap_or_default();
        ensure!(!target::has_secret(&url), "--url {host}: a URL with a user or a password is not supported");
        let name = name.map_or_else(|| target::host(&url), str::to_owned);
        let path = target::path_and_query(&url).replace("%7Bsize%7D", SIZE);
        let bare = path == "/";
        ensure!(
            arguments.scenario.is_none() || bare,
            "--url {address}: with --scenario the path comes from the scenario; give the address alone"
        );
        servers.push(Server::running(name, url, (!bare).then_some(path)));
    }
    if let Some(path) = &arguments.path {
        ensure!(is_path(path), "--path {path}: must begin with / and hold no spaces (write %20)");
    }
    for text in &arguments.command {
        let (name, command) = split_name(text);
        ensure!(!command.trim().is_empty(), "--command {text}: the command is empty");
        ensure!(
            command.contains("{port}"),
            "--command {command}: has no {{port}}, the place of the port that loadgen picks; for a server on a port of \
             its own use --url"
        );
        ensure!(
            arguments.scenario.is_some() || arguments.path.is_some(),
            "--command {command}: needs --path, what to ask it (or --scenario, whose contract it keeps)"
        );
        let first = command.split_whitespace().find(|word| !word.contains('=')).unwrap_or(command);
        let short = first.rsplit('/').next().unwrap_or(first);
        servers.push(Server::shell(name.unwrap_or(short).into(), command.into(), arguments.path.clone()));
    }
    Ok(servers)
}

/// What servers of the user's are asked where no scenario says it.
pub(super) fn own_scenario(arguments: &SweepArgs, own: &[Server]) -> anyhow::Result<Scenario> {
    let path = own.iter().find_map(|server| server.path.clone()).unwrap_or_else(|| "/".into());
    let expect = Expect { body: arguments.expect_body.clone(), ..Expect::status_only(arguments.expect_status) };
    if !expect.checks_body() {
        eprintln!("loadgen: only status and framing are checked; --expect-body TEXT checks bodies too");
    }
    for path in own.iter().filter_map(|server| server.path.as_deref()) {
        let (has, wanted) = (path.contains(SIZE), arguments.sizes.is_some());
        ensure!(has == wanted || wanted, "{path}: has a {SIZE}; --sizes LIST says which");
        ensure!(has == wanted, "--sizes: {path} has no {SIZE}, the place of the size");
    }
    let levels = if arguments.quick { "1,2,4,8,14,20" } else { "1-20" };
    Ok(Scenario {
        name: "custom".into(),
        title: format!("GET {path}"),
        description: String::new(),
        servers: Vec::new(),
        backends: Vec::new(),
        concurrency: levels.parse::<Levels>()?,
        sizes: None,
        workers: None,
        spare_cpu: false,
        connections: Connections::KeepAlive,
        requests: RequestCount { per_client: 4, least: 24, least_s: Some(if arguments.quick { 0.5 } else { 2.0 }) },
        warm_up: WarmUp::new(2, 10),
        trials: 1,
        pin_workers: false,
        timeout_s: 60.0,
        request: request(path),
        expect,
        probe: None,
        claims: Vec::new(),
        published: Vec::new(),
        quick: arguments.quick,
        full: false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_told_from_environment_and_urls() {
        assert_eq!(split_name("mine=./a {port}"), (Some("mine"), "./a {port}"));
        assert_eq!(split_name("PORT={port} node a.js"), (None, "PORT={port} node a.js"));
        assert_eq!(split_name("http://h/?a=b"), (None, "http://h/?a=b"));
        assert_eq!(split_name("a=http://h/?a=b"), (Some("a"), "http://h/?a=b"));
    }
}
