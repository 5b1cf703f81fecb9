//! `loadgen serve VARIANT`: a built-in server by hand, or as the child of a sweep.

use std::io::Write;
use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::process::ExitCode;

use anyhow::{Context, bail, ensure};
use clap::builder::{PossibleValue, PossibleValuesParser};
use nix::sched::{CpuSet, sched_setaffinity};
use nix::unistd::Pid;
use servers::{BackendChoice, Config, Listener, Variant, WasmBuild};
use tokio::signal::unix::{SignalKind, signal};

use crate::cli::ServeArgs;
use crate::results::machine::usable_cpus;

/// Serves until SIGINT or SIGTERM.
pub fn run(arguments: &ServeArgs) -> anyhow::Result<ExitCode> {
    let variant: Variant = arguments.variant.parse()?;
    let flag = if arguments.pin_workers { "--pin-workers" } else { "--workers" };
    if (arguments.workers.is_some() || arguments.pin_workers) && !variant.has_workers() {
        let with: Vec<_> =
            Variant::ALL.iter().filter(|variant| variant.has_workers()).map(ToString::to_string).collect();
        bail!("{flag}: {variant} has no workers ({}); variants that have: {}", variant.description(), with.join(", "));
    }
    let backend = backend(variant, arguments)?;
    if let Some(cpus) = &arguments.cpus {
        pin(cpus)?;
    }
    let workers = arguments.workers.and_then(|workers| NonZeroUsize::new(workers as usize));
    let address = SocketAddr::new(arguments.host, arguments.port);
    let listener = Listener::bind(variant, address).with_context(|| {
        format!("cannot listen on {address}; choose another port with --port, or 0 for any that is free")
    })?;
    let config = Config {
        variant,
        workers,
        pin_workers: arguments.pin_workers,
        backend,
        max_n: arguments.max_n,
        max_pixels: arguments.max_pixels,
        max_body: arguments.max_body as usize,
        store_bytes: arguments.store_bytes,
    };
    let announce = |address| {
        // Whoever started us may have closed the pipe by now: no reason to end.
        let _ = writeln!(std::io::stdout(), "listening on http://{address}").and_then(|()| std::io::stdout().flush());
    };
    servers::run(listener, config, announce, terminated())?;
    Ok(ExitCode::SUCCESS)
}

/// The variants with their descriptions, for `--help` and the message about an unknown one.
pub fn variant_names() -> PossibleValuesParser {
    let value = |variant: &Variant| PossibleValue::new(variant.name()).help(variant.description());
    Variant::ALL.iter().map(value).collect::<Vec<_>>().into()
}

/// What `--backend` can be.
pub fn backend_names() -> PossibleValuesParser {
    let native = PossibleValue::new(NATIVE).help("machine code");
    [native, PossibleValue::new(WASM).help("WebAssembly on wasmtime")].into()
}

/// What `--wasm` can be.
pub fn wasm_names() -> PossibleValuesParser {
    let value = |build: &WasmBuild| PossibleValue::new(build.name()).help(build.description());
    WasmBuild::ALL.iter().map(value).collect::<Vec<_>>().into()
}

const NATIVE: &str = "native";
const WASM: &str = "wasm";

/// What the workers compute with; an error says which flags contradict each other.
fn backend(variant: Variant, arguments: &ServeArgs) -> anyhow::Result<BackendChoice> {
    let is_wasm = arguments.backend.as_deref().map(|name| name == WASM);
    let build = arguments.wasm.as_deref().map(str::parse).transpose()?;
    let job_threads = arguments.job_threads.and_then(|threads| NonZeroUsize::new(threads as usize));
    Ok(BackendChoice::from_flags(variant, is_wasm, build, job_threads)?)
}

/// Resolves at SIGINT or SIGTERM.
async fn terminated() {
    match (signal(SignalKind::interrupt()), signal(SignalKind::terminate())) {
        (Ok(mut interrupt), Ok(mut terminate)) => {
            tokio::select! { _ = interrupt.recv() => {}, _ = terminate.recv() => {} }
        }
        // Without handlers the signals end the process by themselves.
        _ => std::future::pending().await,
    }
}

/// Restricts this process, and the threads that it will start, to some CPUs.
fn pin(cpus: &[usize]) -> anyhow::Result<()> {
    let mut set = CpuSet::new();
    for &cpu in cpus {
        set.set(cpu).with_context(|| format!("--cpus: there is no CPU {cpu}"))?;
    }
    let usable = usable_cpus();
    // The kernel would leave out those that it has not, without an error.
    let missing: Vec<_> = cpus.iter().filter(|&&cpu| !usable.iter().any(|&one| one as usize == cpu)).collect();
    ensure!(missing.is_empty(), "--cpus: cannot run on {missing:?}; usable are {usable:?}");
    sched_setaffinity(Pid::from_raw(0), &set).with_context(|| format!("--cpus: cannot run on {cpus:?}"))
}
