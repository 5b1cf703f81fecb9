//! `spawn-blocking`: the async runtime's own pool for blocking work, which grows with demand (up to 512 threads in tokio) and
//! shrinks after ten idle seconds.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use tokio::task::spawn_blocking;

use super::{Executor, Slot};
use crate::backend::MakeBackend;
use crate::task::Task;

pub(crate) struct SpawnBlocking {
    make_backend: Arc<MakeBackend>,
}

impl SpawnBlocking {
    pub(crate) fn new(make_backend: Arc<MakeBackend>) -> Self {
        Self { make_backend }
    }
}

impl Executor for SpawnBlocking {
    fn execute(&self, task: Task) {
        let slot = Slot::new(task);
        let (for_thread, make_backend) = (slot.clone(), Arc::clone(&self.make_backend));
        // tokio panics when the system grants no thread at all. The handle is not needed: the outcome comes back by the task.
        let spawned = catch_unwind(AssertUnwindSafe(|| spawn_blocking(move || for_thread.run(&*make_backend))));
        if spawned.is_err() {
            slot.refuse("no thread could be started".into());
        }
    }
}
