//! What a reader should know before believing a number, as it is saved: its kind with figures, and the same in words.

use serde::{Deserialize, Serialize};

/// A warning. Results of schema 1 had its text alone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(from = "Saved")]
pub struct Warning {
    /// What it is about, with its figures.
    #[serde(flatten)]
    pub kind: Kind,
    /// In words.
    pub text: String,
}

/// The forms that are read.
#[derive(Deserialize)]
#[serde(untagged, expecting = "expected a text, or an object with `kind`, its figures and `text`")]
enum Saved {
    Text(String),
    Typed {
        #[serde(flatten)]
        kind: Kind,
        text: String,
    },
}

impl From<Saved> for Warning {
    fn from(saved: Saved) -> Self {
        match saved {
            Saved::Text(text) => Self { kind: Kind::Other, text },
            Saved::Typed { kind, text } => Self { kind, text },
        }
    }
}

impl From<Kind> for Warning {
    fn from(kind: Kind) -> Self {
        Self { kind, text: kind.text() }
    }
}

/// What a warning can be about.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[allow(missing_docs, reason = "the text of each says it")]
pub enum Kind {
    QuickRun,
    DebugBuild,
    FewTrials {
        trials: u32,
    },
    LoadBefore {
        load: f64,
    },
    Powersave,
    CpuQuota {
        quota: f64,
        usable: u32,
    },
    UnequalCpus,
    NoisyMachine {
        drift: f64,
    },
    WarmUpUnsettled {
        seconds: f64,
    },
    EndedEarly {
        in_flight: u64,
    },
    IdleClients {
        requests: u64,
        clients: u32,
    },
    Backlog {
        seconds: f64,
    },
    StillBusy {
        seconds: f64,
    },
    FewSamples {
        answers: u64,
    },
    AboveCeiling {
        efficiency: f64,
    },
    GeneratorBusy {
        cpus: f64,
    },
    OtherLoad {
        cpus: f64,
    },
    Swapped {
        bytes: u64,
    },
    LittlesLaw {
        deviation: f64,
        mean_in_flight: f64,
        expected_in_flight: f64,
    },
    NotKeptUp {
        asked_rps: f64,
        ended_rps: f64,
    },
    WrongAsDeclared {
        wrong: u64,
        requests: u64,
    },
    /// Of an older or a newer loadgen.
    #[serde(other)]
    Other,
}

/// What a warning is a warning of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Scope {
    Run,
    /// One server process.
    Pass,
    Level,
}

