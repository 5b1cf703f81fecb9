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
/// How often a server is asked many things at once to show its fault.
const CHANCES: u32 = 3;
/// More wrong answers of a server are only counted.
const FINDINGS_MOST: usize = 10;

/// Checks servers one after the other and prints a line for each.
pub async fn run(arguments: VerifyArgs) -> anyhow::Result<ExitCode> {
    let VerifyArgs { all, servers: named, .. } = &arguments;
    let what = *all || arguments.scenario.is_some() || named.is_some();
    ensure!(what, "verify what? --all, --servers A,B or --scenario NAME");
    let scenario = arguments
        .scenario
        .as_ref()
        .map(|name| Scenario::load(name, Form::of_flags(arguments.quick, false)))
        .transpose()?;
    let names: Vec<&str> = match (named, &scenario) {
        (Some(named), _) => named.iter().map(|name| name.trim()).collect(),
        (None, Some(scenario)) => scenario.servers.iter().map(String::as_str).collect(),
        (None, None) => catalog::names(),
    };
    let (servers, skipped) = catalogued(&names, arguments.folder.servers_dir.clone())?;
    for Skipped { server, reason } in &skipped {
        println!("{server:<32} skipped: {reason}");
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
        let judged = tokio::select! {
            judged = judge(&control, &running, server, scenario.as_ref(), expected.as_ref()) => judged,
            () = interrupt.wait() => return Ok(ExitCode::from(INTERRUPTED)),
        };
        running.stop().await;
        println!("{name:<32} {judged}");
        wrong += usize::from(!judged.findings.is_empty());
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

/// What is to be said of a server.
struct Judged {
    /// Where it strays from what it should do.
    findings: Vec<Finding>,
    /// Wrong answers of so many at once, where that is its point.
    wrong_as_declared: Option<u32>,
}

impl std::fmt::Display for Judged {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let count = |number: usize| counted(u32::try_from(number).unwrap_or(u32::MAX), "wrong answer");
        match (self.findings.len(), self.wrong_as_declared) {
            (0, None) => f.write_str("right")?,
            (0, Some(wrong)) => write!(f, "wrong, as declared: {wrong} of {} answers at once", contract::AT_ONCE)?,
            (number, _) => f.write_str(&count(number))?,
        }
        self.findings.iter().take(FINDINGS_MOST).try_for_each(|finding| write!(f, "\n    {finding}"))?;
        match self.findings.len().saturating_sub(FINDINGS_MOST) {
            0 => Ok(()),
            more => write!(f, "\n    and {} more", count(more)),
        }
    }
}

/// Asks for all parts that a server declares, then for what the scenario asks.
async fn judge(
    control: &Control,
    running: &Running,
    server: &Server,
    scenario: Option<&Scenario>,
    expected: Option<&Arc<Expected>>,
) -> Judged {
    let (mut findings, mut wrong_as_declared) = (Vec::new(), None);
    for &part in &server.parts {
        findings.extend(contract::check_part(control, running, part).await);
        if server.fault.is_none() {
            findings.extend(contract::check_at_once(control, running, part).await);
        }
    }
    if server.fault.is_some() {
        match wrong_at_once(control, running, server).await {
            Ok(wrong) => wrong_as_declared = Some(wrong),
            Err(finding) => findings.push(finding),
        }
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
        // One at a time is answered rightly by any server.
        let count = if server.fault.is_some() { 1 } else { SCENARIO_REQUESTS };
        findings.extend(contract::check_scenario(control, running, scenario, path, count).await);
    }
    Judged { findings, wrong_as_declared }
}

/// How many answers are wrong at once, of a server of which that is expected; else that they are not.
async fn wrong_at_once(control: &Control, running: &Running, server: &Server) -> Result<u32, Finding> {
    for _ in 0..CHANCES {
        let mut wrong = 0;
        for &part in &server.parts {
            wrong += contract::check_at_once(control, running, part).await.len();
        }
        if wrong > 0 {
            return Ok(u32::try_from(wrong).unwrap_or(u32::MAX));
        }
    }
    Err(Finding {
        request: format!("{} requests at once", contract::AT_ONCE),
        expected: format!("wrong answers, since it {}", server.fault.as_deref().unwrap_or_default()),
        received: "right answers only".into(),
    })
}
