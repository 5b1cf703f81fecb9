//! `loadgen sweep`: from flags to a plan, through the sweep, to table and pictures.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use nix::sys::resource::{Resource, getrlimit, setrlimit};

use crate::catalog;
use crate::cli::SweepArgs;
use crate::engine::Connections;
use crate::interrupt::INTERRUPTED;
use crate::plan::{Axes, plan};
use crate::results::{Folder, Machine, Results, SCHEMA_VERSION, counted};
use crate::scenario::{self, Expect, Levels, RequestCount, Scenario, WarmUp, is_path, request};
use crate::server::Server;
use crate::sweep::{Parts, Sweep};

use super::{FAILED, UNUSABLE, list, report};

/// Most workers that a server is asked for; `loadgen serve` takes no more.
pub const WORKERS_MOST: u32 = 1024;

/// Runs a sweep and prints its table.
pub async fn run(arguments: SweepArgs) -> anyhow::Result<ExitCode> {
    let (mut scenario, servers) = what_to_run(&arguments)?;
    if let Some(concurrency) = &arguments.concurrency {
        scenario.concurrency = concurrency.clone();
    }
    scenario.servers = servers.iter().map(|server| server.name.clone()).collect();
    check_workers(&arguments, &servers)?;
    check_file_limit(scenario.concurrency.highest())?;
    let machine = Machine::here();
    let cpus = cpu_counts(arguments.cpu_count.as_ref(), machine.cpus_usable.len())?;
    let seed = arguments.seed.unwrap_or_else(|| fastrand::u64(..1_000_000));
    let passes = plan(&Axes {
        servers: &servers,
        concurrency: &scenario.concurrency,
        cpus: &cpus,
        workers: arguments.workers.as_ref(),
        trials: 1,
        seed,
    });
    let now = jiff::ZonedDateTime::now();
    let default_folder = || PathBuf::from(format!("results/{}-{}", scenario.name, now.strftime("%Y%m%d-%H%M%S")));
    let folder = match &arguments.out {
        Some(path) => Folder::create(path, arguments.force)?,
        None => Folder::create_new(&default_folder())?,
    };
    let results = Results {
        schema_version: SCHEMA_VERSION,
        program: concat!("cpubound ", env!("CARGO_PKG_VERSION"), " (", env!("LOADGEN_COMMIT"), ")").into(),
        started_at: now.strftime("%Y-%m-%dT%H:%M:%S%:z").to_string(),
        wall_s: 0.0,
        interrupted: false,
        command_line: typed(),
        seed,
        scenario,
        machine,
        ceiling: Vec::new(),
        passes: Vec::new(),
        warnings: Vec::new(),
    };
    announce(&results, passes.len(), &folder);
    let ready_limit = Duration::from_secs_f64(arguments.ready_timeout);
    let results = Sweep::new(Parts { servers, passes, ready_limit, folder: folder.clone(), results })?.run().await?;
    finish(&results, &folder, arguments.json)
}

/// The command line for the record, whatever bytes are in it.
fn typed() -> Vec<String> {
    let arguments = std::env::args_os().skip(1).map(|argument| argument.to_string_lossy().into_owned());
    std::iter::once("loadgen".to_owned()).chain(arguments).collect()
}

/// The scenario and the servers that the flags name.
fn what_to_run(arguments: &SweepArgs) -> anyhow::Result<(Scenario, Vec<Server>)> {
    ensure!(
        arguments.scenario.is_some() || !arguments.url.is_empty() || !arguments.command.is_empty(),
        "sweep what? --scenario NAME (one of: {}), --url URL or --command CMD; see loadgen sweep --help",
        scenario::names().join(", ")
    );
    let own = own_servers(arguments)?;
    let (scenario, mut servers) = match &arguments.scenario {
        Some(name) => {
            let scenario = Scenario::load(name, arguments.quick)?;
            let names = match (&arguments.servers, own.is_empty()) {
                (Some(names), _) => names.clone(),
                (None, true) => scenario.servers.clone(),
                (None, false) => Vec::new(),
            };
            let servers = catalogued(&names)?;
            (scenario, servers)
        }
        None => (own_scenario(arguments, &own)?, Vec::new()),
    };
    servers.extend(own);
    ensure!(!servers.is_empty(), "no server to measure: name some with --servers, --url or --command");
    for (index, server) in servers.iter().enumerate() {
        let twice = servers[..index].iter().any(|other| other.name == server.name);
        ensure!(
            !twice,
            "two servers are called `{}`: name each once, and give servers of your own names, as in --url NAME=URL",
            server.name
        );
    }
    Ok((scenario, servers))
}

