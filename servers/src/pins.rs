//! Workers that keep to one CPU each, so that the scheduler does not move them about.

use std::io;

use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
use nix::unistd::Pid;

/// Where workers run: worker i on CPU i of those that are usable, from the first again when there are more workers; or
/// wherever the scheduler likes.
#[derive(Debug, Clone, Default)]
pub(crate) struct Pins(Vec<usize>);

/// The calling thread.
const SELF: Pid = Pid::from_raw(0);

impl Pins {
    /// To each worker a CPU of those that this thread may use.
    pub(crate) fn usable() -> io::Result<Self> {
        let set = sched_getaffinity(SELF)?;
        Ok(Self((0..CpuSet::count()).filter(|&cpu| set.is_set(cpu) == Ok(true)).collect()))
    }

    /// Calls `start`, which starts the thread of worker `index` and nothing else, so that the thread is born where it shall
    /// stay: it inherits the CPUs of the thread that starts it. So a pin that fails is an error here, and not in a thread
    /// that nobody listens to.
    pub(crate) fn place<T>(&self, index: usize, start: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
        if self.0.is_empty() {
            return start();
        }
        let before = sched_getaffinity(SELF)?;
        let mut one = CpuSet::new();
        one.set(self.0[index % self.0.len()])?;
        sched_setaffinity(SELF, &one)?;
        let started = start();
        sched_setaffinity(SELF, &before)?;
        started
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    fn cpus() -> Vec<usize> {
        Pins::usable().unwrap().0
    }

    #[test]
    fn workers_take_turns_on_the_cpus_and_their_starter_stays_where_it_was() {
        let (pins, all) = (Pins::usable().unwrap(), cpus());
        for index in 0..2 * all.len() + 1 {
            let worker = pins.place(index, || thread::Builder::new().spawn(cpus)).unwrap();
            assert_eq!(worker.join().unwrap(), [all[index % all.len()]]);
            assert_eq!(cpus(), all);
        }
    }

    #[test]
    fn without_pins_workers_run_anywhere() {
        let worker = Pins::default().place(3, || thread::Builder::new().spawn(cpus)).unwrap();
        assert_eq!(worker.join().unwrap(), cpus());
    }
}
