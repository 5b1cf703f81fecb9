//! What reqwest's errors mean.

use std::error::Error;
use std::io;

use super::super::ErrorKind;
use super::super::failure::Failure;

impl From<reqwest::Error> for Failure {
    fn from(error: reqwest::Error) -> Self {
        let mut chain: Vec<&dyn Error> = vec![&error];
        let mut next = error.source();
        while let Some(deeper) = next {
            chain.push(deeper);
            next = deeper.source();
        }
        let kind = chain.iter().rev().find_map(|cause| kind(*cause, error.is_connect()));
        let unknown = if error.is_connect() { ErrorKind::ConnectOther } else { ErrorKind::Malformed };
        // The innermost says what happened, the others where.
        let mut detail = chain.last().map(ToString::to_string).unwrap_or_default();
        if chain.iter().any(|cause| is_about_trust(*cause)) {
            detail += "; --cacert FILE trusts the server's own, --insecure any";
        }
        Self { kind: kind.unwrap_or(unknown), detail }
    }
}

/// Whether a certificate was not accepted. An IO error hides what it is made of from the chain.
fn is_about_trust(error: &(dyn Error + 'static)) -> bool {
    match error.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
        Some(inner) => is_about_trust(inner),
        None => matches!(error.downcast_ref(), Some(rustls::Error::InvalidCertificate(_))),
    }
}

/// What one error of a chain says of the whole.
fn kind(error: &(dyn Error + 'static), connecting: bool) -> Option<ErrorKind> {
    if let Some(error) = error.downcast_ref::<hyper::Error>() {
        return match () {
            () if error.is_incomplete_message() || error.is_closed() || error.is_canceled() => {
                Some(ErrorKind::ClosedEarly)
            }
            () if error.is_parse() => Some(ErrorKind::Malformed),
            () => None,
        };
    }
    let error = error.downcast_ref::<io::Error>()?;
    match error.kind() {
        _ if connecting && error.raw_os_error().is_some() => Some(ErrorKind::of_connect(error)),
        _ if connecting => None,
        io::ErrorKind::UnexpectedEof => Some(ErrorKind::ClosedEarly),
        io::ErrorKind::ConnectionReset | io::ErrorKind::ConnectionAborted | io::ErrorKind::BrokenPipe => {
            Some(ErrorKind::Reset)
        }
        _ => None,
    }
}
