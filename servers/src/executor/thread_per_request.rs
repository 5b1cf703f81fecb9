//! `thread-per-request`: a new OS thread for each request, gone with it.
//!
//! As many jobs run at once as there are requests; the kernel's scheduler shares out the CPUs.

use std::sync::Arc;
use std::thread;

use super::{Executor, Slot};
use crate::backend::MakeBackend;
use crate::task::Task;

pub(crate) struct ThreadPerRequest {
    make_backend: Arc<MakeBackend>,
}

impl ThreadPerRequest {
    pub(crate) fn new(make_backend: Arc<MakeBackend>) -> Self {
        Self { make_backend }
    }
}

impl Executor for ThreadPerRequest {
    fn execute(&self, task: Task) {
        let slot = Slot::new(task);
        let (for_thread, make_backend) = (slot.clone(), Arc::clone(&self.make_backend));
        let thread = thread::Builder::new().name("request".into());
        if let Err(error) = thread.spawn(move || for_thread.run(&*make_backend)) {
            slot.refuse(format!("no thread could be started: {error}"));
        }
    }
}
