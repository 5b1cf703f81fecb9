//! The door for results.json: whatever is in the file, what comes through makes sense, or the error says what is wrong
//! and where.

use std::cell::Cell as Flag;

use serde::de::{Deserialize, Deserializer, IgnoredAny};

use super::check::{Fault, check};
use super::{Results, SCHEMA_VERSION};

/// How much of a file is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// All of it.
    Whole,
    /// Without histograms, single times and samples: a tenth of the time, since they are most of a file.
    Figures,
}

/// Why a text is no results.json.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum ReadError {
    #[error("cut off at line {line}, column {column}; the sweep's folder may hold results.csv with the same figures")]
    CutOff { line: usize, column: usize },
    #[error("not JSON, at {0}")]
    Syntax(serde_json::Error),
    #[error(
        "schema {found} is newer than {SCHEMA_VERSION}, the newest that this loadgen reads; use the one that wrote it"
    )]
    Newer { found: u64 },
    #[error("not the results of a sweep, or edited by hand: {path}: {reason}")]
    Shape { path: String, reason: serde_json::Error },
    #[error("edited by hand: {}: {}", .0.path, .0.reason)]
    Nonsense(Fault),
}

thread_local! {
    /// Whether what is read now leaves out what [`Detail::Figures`] does; serde carries no context of ours to fields.
    static FIGURES_ONLY: Flag<bool> = const { Flag::new(false) };
}

/// A field that [`Detail::Figures`] leaves out.
pub(super) fn bulk<'de, D: Deserializer<'de>, T: Deserialize<'de> + Default>(deserializer: D) -> Result<T, D::Error> {
    if FIGURES_ONLY.get() {
        return IgnoredAny::deserialize(deserializer).map(|_| T::default());
    }
    T::deserialize(deserializer)
}

/// Reads results.json.
///
/// # Errors
/// It is none, is from a newer program, or makes no sense.
pub fn parse(json: &[u8], detail: Detail) -> Result<Results, ReadError> {
    FIGURES_ONLY.set(detail == Detail::Figures);
    let parsed = serde_json::from_slice::<Results>(json);
    FIGURES_ONLY.set(false);
    let results = parsed.map_err(|error| diagnosed(json, error))?;
    if results.schema_version > SCHEMA_VERSION {
        return Err(ReadError::Newer { found: results.schema_version.into() });
    }
    check(&results).map_err(ReadError::Nonsense)?;
    Ok(results)
}

/// What an error of the parser comes from: it is asked a second time, at leisure.
fn diagnosed(json: &[u8], error: serde_json::Error) -> ReadError {
    #[derive(serde::Deserialize)]
    struct Version {
        schema_version: u64,
    }
    if error.is_eof() {
        return ReadError::CutOff { line: error.line(), column: error.column() };
    }
    if let Err(syntax) = serde_json::from_slice::<IgnoredAny>(json) {
        return ReadError::Syntax(syntax);
    }
    let newer =
        serde_json::from_slice(json).ok().filter(|&Version { schema_version }| schema_version > SCHEMA_VERSION.into());
    if let Some(Version { schema_version }) = newer {
        return ReadError::Newer { found: schema_version };
    }
    let again = serde_path_to_error::deserialize::<_, Results>(&mut serde_json::Deserializer::from_slice(json));
    let path = again.err().map_or_else(String::new, |error| error.path().to_string());
    ReadError::Shape { path, reason: error }
}
