//! Samples of a server while it is measured: what its whole process tree uses.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use nix::time::ClockId;
use serde::{Deserialize, Serialize};

use super::tree::Tree;

/// Deep rounds come at most this often, except when a sample is asked for.
const DEEP_EVERY: Duration = Duration::from_secs(1);
/// And they take at most one part in so many of a CPU.
const DEEP_SHARE: u32 = 1000;

/// The process tree of a server at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// When, from the start of the sampler; in seconds where it is saved.
    #[serde(rename = "at_s", with = "seconds")]
    pub at: Duration,
    /// CPU seconds since its start, user and system, with threads and child processes that ended.
    pub cpu_s: f64,
    /// Resident memory; where there are several processes, the sum of their proportional shares (PSS), which is
    /// taken about once a second.
    pub rss_bytes: u64,
    /// Living threads, of all processes.
    pub threads: u32,
    /// Living processes; the search for new ones comes about once a second.
    pub processes: u32,
    /// Voluntary context switches of the living threads, about once a second. Those of ended threads are
    /// lost here, so a server that makes threads for requests shows too few: its `/metrics` have the exact count.
    pub voluntary_switches: Option<u64>,
    /// Involuntary ones, likewise.
    pub involuntary_switches: Option<u64>,
}

/// A thread that samples a process tree until it is stopped or dropped.
#[derive(Debug)]
pub struct Sampler {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    stop: Condvar,
}

#[derive(Debug)]
struct State {
    tree: Option<Tree>,
    started: Instant,
    next_deep: Instant,
    samples: Vec<Sample>,
    stopped: bool,
    /// CPU time of the thread, and of others in `sample_now`.
    thread_cpu: Duration,
    callers_cpu: Duration,
}

impl Sampler {
    /// Samples the tree below `root_pid`, without that process itself, at once and then in steps of `every`.
    pub fn start(root_pid: u32, every: Duration) -> Self {
        let started = Instant::now();
        let shared = Arc::new(Shared {
            state: Mutex::new(State {
                tree: Tree::below(root_pid),
                started,
                next_deep: started,
                samples: Vec::new(),
                stopped: false,
                thread_cpu: Duration::ZERO,
                callers_cpu: Duration::ZERO,
            }),
            stop: Condvar::new(),
        });
        let thread = {
            let shared = Arc::clone(&shared);
            // Without a thread there are the samples at the edges.
            thread::Builder::new().name("sampler".to_owned()).spawn(move || shared.run(every)).ok()
        };
        Self { shared, thread }
    }

    /// A sample of this very moment with everything in it, for the edge of a level. It is among those of
    /// [`take`](Self::take) too. Nothing when the server is gone.
    pub fn sample_now(&self) -> Option<Sample> {
        let before = thread_cpu();
        let mut state = self.shared.lock();
        let sample = state.sample(true);
        state.callers_cpu += thread_cpu().saturating_sub(before);
        sample
    }

    /// The samples since they were last taken, in order.
    pub fn take(&self) -> Vec<Sample> {
        std::mem::take(&mut self.shared.lock().samples)
    }

    /// Ends sampling; the samples since they were last taken.
    pub fn stop(mut self) -> Vec<Sample> {
        self.end();
        self.take()
    }

    /// The CPU time that sampling took so far.
    pub fn own_cpu(&self) -> Duration {
        let state = self.shared.lock();
        state.thread_cpu + state.callers_cpu
    }

    fn end(&mut self) {
        self.shared.lock().stopped = true;
        self.shared.stop.notify_all();
        if let Some(thread) = self.thread.take() {
            // A panic there was reported there.
            let _ = thread.join();
        }
    }
}

impl Drop for Sampler {
    fn drop(&mut self) {
        self.end();
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn run(&self, every: Duration) {
        let mut state = self.lock();
        let mut next = state.started;
        while !state.stopped && state.tree.is_some() {
            let now = Instant::now();
            if now < next {
                state = match self.stop.wait_timeout(state, next - now) {
                    Ok((state, _)) => state,
                    Err(poisoned) => poisoned.into_inner().0,
                };
                continue;
            }
            let deep = now >= state.next_deep;
            state.sample(deep);
            state.thread_cpu = thread_cpu();
            // Steps from the start, so that no delay adds up; those that were missed are left out.
            let steps = state.started.elapsed().as_nanos() / every.as_nanos().max(1) + 1;
            next = state.started + every.max(Duration::from_millis(1)) * u32::try_from(steps).unwrap_or(u32::MAX);
        }
    }
}

impl State {
    fn sample(&mut self, deep: bool) -> Option<Sample> {
        let before = thread_cpu();
        let reading = self.tree.as_mut()?.read(deep);
        if deep {
            let cost = thread_cpu().saturating_sub(before);
            self.next_deep = Instant::now() + DEEP_EVERY.max(cost * DEEP_SHARE);
        }
        let reading = reading?;
        let sample = Sample {
            at: reading.at.saturating_duration_since(self.started),
            cpu_s: reading.cpu.as_secs_f64(),
            rss_bytes: reading.memory_bytes,
            threads: reading.threads,
            processes: reading.processes,
            voluntary_switches: reading.switches.map(|switches| switches.0),
            involuntary_switches: reading.switches.map(|switches| switches.1),
        };
        self.samples.push(sample);
        Some(sample)
    }
}

fn thread_cpu() -> Duration {
    ClockId::CLOCK_THREAD_CPUTIME_ID.now().map_or(Duration::ZERO, Duration::from)
}

/// A duration is saved as a number of seconds.
mod seconds {
    use std::time::Duration;

    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub fn serialize<S: Serializer>(time: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(time.as_secs_f64())
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
        Duration::try_from_secs_f64(f64::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}
