//! `loadgen ceiling`: what these CPUs can do with no server in the way.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, bail};
use serde_json::json;
use servers::{Work, ceiling};

use crate::cli::CeilingArgs;
use crate::report::format::three_digits;
use crate::results::{counted, machine::usable_cpus};
use crate::scenario::{Form, Levels, Scenario, sizes::with_size};

/// Runs the native kernel on each number of threads and prints the rates.
pub fn run(arguments: &CeilingArgs) -> anyhow::Result<ExitCode> {
    let (path, input, sizes) = match (&arguments.path, &arguments.scenario) {
        (Some(path), _) => {
            let read = |file: &PathBuf| std::fs::read(file).with_context(|| format!("--input {}", file.display()));
            (path.clone(), arguments.input.as_ref().map(read).transpose()?, vec![None])
        }
        (None, Some(scenario)) => {
            let scenario = Scenario::load(scenario, Form::of_flags(arguments.quick, false))?;
            let sizes = scenario.sizes();
            let image =
                scenario.request.image.as_ref().map(|image| image.source()?.open()?.input(0, scenario.inputs()));
            (scenario.request.path, image.transpose()?.map(|input| input.to_vec()), sizes)
        }
        (None, None) => bail!("either --scenario or --path is needed"),
    };
    let cpus = usable_cpus();
    let count = u32::try_from(cpus.len()).unwrap_or(u32::MAX);
    let threads = match &arguments.threads {
        Some(threads) => threads.clone(),
        None => Levels::new(1..=count).map_err(anyhow::Error::msg)?,
    };
    if threads.highest() > count {
        bail!("--threads: {} is more than the {} usable here", threads.highest(), counted(count, "CPU"));
    }
    for size in sizes {
        let path = with_size(&path, size);
        let method = if input.is_some() { "POST" } else { "GET" };
        let work = Work::parse(method, &path.replace("{salt}", "0"), input.clone().unwrap_or_default()).with_context(|| {
            format!("`{path}` is no computation of the contract, so it has no ceiling; try /fib/40, or /convolve with --input FILE")
        })?;
        if let Some(size) = size.filter(|_| !arguments.json) {
            println!("size {size}");
        }
        measure(arguments, &work, size, &threads, &cpus)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Each number of threads with the same work.
fn measure(
    arguments: &CeilingArgs,
    work: &Work,
    size: Option<u32>,
    threads: &Levels,
    cpus: &[u32],
) -> anyhow::Result<()> {
    let mut alone = None;
    for &threads in threads.as_slice() {
        let on: Vec<usize> = cpus.iter().take(threads as usize).map(|&cpu| cpu as usize).collect();
        let sample = ceiling::sample(work, &on, Duration::from_secs_f64(arguments.seconds))?;
        let rate = sample.rate_per_s;
        if arguments.json {
            let elapsed_s = sample.elapsed.as_secs_f64();
            let mut line = json!({ "threads": threads, "jobs": sample.jobs, "elapsed_s": elapsed_s, "rate_rps": rate });
            if let Some(size) = size {
                line["size"] = size.into();
            }
            println!("{line}");
            continue;
        }
        let first = *alone.get_or_insert((threads, rate));
        let scaling = if first.0 == threads {
            String::new()
        } else {
            format!(", {:.2} times {}", rate / first.1, counted(first.0, "thread"))
        };
        println!("{}: {} requests/s{scaling}", counted(threads, "thread"), three_digits(rate));
    }
    Ok(())
}
