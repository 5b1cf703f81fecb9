//! A job on its way through an executor: what is the same for every variant.
//!
//! An executor only decides where and when [`Task::run`] is called. Whether the job is still wanted, what it costs, and
//! what becomes of a panic is decided here, once.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use codecs::DecodeError;
use tokio::sync::oneshot;

use crate::backend::{Backend, BackendError};
use crate::clock::thread_cpu_time;
use crate::http::metrics::Metrics;
use crate::work::{Output, Times, Work, WorkError};

/// Work with the way back to the client that waits for it.
pub struct Task {
    work: Work,
    enqueued: Instant,
    deadline: Option<Instant>,
    reply: oneshot::Sender<Outcome>,
    metrics: Arc<Metrics>,
}

/// What became of a job.
pub type Outcome = Result<Done, TaskError>;

/// An answer and what it cost.
#[derive(Debug, Clone)]
pub struct Done {
    /// The answer.
    pub output: Output,
    /// From being handed to the executor to its first instruction.
    pub queue: Duration,
    /// How long the parts took from then on.
    pub times: Times,
    /// CPU time of the computing thread in that time; further threads for bands of an image are not in it.
    pub cpu: Duration,
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TaskError {
    /// The executor cannot take it; the client may try again.
    #[error("the server cannot take the job: {0}")]
    Refused(String),
    /// It waited for longer than anyone wants to wait.
    #[error("the job was not begun before its deadline")]
    Expired,
    /// There is no such computation.
    #[error("{0}")]
    Invalid(String),
    /// The file cannot be decoded.
    #[error(transparent)]
    File(#[from] DecodeError),
    /// This server's backend does not have the computation.
    #[error("{0}")]
    Unsupported(String),
    /// The backend failed or panicked.
    #[error("the job failed: {0}")]
    Failed(String),
}

impl Task {
    /// A task, and where its outcome arrives. Dropping the receiver cancels the task as long as it has not begun.
    pub(crate) fn new(
        work: Work,
        deadline: Option<Instant>,
        metrics: Arc<Metrics>,
    ) -> (Self, oneshot::Receiver<Outcome>) {
        let (reply, outcome) = oneshot::channel();
        (Self { work, enqueued: Instant::now(), deadline, reply, metrics }, outcome)
    }

    /// Does the work on this thread and sends the outcome, unless nobody waits for it any more.
    pub fn run(self, backend: &mut dyn Backend) {
        if self.reply.is_closed() {
            self.metrics.job_skipped();
            return;
        }
        let begun = Instant::now();
        let outcome = if self.deadline.is_some_and(|deadline| begun > deadline) {
            self.metrics.job_skipped();
            Err(TaskError::Expired)
        } else {
            self.metrics.job_computed();
            let cpu_before = thread_cpu_time();
            // The backend is used again after a panic: backends keep nothing between jobs that one could leave half done.
            catch_unwind(AssertUnwindSafe(|| self.work.run(backend)))
                .unwrap_or_else(|panic| Err(BackendError::Panic(panic_text(&*panic).into()).into()))
                .map(|(output, times)| Done {
                    output,
                    queue: begun - self.enqueued,
                    times,
                    cpu: thread_cpu_time().saturating_sub(cpu_before),
                })
                .map_err(TaskError::from)
        };
        // A client that left meanwhile gets nothing.
        let _ = self.reply.send(outcome);
    }

    /// Gives the job back to its client undone.
    pub fn refuse(self, why: String) {
        let _ = self.reply.send(Err(TaskError::Refused(why)));
    }
}

impl From<WorkError> for TaskError {
    fn from(error: WorkError) -> Self {
        match error {
            WorkError::Decode(error) => Self::File(error),
            WorkError::Backend(error) => error.into(),
            WorkError::Encode(_) | WorkError::NoImage => Self::Failed(error.to_string()),
        }
    }
}

impl From<BackendError> for TaskError {
    fn from(error: BackendError) -> Self {
        let text = error.to_string();
        match error {
            BackendError::Input(_) | BackendError::GuestMemory { .. } => Self::Invalid(text),
            BackendError::Unsupported(_) => Self::Unsupported(text),
            BackendError::Trap(_) | BackendError::Guest(_) | BackendError::Panic(_) => Self::Failed(text),
        }
    }
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::Native;
    use crate::job::{Answer, Job};

    const WORK: Work = Work::Text(Job::Fib { n: 10, salt: 1 });

    fn task(deadline: Option<Instant>) -> (Task, oneshot::Receiver<Outcome>, Arc<Metrics>) {
        let metrics = Arc::new(Metrics::default());
        let (task, outcome) = Task::new(WORK, deadline, Arc::clone(&metrics));
        (task, outcome, metrics)
    }

    struct Panics;
    impl Backend for Panics {
        fn compute(&mut self, _: &Job) -> Result<Answer, BackendError> {
            panic!("on purpose")
        }
    }

    #[test]
    fn answers() {
        let (task, outcome, metrics) = task(None);
        task.run(&mut Native::default());
        assert_eq!(outcome.blocking_recv().unwrap().unwrap().output, Output::Text("56".into()));
        assert_eq!(metrics.jobs(), (1, 0));
    }

    #[test]
    fn a_job_that_nobody_waits_for_is_skipped() {
        let (task, outcome, metrics) = task(None);
        drop(outcome);
        task.run(&mut Panics);
        assert_eq!(metrics.jobs(), (0, 1));
    }

    #[test]
    fn a_job_past_its_deadline_is_skipped() {
        let (task, outcome, metrics) = task(Some(Instant::now()));
        std::thread::sleep(Duration::from_millis(2));
        task.run(&mut Panics);
        assert_eq!(outcome.blocking_recv().unwrap().unwrap_err(), TaskError::Expired);
        assert_eq!(metrics.jobs(), (0, 1));
    }

    #[test]
    fn a_panic_is_an_outcome() {
        let (task, outcome, _) = task(None);
        task.run(&mut Panics);
        assert_eq!(outcome.blocking_recv().unwrap().unwrap_err(), TaskError::Failed("panic: on purpose".into()));
    }
}
