//! The life of a sweep: every pass starts a server, verifies it, warms it up, measures its levels and stops it.

mod ceiling;
mod cell;
mod inputs;
mod level;
mod probe;
mod warm_up;

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context;

use crate::analysis::{claims, limits::Limits, warnings};
use crate::contract::{self, Asking};
use crate::control::Control;
use crate::engine::{Load, Request};
use crate::image::{Expected, FirstAnswers};
use crate::interrupt::Interrupt;
use crate::plan::{Level, Pass};
use crate::report::csv;
use crate::report::progress::Progress;
use crate::results::{Failure, Folder, PassResult, Results, Warning, counted};
use crate::running::{Running, Starter, probe_path};
use crate::scenario::sizes::with_size;
use crate::server::{Server, Settings};
use crate::subject::{self, Settled};
use ceiling::CeilingMeter;

/// Seconds that starting, verifying and stopping a server are expected to take; for the time left only.
const PASS_OVERHEAD_S: f64 = 0.5;
/// A level whose speed nobody knows yet is expected to take this long; for the time left only.
const UNKNOWN_LEVEL_S: f64 = 2.0;
/// Most requests that a level is stretched to for the sake of its length.
const STRETCH_MOST: f64 = 200_000.0;
/// Requests, at once, that check a server's answers before anything is timed.
const VERIFY_REQUESTS: u32 = 2;
/// Probes that may be open at once beside the clients of a level.
pub use probe::OPEN_MOST as PROBES_MOST;

/// The part of a run's time that saving in the middle of a pass may take: with thousands of levels all of them are
/// written each time.
const SAVING_SHARE: f64 = 0.01;

/// A sweep under way.
pub struct Sweep {
    servers: Vec<Server>,
    passes: Vec<Pass>,
    /// Usable CPUs by number.
    cpus: Vec<u32>,
    starter: Starter,
    control: Control,
    folder: Folder,
    interrupt: Interrupt,
    /// What was found so far.
    results: Results,
    begun: Instant,
    progress: Progress,
    ceiling: Option<CeilingMeter>,
    /// What is expected of the first answers, where pictures are asked for.
    expected: Option<Arc<Expected>>,
    /// Those of the server under test.
    first_answers: Option<FirstAnswers>,
    /// When results were saved last, and how long that took.
    saved: (Instant, Duration),
}

/// What a sweep is made of.
pub struct Parts {
    /// The systems under test.
    pub servers: Vec<Server>,
    /// What to do, in order.
    pub passes: Vec<Pass>,
    /// How long a server may take until it answers.
    pub ready_limit: Duration,
    /// The inputs, where they are pictures, and what is expected of the answers.
    pub expected: Option<Arc<Expected>>,
    /// What ends it early.
    pub interrupt: Interrupt,
    /// Where results go.
    pub folder: Folder,
    /// Empty but for what is known before.
    pub results: Results,
}

impl Sweep {
    /// Makes ready; nothing is started yet.
    ///
    /// # Errors
    /// The HTTP library cannot be set up, or there is no memory for an input.
    pub fn new(parts: Parts) -> anyhow::Result<Self> {
        let Parts { servers, passes, ready_limit, expected, interrupt, folder, results } = parts;
        let control = Control::new(Duration::from_secs_f64(results.scenario.timeout_s))?;
        let cpus = results.machine.cpus_usable.clone();
        let ceiling = CeilingMeter::new(&results.scenario, expected.as_deref(), &servers, &passes, cpus.len())?;
        Ok(Self {
            starter: Starter { control: control.clone(), ready_limit },
            progress: Progress::new(passes.len() as f64 * (PASS_OVERHEAD_S + UNKNOWN_LEVEL_S)),
            interrupt,
            begun: Instant::now(),
            servers,
            passes,
            cpus,
            control,
            folder,
            results,
            ceiling,
            expected,
            first_answers: None,
            saved: (Instant::now(), Duration::ZERO),
        })
    }

    /// Runs all passes; what was measured is saved after every level and returned in the end.
    ///
    /// # Errors
    /// The results cannot be written.
    pub async fn run(mut self) -> anyhow::Result<Results> {
        let passes = std::mem::take(&mut self.passes);
        for (index, pass) in passes.iter().enumerate() {
            if self.interrupt.is_set() {
                break;
            }
            self.guess_time_left(&passes[index..]);
            self.pass(pass, &passes[index..]).await?;
            if !self.results.ceiling.is_empty() {
                self.sample_ceiling().await;
            }
            self.save()?;
        }
        self.progress.finish();
        self.results.interrupted = self.interrupt.is_set();
        self.save()?;
        Ok(self.results)
    }

