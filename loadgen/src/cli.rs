//! The command line as it is declared. What the flags mean is in commands/.

mod quantity;
mod run;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use crate::image::Size;
use crate::report::charts::Format;
use crate::scenario::{Levels, Probe, Scenario, Sending};

pub use quantity::Amount;
pub use run::{Arrivals, Keeping, RunArgs};

const EXAMPLES: &str = "\
Examples:
  loadgen sweep --scenario fib                       the main job: 8 servers, 1 to 20 clients, charts
  loadgen sweep --scenario fib --quick               the same shape in about a minute
  loadgen sweep --url 'http://127.0.0.1:3000/work'   a server of yours that is running
  loadgen sweep --command 'node app.js {port}' --path /work
                                                     one that loadgen starts
  loadgen compare results/before results/after       which servers became faster or slower
  loadgen run --url http://127.0.0.1:3000/work -c 10 -d 10s
                                                     one level of load on any URL
  loadgen list                                       scenarios and servers
  loadgen serve worker-pool --port 8080              a server by hand

Exit codes: 0 all good; 1 requests failed or answers were wrong, or some servers could not be started (results are
written); 2 the command line or a scenario is wrong, or nothing could be started; 130 interrupted (what was measured
is saved).";

/// Sweeps concurrency over CPU-bound servers, checks every answer, measures and draws.
#[derive(Debug, Parser)]
#[command(name = "loadgen", version, after_help = EXAMPLES, max_term_width = 110, disable_help_subcommand = true)]
pub struct Cli {
    /// The verb.
    #[command(subcommand)]
    pub command: Command,

    /// Colours in what is printed; NO_COLOR and CLICOLOR_FORCE in the environment are obeyed too
    // Obeyed before all this is read (see colour.rs); here it is checked and explained.
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub color: clap::ColorChoice,
}

/// One for each file of commands/.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Measure servers over concurrency: table, CSV, JSON and charts
    Sweep(Box<SweepArgs>),
    /// Put load on any URL, by http or https
    Run(Box<RunArgs>),
    /// Run one of the built-in servers
    #[cfg(feature = "serve")]
    Serve(ServeArgs),
    /// Show scenarios and servers, and what is missing for those that cannot run here
    List(ListArgs),
    /// Check that servers answer every part of the contract that they declare; no timing
    Verify(VerifyArgs),
    /// Measure what these CPUs can do with no server in the way
    #[cfg(feature = "serve")]
    Ceiling(CeilingArgs),
    /// Make charts, CSV and table again from saved results
    Report(ReportArgs),
    /// Say which servers became faster or slower between two sweeps, or differ within one
    Compare(CompareArgs),
    /// Print a script that completes command lines of loadgen in a shell
    Completions(CompletionsArgs),
    /// Run a program so that nothing of it survives loadgen
    #[command(hide = true)]
    Shepherd(ShepherdArgs),
}

/// Where servers on other runtimes are.
#[derive(Debug, Args)]
pub struct FolderArgs {
    /// The folder `servers` of the project, for servers on Node, Bun and Deno (default: $LOADGEN_SERVERS_DIR, else that
    /// of the current folder or of one around it, else that which loadgen was built beside)
    #[arg(long, value_name = "DIR")]
    pub servers_dir: Option<PathBuf>,
}

/// `loadgen list`.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  loadgen list --servers-dir ~/cpubound/servers")]
pub struct ListArgs {
    /// Where servers are.
    #[command(flatten)]
    pub folder: FolderArgs,
}

const SWEEP_EXAMPLES: &str = "\
Examples:
  loadgen sweep --scenario fib --servers event-loop,worker-pool --concurrency 1-20:3
  loadgen sweep --scenario fib --servers worker-pool --workers 1,2,4,8
  loadgen sweep --scenario fib --quick --trials 5     with intervals
  loadgen sweep --scenario fib --servers worker-pool,event-loop --backends native,wasm
  loadgen sweep --scenario job-size --sizes 15-40:5 --concurrency 4
  loadgen sweep --scenario convolution --image photo.jpg --image-size 4000x3000 --image-send store
  loadgen sweep --url 'a=http://127.0.0.1:3000/work?n={salt}' --url b=http://127.0.0.1:4000/work
  loadgen sweep --command 'mine=./target/release/mine --port {port}' --path '/hash?x={salt}' --concurrency 1,4,16
  loadgen sweep --scenario fib --servers worker-pool --command 'mine=./mine {port}'
                                                     a server that keeps the contract, beside one of ours

