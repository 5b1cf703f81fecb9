//! What CPUs can do with no server in the way: the native kernel on one thread for each CPU, all at the same time.

use std::io;
use std::sync::{Mutex, PoisonError, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use nix::sched::{CpuSet, sched_setaffinity};
use nix::unistd::Pid;

use crate::backend::Native;
use crate::work::{Work, WorkError};

/// Fewest jobs that each thread computes: from one alone nothing could be said about its steadiness.
const LEAST_JOBS: u64 = 2;

/// A sample of the ceiling.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sample {
    /// Threads, each on a CPU of its own.
    pub threads: usize,
    /// Jobs computed by all of them.
    pub jobs: u64,
    /// The time of the thread that took longest.
    pub elapsed: Duration,
    /// Jobs per second: the sum of the threads' own rates.
    pub rate_per_s: f64,
}

/// Why there is no sample.
#[derive(Debug, thiserror::Error)]
pub enum CeilingError {
    /// No CPU was given.
    #[error("no CPU was given")]
    NoCpu,
    /// A thread cannot be bound to a CPU.
    #[error("CPU {cpu} cannot be used: {error}")]
    Cpu {
        /// Its number.
        cpu: usize,
        /// What the system says.
        error: nix::Error,
    },
    /// A thread cannot be started.
    #[error("a thread could not be started: {0}")]
    Thread(#[from] io::Error),
    /// The work failed.
    #[error(transparent)]
    Work(#[from] WorkError),
    /// The work panicked.
    #[error("the work panicked")]
    Panic,
}

/// Does `work` over and over on one thread for each of `cpus`, bound to it, for at least `least`; whole jobs only. For a
/// file that is decoding, convolving and encoding it.
///
/// The threads start together. A CPU may be given more than once.
pub fn sample(work: &Work, cpus: &[usize], least: Duration) -> Result<Sample, CeilingError> {
    if cpus.is_empty() {
        return Err(CeilingError::NoCpu);
    }
    let (ready, all_ready) = mpsc::channel();
    // Held until every thread is bound to its CPU, then opened for all. Stays shut when one cannot start.
    let gate = Mutex::new(false);
    let mut start = gate.lock().unwrap_or_else(PoisonError::into_inner);
    let gate = &gate;
    let times = thread::scope(|scope| {
        let mut threads = Vec::with_capacity(cpus.len());
        for &cpu in cpus {
            let ready = ready.clone();
            threads.push(thread::Builder::new().name(format!("ceiling-{cpu}")).spawn_scoped(scope, move || {
                let bound = bind(cpu);
                // The receiver outlives the threads.
                let _ = ready.send(bound.is_ok());
                let go = *gate.lock().unwrap_or_else(PoisonError::into_inner);
                bound.and_then(|()| if go { repeat(work, least) } else { Ok((0, Duration::ZERO)) })
            }));
        }
        *start = threads.iter().all(Result::is_ok) && all_ready.iter().take(cpus.len()).all(|bound| bound);
        drop(start);
        let times = threads.into_iter().map(|thread| thread?.join().map_err(|_| CeilingError::Panic)?);
        times.collect::<Result<Vec<_>, CeilingError>>()
    })?;
    Ok(Sample {
        threads: times.len(),
        jobs: times.iter().map(|(jobs, _)| jobs).sum(),
        elapsed: times.iter().map(|&(_, elapsed)| elapsed).max().unwrap_or_default(),
        rate_per_s: times.iter().map(|&(jobs, elapsed)| jobs as f64 / elapsed.as_secs_f64()).sum(),
    })
}

/// Binds the calling thread to one CPU.
fn bind(cpu: usize) -> Result<(), CeilingError> {
    let mut set = CpuSet::new();
    set.set(cpu)
        .and_then(|()| sched_setaffinity(Pid::from_raw(0), &set))
        .map_err(|error| CeilingError::Cpu { cpu, error })
}

/// Does whole jobs until `least` has passed: how many, in what time.
fn repeat(work: &Work, least: Duration) -> Result<(u64, Duration), CeilingError> {
    let mut jobs = 0;
    let begun = Instant::now();
    loop {
        std::hint::black_box(work.clone().run(&mut Native::default())?);
        jobs += 1;
        let elapsed = begun.elapsed();
        if jobs >= LEAST_JOBS && elapsed >= least {
            return Ok((jobs, elapsed));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::Job;

    const WORK: Work = Work::Text(Job::Fib { n: 15, salt: 0 });

    /// A CPU that this process may use.
    fn usable_cpu() -> usize {
        let set = nix::sched::sched_getaffinity(Pid::from_raw(0)).unwrap();
        (0..CpuSet::count()).find(|&cpu| set.is_set(cpu).unwrap()).unwrap()
    }

    #[test]
    fn counts_whole_jobs_of_every_thread() {
        let cpu = usable_cpu();
        let sample = sample(&WORK, &[cpu, cpu], Duration::ZERO).unwrap();
        assert_eq!((sample.threads, sample.jobs), (2, 4));
        assert!(sample.rate_per_s > 0.0 && sample.rate_per_s.is_finite());
    }

    #[test]
    fn a_cpu_that_is_not_there_is_an_error() {
        let error = sample(&WORK, &[usable_cpu(), 1023], Duration::ZERO).unwrap_err();
        assert!(error.to_string().starts_with("CPU 1023 cannot be used"), "{error}");
    }

    #[test]
    fn no_cpu_is_an_error() {
        assert!(matches!(sample(&WORK, &[], Duration::ZERO), Err(CeilingError::NoCpu)));
    }
}