    /// Runs one pass; `left` are this one and all after it, for the time left.
    async fn pass(&mut self, pass: &Pass, left: &[Pass]) -> anyhow::Result<()> {
        let server = self.servers[pass.server].clone();
        let (name, cpus) = (&server.name, self.cpus[..(pass.cpus as usize).min(self.cpus.len())].to_vec());
        self.progress.show(&format!("starting {name}"));
        let pinned = self.results.scenario.pin_workers && server.can_pin();
        self.results.passes.push(PassResult {
            server: name.clone(),
            description: server.description.clone(),
            runtime: server.runtime.clone(),
            fault: server.fault.clone(),
            cpus: server.is_started().then_some(pass.cpus),
            workers: pass.workers,
            pinned,
            backend: pass.backend.clone(),
            trial: pass.trial,
            computing_threads: server.computes_on.map(|kind| kind.threads(u32::MAX, pass.cpus, pass.workers)),
            command: None,
            warm_up_requests: 0,
            warm_up_s: 0.0,
            warm_up_settled: None,
            warnings: Vec::new(),
            failure: None,
            levels: Vec::new(),
        });
        let probe = probe_path(&server, &self.results.scenario);
        let interrupt = self.interrupt.clone();
        let settings = Settings { workers: pass.workers, backend: pass.backend.clone(), pinned };
        let started = tokio::select! {
            started = self.starter.start(&server, &cpus, &settings, &probe) => started,
            () = interrupt.wait() => return Ok(()),
        };
        let running = match started {
            Ok(running) => running,
            Err(error) => return self.fail(error.into()),
        };
        self.current().command = running.command.clone();
        let outcome = self.measure(pass, left, &server, &running).await;
        if let Some(asking) = Asking::new(&self.results.scenario, self.expected.as_ref()) {
            asking.clean_up(&self.control, &running).await;
        }
        running.stop().await;
        outcome
    }

    /// Verifies, warms up and measures the levels of a server that answers.
    async fn measure(&mut self, pass: &Pass, left: &[Pass], server: &Server, running: &Running) -> anyhow::Result<()> {
        if let Some(failure) = self.verify(server, running).await {
            return self.fail(failure);
        }
        // Not before a server has answered: a computation that none of them does may take a CPU for ever.
        if self.results.ceiling.is_empty() {
            self.sample_ceiling().await;
            self.guess_time_left(left);
        }
        let mut rates = self.warm_up(server, running).await?;
        if let Some(failure) = death(running, "in the warm-up") {
            return self.fail(failure);
        }
        let mut patience = Duration::from_secs_f64(self.results.scenario.timeout_s);
        for (index, &level) in pass.levels.iter().enumerate() {
            let settled = self.settle(server, running, patience).await;
            if self.interrupt.is_set() {
                break;
            }
            // One that is never idle is not waited for again.
            if settled.is_some_and(|settled| !settled.idle) {
                patience = Duration::ZERO;
            }
            if index > 0 {
                self.sample_ceiling().await;
            }
            let requests = self.requests(level.clients, rates.get(&level.size).copied());
            let load = self.load(server, running, level, requests, u64::from(level.clients));
            let mut cell = self.level(pass, level, &load, running).await?;
            cell.settle_s = settled.map(|settled| settled.after.as_secs_f64());
            cell.still_busy = settled.is_some_and(|settled| !settled.idle);
            rates.extend(cell.replies_rps.map(|rate| (level.size, rate)));
            self.progress.level_line(&self.line(pass, &cell));
            self.current().levels.push(cell);
            self.save_in_passing()?;
            if let Some(failure) = death(running, &format!("in the middle, at {}", counted(level.clients, "client"))) {
                return self.fail(failure);
            }
        }
        Ok(())
    }

    /// Waits until a server that loadgen started is idle: what it computes for requests of before, answered or given up,
    /// would be measured with the next level, and with the ceiling.
    async fn settle(&self, server: &Server, running: &Running, limit: Duration) -> Option<Settled> {
        let root = running.process()?.shepherd_pid();
        self.progress.show(&format!("{}: waiting until it is idle", server.name));
        tokio::select! {
            settled = subject::settle(root, limit) => settled,
            () = self.stop_signal(running) => None,
        }
    }

    /// Asks what the scenario asks, untimed, and checks the answers.
    async fn verify(&mut self, server: &Server, running: &Running) -> Option<Failure> {
        self.progress.show(&format!("{}: checking its answers", server.name));
        let interrupt = self.interrupt.clone();
        let check = async {
            if self.expected.is_some() {
                return self.verify_inputs(server, running).await.err();
            }
            let scenario = &self.results.scenario;
            let path = server.path.as_deref().unwrap_or(&scenario.request.path);
            // One whose point is to mix up answers is right when it is asked one thing at a time.
            let count = if server.fault.is_some() { 1 } else { VERIFY_REQUESTS };
            let findings = contract::check_scenario(&self.control, running, scenario, path, count).await;
            findings.into_iter().next()
        };
        let first = tokio::select! {
            first = check => first?,
            () = interrupt.wait() => return None,
        };
        let message = format!("server {} answers wrongly, so it is not measured: {first}", server.name);
        Some(Failure { message, last_words: running.last_words() })
    }

