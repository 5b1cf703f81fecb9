//! Why there was no complete response.

use super::ErrorKind;

/// Its kind, and what happened in words.
#[derive(Debug)]
pub(super) struct Failure {
    pub(super) kind: ErrorKind,
    pub(super) detail: String,
}

impl Failure {
    pub(super) fn new(kind: ErrorKind, detail: impl ToString) -> Self {
        Self { kind, detail: detail.to_string() }
    }
}
