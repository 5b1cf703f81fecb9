//! The control plane: single requests that are not measured, for readiness, verification and the server's counters.

use std::net::SocketAddr;
use std::time::Duration;

use anyhow::Context;

/// A client for single requests.
#[derive(Debug, Clone)]
pub struct Control(reqwest::Client);

/// A request.
#[derive(Debug, Clone, Copy)]
pub struct Question<'a> {
    /// `GET`, `POST`, …
    pub method: &'a str,
    /// Path and query.
    pub path: &'a str,
    /// Media type and contents.
    pub body: Option<(&'a str, &'a [u8])>,
}

impl<'a> Question<'a> {
    /// One without a body.
    pub fn new(method: &'a str, path: &'a str) -> Self {
        Self { method, path, body: None }
    }
}

/// A complete reply.
#[derive(Debug, Clone)]
pub struct Reply {
    /// HTTP status.
    pub status: u16,
    /// `Content-Type`, empty if absent.
    pub content_type: String,
    /// `Allow`, empty if absent.
    pub allow: String,
    /// `Content-Length`, where it is there and a number.
    pub content_length: Option<u64>,
    /// All of it.
    pub body: Vec<u8>,
}

impl Reply {
    /// Status and the start of the body, for messages.
    pub fn describe(&self) -> String {
        let text = String::from_utf8_lossy(&self.body);
        let start: String = text.trim_end().chars().take(120).collect();
        format!("status {}, `{start}`", self.status)
    }
}

/// What a server says of itself on `/metrics`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OwnCounters {
    /// Voluntary and involuntary, of threads that ended too.
    pub context_switches: u64,
}

impl Control {
    /// A client that asks no proxy, follows no redirect and keeps no connection: an idle one would be a client more.
    ///
    /// # Errors
    /// The HTTP library cannot start.
    pub fn new(timeout: Duration) -> anyhow::Result<Self> {
        let client = reqwest::Client::builder()
            .tls_backend_preconfigured(no_tls()?)
            .no_proxy()
            .redirect(reqwest::redirect::Policy::none())
            .pool_max_idle_per_host(0)
            .timeout(timeout)
            .build()
            .context("HTTP client of the control plane")?;
        Ok(Self(client))
    }

    /// A request without a body.
    ///
    /// # Errors
    /// No complete reply; the message holds the innermost reason.
    pub async fn ask(
        &self,
        method: &str,
        address: SocketAddr,
        path: &str,
        host: Option<&str>,
    ) -> Result<Reply, String> {
        self.send(address, host, Question::new(method, path)).await
    }

    /// A request.
    ///
    /// # Errors
    /// No complete reply; the message holds the innermost reason.
    pub async fn send(
        &self,
        address: SocketAddr,
        host: Option<&str>,
        Question { method, path, body }: Question<'_>,
    ) -> Result<Reply, String> {
        let innermost = |error: reqwest::Error| {
            let mut reason: &dyn std::error::Error = &error;
            while let Some(deeper) = reason.source() {
                reason = deeper;
            }
            reason.to_string()
        };
        let method = method.parse().map_err(|_| format!("`{method}` is no method"))?;
        let mut request = self.0.request(method, format!("http://{address}{path}"));
        if let Some(host) = host {
            request = request.header("host", host);
        }
        if let Some((media_type, body)) = body {
            request = request.header("content-type", media_type).body(body.to_vec());
        }
        let response = request.send().await.map_err(innermost)?;
        let header =
            |name| response.headers().get(name).and_then(|value| value.to_str().ok()).unwrap_or_default().to_owned();
        let (status, content_type, allow) = (response.status().as_u16(), header("content-type"), header("allow"));
        let content_length = header("content-length").parse().ok();
        let body = response.bytes().await.map_err(innermost)?.to_vec();
        Ok(Reply { status, content_type, allow, content_length, body })
    }

    /// The server's own counters; `None` where it does not tell.
    pub async fn counters(&self, address: SocketAddr) -> Option<OwnCounters> {
        let reply = self.ask("GET", address, "/metrics", None).await.ok().filter(|reply| reply.status == 200)?;
        let text = String::from_utf8(reply.body).ok()?;
        let sum = metric(&text, "process_voluntary_context_switches_total")?
            + metric(&text, "process_involuntary_context_switches_total")?;
        Some(OwnCounters { context_switches: sum as u64 })
    }
}

/// Single requests go by plain HTTP, but the library wants to know whom to trust by TLS: nobody.
fn no_tls() -> anyhow::Result<rustls::ClientConfig> {
    let provider = std::sync::Arc::new(rustls::crypto::ring::default_provider());
    let builder = rustls::ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions()?;
    Ok(builder.with_root_certificates(rustls::RootCertStore::empty()).with_no_client_auth())
}

/// The value of a metric without labels in Prometheus' text format.
pub fn metric(text: &str, name: &str) -> Option<f64> {
    text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' ')?.trim().parse().ok())
}

#[cfg(test)]
mod tests {
    use super::metric;

    #[test]
    fn metrics_are_found_by_their_whole_name() {
        let text = "# TYPE a counter\na_total 7\na 3.5\n";
        assert_eq!((metric(text, "a"), metric(text, "a_total"), metric(text, "b")), (Some(3.5), Some(7.0), None));
    }
}