A run writes results.json, results.csv (both after every level), the charts (throughput, latency, resources and,
where servers tell it, time) and report.html: one page with all of it, for people.";

/// `loadgen sweep`.
#[derive(Debug, Args)]
#[command(after_help = SWEEP_EXAMPLES)]
pub struct SweepArgs {
    /// A scenario by name, or a TOML file
    #[arg(long, value_name = "NAME|FILE")]
    pub scenario: Option<String>,

    /// Only these servers of `loadgen list` (default: those of the scenario)
    #[arg(long, value_name = "A,B", value_delimiter = ',', requires = "scenario")]
    pub servers: Option<Vec<String>>,

    /// Numbers of clients: 1-20, 1,2,4 or 1-20:3 (default: those of the scenario, else 1-20)
    #[arg(long, value_name = "LEVELS")]
    pub concurrency: Option<Levels>,

    /// Sizes of the job, one more axis, in the place of {size} in the path (default: those of the scenario)
    #[arg(long, value_name = "LIST")]
    pub sizes: Option<Levels>,

    /// Ask another path meanwhile, RATE times a second (default: 20), and tell how long it waits
    #[arg(long, value_name = "PATH[@RATE]")]
    pub probe: Option<Probe>,

    /// Numbers of workers, one more axis for servers that have them (default: as the scenario says, else as many as CPUs)
    #[arg(long, value_name = "LIST")]
    pub workers: Option<Levels>,

    /// What computes, one more axis for servers that can be told (default: as the scenario says)
    #[arg(long, value_name = "native,wasm", value_delimiter = ',', requires = "scenario",
          value_parser = clap::builder::PossibleValuesParser::new(crate::catalog::backends()))]
    pub backends: Vec<String>,

    /// Each worker keeps to one CPU, where a server can do that: worker i to the i-th usable
    #[arg(long)]
    pub pin_workers: bool,

    /// A photograph of yours, JPEG or PNG, for a scenario that sends pictures
    #[arg(long, value_name = "FILE", requires = "scenario")]
    pub image: Option<String>,

    /// Pixels of the pictures sent: the photograph is tiled or cut (default: as the scenario says)
    #[arg(long, value_name = "WIDTHxHEIGHT", requires = "scenario")]
    pub image_size: Option<Size>,

    /// With each request, or stored once and then named (default: as the scenario says)
    #[arg(long, requires = "scenario")]
    pub image_send: Option<Sending>,

    /// Numbers of CPUs that a server may use, one more axis (default: all that are usable)
    #[arg(long, value_name = "LIST")]
    pub cpu_count: Option<Levels>,

    /// How often all is done, each time with fresh servers; intervals from 3 up (default: that of the scenario)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(Scenario::TRIALS_MOST)))]
    pub trials: Option<u32>,

    /// A smaller computation and fewer levels: about a minute
    #[arg(long)]
    pub quick: bool,

    /// All that a study measured, for scenarios that do less of it by default; takes its time
    #[arg(long, requires = "scenario", conflicts_with = "quick")]
    pub full: bool,

    /// Folder for the results (default: results/SCENARIO-YYYYMMDD-HHMMSS)
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,

    /// Write into a folder that is not empty
    #[arg(long)]
    pub force: bool,

    /// Seed of the order of servers and levels, and of the salts (default: from the clock; it is recorded)
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,

    /// A server that is already running; its path, or the scenario's, is asked (repeatable)
    #[arg(long, value_name = "[NAME=]URL")]
    pub url: Vec<String>,

    /// A server that loadgen starts by the shell, with {port} where its port goes (repeatable)
    #[arg(long, value_name = "[NAME=]CMD")]
    pub command: Vec<String>,

    /// Path that servers of --command are asked (that of --url is in the URL); {salt} is replaced by a number of each request's own
    #[arg(long, value_name = "PATH", requires = "command", conflicts_with = "scenario")]
    pub path: Option<String>,

    /// Right body for --url and --command, to the byte, {salt} as in the path (default: bodies are not checked)
    #[arg(long, value_name = "TEXT", conflicts_with = "scenario")]
    pub expect_body: Option<String>,

    /// Right status for --url and --command
    #[arg(long, value_name = "STATUS", conflicts_with = "scenario", default_value = "200",
          value_parser = clap::value_parser!(u16).range(100..600))]
    pub expect_status: u16,

    /// How long a server may take until it answers, seconds
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = seconds)]
    pub ready_timeout: f64,

    /// Where servers are.
    #[command(flatten)]
    pub folder: FolderArgs,

    /// Kinds of picture files of the charts
    #[arg(long, value_name = "png,svg", value_delimiter = ',', default_value = "png")]
    pub format: Vec<Format>,

    /// Print the results as JSON on standard output, instead of the table
    #[arg(long)]
    pub json: bool,
}

