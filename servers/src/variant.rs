//! The variants: in how many ways a server can use threads.

use std::fmt;
use std::str::FromStr;

/// How a server uses threads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Variant {
    /// Jobs run on the event loop: one thread for everything.
    EventLoop,
    /// A new OS thread for each request.
    ThreadPerRequest,
    /// N workers with one shared queue.
    WorkerPool,
    /// N workers with a queue each, fed in turn.
    WorkerArray,
    /// `WorkerPool` whose workers each own a Wasm instance.
    WasmWorker,
    /// N event loops, fed with connections in turn by one accepting thread.
    MultiEventLoop,
    /// N event loops with a listener each on the same port.
    ReusePort,
    /// The async runtime's own elastic blocking pool.
    SpawnBlocking,
}

impl Variant {
    /// Every variant, in the order in which they are listed.
    pub const ALL: [Self; 8] = [
        Self::EventLoop,
        Self::ThreadPerRequest,
        Self::WorkerPool,
        Self::WorkerArray,
        Self::WasmWorker,
        Self::MultiEventLoop,
        Self::ReusePort,
        Self::SpawnBlocking,
    ];

    /// The name on the command line and in results.
    pub const fn name(self) -> &'static str {
        match self {
            Self::EventLoop => "event-loop",
            Self::ThreadPerRequest => "thread-per-request",
            Self::WorkerPool => "worker-pool",
            Self::WorkerArray => "worker-array",
            Self::WasmWorker => "wasm-worker",
            Self::MultiEventLoop => "multi-event-loop",
            Self::ReusePort => "reuse-port",
            Self::SpawnBlocking => "spawn-blocking",
        }
    }

    /// One line for lists and help.
    pub const fn description(self) -> &'static str {
        match self {
            Self::EventLoop => "jobs run on the event loop itself: one thread for everything",
            Self::ThreadPerRequest => "a new OS thread for each request",
            Self::WorkerPool => "a fixed pool of N workers with one shared queue (rayon)",
            Self::WorkerArray => "N workers made beforehand, a queue each, round-robin",
            Self::WasmWorker => "a pool of N workers that each own a Wasm instance (wasmtime)",
            Self::MultiEventLoop => "N event loops, jobs inline; one thread accepts and deals connections round-robin",
            Self::ReusePort => "N event loops, jobs inline, a listener each on one port (SO_REUSEPORT)",
            Self::SpawnBlocking => "the async runtime's own elastic blocking pool (tokio)",
        }
    }

    /// Whether a number of workers means anything to it.
    pub const fn has_workers(self) -> bool {
        match self {
            Self::EventLoop | Self::ThreadPerRequest | Self::SpawnBlocking => false,
            Self::WorkerPool | Self::WorkerArray | Self::WasmWorker | Self::MultiEventLoop | Self::ReusePort => true,
        }
    }
}

impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A name that is no variant's.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown variant {given:?}; there are {}", names())]
pub struct UnknownVariant {
    given: String,
}

fn names() -> String {
    Variant::ALL.map(Variant::name).join(", ")
}

impl FromStr for Variant {
    type Err = UnknownVariant;

    fn from_str(given: &str) -> Result<Self, Self::Err> {
        let found = Self::ALL.into_iter().find(|variant| variant.name() == given);
        found.ok_or_else(|| UnknownVariant { given: given.into() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back() {
        for variant in Variant::ALL {
            assert_eq!(variant.to_string().parse(), Ok(variant));
        }
    }

    #[test]
    fn an_unknown_name_is_answered_with_the_known_ones() {
        let message = "worker_pool".parse::<Variant>().unwrap_err().to_string();
        assert!(message.contains("\"worker_pool\"") && message.contains("worker-pool, worker-array"), "{message}");
    }
}
