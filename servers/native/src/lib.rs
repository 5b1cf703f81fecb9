//! The kernels for Node, as a Node-API module: the event loop hands a job to a pool of threads and gets its answer in a callback.
//!
//! The design of a study of 2011, with this project's own kernels; servers/node/native.mjs serves with it. The pool is that of
//! the variant `worker-pool`: N threads with one shared queue. It is not libuv's own, whose size is settled by the environment before
//! the first line of a program runs, and which file system and name look-ups of Node share.

mod job;

use std::panic::catch_unwind;
use std::thread;
use std::time::Instant;

use napi::bindgen_prelude::Object;
use napi::{Env, Error, Result, Status};
use napi_derive::napi;
use rayon::{ThreadPool, ThreadPoolBuilder};

use job::{Done, Job};

/// `new Pool(threads)`: threads that compute, made beforehand, which end with the process.
#[napi]
pub struct Pool {
    threads: ThreadPool,
}

/// What `pool.compute` resolves with: the text of the answer, and times in milliseconds.
#[napi(object)]
#[allow(missing_docs, reason = "told at `Done`")]
pub struct Answer {
    pub body: String,
    pub queue: f64,
    pub compute: f64,
    pub cpu: f64,
}

impl From<Done> for Answer {
    fn from(Done { body, queue, compute, cpu }: Done) -> Self {
        Self { body, queue, compute, cpu }
    }
}

#[napi]
impl Pool {
    /// Starts the threads; throws if the system does not give as many.
    #[napi(constructor)]
    pub fn new(threads: u32) -> Result<Self> {
        let failed = |why: String| Error::from_reason(format!("cannot start {threads} computing threads: {why}"));
        if threads == 0 {
            return Err(failed("there has to be one".into()));
        }
        let pool = ThreadPoolBuilder::new()
            .num_threads(threads as usize)
            .spawn_handler(|worker| {
                thread::Builder::new().name(format!("worker-{}", worker.index())).spawn(|| worker.run()).map(drop)
            })
            .build();
        Ok(Self { threads: pool.map_err(|error| failed(error.to_string()))? })
    }

    /// Hands a job over: a promise of its `Answer`. `kind` is `fib` or `atan-tan`.
    #[napi(ts_return_type = "Promise<Answer>")]
    pub fn compute<'env>(&self, env: &'env Env, kind: String, size: u32, salt: u32) -> Result<Object<'env>> {
        let job = Job::new(&kind, size, salt).map_err(|why| Error::new(Status::InvalidArg, why))?;
        let (deferred, promise) = env.create_deferred::<Answer, _>()?;
        let enqueued = Instant::now();
        // First come, first served.
        self.threads.spawn_fifo(move || {
            let done = catch_unwind(|| job.run(enqueued));
            deferred.resolve(|_| done.map(Answer::from).map_err(|_| Error::from_reason("the kernel panicked")));
        });
        Ok(promise)
    }
}