/// `loadgen serve`.
#[cfg(feature = "serve")]
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  loadgen serve worker-pool --workers 4 &\n  curl 'http://127.0.0.1:8080/fib/30?salt=1'"
)]
pub struct ServeArgs {
    /// How it uses threads
    #[arg(value_name = "VARIANT", value_parser = crate::commands::serve::variant_names())]
    pub variant: String,

    /// Address to listen on
    #[arg(long, default_value = "127.0.0.1")]
    pub host: std::net::IpAddr,

    /// Port to listen on; 0 picks one
    #[arg(long, default_value = "8080")]
    pub port: u16,

    /// Workers, for variants that have them (default: CPUs usable)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(crate::scenario::workers::WORKERS_MOST)))]
    pub workers: Option<u32>,

    /// Each worker keeps to one CPU: worker i to the i-th usable, from the first again when there are more
    #[arg(long)]
    pub pin_workers: bool,

    /// CPUs to run on, by number (default: all that are usable)
    #[arg(long, value_name = "0,1", value_delimiter = ',')]
    pub cpus: Option<Vec<usize>>,

    /// What computes (default: native; wasm for wasm-worker)
    #[arg(long, value_parser = crate::commands::serve::backend_names())]
    pub backend: Option<String>,

    /// Which Wasm build (default: optimised)
    #[arg(long, value_name = "BUILD", value_parser = crate::commands::serve::wasm_names())]
    pub wasm: Option<String>,

    /// Threads that share one image, for native code and --wasm threads (default: 1)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=64))]
    pub job_threads: Option<u32>,

    /// Largest n of /fib/n that is computed
    #[arg(long, value_name = "N", default_value = "50", value_parser = clap::value_parser!(u32).range(0..=93))]
    pub max_n: u32,

    /// Most pixels of an image
    #[arg(long, value_name = "N", default_value = "100000000", value_parser = clap::value_parser!(u64).range(1..))]
    pub max_pixels: u64,

    /// Most bytes of a request's body
    #[arg(long, value_name = "BYTES", default_value = "67108864", value_parser = clap::value_parser!(u32).range(1..))]
    pub max_body: u32,

    /// Most bytes that stored images may take
    #[arg(long, value_name = "BYTES", default_value = "268435456")]
    pub store_bytes: u64,
}

/// `loadgen verify`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  loadgen verify --all\n  loadgen verify --servers node-cluster,bun-event-loop\n  loadgen verify --scenario fib"
)]
pub struct VerifyArgs {
    /// The servers of a scenario, with its request too
    #[arg(long, value_name = "NAME|FILE")]
    pub scenario: Option<String>,

    /// Every server of `loadgen list`
    #[arg(long, conflicts_with = "scenario")]
    pub all: bool,

    /// Only these servers of `loadgen list`
    #[arg(long, value_name = "A,B", value_delimiter = ',', conflicts_with = "all")]
    pub servers: Option<Vec<String>>,

    /// The smaller computation of the scenario
    #[arg(long, requires = "scenario")]
    pub quick: bool,

    /// How long a server may take until it answers, seconds
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = seconds)]
    pub ready_timeout: f64,

    /// Where servers are.
    #[command(flatten)]
    pub folder: FolderArgs,
}

/// `loadgen ceiling`.
#[cfg(feature = "serve")]
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  loadgen ceiling --scenario fib\n  loadgen ceiling --path /fib/38 --threads 1,2,4 --json\n  loadgen ceiling --path '/convolve?size=7' --input photo.jpg"
)]
pub struct CeilingArgs {
    /// The request of a scenario
    #[arg(long, value_name = "NAME|FILE", required_unless_present = "path", conflicts_with = "path")]
    pub scenario: Option<String>,

    /// A request of the contract, such as /fib/40
    #[arg(long, value_name = "PATH")]
    pub path: Option<String>,

    /// The picture that the path asks to be convolved, such as photo.jpg with /convolve?size=7
    #[arg(long, value_name = "FILE", requires = "path")]
    pub input: Option<PathBuf>,

