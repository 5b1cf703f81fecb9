//! The engine against servers that behave well, badly and oddly. No test depends on how fast the
//! machine is; servers live in the runtime of their test and end with it.

mod accounts;
mod chunked;
mod connections;
mod corpus;
mod delays;
mod errors;
mod figures;
mod framings;
mod histograms;
mod limits;
mod open_loop;
mod parser;
mod server;
mod threads;
mod unix;

use std::future::pending;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use super::*;

/// The right answer to a request with this salt.
fn answer(salt: u32) -> String {
    format!("answer {salt}")
}

/// A whole right reply.
fn reply(salt: u32) -> Vec<u8> {
    let body = answer(salt);
    format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
}

struct RightAnswer;

impl Check for RightAnswer {
    fn check(&self, asked: Asked, reply: Reply<'_>) -> Result<(), Mismatch> {
        let Reply { status, body } = reply;
        let expected = answer(asked.salt);
        match status {
            200 if body == expected.as_bytes() => Ok(()),
            200 => Err(Mismatch::body(expected, body)),
            _ => Err(Mismatch::status(200, status, body)),
        }
    }
}

fn load(address: SocketAddr, clients: usize, requests: u64) -> Load {
    Load {
        clients,
        requests,
        first_salt: 7,
        max_body: 1 << 20,
        ..Load::new(address, "test", Request::get("/?salt={salt}"), RightAnswer)
    }
}

/// Runs to the end, and holds what is true of every level.
async fn run(load: &Load) -> Measured {
    run_until(load, &Live::default(), pending()).await
}

async fn run_until(load: &Load, live: &Live, stop: impl Future<Output = ()>) -> Measured {
    let measured = super::run(load, live, stop).await.unwrap();
    let errors = measured.errors_total();
    assert_eq!(measured.started, measured.ok + errors + measured.in_flight_at_end, "{measured:?}");
    assert_eq!((live.started(), live.completed(), live.errors()), (measured.started, measured.ok + errors, errors));
    assert_eq!(measured.cut_off.count(), measured.in_flight_at_end);
    let error = |kind| measured.errors.get(&kind).copied().unwrap_or(0);
    let Outcomes { ok, wrong, shed, timed_out } = &measured.outcomes;
    assert_eq!(ok.count(), measured.ok);
    assert_eq!(wrong.count(), error(ErrorKind::Status) + error(ErrorKind::Body));
    assert_eq!(shed.count(), error(ErrorKind::Shed));
    assert_eq!(timed_out.count(), error(ErrorKind::Timeout) + error(ErrorKind::ConnectTimeout));
    assert_eq!(ok.count() + wrong.count() + shed.count(), measured.replies);
    assert_eq!(ok.sum() + wrong.sum() + shed.sum(), measured.replies_time);
    assert_eq!(measured.status_codes.values().sum::<u64>(), measured.replies);
    assert_eq!(measured.failures.len(), measured.errors.len());
    if let Some(times) = &measured.times {
        assert_eq!(times.len() as u64 + measured.given_up, measured.ok + errors);
    }
    measured
}

/// A level of ten requests by two clients, all of which fail in this way.
#[track_caller]
fn assert_all(measured: &Measured, kind: ErrorKind) {
    assert_eq!(measured.errors.iter().collect::<Vec<_>>(), [(&kind, &measured.requests_asked)], "{measured:?}");
}
