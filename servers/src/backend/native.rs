//! The kernels as native code.

use super::{Backend, BackendError};
use crate::job::{Answer, Job};

/// Computes by native code; has no state.
#[derive(Debug, Clone, Copy, Default)]
pub struct Native;

impl Backend for Native {
    fn compute(&mut self, job: &Job) -> Result<Answer, BackendError> {
        Ok(match *job {
            Job::Fib { n, salt } => Answer::Integer(kernels::salted_fib(n, salt)),
            Job::AtanTan { num, salt } => Answer::Double(kernels::salted_atan_tan(num, salt)),
        })
    }
}
