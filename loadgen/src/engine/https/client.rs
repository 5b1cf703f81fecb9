//! One client: takes a request, sends it on its connection, waits for the answer, takes the next.

use std::io;
use std::time::{Duration, Instant};

use reqwest::header::{CONNECTION, HeaderName, HeaderValue};
use reqwest::{Method, Url, redirect};

use super::super::clock::Ns;
use super::super::failure::Failure;
use super::super::template::fill;
use super::super::{Asked, Connections, ErrorKind, Load, Reply, Target};
use super::connects::Connects;
use super::desk::Desk;

/// How long a client waits after it got no connection, so that a dead server is no busy loop.
const PAUSE: Duration = Duration::from_millis(10);

pub(super) struct Client<'a> {
    desk: &'a Desk<'a>,
    number: usize,
    http: reqwest::Client,
    connects: Connects,
    method: Method,
    /// Of the last response.
    body: Vec<u8>,
}

/// Of a response, beside its body.
struct Head {
    status: u16,
    server_timing: Option<HeaderValue>,
}

impl<'a> Client<'a> {
    pub(super) fn new(desk: &'a Desk<'a>, number: usize) -> io::Result<Self> {
        let (load, connects) = (desk.level.load, Connects::default());
        let kept = usize::from(load.connections == Connections::KeepAlive);
        let mut builder = reqwest::Client::builder()
            .tls_backend_preconfigured(desk.level.tls.clone())
            .http1_only()
            .http1_title_case_headers()
            .no_proxy()
            .redirect(redirect::Policy::none())
            .referer(false)
            .pool_max_idle_per_host(kept)
            .pool_idle_timeout(None)
            .tcp_nodelay(true)
            .connector_layer(connects.clone());
        if let (Target::Tcp(address), Some(host)) = (&load.target, url("/", load).ok().as_ref().and_then(Url::host_str))
        {
            builder = builder.resolve(host, *address);
        }
        let method = Method::from_bytes(load.request.method.as_bytes()).map_err(io::Error::other)?;
        let http = builder.build().map_err(io::Error::other)?;
        Ok(Self { desk, number, http, connects, method, body: Vec::new() })
    }

    /// Sends requests until there are none left.
    pub(super) async fn run(mut self) {
        while let Some(job) = self.desk.next(self.number).await {
            let asked = self.desk.asked(self.number, job);
            let result = self.send(asked, job.start).await;
            let end = self.desk.level.clock.now();
            let result = result.as_ref().map(|head| {
                let timing = head.server_timing.as_ref().map(HeaderValue::as_bytes);
                (Reply { status: head.status, body: &self.body }, timing)
            });
            let result = result.map_err(|failure| Failure::new(failure.kind, &failure.detail));
            let error = self.desk.end(self.number, asked, job, end, result);
            if let Some(kind) = error.filter(|kind| kind.is_connect()) {
                self.desk.give_up_if_unreachable(kind);
                tokio::time::sleep(PAUSE).await;
            }
        }
    }

    /// Sends the request and reads its response. One that met a connection which the server had closed while it was idle is
    /// sent again, once.
    async fn send(&mut self, asked: Asked, start: Ns) -> Result<Head, Failure> {
        let level = self.desk.level;
        let spent = Duration::from_nanos(level.clock.now().saturating_sub(start));
        let deadline = Instant::now().checked_add(level.load.timeout.saturating_sub(spent));
        let mut resent = false;
        loop {
            let (begun, made) = (self.connects.begun(), self.connects.made());
            self.body.clear();
            let request = request(level.load, &self.method, asked)?;
            self.desk.exchanging.set(self.desk.exchanging.get() + 1);
            let result = within(deadline, self.exchange(request)).await;
            self.desk.exchanging.set(self.desk.exchanging.get() - 1);
            let made_now = self.connects.made() - made;
            self.count_connections(made, made_now);
            match result {
                Some(Ok(head)) => return Ok(head),
                Some(Err((failure, answered))) => {
                    let broke = matches!(failure.kind, ErrorKind::Reset | ErrorKind::ClosedEarly);
                    let ended_idle = broke && !answered && made_now == 0;
                    if !ended_idle || resent {
                        return Err(failure);
                    }
                    resent = true;
                }
                None if self.connects.begun() - begun > made_now => {
                    return Err(Failure::new(ErrorKind::ConnectTimeout, "no connection within the time-out"));
                }
                None => return Err(Failure::new(ErrorKind::Timeout, "no complete response within the time-out")),
            }
        }
    }

    /// The response, its body in `self.body`. A failure comes with whether a response had begun.
    async fn exchange(&mut self, request: reqwest::Request) -> Result<Head, (Failure, bool)> {
        let most = self.desk.level.load.max_body;
        let too_long = || (Failure::new(ErrorKind::Malformed, "the body is longer than allowed"), true);
        let mut response = self.http.execute(request).await.map_err(|error| (error.into(), false))?;
        if response.content_length().is_some_and(|length| length > most as u64) && self.method != Method::HEAD {
            return Err(too_long());
        }
        while let Some(chunk) = response.chunk().await.map_err(|error| (error.into(), true))? {
            self.desk.tally.borrow_mut().received(chunk.len());
            if chunk.len() > most - self.body.len() {
                return Err(too_long());
            }
            self.body.extend_from_slice(&chunk);
        }
        let server_timing = response.headers().get("server-timing").cloned();
        Ok(Head { status: response.status().as_u16(), server_timing })
    }

    fn count_connections(&self, before: u64, now: u64) {
        if now > 0 {
            self.desk.reached();
        }
        let replaced = if before == 0 { now.saturating_sub(1) } else { now };
        if self.desk.level.load.connections == Connections::KeepAlive {
            (0..replaced).for_each(|_| self.desk.tally.borrow_mut().reconnected());
        }
    }
}

/// Waits for `work` until `deadline`; none where it is over. A time-out may be so long that no clock reaches it.
async fn within<T>(deadline: Option<Instant>, work: impl Future<Output = T>) -> Option<T> {
    match deadline {
        Some(deadline) => tokio::time::timeout_at(deadline.into(), work).await.ok(),
        None => Some(work.await),
    }
}

fn url(path: &str, load: &Load) -> Result<Url, Failure> {
    let text = format!("https://{}{path}", load.host);
    Url::parse(&text).map_err(|error| Failure::new(ErrorKind::ConnectOther, format!("{text}: {error}")))
}

fn request(load: &Load, method: &Method, asked: Asked) -> Result<reqwest::Request, Failure> {
    let unusable = |error: &dyn std::fmt::Display| Failure::new(ErrorKind::ConnectOther, error);
    let text = |text: &str| String::from_utf8_lossy(&fill(text.as_bytes(), asked)).into_owned();
    let mut request = reqwest::Request::new(method.clone(), url(&text(&load.request.path), load)?);
    for (name, value) in &load.request.headers {
        let name: HeaderName = name.parse().map_err(|error| unusable(&error))?;
        let value = HeaderValue::from_bytes(text(value).as_bytes()).map_err(|error| unusable(&error))?;
        request.headers_mut().append(name, value);
    }
    if load.connections == Connections::PerRequest {
        request.headers_mut().entry(CONNECTION).or_insert(HeaderValue::from_static("close"));
    }
    if let Some(body) = load.request.bodies.get(asked.input) {
        let body = if load.request.fill_bodies { fill(body, asked) } else { body.to_vec() };
        *request.body_mut() = Some(body.into());
    }
    Ok(request)
}