    /// The smaller computation of the scenario
    #[arg(long, requires = "scenario")]
    pub quick: bool,

    /// Threads at once, a CPU each (default: 1 to the CPUs usable)
    #[arg(long, value_name = "LIST")]
    pub threads: Option<Levels>,

    /// How long to measure each number of threads, seconds; two computations on each thread at the least
    #[arg(long, value_name = "SECONDS", default_value = "2", value_parser = seconds)]
    pub seconds: f64,

    /// One JSON object for each number of threads
    #[arg(long)]
    pub json: bool,
}

/// `loadgen report`.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  loadgen report results/fib-20261130-120000")]
pub struct ReportArgs {
    /// A folder that a sweep wrote
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,

    /// Kinds of picture files of the charts
    #[arg(long, value_name = "png,svg", value_delimiter = ',', default_value = "png")]
    pub format: Vec<Format>,

    /// Print the results as JSON on standard output, instead of the table
    #[arg(long)]
    pub json: bool,
}

const COMPARE_EXAMPLES: &str = "\
Examples:
  loadgen compare results/fib-before results/fib-after
  loadgen compare before after --fail-if-slower 5% --markdown
  loadgen compare results/fib-20261130-120000 --baseline old --servers new

Exit codes: 0 compared; 1 slower than --fail-if-slower allows; 2 the results do not compare or cannot be read.
The surest comparison is that of two servers of one sweep with --trials 5 or more, since the machine was the same to both.";

/// `loadgen compare`.
#[derive(Debug, Args)]
#[command(after_help = COMPARE_EXAMPLES)]
pub struct CompareArgs {
    /// A folder that a sweep wrote
    #[arg(value_name = "A")]
    pub a: PathBuf,

    /// One of a later sweep, whose servers are compared with those of A
    #[arg(value_name = "B")]
    pub b: Option<PathBuf>,

    /// A server of A with which others of A are compared, trial by trial
    #[arg(long, value_name = "SERVER", conflicts_with = "b")]
    pub baseline: Option<String>,

    /// Only these servers
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    pub servers: Vec<String>,

    /// Differences of throughput up to this count as none
    #[arg(long, value_name = "PERCENT", default_value = "2%", value_parser = percent)]
    pub threshold: f64,

    /// Exit with 1 if a server's throughput is less by more than this, and not by chance
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    pub fail_if_slower: Option<f64>,

    /// Compare different scenarios or machines all the same
    #[arg(long)]
    pub anyway: bool,

    /// Show every level too
    #[arg(long)]
    pub cells: bool,

    /// Print Markdown instead of the table
    #[arg(long)]
    pub markdown: bool,

    /// Print JSON instead of the table
    #[arg(long, conflicts_with = "markdown")]
    pub json: bool,
}

/// `loadgen completions`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  loadgen completions bash > ~/.local/share/bash-completion/completions/loadgen
  loadgen completions zsh > ~/.zfunc/_loadgen        with ~/.zfunc in fpath
  loadgen completions fish > ~/.config/fish/completions/loadgen.fish")]
pub struct CompletionsArgs {
    /// Which shell
    #[arg(value_name = "SHELL")]
    pub shell: clap_complete::Shell,
}

/// `loadgen shepherd`.
#[derive(Debug, Args)]
pub struct ShepherdArgs {
    /// CPUs to run on
    #[arg(long, value_delimiter = ',')]
    pub cpus: Vec<usize>,

    /// How long the program may take to end after SIGTERM
    #[arg(long, default_value_t = 2000)]
    pub grace_ms: u64,

    /// Program and arguments
    #[arg(last = true, required = true)]
    pub command: Vec<std::ffi::OsString>,
}

fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if seconds > 0.0 && seconds <= 86_400.0 => Ok(seconds),
        Ok(_) => Err("must be more than 0 and at most 86400".into()),
        Err(_) => Err("is not a number of seconds".into()),
    }
}

/// A part, from `5%`.
fn percent(text: &str) -> Result<f64, String> {
    let number = text.strip_suffix('%').and_then(|number| number.parse::<f64>().ok());
    match number {
        Some(percent) if (0.0..100.0).contains(&percent) => Ok(percent / 100.0),
        Some(_) => Err("must be at least 0% and less than 100%".into()),
        None => Err("is no percentage, such as 5%".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_declaration_is_sound() {
        Cli::command().debug_assert();
    }
}
