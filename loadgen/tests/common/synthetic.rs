//! Results that no run has made, for what is drawn from them: as many servers, levels and trials as wanted.

use loadgen::scenario::{Form, Levels, Scenario};
use serde_json::{Value, json};

/// What is made up.
pub struct Synthetic<'a> {
    /// Server and description, or what stands for them.
    pub servers: &'a [(&'a str, &'a str)],
    pub levels: Vec<u32>,
    pub trials: u32,
    /// Samples of the process tree and times of requests that each level has.
    pub samples: u32,
    /// How much a figure varies from trial to trial.
    pub spread: f64,
}

impl Synthetic<'_> {
    /// results.json. The first server is one thread; each of the others is as fast as the CPUs, less 4% for each place.
    pub fn results(&self) -> Value {
        let mut scenario = Scenario::load("fib", Form::Usual).unwrap();
        scenario.servers = self.servers.iter().map(|(name, _)| (*name).to_owned()).collect();
        scenario.concurrency = Levels::new(self.levels.iter().copied()).unwrap();
        let mut random = fastrand::Rng::with_seed(1);
        let mut passes = Vec::new();
        let mut at_s = 1.0;
        for trial in 1..=self.trials {
            for (index, (name, description)) in self.servers.iter().enumerate() {
                let cells: Vec<Value> =
                    self.levels.iter().map(|&level| self.cell(index, level, &mut at_s, &mut random)).collect();
                passes.push(json!({
                    "server": name, "description": description, "cpus": 2, "workers": null, "trial": trial,
                    "computing_threads": if index == 0 { 1 } else { 2 }, "command": format!("serve {name} --port 0"),
                    "warm_up_requests": 4, "failure": null, "levels": cells,
                }));
            }
        }
        let ceiling = |step: u32| {
            let drift = 1.0 + 0.03 * f64::from(step).sin();
            let sample = |threads: u32| json!({ "at_s": at_s * f64::from(step) / 20.0, "threads": threads, "rate_rps": 2.73 * f64::from(threads) * drift });
            [sample(1), sample(2)]
        };
        json!({
            "schema_version": 1, "program": "cpubound 0.1.0 (synthetic)", "started_at": "2026-11-30T12:00:00+00:00",
            "wall_s": at_s, "interrupted": false, "seed": 7, "scenario": scenario,
            "command_line": ["loadgen", "sweep", "--scenario", "fib"],
            "machine": {
                "cpu_model": "A CPU with a name", "cpus_usable": [0, 1], "cpus_online": 2, "cpu_quota": null,
                "governor": "performance", "turbo": true, "kernel": "6.18", "memory_bytes": 25_769_803_776u64,
                "load_before": 0.1, "file_limit": 1024,
            },
            "ceiling": (0..=20).flat_map(ceiling).collect::<Vec<_>>(),
            "passes": passes, "warnings": [],
        })
    }

    fn cell(&self, server: usize, level: u32, at_s: &mut f64, random: &mut fastrand::Rng) -> Value {
        let noise = 1.0 + self.spread * (random.f64() * 2.0 - 1.0);
        let threads = if server == 0 { 1 } else { level.min(2) };
        let rate = 2.7 * f64::from(threads) * (1.0 - 0.04 * server.saturating_sub(1) as f64) * noise;
        let requests = (4 * level).max(24);
        let seconds = f64::from(requests) / rate;
        let started_s = *at_s;
        *at_s += seconds + 0.1;
        let p50 = 1000.0 * f64::from(level) / rate;
        let sample = |number: u32| {
            let at = seconds * f64::from(number) / f64::from(self.samples.max(2) - 1);
            json!({
                "at_s": at, "cpu_s": at * f64::from(threads), "rss_bytes": 15_000_000 + 4096 * u64::from(number),
                "threads": 1 + threads, "processes": 1, "voluntary_switches": null, "involuntary_switches": null,
            })
        };
        let time = |number: u32| {
            let start = (seconds * 1e6) as u64 * u64::from(number) / u64::from(requests);
            json!({ "start_us": start, "duration_us": (p50 * 1000.0) as u64, "outcome": "ok", "client": number % level })
        };
        json!({
            "concurrency": level, "started_s": started_s, "ended_s": started_s + seconds, "interrupted": false,
            "requests": requests, "ok": requests, "errors": 0, "errors_by_kind": {}, "in_flight_at_end": 0,
            "reconnects": 0, "status_codes": { "200": requests }, "elapsed_s": seconds, "throughput_rps": rate,
            "steady_rps": rate, "replies_rps": rate, "replies_mean_ms": p50, "mean_in_flight": f64::from(level),
            "littles_law": null, "generator_cpu_s": 0.01, "other_cpu_s": 0.0,
            "latency_ms": {
                "min": p50 * 0.9, "mean": p50, "p50": p50, "p90": p50 * 1.1, "p99": null, "p999": null, "max": p50 * 1.3,
            },
            "server_timing_ms": { "queue": p50 * 0.3, "compute": p50 * 0.6, "cpu": p50 * 0.55 },
            "server": {
                "cpu_s": seconds * f64::from(threads), "peak_rss_bytes": 15_000_000 + 100_000 * server,
                "peak_threads": 1 + threads, "context_switches": 7 * requests, "context_switches_exact": true,
            },
            // What stands in them is of no interest here, but as much as there would be.
            "histograms": { "ok": "HISTFAAA".repeat(60), "wrong": null, "shed": null, "timed_out": null },
            "times": (0..requests).map(time).collect::<Vec<_>>(), "failures": [],
            "samples": (0..self.samples).map(sample).collect::<Vec<_>>(), "warnings": [],
        })
    }
}