/// Servers of servers.toml by name.
fn catalogued(names: &[String]) -> anyhow::Result<Vec<Server>> {
    let mut servers = Vec::new();
    for name in names.iter().map(|name| name.trim()) {
        let Some(entry) = catalog::find(name) else {
            bail!("--servers: there is no server `{name}`; servers: {}", catalog::names().join(", "));
        };
        match list::missing(entry) {
            Some(missing) => eprintln!("loadgen: {name} is skipped: {missing}"),
            None => servers.push(Server::from(entry)),
        }
    }
    Ok(servers)
}

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
fn own_servers(arguments: &SweepArgs) -> anyhow::Result<Vec<Server>> {
    let mut servers = Vec::new();
    for text in &arguments.url {
        let (name, address) = split_name(text);
        let url = reqwest::Url::parse(address).with_context(|| format!("--url {address}: not a URL"))?;
        let secret = !url.username().is_empty() || url.password().is_some();
        ensure!(
            !secret,
            "--url {}: a URL with a user or a password is not supported",
            url.host_str().unwrap_or_default()
        );
        ensure!(url.scheme() == "http", "--url {address}: only http is supported, not {}", url.scheme());
        let host =
            url.host_str().filter(|host| !host.is_empty()).with_context(|| format!("--url {address}: no host"))?;
        let name = name.map_or_else(|| url.port().map_or(host.into(), |port| format!("{host}:{port}")), str::to_owned);
        // The URL type writes { and } as %7B and %7D; the salt's place is meant.
        let path = path_and_query(&url).replace("%7Bsalt%7D", "{salt}");
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

fn path_and_query(url: &reqwest::Url) -> String {
    match url.query() {
        Some(query) => format!("{}?{query}", url.path()),
        None => url.path().to_owned(),
    }
}

/// What servers of the user's are asked where no scenario says it.
fn own_scenario(arguments: &SweepArgs, own: &[Server]) -> anyhow::Result<Scenario> {
    let path = own.iter().find_map(|server| server.path.clone()).unwrap_or_else(|| "/".into());
    let expect = Expect { body: arguments.expect_body.clone(), ..Expect::status_only(arguments.expect_status) };
    if !expect.checks_body() {
        eprintln!("loadgen: only status and framing are checked; --expect-body TEXT checks bodies too");
    }
    let levels = if arguments.quick { "1,2,4,8,14,20" } else { "1-20" };
    Ok(Scenario {
        name: "custom".into(),
        title: format!("GET {path}"),
        description: String::new(),
        servers: Vec::new(),
        concurrency: levels.parse::<Levels>()?,
        connections: Connections::KeepAlive,
        requests: RequestCount { per_client: 4, least: 24, least_s: Some(if arguments.quick { 0.5 } else { 2.0 }) },
        warm_up: WarmUp { concurrency: 2, requests: 10 },
        timeout_s: 60.0,
        request: request(path),
        expect,
        quick: arguments.quick,
    })
}

/// `--workers` must mean something to at least one of the servers that were named.
fn check_workers(arguments: &SweepArgs, servers: &[Server]) -> anyhow::Result<()> {
    let Some(workers) = &arguments.workers else { return Ok(()) };
    ensure!(workers.highest() <= WORKERS_MOST, "--workers {workers}: at most {WORKERS_MOST}");
    let (with, without): (Vec<_>, Vec<_>) = servers.iter().partition(|server| server.has_workers());
    let names = |servers: &[&Server]| servers.iter().map(|server| server.name.as_str()).collect::<Vec<_>>().join(", ");
    ensure!(!with.is_empty(), "--workers {workers}: {} has no setting for the number of workers", names(&without));
    if !without.is_empty() {
        eprintln!("loadgen: --workers means nothing to {}: measured once each", names(&without));
    }
    Ok(())
}

/// Raises the limit of open files as far as is allowed; a client that has no socket would count as a server's error.
fn check_file_limit(clients: u32) -> anyhow::Result<()> {
    /// Files that loadgen has open beside its clients' sockets, generously.
    const OTHER_FILES: u64 = 64;
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

/// Numbers of CPUs to give to servers; those that this machine does not have are named and skipped.
fn cpu_counts(asked: Option<&Levels>, usable: usize) -> anyhow::Result<Vec<u32>> {
    let usable = u32::try_from(usable).unwrap_or(u32::MAX);
    let Some(asked) = asked else { return Ok(vec![usable]) };
    let (here, missing): (Vec<u32>, Vec<u32>) = asked.as_slice().iter().partition(|&&count| count <= usable);
    let usable = counted(usable, "CPU");
    ensure!(!here.is_empty(), "--cpu-count {asked}: only {usable} usable here");
    if let Ok(missing) = Levels::new(missing) {
        eprintln!("loadgen: servers on {missing} CPUs are skipped: only {usable} usable here");
    }
    Ok(here)
}

fn announce(results: &Results, passes: usize, folder: &Folder) {
    let Results { scenario, machine, seed, .. } = results;
    let quick = if scenario.quick { " (quick)" } else { "" };
    eprintln!(
        "loadgen: {}{quick}: {}, concurrency {}, on {}; seed {seed}; results in {}",
        scenario.title,
        counted(u32::try_from(passes).unwrap_or(u32::MAX), "server run"),
        scenario.concurrency,
        counted(u32::try_from(machine.cpus_usable.len()).unwrap_or(u32::MAX), "CPU"),
        folder.path().display(),
    );
}

/// Pictures, table, exit code.
fn finish(results: &Results, folder: &Folder, json: bool) -> anyhow::Result<ExitCode> {
    if results.is_empty() {
        folder.remove_if_ours();
        if results.interrupted {
            return Ok(ExitCode::from(INTERRUPTED));
        }
        eprintln!("loadgen: nothing was measured");
        return Ok(ExitCode::from(UNUSABLE));
    }
    let drawn = report::write(results, folder, json)?;
    eprintln!("loadgen: results.json, results.csv and charts are in {}", folder.path().display());
    Ok(ExitCode::from(match results {
        _ if results.interrupted => INTERRUPTED,
        _ if results.all_good() && drawn => 0,
        _ => FAILED,
    }))
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

    #[test]
    fn cpu_counts_that_are_not_there_are_skipped() {
        let levels = |text: &str| text.parse::<Levels>().unwrap();
        assert_eq!(cpu_counts(Some(&levels("1,2,64")), 2).unwrap(), [1, 2]);
        assert_eq!(cpu_counts(None, 2).unwrap(), [2]);
        assert!(cpu_counts(Some(&levels("64")), 2).is_err());
    }
}
