//! The system under test, as a process: started, made ready, sampled and ended.
//!
//! ```text
//! loadgen ──(socket on standard input)──> loadgen shepherd ──> server ──> its children
//!    │  <──────── standard output and error, inherited ──────────┘
//!    └─ process: Process     readiness: wait_ready     sampler: Sampler
//! ```
//!
//! - [`shepherd`](fn@shepherd) runs between loadgen and each server, so that no child survives loadgen, whatever ends it;
//!   [`descendants`] finds and kills.
//! - [`link`] is what loadgen and a shepherd say to each other.
//! - [`launch`] starts a server through its shepherd; [`process`] is the server as loadgen has it: wait, last
//!   words, stop. [`reader`] fills its [`output`].
//! - [`readiness`] waits until a server listens, at an [`address`].
//! - [`sampler`] measures the process tree, [`settle`](fn@settle) waits until it is idle; [`tree`] and [`procfs`] read it.
//!
//! Nothing here knows what a server serves, and nothing here imports the rest of loadgen.

mod address;
mod descendants;
mod exit;
mod launch;
mod link;
mod output;
mod process;
mod procfs;
mod reader;
mod readiness;
mod sampler;
mod settle;
mod shepherd;
mod tree;

pub use address::free_port;
pub use exit::ExitReport;
pub use launch::{Launch, SpawnError};
pub use process::Process;
pub use readiness::{Ready, ReadyError, wait_ready};
pub use sampler::{Sample, Sampler};
pub use settle::{Settled, settle};
pub use shepherd::shepherd;