    /// Requests of a level: the scenario's count, stretched where the scenario asks for a least length.
    fn requests(&self, clients: u32, rate: Option<f64>) -> u64 {
        let scenario = &self.results.scenario;
        let stretched = scenario.requests.least_s.zip(rate).map_or(0.0, |(seconds, rate)| seconds * rate);
        scenario.requests_at(clients).max(stretched.min(STRETCH_MOST) as u64)
    }

    /// A load of the scenario's; with another `part` of this pass it has other salts.
    fn load(&self, server: &Server, running: &Running, level: Level, requests: u64, part: u64) -> Load {
        let scenario = &self.results.scenario;
        let Level { clients, size } = level;
        let path = with_size(server.path.as_deref().unwrap_or(&scenario.request.path), size);
        // Every level of every pass has salts of its own, so that nobody gains by remembering answers; the same again
        // with the same seed.
        let pass = self.results.passes.len() as u64;
        let part = pass << 32 | u64::from(size.unwrap_or(0)) << 16 | part;
        let request = Request { method: scenario.request.method.clone(), ..Request::get(path) };
        let (address, host) = (running.address, running.host.clone());
        let pictures = Asking::new(scenario, self.expected.as_ref()).zip(self.first_answers.clone());
        let load = match pictures {
            Some((asking, first)) => Load::new(address, host, asking.request(), first),
            None => Load::new(address, host, request, scenario.expect.at(size)),
        };
        Load {
            clients: clients as usize,
            requests,
            connections: scenario.connections,
            timeout: Duration::from_secs_f64(scenario.timeout_s),
            first_salt: fastrand::Rng::with_seed(self.results.seed ^ part).u32(..),
            ..load
        }
    }

    /// Resolves when a level should end before its time.
    async fn stop_signal(&self, running: &Running) {
        tokio::select! { () = self.interrupt.wait() => {}, _ = running.ended() => {} }
    }

    /// The pass under way.
    fn current(&mut self) -> &mut PassResult {
        let last = self.results.passes.len() - 1;
        &mut self.results.passes[last]
    }

    /// Records why the server of this pass is not (further) measured, and says so; the sweep goes on.
    fn fail(&mut self, failure: Failure) -> anyhow::Result<()> {
        self.progress.line(&format!("loadgen: {}", failure.message));
        for words in failure.last_words.iter().rev().take(10).rev() {
            self.progress.line(&format!("    | {words}"));
        }
        self.current().failure = Some(failure);
        self.save()
    }
}

impl Sweep {
    /// Saves, unless that takes too much of the time: then the next level does it, or the end of the pass.
    fn save_in_passing(&mut self) -> anyhow::Result<()> {
        let (end, took) = self.saved;
        if end.elapsed().as_secs_f64() * SAVING_SHARE < took.as_secs_f64() { Ok(()) } else { self.save() }
    }

    /// Writes what is known so far; nothing before something was measured, so that no earlier results are lost to it.
    fn save(&mut self) -> anyhow::Result<()> {
        if self.results.is_empty() {
            return Ok(());
        }
        let begun = Instant::now();
        self.results.wall_s = self.begun.elapsed().as_secs_f64();
        // All anew each time: what a level is compared with is known only when the ceiling after it was sampled.
        let results = &self.results;
        let of_cell = |(pass, cell)| warnings::of_cell(pass, cell, &Limits::of(results, pass, cell));
        let of_cells: Vec<Vec<Warning>> = results.cells().map(of_cell).collect();
        let cells = self.results.passes.iter_mut().flat_map(|pass| &mut pass.levels);
        for (cell, warnings) in cells.zip(of_cells) {
            cell.warnings = warnings;
        }
        for pass in &mut self.results.passes {
            pass.warnings = warnings::of_pass(pass);
        }
        self.results.warnings = warnings::of_run(&self.results);
        self.results.verdicts = claims::verdicts(&self.results);
        let mut json = serde_json::to_vec(&self.results).context("results.json")?;
        json.push(b'\n');
        self.folder.write("results.json", &json)?;
        self.folder.write("results.csv", &csv::to_csv(&self.results).context("results.csv")?)?;
        self.saved = (Instant::now(), begun.elapsed());
        Ok(())
    }
}

/// That a server which loadgen started has ended by itself, if it has.
fn death(running: &Running, when: &str) -> Option<Failure> {
    let process = running.process()?;
    let message = format!("server {} {} {when}", process.name(), process.has_exited()?.describe());
    Some(Failure { message, last_words: running.last_words() })
}