impl Kind {
    /// In two or three words.
    pub fn title(self) -> &'static str {
        self.words().0
    }

    /// What it is a warning of.
    pub fn scope(self) -> Scope {
        self.words().1
    }

    /// What to do.
    pub fn hint(self) -> &'static str {
        self.words().2
    }

    /// How bad it is, among warnings of one kind.
    pub fn severity(self) -> f64 {
        match self {
            Self::LoadBefore { load } => load,
            Self::NoisyMachine { drift } => drift,
            Self::WarmUpUnsettled { seconds } | Self::Backlog { seconds } | Self::StillBusy { seconds } => seconds,
            Self::EndedEarly { in_flight } => in_flight as f64,
            Self::IdleClients { requests, clients } => f64::from(clients) - requests as f64,
            Self::FewSamples { answers } => -(answers as f64),
            Self::AboveCeiling { efficiency } => efficiency,
            Self::GeneratorBusy { cpus } | Self::OtherLoad { cpus } => cpus,
            Self::Swapped { bytes } => bytes as f64,
            Self::LittlesLaw { deviation, .. } => deviation,
            Self::NotKeptUp { asked_rps, ended_rps } => asked_rps - ended_rps,
            Self::WrongAsDeclared { wrong, requests } => wrong as f64 / requests.max(1) as f64,
            _ => 0.0,
        }
    }

    /// What was seen, and what it means.
    fn text(self) -> String {
        match self {
            Self::QuickRun => "quick run: fewer levels and requests, and a smaller computation where the scenario has \
                               one; it shows the shape, not the figures"
                .into(),
            Self::DebugBuild => "debug build: the built-in servers and kernels are not optimised".into(),
            Self::FewTrials { trials: 1 } => {
                "one pass: nothing is known of how much the figures vary, so they have no intervals".into()
            }
            Self::FewTrials { trials } => format!("{trials} trials: too few for intervals"),
            Self::LoadBefore { load } => {
                format!("load average was {load:.1} before the run: other programs may have taken CPU from the servers")
            }
            Self::Powersave => "frequency governor is `powersave`: the clock follows the load".into(),
            Self::CpuQuota { quota, usable } => {
                format!("a control group allows {quota:.2} CPUs of the {usable} usable: threads will be throttled")
            }
            Self::UnequalCpus => {
                "the servers did not have the same CPUs: throughputs do not compare, CPU per request does".into()
            }
            Self::NoisyMachine { drift } => format!(
                "the ceiling moved by {:.0}% over the run: the machine is noisy, differences below that mean little",
                drift * 100.0
            ),
            Self::WarmUpUnsettled { seconds } => format!(
                "the rate had not settled after {seconds:.1} s of warm-up: levels that were measured first may be too \
                 slow"
            ),
            Self::EndedEarly { in_flight } => format!("ended early, with {in_flight} requests under way"),
            Self::IdleClients { requests, .. } => {
                format!("only {requests} clients had something to do: there were no more requests")
            }
            Self::Backlog { seconds } => format!(
                "before this level the server computed on for {seconds:.1} s, for requests that had been answered or \
                 given up; it was waited for"
            ),
            Self::StillBusy { seconds } => format!(
                "after {seconds:.1} s of waiting the server was still computing for earlier requests, or for nobody: \
                 the level is measured with that beside it"
            ),
            Self::FewSamples { answers } => {
                format!("{answers} right answers: too few for a rate or a percentile to mean much")
            }
            Self::AboveCeiling { efficiency } => format!(
                "efficiency {efficiency:.2} is above 1: faster than our native kernel with no server in the way"
            ),
            Self::GeneratorBusy { cpus } => {
                format!("loadgen itself used {:.0}% of a CPU, which the server may have wanted", cpus * 100.0)
            }
            Self::OtherLoad { cpus } => {
                format!("other programs used {cpus:.2} CPUs meanwhile, which the server may have wanted")
            }
            Self::Swapped { bytes } => {
                format!(
                    "{:.1} MiB went to or came from swap meanwhile: response times hold the disk's",
                    bytes as f64 / 1048576.0
                )
            }
            Self::LittlesLaw { deviation, mean_in_flight, expected_in_flight } => format!(
                "Little's law is off by {:.0}%: {mean_in_flight:.2} requests under way, but rate times response time is \
                 {expected_in_flight:.2}",
                deviation * 100.0
            ),
            Self::NotKeptUp { asked_rps, ended_rps } => format!(
                "{asked_rps:.1} requests a second were asked for and {ended_rps:.1} ended: the queue grew, so response \
                 times say how long the level was"
            ),
            Self::WrongAsDeclared { wrong, requests } => format!(
                "{wrong} of {requests} answers were wrong, as declared: this server's fault is its point, and only its \
                 right answers count as throughput"
            ),
            Self::Other => String::new(),
        }
    }

    /// Title, scope and hint.
    fn words(self) -> (&'static str, Scope, &'static str) {
        use Scope::{Level, Pass, Run};
        match self {
            Self::QuickRun => ("quick run", Run, "run without --quick before you quote a figure"),
            Self::DebugBuild => ("debug build", Run, "use a release build (cargo run --release)"),
            Self::FewTrials { .. } => ("few trials", Run, "run with --trials 3 or more before you compare servers"),
            Self::LoadBefore { .. } => ("load before the run", Run, "stop other programs, wait, and run again"),
            Self::Powersave => {
                ("powersave governor", Run, "set the governor to `performance` (cpupower frequency-set)")
            }
            Self::CpuQuota { .. } => ("CPU quota", Run, "give the container whole CPUs by affinity (cpuset) instead"),
            Self::UnequalCpus => {
                ("unequal CPUs", Run, "start all servers by loadgen, or pin those that run to the same CPUs")
            }
            Self::NoisyMachine { .. } => {
                ("noisy machine", Run, "use a machine of your own, or more --trials; efficiency compares within a run")
            }
            Self::WarmUpUnsettled { .. } => ("warm-up not settled", Pass, "raise `warm_up.most_s` in the scenario"),
            Self::EndedEarly { .. } => ("ended early", Level, "let the sweep end; the level is left out of charts"),
            Self::IdleClients { .. } => ("idle clients", Level, "raise `requests` in the scenario"),
            Self::Backlog { .. } => {
                ("backlog", Level, "ask why work is left when every client has its answer: nobody waits for it")
            }
            Self::StillBusy { .. } => (
                "still busy",
                Level,
                "raise `timeout_s`, which is how long is waited, or measure one level for each run",
            ),
            Self::FewSamples { .. } => ("few samples", Level, "raise `requests` in the scenario"),
            Self::AboveCeiling { .. } => (
                "above the ceiling",
                Level,
                "see how far the ceiling moved; other code or another runtime may truly be faster than our kernel",
            ),
            Self::GeneratorBusy { .. } => (
                "generator busy",
                Level,
                "give servers fewer CPUs than there are (--cpu-count), or ask for more work per request",
            ),
            Self::OtherLoad { .. } => ("other load", Level, "stop other programs and run again"),
            Self::Swapped { .. } => ("swap used", Level, "free memory, or turn swap off (swapoff -a), and run again"),
            Self::LittlesLaw { .. } => (
                "Little's law",
                Level,
                "the level was not steady, or the machine stood still: look at its times in results.json",
            ),
            Self::NotKeptUp { .. } => {
                ("not kept up", Level, "ask for a lower rate; above capacity only throughput and errors mean something")
            }
            Self::WrongAsDeclared { .. } => (
                "wrong as declared",
                Level,
                "compare throughput_rps with replies_rps in results.csv: what a tool that checks nothing would report",
            ),
            Self::Other => ("warning", Run, ""),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn kind_figures_and_text_are_saved() {
        let warning = Warning::from(Kind::LoadBefore { load: 1.5 });
        let saved = serde_json::to_value(&warning).unwrap();
        assert_eq!((&saved["kind"], &saved["load"]), (&json!("load_before"), &json!(1.5)));
        assert!(saved["text"].as_str().unwrap().starts_with("load average was 1.5"));
        assert_eq!(serde_json::from_value::<Warning>(saved).unwrap(), warning);
    }

    #[test]
    fn texts_of_schema_1_and_kinds_of_later_ones_are_read() {
        for saved in [json!("it rained"), json!({ "kind": "rain", "mm": 3, "text": "it rained" })] {
            let warning: Warning = serde_json::from_value(saved).unwrap();
            assert_eq!((warning.kind, warning.text.as_str()), (Kind::Other, "it rained"));
        }
        let error = serde_json::from_value::<Warning>(json!({ "kind": "load_before" })).unwrap_err();
        assert!(error.to_string().contains("`kind`"), "{error}");
    }
}
