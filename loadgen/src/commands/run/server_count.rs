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
        let counted = is_counted(&request.method, &request.path);
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

/// Whether a server that keeps our contract counts such requests: those for a computation.
fn is_counted(method: &str, path: &str) -> bool {
    let path = path.split('?').next().unwrap_or_default();
    match method {
        "GET" => path.starts_with("/fib/") || path.starts_with("/atan-tan/"),
        "POST" => path == "/convolve" || (path.starts_with("/images/") && path.ends_with("/convolve")),
        _ => false,
    }
}

async fn ask(control: &Control, address: SocketAddr, host: &str, interrupt: &Interrupt) -> Option<f64> {
    let reply = tokio::select! {
        reply = control.ask("GET", address, "/metrics", Some(host)) => reply.ok().filter(|reply| reply.status == 200)?,
        () = interrupt.wait() => return None,
    };
    metric(std::str::from_utf8(&reply.body).ok()?, METRIC)
}

#[cfg(test)]
mod tests {
    use super::is_counted;

    #[test]
    fn computations_are_counted() {
        for (method, path) in
            [("GET", "/fib/30?salt={salt}"), ("POST", "/convolve?size=7"), ("POST", "/images/a/convolve")]
        {
            assert!(is_counted(method, path), "{method} {path}");
        }
        for (method, path) in [("GET", "/hello"), ("POST", "/fib/30"), ("PUT", "/images/a"), ("GET", "/fibula")] {
            assert!(!is_counted(method, path), "{method} {path}");
        }
    }
}
