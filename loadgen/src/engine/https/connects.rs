//! Which connections a client makes: reqwest does not tell, but lets one stand in the way.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::task::{Context, Poll};

use tower_layer::Layer;
use tower_service::Service;

/// Counts the connections of one client. Clones count the same.
#[derive(Debug, Clone, Default)]
pub(super) struct Connects(Arc<Counters>);

#[derive(Debug, Default)]
struct Counters {
    begun: AtomicU64,
    made: AtomicU64,
}

impl Connects {
    /// Connections that were made, TLS included.
    pub(super) fn made(&self) -> u64 {
        self.0.made.load(Relaxed)
    }

    /// Connections that were begun, whatever became of them.
    pub(super) fn begun(&self) -> u64 {
        self.0.begun.load(Relaxed)
    }
}

impl<S> Layer<S> for Connects {
    type Service = Counted<S>;

    fn layer(&self, connector: S) -> Counted<S> {
        Counted { connector, connects: self.clone() }
    }
}

/// A connector whose connections are counted.
#[derive(Debug, Clone)]
pub(super) struct Counted<S> {
    connector: S,
    connects: Connects,
}

impl<S, Destination> Service<Destination> for Counted<S>
where
    S: Service<Destination>,
    S::Future: Send + 'static,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = Pin<Box<dyn Future<Output = Result<S::Response, S::Error>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.connector.poll_ready(context)
    }

    fn call(&mut self, destination: Destination) -> Self::Future {
        let (connecting, connects) = (self.connector.call(destination), self.connects.clone());
        connects.0.begun.fetch_add(1, Relaxed);
        Box::pin(async move {
            let connection = connecting.await?;
            connects.0.made.fetch_add(1, Relaxed);
            Ok(connection)
        })
    }
}
