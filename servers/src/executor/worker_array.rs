//! `worker-array`: N workers made beforehand, each with a queue of its own, fed in turn.
//!
//! The next job goes to the next worker, be it busy or not: a job can wait behind a long one while another worker idles.

use std::cell::Cell;
use std::io;
use std::sync::mpsc::{self, SendError, Sender};
use std::thread;

use super::{Backends, Executor};
use crate::pins::Pins;
use crate::task::Task;

pub(crate) struct WorkerArray {
    queues: Vec<Sender<Task>>,
    next: Cell<usize>,
}

impl WorkerArray {
    /// Starts a worker for each backend. Workers end when the array is dropped, after the jobs that are still wanted.
    pub(crate) fn start(backends: Backends, pins: &Pins) -> io::Result<Self> {
        let queues = backends.into_iter().enumerate().map(|(index, mut backend)| {
            let (queue, tasks) = mpsc::channel::<Task>();
            let builder = thread::Builder::new().name(format!("worker-{index}"));
            let work = move || {
                for task in tasks {
                    task.run(&mut *backend);
                }
            };
            pins.place(index, || builder.spawn(work))?;
            Ok(queue)
        });
        Ok(Self { queues: queues.collect::<io::Result<_>>()?, next: Cell::new(0) })
    }
}

impl Executor for WorkerArray {
    fn execute(&self, task: Task) {
        let turn = self.next.get();
        self.next.set((turn + 1) % self.queues.len());
        if let Err(SendError(task)) = self.queues[turn].send(task) {
            task.refuse("the worker has ended".into());
        }
    }
}
