//! `loadgen verify`: does every server answer rightly? No timing.

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::ensure;

use crate::catalog;
use crate::cli::VerifyArgs;
use crate::contract::{self, Asking, Finding};
use crate::control::Control;
use crate::image::Expected;
use crate::interrupt::{INTERRUPTED, Interrupt};
use crate::plan;
use crate::results::{Skipped, counted, machine::usable_cpus};
use crate::running::{Running, Starter};
use crate::scenario::{Form, Scenario};
use crate::server::{Server, Settings};

use super::servers::catalogued;
use super::{FAILED, UNUSABLE, inputs};

/// Requests of the scenario that every server is asked at once.
const SCENARIO_REQUESTS: u32 = 4;

/// Checks servers one after the other and prints a line for each.
pub async fn run(arguments: VerifyArgs) -> anyhow::Result<ExitCode> {
    ensure!(arguments.all || arguments.scenario.is_some(), "verify what? --all, or --scenario NAME");
    let scenario =
        arguments.scenario.map(|name| Scenario::load(&name, Form::of_flags(arguments.quick, false))).transpose()?;
    let names: Vec<&str> = match &scenario {
        Some(scenario) => scenario.servers.iter().map(String::as_str).collect(),
        None => catalog::names(),
    };
    let (servers, skipped) = catalogued(&names, arguments.folder.servers_dir)?;
    for Skipped { server, reason } in &skipped {
        println!("{server:<32} skipped, {reason}");
    }
    ensure!(!servers.is_empty(), "no server to verify: none of these can run here");
    let control = Control::new(Duration::from_secs_f64(scenario.as_ref().map_or(60.0, |scenario| scenario.timeout_s)))?;
    let starter = Starter { control: control.clone(), ready_limit: Duration::from_secs_f64(arguments.ready_timeout) };
    let interrupt = Interrupt::listen()?;
    let prepared = async {
        match &scenario {
            Some(scenario) => inputs::prepare(scenario).await,
            None => Ok(None),
        }
    };
    let expected = tokio::select! {
        expected = prepared => expected?,
        () = interrupt.wait() => return Ok(ExitCode::from(INTERRUPTED)),
    };
    let asked = scenario.as_ref().map_or_else(all_backends, |scenario| scenario.backends.clone());
    let runs: Vec<(&Server, Settings)> = servers
        .iter()
        .flat_map(|server| plan::backends(server, &asked).into_iter().map(move |backend| (server, backend)))
        .map(|(server, backend)| (server, Settings { backend, ..Settings::default() }))
        .collect();
    let (cpus, mut wrong, mut absent) = (usable_cpus(), 0, 0);
    for (server, settings) in &runs {
        let backend = settings.backend.as_ref().filter(|_| asked.len() > 1);
        let name = server.name.clone() + &backend.map(|backend| format!(", {backend}")).unwrap_or_default();
        let started = tokio::select! {
            started = starter.start(server, &cpus, settings, "/healthz") => started,
            () = interrupt.wait() => return Ok(ExitCode::from(INTERRUPTED)),
        };
        let running = match started {
            Ok(running) => running,
            Err(error) => {
                println!("{name:<32} not started: {error}");
                error.last_words().iter().for_each(|words| println!("    | {words}"));
                absent += 1;
                continue;
            }
        };
        let findings = tokio::select! {
            findings = check(&control, &running, server, scenario.as_ref(), expected.as_ref()) => findings,
            () = interrupt.wait() => return Ok(ExitCode::from(INTERRUPTED)),
        };
        running.stop().await;
        match findings.len() {
            0 => println!("{name:<32} right"),
            count => println!("{name:<32} {}", counted(u32::try_from(count).unwrap_or(u32::MAX), "wrong answer")),
        }
        findings.iter().for_each(|finding| println!("    {finding}"));
        wrong += usize::from(!findings.is_empty());
    }
    Ok(ExitCode::from(match (wrong, absent) {
        (0, 0) => 0,
        (_, absent) if absent == runs.len() => UNUSABLE,
        _ => FAILED,
    }))
}

fn all_backends() -> Vec<String> {
    catalog::backends().into_iter().map(str::to_owned).collect()
}

async fn check(
    control: &Control,
    running: &Running,
    server: &Server,
    scenario: Option<&Scenario>,
    expected: Option<&Arc<Expected>>,
) -> Vec<Finding> {
    let mut findings = Vec::new();
    for &part in &server.parts {
        findings.extend(contract::check_part(control, running, part).await);
    }
    let pictures = scenario.and_then(|scenario| Asking::new(scenario, expected));
    if let Some(asking) = &pictures {
        let answers = async {
            asking.store(control, running).await?;
            asking.first_answers(control, running, usable_cpus().len().max(2), |_| {}).await
        };
        findings.extend(answers.await.err());
    } else if let Some(scenario) = scenario {
        let path = &scenario.request.path;
        findings.extend(contract::check_scenario(control, running, scenario, path, SCENARIO_REQUESTS).await);
    }
    findings
}
