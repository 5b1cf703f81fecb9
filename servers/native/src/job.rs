//! A job where it is computed: the text of the answer, and what it cost.

use std::time::{Duration, Instant};

use kernels::{ATAN_TAN_MAX, FIB_MAX};
use nix::time::{ClockId, clock_gettime};

/// What a request asks for. The salt travels along and is added where the job is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Job {
    computation: Computation,
    size: u32,
    salt: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Computation {
    Fib,
    AtanTan,
}

/// An answer; times in milliseconds.
#[derive(Debug, Clone, PartialEq)]
pub struct Done {
    /// The body of the response, as the Rust servers write it.
    pub body: String,
    /// From being handed over until it began.
    pub queue: f64,
    /// How long it ran.
    pub compute: f64,
    /// CPU time of the computing thread meanwhile.
    pub cpu: f64,
}

impl Job {
    /// The job of a kind, `fib` or `atan-tan`; the error says why there is none.
    pub fn new(kind: &str, size: u32, salt: u32) -> Result<Self, String> {
        let (computation, most) = match kind {
            "fib" => (Computation::Fib, FIB_MAX),
            "atan-tan" => (Computation::AtanTan, ATAN_TAN_MAX),
            other => return Err(format!("there is no computation {other:?}, only \"fib\" and \"atan-tan\"")),
        };
        if size > most {
            return Err(format!("{kind} computes at most {most}, not {size}"));
        }
        Ok(Self { computation, size, salt })
    }

    /// Computes on this thread what was handed over at the time `enqueued`.
    pub fn run(self, enqueued: Instant) -> Done {
        let (begun, cpu_before) = (Instant::now(), thread_cpu_time());
        let body = self.compute();
        Done {
            body,
            queue: milliseconds(begun - enqueued),
            compute: milliseconds(begun.elapsed()),
            cpu: milliseconds(thread_cpu_time().saturating_sub(cpu_before)),
        }
    }

    fn compute(self) -> String {
        match self.computation {
            Computation::Fib => kernels::salted_fib(self.size, self.salt).to_string(),
            // `Display` writes the shortest text that reads back as the same double, without an exponent.
            Computation::AtanTan => kernels::salted_atan_tan(self.size, self.salt).to_string(),
        }
    }
}

fn milliseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e3
}

/// Zero where the system cannot tell.
fn thread_cpu_time() -> Duration {
    clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).map_or(Duration::ZERO, Duration::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(kind: &str, size: u32, salt: u32) -> String {
        Job::new(kind, size, salt).expect("a job").run(Instant::now()).body
    }

    #[test]
    fn answers_carry_their_salt() {
        assert_eq!(body("fib", 0, 0), "0");
        assert_eq!(body("fib", 20, u32::MAX), "4294974060");
        assert_eq!(body("atan-tan", 0, 7), "7");
        assert_eq!(body("atan-tan", 5, 0), "-235693.53686062433");
    }

    #[test]
    fn what_the_kernels_do_not_compute_is_no_job() {
        assert!(Job::new("fib", 93, 0).is_ok());
        assert!(Job::new("fib", 94, 0).unwrap_err().contains("at most 93"));
        assert!(Job::new("atan-tan", 13, 0).unwrap_err().contains("at most 12"));
        assert!(Job::new("Fib", 1, 0).unwrap_err().contains("Fib"));
    }

    #[test]
    fn times_are_told() {
        let enqueued = Instant::now();
        std::thread::sleep(Duration::from_millis(2));
        let done = Job::new("fib", 25, 0).expect("a job").run(enqueued);
        assert!(done.queue >= 2.0 && done.compute > 0.0 && done.cpu > 0.0, "{done:?}");
    }
}
