//! `event-loop`: jobs run on the event loop itself.
//!
//! Nothing else happens meanwhile: no request is read, no answer sent, `/healthz` included. Clients wait in line in their
//! sockets and in the listener's backlog.

use std::cell::RefCell;

use super::Executor;
use crate::backend::Backend;
use crate::task::Task;

pub(crate) struct EventLoop {
    /// Never borrowed twice: a job does not come back to the loop before it ends.
    backend: RefCell<Box<dyn Backend>>,
}

impl EventLoop {
    pub(crate) fn new(backend: Box<dyn Backend>) -> Self {
        Self { backend: RefCell::new(backend) }
    }
}

impl Executor for EventLoop {
    fn execute(&self, task: Task) {
        task.run(&mut **self.backend.borrow_mut());
    }
}
