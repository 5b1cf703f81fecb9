//! From flags to what is done. Everything that can be wrong with them is found here, before anything is sent.

use std::net::SocketAddr;
use std::os::unix::fs::FileTypeExt;
use std::os::unix::net::SocketAddr as UnixAddress;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, anyhow, ensure};
use reqwest::Url;
use rustls::ClientConfig;

use crate::cli::{Amount, Arrivals, Keeping, RunArgs};
use crate::engine::{self, Connections, Load, Pace, Target};
use crate::target;

use super::expectation::{Body, Expectation, Salted};
use super::request::request;
use super::tls::Trust;

/// How many clients there are where -c does not say it; fewer requests need fewer.
const USUAL_CLIENTS: u32 = 10;
/// How long is sent where neither -n nor -d says it.
const USUAL_DURATION: Duration = Duration::from_secs(10);

/// What to do.
pub(super) struct Plan {
    pub(super) url: Url,
    pub(super) load: Load,
    /// Every address of the host; the first that accepts a connection is used. None for a unix socket.
    pub(super) addresses: Vec<SocketAddr>,
    /// For https.
    pub(super) tls: Option<ClientConfig>,
    pub(super) warm_up: Option<Load>,
    /// What is checked of answers, in words.
    pub(super) checks: String,
    pub(super) seed: u64,
    /// What the flags ask for that is done otherwise.
    pub(super) remarks: Vec<String>,
}

impl Plan {
    pub(super) fn new(arguments: &RunArgs) -> anyhow::Result<Self> {
        let given = arguments.url.as_deref().or(arguments.positional_url.as_deref()).unwrap_or_default();
        let url = target::parse(given, &["http", "https"]).map_err(|reason| anyhow!("--url {given}: {reason}"))?;
        ensure!(
            !target::has_secret(&url),
            "--url {}: a URL with a user or a password is not supported; send them by -H 'Authorization: …'",
            url.host_str().unwrap_or_default()
        );
        let request = request(arguments, target::path_and_query(&url))?;
        let expectation = expectation(arguments);
        let checks = checks(&expectation);
        let (end, addresses) = target_of(arguments, given, &url)?;
        let tls = trust(arguments, &url)?.map(|trust| trust.config()).transpose()?;
        let seed = arguments.seed.unwrap_or_else(|| fastrand::u64(..1_000_000_000));
        let mut load = Load::new(end, target::host(&url), request, expectation);
        load.clients = arguments.clients.unwrap_or(USUAL_CLIENTS) as usize;
        load.threads = arguments.threads as usize;
        load.requests = arguments.requests.map_or(Load::UNTIL_STOPPED, Into::into);
        load.duration = arguments.duration.or_else(|| arguments.requests.is_none().then_some(USUAL_DURATION));
        load.pace = pace(arguments, seed);
        load.connections = match arguments.connections {
            Keeping::KeepAlive => Connections::KeepAlive,
            Keeping::PerRequest => Connections::PerRequest,
        };
        load.timeout = arguments.timeout;
        load.max_body = arguments.max_body;
        // The lower half, so that neighbouring seeds give other salts.
        load.first_salt = fastrand::Rng::with_seed(seed).u32(..);
        let remarks = fit(&mut load, arguments.clients.is_some());
        let warm_up = arguments.warmup.map(|amount| warm_up(&load, amount));
        Ok(Self { url, load, addresses, tls, warm_up, checks, seed, remarks })
    }
}

/// The URL with its places for the salt.
pub(super) fn shown(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
    format!("{}://{host}{port}{}", url.scheme(), target::path_and_query(url))
}

fn expectation(arguments: &RunArgs) -> Expectation {
    let text = arguments.expect_body.as_deref().map(|text| Body::Text(Salted::new(text)));
    let body = text.or(arguments.expect_sha256.map(Body::Sha256));
    Expectation { statuses: arguments.expect_status.clone(), body }
}

fn checks(Expectation { statuses, body }: &Expectation) -> String {
    match body {
        Some(Body::Text(_)) => format!("status {statuses} and every body checked"),
        Some(Body::Sha256(_)) => format!("status {statuses} and the SHA-256 of every body checked"),
        None => format!("status {statuses} and framing checked, bodies not (--expect-body, --expect-sha256)"),
    }
}

/// Where to connect, and every address that may be tried for it.
fn target_of(arguments: &RunArgs, given: &str, url: &Url) -> anyhow::Result<(Target, Vec<SocketAddr>)> {
    if let Some(path) = &arguments.unix_socket {
        ensure!(url.scheme() == "http", "--unix-socket {}: goes with an http URL only", path.display());
        check_socket(path).with_context(|| format!("--unix-socket {}", path.display()))?;
        return Ok((Target::Unix(path.clone()), Vec::new()));
    }
    let addresses = target::addresses(url).map_err(|reason| anyhow!("--url {given}: {reason}"))?;
    let first = addresses.first().context("the host has no address")?;
    Ok((Target::Tcp(*first), addresses))
}

fn check_socket(path: &Path) -> anyhow::Result<()> {
    let found = std::fs::metadata(path).context("there is no such socket")?;
    ensure!(found.file_type().is_socket(), "it is no socket");
    UnixAddress::from_pathname(path).context("its path is too long for a socket's address; use a relative one")?;
    Ok(())
}

/// Whom to trust, where that is a question.
fn trust(arguments: &RunArgs, url: &Url) -> anyhow::Result<Option<Trust>> {
    if url.scheme() != "https" {
        ensure!(!arguments.insecure, "--insecure: goes with an https URL only");
        ensure!(arguments.cacert.is_none(), "--cacert: goes with an https URL only");
        return Ok(None);
    }
    Ok(Some(match &arguments.cacert {
        _ if arguments.insecure => Trust::Anybody,
        Some(file) => Trust::SystemAnd(file.clone()),
        None => Trust::System,
    }))
}

fn pace(arguments: &RunArgs, seed: u64) -> Pace {
    let arrivals = match arguments.arrivals {
        Arrivals::Constant => engine::Arrivals::Constant,
        Arrivals::Poisson => engine::Arrivals::Poisson,
    };
    arguments.rate.map_or(Pace::Closed, |rate| Pace::Open { rate, arrivals, seed })
}

/// No more clients than requests and no more threads than clients; says so where they were asked for.
fn fit(load: &mut Load, asked: bool) -> Vec<String> {
    let mut remarks = Vec::new();
    let most = usize::try_from(load.requests).unwrap_or(usize::MAX);
    if load.clients > most {
        if asked {
            remarks.push(format!("only {most} of the {} clients have something to send: -n is {most}", load.clients));
        }
        load.clients = most;
    }
    if load.threads > load.clients {
        remarks.push(format!("{} of the {} threads are enough: there are no more clients", load.clients, load.threads));
        load.threads = load.clients;
    }
    remarks
}

/// The same load, for as long as the warm-up takes.
fn warm_up(load: &Load, amount: Amount) -> Load {
    let (requests, duration) = match amount {
        Amount::Requests(requests) => (requests, None),
        Amount::Time(time) => (Load::UNTIL_STOPPED, Some(time)),
    };
    let clients = load.clients.min(usize::try_from(requests).unwrap_or(usize::MAX));
    Load {
        requests,
        duration,
        clients,
        threads: load.threads.min(clients),
        keep_times_up_to: 0,
        check: Arc::clone(&load.check),
        ..load.clone()
    }
}
