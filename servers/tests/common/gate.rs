//! A gate at which jobs wait, and the backend that sends them there.

use std::sync::{Arc, Condvar, Mutex};

use servers::{Answer, Backend, BackendError, Job, Native};

use super::PATIENCE;

/// fib of this waits at the gate.
pub const WAITS: u32 = 49;
/// So does an image of this width.
pub const WAITS_WIDE: usize = WAITS as usize;
/// fib of this panics.
pub const PANICS: u32 = 48;

/// Where jobs wait. Shut at first; once open it stays open.
#[derive(Default)]
pub struct Gate {
    state: Mutex<GateState>,
    changed: Condvar,
}

#[derive(Default)]
struct GateState {
    open: bool,
    arrived: usize,
}

impl Gate {
    pub fn open(&self) {
        self.state.lock().unwrap().open = true;
        self.changed.notify_all();
    }

    /// Waits until `count` jobs have come to the gate.
    pub fn await_arrivals(&self, count: usize) {
        let state = self.state.lock().unwrap();
        let (_state, result) = self.changed.wait_timeout_while(state, PATIENCE, |state| state.arrived < count).unwrap();
        assert!(!result.timed_out(), "no job came to the gate");
    }

    fn pass(&self) {
        let mut state = self.state.lock().unwrap();
        state.arrived += 1;
        self.changed.notify_all();
        drop(self.changed.wait_while(state, |state| !state.open).unwrap());
    }
}

/// Native code, but for two jobs.
pub struct Gated(pub Arc<Gate>);

impl Backend for Gated {
    fn compute(&mut self, job: &Job) -> Result<Answer, BackendError> {
        match *job {
            Job::Fib { n: WAITS, salt } => {
                self.0.pass();
                Ok(Answer::Integer(salt.into()))
            }
            Job::Fib { n: PANICS, .. } => panic!("on purpose"),
            Job::Convolve(ref convolve) if convolve.image.width == WAITS_WIDE => {
                self.0.pass();
                Native::default().compute(job)
            }
            _ => Native::default().compute(job),
        }
    }
}
