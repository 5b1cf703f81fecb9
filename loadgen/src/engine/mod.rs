//! The load engine: sends requests to one address and accounts for every one of them.
//!
//! The engine knows a server as an address, so it cannot favour one, and imports nothing of the
//! rest of the program. This file is its seam: a [`Load`] goes in, [`run()`] puts it on the server, a [`Measured`] comes out, a
//! [`Live`] can be read meanwhile.
//!
//! ```text
//! Load ──> run ──> event loops, a thread each ──> Tally ──> Measured (counts, Latencies, rates)
//!   │                │   clients: connections, template ──> bytes ──> response (parser)
//!   │                └── numbers (closed loop) or timetable (open loop): which request is next
//!   └ Check: is it right?
//! ```
//!
//! In a *closed loop* each client sends its next request when its last one is answered; in an *open loop* requests are sent
//! on a schedule, whatever happens to earlier ones ([`Pace`]). What it promises:
//!
//! - `started = ok + errors + in_flight_at_end`, exactly, however a level ends;
//! - every answer is checked, each request carries a salt of its own;
//! - a response time runs from before the connection is made (where a request needs a new one),
//!   or from before the first byte is sent, to the last byte received. In an open loop it runs from the time at which the
//!   request should have been sent. A request that has to be sent again keeps its clock;
//! - it sleeps in the kernel until a socket or a time is due: no polling, no waking up in between.
//!
//! Several loads may run at the same time, each on threads of its own: a probe beside a level is one more [`run()`].

mod books;
mod check;
mod clock;
mod crew;
mod error_kind;
mod event_loop;
mod failure;
mod https;
mod live;
mod load;
mod numbers;
mod response;
mod run;
mod stop;
mod template;
mod timetable;

#[cfg(test)]
mod tests;

pub use books::{
    FailureExample, Interval, Latencies, LittlesLaw, Measured, Outcome, Outcomes, Schedule, ServerTiming, Shortfall,
    Steady, Timed,
};
pub use check::{Asked, Check, Mismatch, Reply};
pub use error_kind::ErrorKind;
pub use https::run_https;
pub use live::Live;
pub use load::{Arrivals, Connections, Load, Pace, Request, Target};
pub use run::run;
