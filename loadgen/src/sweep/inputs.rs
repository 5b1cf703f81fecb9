//! Requests whose input is a picture: checked input by input before anything is timed.

use std::cell::Cell;
use std::time::{Duration, Instant};

use crate::contract::{Asking, Finding};
use crate::running::Running;
use crate::server::Server;

use super::Sweep;

/// Without a bar, work that is done sooner is not told of.
const PATIENCE: Duration = Duration::from_secs(2);

impl Sweep {
    /// Leaves the inputs with a server that is to have them, asks for each once and keeps the answers: the server is to
    /// give them again, to the byte.
    pub(super) async fn verify_inputs(&mut self, server: &Server, running: &Running) -> Result<(), Finding> {
        let Some(asking) = Asking::new(&self.results.scenario, self.expected.as_ref()) else { return Ok(()) };
        asking.store(&self.control, running).await?;
        let (begun, told) = (Instant::now(), Cell::new(Instant::now()));
        let count = self.results.scenario.inputs();
        let tell = |right: usize| {
            let text = format!("{}: checking its answers, {right} of {count} pictures", server.name);
            self.progress.show(&text);
            if right < count && begun.elapsed() > PATIENCE && told.get().elapsed() > PATIENCE {
                told.set(Instant::now());
                self.progress.level_line(&text);
            }
        };
        // Two at the least, so that a server that mixes up its answers is caught here.
        let at_once = self.cpus.len().max(2);
        let first = asking.first_answers(&self.control, running, at_once, tell).await?;
        self.first_answers = Some(first);
        Ok(())
    }
}
