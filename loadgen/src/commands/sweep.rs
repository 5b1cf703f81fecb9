//! `loadgen sweep`: from flags to a plan, through the sweep, to table and pictures.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::ensure;

use crate::cli::SweepArgs;
use crate::interrupt::{INTERRUPTED, Interrupt};
use crate::plan::{self, Axes, plan};
use crate::results::{Folder, Machine, Results, SCHEMA_VERSION, Skipped, counted};
use crate::scenario::{self, Form, Levels, Scenario, Workers, workers::WORKERS_MOST};
use crate::server::Server;
use crate::sweep::{PROBES_MOST, Parts, Sweep};

use super::file_limit;
use super::own_servers::{own_scenario, own_servers};
use super::servers::catalogued;
use super::{FAILED, UNUSABLE, inputs, provenance, report};

/// Runs a sweep and prints its table.
pub async fn run(arguments: SweepArgs) -> anyhow::Result<ExitCode> {
    let (mut scenario, servers, mut skipped) = what_to_run(&arguments)?;
    if let Some(concurrency) = &arguments.concurrency {
        scenario.concurrency = concurrency.clone();
    }
    scenario.pin_workers |= arguments.pin_workers;
    scenario.trials = arguments.trials.unwrap_or(scenario.trials);
    if !arguments.backends.is_empty() {
        scenario.backends = distinct(&arguments.backends);
    }
    let servers = with_a_backend(servers, &scenario.backends, &mut skipped);
    for Skipped { server, reason } in &skipped {
        eprintln!("loadgen: {server} is skipped: {reason}");
    }
    ensure!(!servers.is_empty(), "no server to measure: none of these can run here");
    if let Some(sizes) = &arguments.sizes {
        scenario.set_sizes(sizes).map_err(|reason| anyhow::anyhow!("--sizes {sizes}: {reason}"))?;
    }
    scenario.servers = servers.iter().map(|server| server.name.clone()).collect();
    set_image(&mut scenario, &arguments)?;
    check_workers(&arguments, &servers)?;
    scenario.workers = arguments.workers.clone().map(Workers::All).or(scenario.workers);
    check_pins(&scenario, &servers)?;
    scenario.probe = arguments.probe.clone().or(scenario.probe);
    let probes = if scenario.probe.is_some() { PROBES_MOST } else { 0 };
    file_limit::raise_for(scenario.concurrency.highest() + probes)?;
    let interrupt = Interrupt::listen()?;
    let expected = tokio::select! {
        expected = inputs::prepare(&scenario) => expected?,
        () = interrupt.wait() => return Ok(ExitCode::from(INTERRUPTED)),
    };
    let machine = Machine::here();
    let cpus = cpu_counts(arguments.cpu_count.as_ref(), machine.cpus_usable.len(), scenario.spare_cpu)?;
    let seed = arguments.seed.unwrap_or_else(|| fastrand::u64(..1_000_000));
    let passes = plan(&Axes {
        servers: &servers,
        concurrency: &scenario.concurrency,
        sizes: &scenario.sizes(),
        cpus: &cpus,
        workers: scenario.workers.as_ref(),
        trials: scenario.trials,
        backends: &scenario.backends,
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
        program: provenance::PROGRAM.into(),
        started_at: provenance::timestamp(&now),
        wall_s: 0.0,
        interrupted: false,
        command_line: provenance::typed(),
        seed,
        scenario,
        machine,
        ceiling: Vec::new(),
        passes: Vec::new(),
        skipped,
        warnings: Vec::new(),
        verdicts: Vec::new(),
    };
    announce(&results, passes.len(), &folder);
    let ready_limit = Duration::from_secs_f64(arguments.ready_timeout);
    let parts = Parts { servers, passes, ready_limit, expected, interrupt, folder: folder.clone(), results };
    let results = Sweep::new(parts)?.run().await?;
    finish(&results, &folder, &arguments)
}

/// The scenario, the servers that the flags name, and those of them that cannot run here.
fn what_to_run(arguments: &SweepArgs) -> anyhow::Result<(Scenario, Vec<Server>, Vec<Skipped>)> {
    ensure!(
        arguments.scenario.is_some() || !arguments.url.is_empty() || !arguments.command.is_empty(),
        "sweep what? --scenario NAME (one of: {}), --url URL or --command CMD; see loadgen sweep --help",
        scenario::names().join(", ")
    );
    let own = own_servers(arguments)?;
    let (scenario, (mut servers, skipped)) = match &arguments.scenario {
        Some(name) => {
            let scenario = Scenario::load(name, Form::of_flags(arguments.quick, arguments.full))?;
            let names = match (&arguments.servers, own.is_empty()) {
                (Some(names), _) => names.clone(),
                (None, true) => scenario.servers.clone(),
                (None, false) => Vec::new(),
            };
            let names: Vec<&str> = names.iter().map(|name| name.trim()).collect();
            (scenario, catalogued(&names, arguments.folder.servers_dir.clone())?)
        }
        None => (own_scenario(arguments, &own)?, Default::default()),
    };
    servers.extend(own);
    let named = !servers.is_empty() || !skipped.is_empty();
    ensure!(named, "no server to measure: name some with --servers, --url or --command");
    for (index, server) in servers.iter().enumerate() {
        let twice = servers[..index].iter().any(|other| other.name == server.name);
        ensure!(
            !twice,
            "two servers are called `{}`: name each once, and give servers of your own names, as in --url NAME=URL",
            server.name
        );
    }
    Ok((scenario, servers, skipped))
}

/// What the flags say of pictures.
fn set_image(scenario: &mut Scenario, arguments: &SweepArgs) -> anyhow::Result<()> {
    let SweepArgs { image, image_size, image_send, .. } = arguments;
    let flags =
        [("--image", image.is_some()), ("--image-size", image_size.is_some()), ("--image-send", image_send.is_some())];
    let Some((flag, _)) = flags.into_iter().find(|(_, given)| *given) else { return Ok(()) };
    let problem = |reason| anyhow::anyhow!("{flag}: {reason}");
    scenario.set_image(image.as_deref(), *image_size, *image_send).map_err(problem)
}

/// The names, each once.
fn distinct(names: &[String]) -> Vec<String> {
    let mut distinct: Vec<String> = Vec::new();
    for name in names.iter().filter(|name| !name.is_empty()) {
        if !distinct.contains(name) {
            distinct.push(name.clone());
        }
    }
    distinct
}

/// The servers that can compute with one of these backends.
fn with_a_backend(servers: Vec<Server>, asked: &[String], skipped: &mut Vec<Skipped>) -> Vec<Server> {
    let (with, without): (Vec<_>, Vec<_>) =
        servers.into_iter().partition(|server| !plan::backends(server, asked).is_empty());
    skipped.extend(without.into_iter().map(|server| {
        let reason = format!("it computes with {} only", server.backends.join(", "));
        Skipped { server: server.name, reason }
    }));
    with
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

/// Pinning must mean something to at least one of the servers that were named.
fn check_pins(scenario: &Scenario, servers: &[Server]) -> anyhow::Result<()> {
    let (with, without): (Vec<_>, Vec<_>) = servers.iter().partition(|server| server.can_pin());
    let names = |servers: &[&Server]| servers.iter().map(|server| server.name.as_str()).collect::<Vec<_>>().join(", ");
    if scenario.pin_workers && !without.is_empty() {
        ensure!(!with.is_empty(), "--pin-workers: {} has no workers that loadgen could pin", names(&without));
        eprintln!("loadgen: --pin-workers means nothing to {}", names(&without));
    }
    Ok(())
}

/// Numbers of CPUs to give to servers, all but the one that is to be spare if there are three at least; those that this
/// machine does not have are named and skipped.
fn cpu_counts(asked: Option<&Levels>, usable: usize, spare: bool) -> anyhow::Result<Vec<u32>> {
    let usable = u32::try_from(usable).unwrap_or(u32::MAX);
    let Some(asked) = asked else { return Ok(vec![if spare && usable > 2 { usable - 1 } else { usable }]) };
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
    let form = scenario.form().map(|form| format!(" ({form})")).unwrap_or_default();
    let trials = if scenario.trials > 1 { format!(" ({} trials)", scenario.trials) } else { String::new() };
    let sizes = scenario.sizes.as_ref().map(|sizes| format!("sizes {sizes}, ")).unwrap_or_default();
    eprintln!(
        "loadgen: {}{form}: {}{trials}, {sizes}concurrency {}, on {}; seed {seed}; results in {}",
        scenario.title,
        counted(u32::try_from(passes).unwrap_or(u32::MAX), "server run"),
        scenario.concurrency,
        counted(u32::try_from(machine.cpus_usable.len()).unwrap_or(u32::MAX), "CPU"),
        folder.path().display(),
    );
}

/// Pictures, table, exit code.
fn finish(results: &Results, folder: &Folder, arguments: &SweepArgs) -> anyhow::Result<ExitCode> {
    if results.is_empty() {
        folder.remove_if_ours();
        if results.interrupted {
            return Ok(ExitCode::from(INTERRUPTED));
        }
        eprintln!("loadgen: nothing was measured");
        return Ok(ExitCode::from(UNUSABLE));
    }
    let drawn = report::write(results, folder, &arguments.format, arguments.json)?;
    eprintln!("loadgen: results.json, results.csv, charts and report.html are in {}", folder.path().display());
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
    fn cpu_counts_that_are_not_there_are_skipped() {
        let levels = |text: &str| text.parse::<Levels>().unwrap();
        assert_eq!(cpu_counts(Some(&levels("1,2,64")), 2, false).unwrap(), [1, 2]);
        assert_eq!(cpu_counts(None, 2, false).unwrap(), [2]);
        assert!(cpu_counts(Some(&levels("64")), 2, false).is_err());
    }

    #[test]
    fn a_cpu_is_spared_where_two_are_left() {
        let counts = [1, 2, 3, 8].map(|usable| cpu_counts(None, usable, true).unwrap());
        assert_eq!(counts, [[1], [2], [2], [7]]);
        assert_eq!(cpu_counts(Some(&"3".parse().unwrap()), 3, true).unwrap(), [3]);
    }
}
