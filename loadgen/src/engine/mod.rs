//! The load engine: sends requests to one address and accounts for every one of them.
//!
//! The engine knows a server as an address, so it cannot favour one, and imports nothing of the
//! rest of the program. This file is its seam: a [`Load`] goes in, a [`Measured`] comes out, a
//! [`Live`] can be read meanwhile. A faster engine may take the place of what lies behind it.
//!
//! ```text
//! Load ──> closed_loop ──> c clients ──> connection (TCP) ──> parse (framing, chunked)
//!   │                          │
//!   └ Check: is it right? ─────┴──> tally ──> Measured (counts, Latencies, rates)
//! ```
//!
//! It is a *closed loop*: each client sends its next request when its last one is answered.
//! What it promises:
//!
//! - `started = ok + errors + in_flight_at_end`, exactly, however a level ends;
//! - every answer is checked, each request carries a salt of its own;
//! - a response time runs from before the connection is made (where a request needs a new one),
//!   or from before the first byte is sent, to the last byte received. A request that has to be
//!   sent again keeps its clock;
//! - one thread, no polling: the thread sleeps in the kernel until a socket or a timer is due.

mod check;
mod chunked;
mod client;
mod closed_loop;
mod connection;
mod error_kind;
mod framing;
mod histogram;
mod live;
mod load;
mod measured;
mod parse;
mod server_timing;
mod tally;
mod template;

#[cfg(test)]
mod tests;

pub use check::{Asked, Check, Mismatch, Reply};
pub use closed_loop::run;
pub use error_kind::ErrorKind;
pub use histogram::Latencies;
pub use live::Live;
pub use load::{Arrivals, Connections, Load, Pace, Request, Target};
pub use measured::{FailureExample, LittlesLaw, Measured, Outcome, Outcomes, Schedule, Shortfall, Steady, Timed};
pub use server_timing::ServerTiming;
