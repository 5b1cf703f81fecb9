//! `worker-pool` and `wasm-worker`: N workers with one shared queue, on rayon.
//!
//! A worker that becomes free takes the job that has waited longest, so no worker idles while a job waits.

use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder, current_thread_index};

use super::{Backends, Executor};
use crate::backend::Backend;
use crate::pins::Pins;
use crate::task::Task;

pub(crate) struct WorkerPool {
    pool: ThreadPool,
    /// One for each worker, by the worker's index; the locks are never contended.
    backends: Arc<[Mutex<Box<dyn Backend>>]>,
}

impl WorkerPool {
    /// Starts a worker for each backend.
    pub(crate) fn start(backends: Backends, pins: &Pins) -> Result<Self, ThreadPoolBuildError> {
        let pool = ThreadPoolBuilder::new()
            .num_threads(backends.len())
            .spawn_handler(|worker| {
                let builder = thread::Builder::new().name(format!("worker-{}", worker.index()));
                pins.place(worker.index(), || builder.spawn(|| worker.run())).map(drop)
            })
            .build()?;
        Ok(Self { pool, backends: backends.into_iter().map(Mutex::new).collect() })
    }
}

impl Executor for WorkerPool {
    fn execute(&self, task: Task) {
        let backends = Arc::clone(&self.backends);
        // `spawn_fifo`: first come, first served, also among jobs that one thread hands over.
        self.pool.spawn_fifo(move || match current_thread_index().and_then(|index| backends.get(index)) {
            Some(backend) => task.run(&mut **backend.lock().unwrap_or_else(PoisonError::into_inner)),
            None => task.refuse("no worker".into()),
        });
    }
}
