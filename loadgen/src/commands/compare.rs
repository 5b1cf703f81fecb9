//! `loadgen compare`: two folders of results, or two servers of one, with significance.

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, bail, ensure};
use serde::Serialize;

use crate::analysis::comparison::{Comparison, Condition, between, ceiling_ratio, conditions, within};
use crate::analysis::statistics::{TRIALS_LEAST, Verdict};
use crate::analysis::trials;
use crate::cli::CompareArgs;
use crate::report::comparison::{Told, markdown, render};
use crate::results::warning::{Kind, Warning};
use crate::results::{Detail, Folder, Results};

use super::{FAILED, print};

/// What `--json` prints.
#[derive(Serialize)]
struct Printed<'a> {
    #[serde(flatten)]
    comparison: &'a Comparison,
    conditions: &'a [Condition],
    ceiling_ratio: Option<f64>,
}

/// Compares, prints, and says by the exit code whether something became slower.
pub fn run(arguments: &CompareArgs) -> anyhow::Result<ExitCode> {
    ensure!(
        arguments.b.is_some() || arguments.baseline.is_some(),
        "compare with what? name a second folder, or a server of this one with --baseline"
    );
    let (a, b) = read(arguments)?;
    check_names(arguments, &a, b.as_ref())?;
    let (comparison, conditions, ceiling_ratio) = match &b {
        Some(b) => {
            let found = conditions(&a, b);
            refuse(&found, arguments.anyway)?;
            (between(&a, b, &arguments.servers, arguments.threshold), found, ceiling_ratio(&a, b))
        }
        None => {
            let base = arguments.baseline.as_deref().unwrap_or_default();
            (within(&a, base, &arguments.servers, arguments.threshold), Vec::new(), None)
        }
    };
    ensure!(
        !comparison.servers.is_empty(),
        "nothing to compare: no server and level is in both{}",
        comparison.left_out.iter().map(|left| format!("; {}: {}", left.server, left.reason)).collect::<String>()
    );
    let told = Told {
        sides: sides(arguments, &a, b.as_ref()),
        comparison: &comparison,
        conditions: &conditions,
        ceiling_ratio,
        warnings: [Some(("A", &a)), b.as_ref().map(|b| ("B", b))].into_iter().flatten().filter_map(warned).collect(),
        cells: arguments.cells,
    };
    let text = match arguments {
        CompareArgs { json: true, .. } => {
            let printed = Printed { comparison: &comparison, conditions: &conditions, ceiling_ratio };
            serde_json::to_string_pretty(&printed).context("the comparison as JSON")? + "\n"
        }
        CompareArgs { markdown: true, .. } => markdown(&told),
        _ => render(&told),
    };
    print(&text)?;
    let Some(most) = arguments.fail_if_slower else { return Ok(ExitCode::SUCCESS) };
    Ok(if has_become_slower(&comparison, most)? { ExitCode::from(FAILED) } else { ExitCode::SUCCESS })
}

/// Both folders, at the same time.
fn read(arguments: &CompareArgs) -> anyhow::Result<(Results, Option<Results>)> {
    let load = |path: &Path| Folder::open(path).load(Detail::Figures);
    let Some(b) = &arguments.b else { return Ok((load(&arguments.a)?, None)) };
    std::thread::scope(|scope| {
        let a = scope.spawn(|| load(&arguments.a));
        let b = load(b);
        let a = a.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        Ok((a?, Some(b?)))
    })
}

/// Names on the command line must mean something.
fn check_names(arguments: &CompareArgs, a: &Results, b: Option<&Results>) -> anyhow::Result<()> {
    for name in arguments.servers.iter().chain(&arguments.baseline) {
        let known = |results: &Results| results.scenario.servers.contains(name);
        ensure!(
            known(a) || b.is_some_and(known),
            "there is no server `{name}` in these results; there are: {}",
            a.scenario.servers.join(", ")
        );
    }
    if let Some(base) = arguments.baseline.as_ref().filter(|base| arguments.servers.contains(base)) {
        bail!("--servers: `{base}` is the --baseline, and equal to itself");
    }
    Ok(())
}

/// Different scenarios or machines do not compare.
fn refuse(conditions: &[Condition], anyway: bool) -> anyhow::Result<()> {
    let decisive: Vec<String> = conditions
        .iter()
        .filter(|condition| condition.decisive)
        .map(|Condition { what, a, b, .. }| format!("\n  {what}: {a} in A, {b} in B"))
        .collect();
    ensure!(
        anyway || decisive.is_empty(),
        "these sweeps are not of the same; --anyway compares them all the same:{}",
        decisive.concat()
    );
    Ok(())
}

/// One line for each side.
fn sides(arguments: &CompareArgs, a: &Results, b: Option<&Results>) -> Vec<String> {
    let side = |path: &Path, results: &Results| {
        let date = results.started_at.get(..16).unwrap_or(&results.started_at).replace('T', " ");
        format!("{}, {date}, {}", path.display(), trials::described(results))
    };
    match (b, &arguments.b, &arguments.baseline) {
        (Some(b), Some(path), _) => vec![format!("A: {}", side(&arguments.a, a)), format!("B: {}", side(path, b))],
        (_, _, base) => {
            vec![
                format!("A: {}", side(&arguments.a, a)),
                format!("compared with: {}", base.as_deref().unwrap_or_default()),
            ]
        }
    }
}

/// What a side was warned of, in a word each.
fn warned((side, results): (&str, &Results)) -> Option<String> {
    let title = |warning: &Warning| match warning.kind {
        // Of schema 1: what it is about comes before the colon.
        Kind::Other => warning.text.split(':').next().unwrap_or_default().to_owned(),
        kind => kind.title().to_owned(),
    };
    let titles: Vec<String> = results.warnings.iter().map(title).collect();
    (!titles.is_empty()).then(|| format!("{side} was warned of: {} (loadgen report tells more).", titles.join(", ")))
}

/// Whether some server is slower by more than `most`, or failed where it ran before; both are said.
///
/// # Errors
/// There are too few trials to say.
fn has_become_slower(comparison: &Comparison, most: f64) -> anyhow::Result<bool> {
    let mut slower = false;
    for left in comparison.left_out.iter().filter(|left| left.failed) {
        eprintln!("loadgen: {}: {}", left.server, left.reason);
        slower = true;
    }
    for compared in &comparison.servers {
        if let Some(failure) = &compared.failure {
            eprintln!("loadgen: {}: {failure}", compared.server);
            slower = true;
        }
        let (judged, less) = (&compared.throughput, 1.0 - compared.throughput.ratio);
        if judged.verdict == Verdict::Slower && less > most {
            eprintln!(
                "loadgen: {} is slower by {:.1}%, more than --fail-if-slower {}%",
                compared.server,
                less * 100.0,
                most * 100.0
            );
            slower = true;
        }
    }
    let undecided = comparison.servers.iter().filter(|compared| compared.throughput.verdict == Verdict::TooFewTrials);
    let undecided: Vec<&str> = undecided.map(|compared| compared.server.as_str()).collect();
    ensure!(
        slower || undecided.is_empty(),
        "--fail-if-slower: too few trials to say of {}; sweep with --trials {TRIALS_LEAST} or more",
        undecided.join(", ")
    );
    Ok(slower)
}
