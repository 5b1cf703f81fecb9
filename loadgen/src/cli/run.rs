//! `loadgen run`.

use std::num::NonZeroU64;
use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgGroup, Args, ValueEnum};

use super::quantity::{Amount, amount, duration, interval, rate, size};

const EXAMPLES: &str = "\
Examples:
  loadgen run http://127.0.0.1:8080/hello -c 10 -n 10000           10 clients, 10000 requests in all
  loadgen run http://127.0.0.1:8080/hello -c 100 -d 30s            for half a minute
  loadgen run http://127.0.0.1:8080/hello --rate 500 -d 1m         on a schedule: latency at a rate
  loadgen run --url 'http://127.0.0.1:3000/echo?id={salt}' --expect-body 'id {salt}'
                                                                   no request like another
  loadgen run --url http://127.0.0.1:8080/convolve --form image=@photo.jpg -c 2 -n 20 --json
  loadgen run --url http://localhost/ --unix-socket /run/app.sock --warmup 5s --hdr times.hlog

Closed loop (the default): each client sends its next request when its last one is answered. Measures capacity.

Open loop (--rate): requests are due on a schedule, whatever the server does, and response times count from when \
they were due. Measures latency at a rate. Figures of one loop do not compare with those of the other.

Every answer is checked: by default its framing, and that its status is one from 200 to 299. Redirects are not \
followed. What was in flight when the time was up is counted apart, neither right nor wrong.

Exit codes: 0 all good; 1 requests failed or answers were wrong; 2 the command line is wrong, or nothing could \
be started; 130 ended by Ctrl-C or SIGTERM, with a full report (a second one ends it at once, without).";

/// `loadgen run`.
#[derive(Debug, Args)]
#[command(
    after_help = EXAMPLES,
    override_usage = "loadgen run [OPTIONS] <URL>\n       loadgen run [OPTIONS] --url <URL>",
    group = ArgGroup::new("content")
)]
pub struct RunArgs {
    /// What to ask, by http or https; {salt} is replaced by a number of each request's own
    #[arg(value_name = "URL", required_unless_present = "url", conflicts_with = "url")]
    pub positional_url: Option<String>,

    /// The same as a flag
    #[arg(long, value_name = "URL")]
    pub url: Option<String>,

    /// Clients, each with a connection of its own; in open loop the most connections at once (default: 10)
    #[arg(short = 'c', long, value_name = "N", help_heading = "Load",
          value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub clients: Option<u32>,

    /// Requests in all (default: no end, see -d)
    #[arg(short = 'n', long, value_name = "N", help_heading = "Load")]
    pub requests: Option<NonZeroU64>,

    /// How long: 500ms, 10s, 2m; with -n whichever comes first (default: 10s without -n)
    #[arg(short = 'd', long, value_name = "TIME", help_heading = "Load", value_parser = duration)]
    pub duration: Option<Duration>,

    /// Open loop: requests a second, all clients together
    #[arg(long, value_name = "R", help_heading = "Load", value_parser = rate, allow_hyphen_values = true)]
    pub rate: Option<f64>,

    /// How they are spread: constant (evenly), or poisson (at random, as by independent users)
    #[arg(
        long,
        value_name = "HOW",
        help_heading = "Load",
        hide_possible_values = true,
        requires = "rate",
        default_value = "constant"
    )]
    pub arrivals: Arrivals,

    /// First send so much and forget it: a number of requests or a time, as in 100 or 5s
    #[arg(long, value_name = "N|TIME", help_heading = "Load", value_parser = amount)]
    pub warmup: Option<Amount>,

    /// Threads that send; one is enough for most servers
    #[arg(long, value_name = "N", default_value = "1", help_heading = "Load",
          value_parser = clap::value_parser!(u32).range(1..=256))]
    pub threads: u32,

    /// Seed of salts and random arrivals (default: from the clock; it is recorded)
    #[arg(long, value_name = "N", help_heading = "Load")]
    pub seed: Option<u64>,

    /// Method (default: GET, with a body POST)
    #[arg(short = 'm', long, value_name = "METHOD", help_heading = "Request")]
    pub method: Option<String>,

    /// A header, {salt} as in the URL (repeatable)
    #[arg(short = 'H', long = "header", value_name = "NAME: VALUE", help_heading = "Request")]
    pub headers: Vec<String>,

    /// Body, {salt} as in the URL
    #[arg(long, value_name = "TEXT", help_heading = "Request", group = "content", allow_hyphen_values = true)]
    pub body: Option<String>,

    /// Body from a file, {salt} as in the URL
    #[arg(long, value_name = "FILE", help_heading = "Request", group = "content")]
    pub body_file: Option<PathBuf>,

    /// A field of a form (multipart/form-data), from a file with @; FILE may end in ;type=image/jpeg (repeatable)
    #[arg(long, value_name = "FIELD=VALUE|FIELD=@FILE", help_heading = "Request", group = "content")]
    pub form: Vec<String>,

    /// Right statuses: 200, 2xx, or several as in 200,404
    #[arg(long, value_name = "STATUS", default_value = "2xx", help_heading = "Right answers")]
    pub expect_status: crate::commands::run::Statuses,

    /// Right body, to the byte, {salt} as in the URL (default: bodies are not checked, their framing is)
    #[arg(long, value_name = "TEXT", help_heading = "Right answers", allow_hyphen_values = true)]
    pub expect_body: Option<String>,

    /// SHA-256 of the right body, 64 hex digits
    #[arg(long, value_name = "HEX", help_heading = "Right answers", conflicts_with = "expect_body")]
    pub expect_sha256: Option<crate::commands::run::Sha256>,

    /// The longest that a request may take, from when it is due to its last byte
    #[arg(long, value_name = "TIME", default_value = "60s", help_heading = "Right answers", value_parser = duration)]
    pub timeout: Duration,

    /// A longer body is an error (malformed) and is not read to its end: 65536, 64KiB, 2MiB
    #[arg(long, value_name = "SIZE", default_value = "64MiB", help_heading = "Right answers", value_parser = size)]
    pub max_body: usize,

    /// keep-alive, or per-request: a new connection for each
    #[arg(
        long,
        value_name = "HOW",
        hide_possible_values = true,
        default_value = "keep-alive",
        help_heading = "Connections"
    )]
    pub connections: Keeping,

    /// Connect to a Unix domain socket; the URL gives Host and path
    #[arg(long, value_name = "PATH", help_heading = "Connections")]
    pub unix_socket: Option<PathBuf>,

    /// https: trust the certificates of this PEM file too
    #[arg(long, value_name = "FILE", help_heading = "Connections")]
    pub cacert: Option<PathBuf>,

    /// https: accept any certificate
    #[arg(long, help_heading = "Connections", conflicts_with = "cacert")]
    pub insecure: bool,

    /// The result as one JSON object on standard output
    #[arg(long, help_heading = "Output", conflicts_with = "csv")]
    pub json: bool,

    /// The result as CSV, a header and a row
    #[arg(long, help_heading = "Output")]
    pub csv: bool,

    /// Write the response times as a log that HdrHistogram's tools read (nanoseconds)
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub hdr: Option<PathBuf>,

    /// How long each interval of that log is
    #[arg(long, value_name = "TIME", default_value = "1s", help_heading = "Output", requires = "hdr", value_parser = interval)]
    pub hdr_interval: Duration,
}

/// `--arrivals`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Arrivals {
    /// Evenly spaced
    Constant,
    /// At random, each independent of the others
    Poisson,
}

/// `--connections`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Keeping {
    /// Each client keeps its connection
    KeepAlive,
    /// A new connection for each request
    PerRequest,
}
