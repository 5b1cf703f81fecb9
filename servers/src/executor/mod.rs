//! Where and when jobs run: the one thing in which variants differ, one file each.
//!
//! `multi-event-loop` and `reuse-port` run jobs as `event-loop` does, on whichever loop has the connection; how
//! connections reach the loops is in `serve`. `wasm-worker` is `worker_pool` with Wasm instances as backends.

mod event_loop;
mod spawn_blocking;
mod thread_per_request;
mod worker_array;
mod worker_pool;

pub(crate) use event_loop::EventLoop;
pub(crate) use spawn_blocking::SpawnBlocking;
pub(crate) use thread_per_request::ThreadPerRequest;
pub(crate) use worker_array::WorkerArray;
pub(crate) use worker_pool::WorkerPool;

use std::sync::{Arc, Mutex, PoisonError};

use crate::backend::{Backend, MakeBackend};
use crate::task::Task;

/// Brings tasks to threads. Owned by one event loop, which is where `execute` is called.
pub(crate) trait Executor {
    /// Sees to it that `task` is run, now or later, or refuses it.
    fn execute(&self, task: Task);
}

/// A task for a thread that has yet to be started, shared with it: where there is no thread, the task is still here to be
/// refused.
#[derive(Clone)]
struct Slot(Arc<Mutex<Option<Task>>>);

impl Slot {
    fn new(task: Task) -> Self {
        Self(Arc::new(Mutex::new(Some(task))))
    }

    /// Runs the task, unless it was refused, with a backend made on the spot: such threads come and go.
    fn run(&self, make_backend: &MakeBackend) {
        if let Some(task) = self.take() {
            match make_backend() {
                Ok(mut backend) => task.run(&mut *backend),
                Err(error) => task.refuse(error.to_string()),
            }
        }
    }

    /// Refuses the task, unless it was run.
    fn refuse(&self, why: String) {
        if let Some(task) = self.take() {
            task.refuse(why);
        }
    }

    fn take(&self) -> Option<Task> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// The backends of threads that stay.
type Backends = Vec<Box<dyn Backend>>;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::Native;
    use crate::http::metrics::Metrics;
    use crate::job::Job;
    use crate::task::TaskError;
    use crate::work::Work;

    #[test]
    fn a_task_without_a_thread_is_refused_once() {
        let (task, outcome) = Task::new(Work::Text(Job::Fib { n: 1, salt: 0 }), None, Arc::new(Metrics::default()));
        let slot = Slot::new(task);
        slot.refuse("no thread".into());
        slot.run(&|| Ok(Box::new(Native::default())));
        assert_eq!(outcome.blocking_recv().unwrap().unwrap_err(), TaskError::Refused("no thread".into()));
    }
}
