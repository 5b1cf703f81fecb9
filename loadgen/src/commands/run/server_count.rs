//! The server's own count of requests, where it has one: ours have it on `/metrics`.

use std::net::SocketAddr;
use std::time::Duration;

use crate::control::{Control, metric};
use crate::engine::Target;
use crate::interrupt::Interrupt;

use super::plan::Plan;

/// A server that is still at work on what was cut off may take minutes to answer.
const PATIENCE: Duration = Duration::from_secs(2);
const METRIC: &str = "cpubound_requests_started_total";
/// What is counted: the method, and the beginning of the path.
const COUNTED: [(&str, &str); 2] = [("GET", "/fib/"), ("GET", "/atan-tan/")];

/// The count as it was before the run; empty where there is none.
pub(super) struct ServerCount(Option<Counter>);

struct Counter {
    control: Control,
    address: SocketAddr,
    host: String,
    before: f64,
}

impl ServerCount {
    /// Asks for it, where the request of the run is one that is counted: no other server is bothered.
    pub(super) async fn of(plan: &Plan, interrupt: &Interrupt) -> Self {
        let request = &plan.load.request;
        let counted = COUNTED.iter().any(|(method, path)| request.method == *method && request.path.starts_with(path));
        let Target::Tcp(address) = plan.load.target else { return Self(None) };
        let control = Control::new(PATIENCE).ok().filter(|_| counted && plan.url.scheme() == "http");
        let Some(control) = control else { return Self(None) };
        let host = plan.load.host.clone();
        let before = ask(&control, address, &host, interrupt).await;
        Self(before.map(|before| Counter { control, address, host, before }))
    }

    /// How many requests the server has counted since.
    pub(super) async fn since(self, interrupt: &Interrupt) -> Option<u64> {
        let Counter { control, address, host, before } = self.0?;
        let after = ask(&control, address, &host, interrupt).await?;
        Some((after - before).max(0.0) as u64)
    }
}

async fn ask(control: &Control, address: SocketAddr, host: &str, interrupt: &Interrupt) -> Option<f64> {
    let reply = tokio::select! {
        reply = control.ask("GET", address, "/metrics", Some(host)) => reply.ok().filter(|reply| reply.status == 200)?,
        () = interrupt.wait() => return None,
    };
    metric(std::str::from_utf8(&reply.body).ok()?, METRIC)
}
