//! Ctrl-C and SIGTERM: the first ends the run in good order, the second at once.

use anyhow::Context;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

/// Exit code of a run that was ended by Ctrl-C or SIGTERM.
pub const INTERRUPTED: u8 = 130;

/// Whether the run was asked to end. Clones see the same.
#[derive(Debug, Clone)]
pub struct Interrupt(watch::Receiver<bool>);

impl Interrupt {
    /// Begins to listen; from here on a signal no longer ends the process by itself.
    ///
    /// # Errors
    /// The signal handlers cannot be set.
    pub fn listen() -> anyhow::Result<Self> {
        let mut interrupt = signal(SignalKind::interrupt()).context("SIGINT handler")?;
        let mut terminate = signal(SignalKind::terminate()).context("SIGTERM handler")?;
        let (sender, receiver) = watch::channel(false);
        tokio::spawn(async move {
            loop {
                tokio::select! { _ = interrupt.recv() => {}, _ = terminate.recv() => {} }
                if sender.send_replace(true) {
                    // The shepherds see their pipes close and take the servers with them.
                    std::process::exit(i32::from(INTERRUPTED));
                }
                eprintln!("loadgen: ending in good order, with what was measured so far (once more: at once)");
            }
        });
        Ok(Self(receiver))
    }

    /// Whether it was.
    pub fn is_set(&self) -> bool {
        *self.0.borrow()
    }

    /// Waits until it is.
    pub async fn wait(&self) {
        let mut receiver = self.0.clone();
        if receiver.wait_for(|&set| set).await.is_err() {
            std::future::pending().await
        }
    }
}
