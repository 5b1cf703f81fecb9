//! A results.json as a sweep would have written it, made by the test.

use std::fs;

use serde_json::{Value, json};

use super::Sandbox;

/// What the sweep was of; every level had 30 requests, all right.
pub struct Sweep<'a> {
    pub servers: &'a [&'a str],
    pub levels: &'a [u32],
    pub trials: u32,
    /// Requests a second, by server, level and trial.
    pub rate: &'a dyn Fn(&str, u32, u32) -> f64,
}

impl Sweep<'_> {
    pub fn json(&self) -> Value {
        let passes = (1..=self.trials).flat_map(|trial| self.servers.iter().map(move |server| (trial, *server)));
        json!({
            "schema_version": 2, "program": "cpubound 0.1.0", "started_at": "2026-11-30T12:00:00+00:00",
            "wall_s": 60.0, "interrupted": false, "command_line": ["loadgen", "sweep"], "seed": 1,
            "scenario": {
                "name": "small", "title": "fib(15) for tests", "servers": self.servers, "concurrency": self.levels,
                "connections": "keep-alive", "requests": { "per_client": 1, "least": 30 },
                "warm_up": { "concurrency": 1, "least": 1 }, "trials": self.trials, "timeout_s": 10.0,
                "request": { "method": "GET", "path": "/fib/15?salt={salt}" },
                "expect": { "status": 200, "base": 610, "plus_salt": true }
            },
            "machine": {
                "cpu_model": "Abacus", "cpus_usable": [0, 1], "cpus_online": 2, "cpu_quota": null, "governor": null,
                "turbo": null, "kernel": "6.1", "memory_bytes": 1000, "load_before": 0.1, "file_limit": 1024
            },
            "ceiling": [{ "at_s": 1.0, "threads": 2, "rate_rps": 200.0 }],
            "passes": passes.map(|(trial, server)| self.pass(server, trial)).collect::<Vec<_>>(),
            "warnings": []
        })
    }

    fn pass(&self, server: &str, trial: u32) -> Value {
        let levels: Vec<Value> = self.levels.iter().map(|&level| self.level(server, level, trial)).collect();
        json!({
            "server": server, "description": "", "cpus": 2, "workers": null, "trial": trial, "computing_threads": 2,
            "command": null, "warm_up_requests": 1, "failure": null, "levels": levels
        })
    }

    fn level(&self, server: &str, level: u32, trial: u32) -> Value {
        let rate = (self.rate)(server, level, trial);
        let (elapsed, milliseconds) = (30.0 / rate, f64::from(level) / rate * 1000.0);
        json!({
            "concurrency": level, "started_s": 1.0, "ended_s": 1.0 + elapsed, "interrupted": false, "requests": 30,
            "ok": 30, "errors": 0, "errors_by_kind": {}, "in_flight_at_end": 0, "reconnects": 0,
            "status_codes": { "200": 30 }, "elapsed_s": elapsed, "throughput_rps": rate, "steady_rps": rate,
            "replies_rps": rate, "replies_mean_ms": milliseconds, "mean_in_flight": level, "littles_law": null,
            "latency_ms": { "min": milliseconds, "mean": milliseconds, "p50": milliseconds, "p90": milliseconds,
                            "p99": null, "p999": null, "max": milliseconds },
            "generator_cpu_s": 0.0, "other_cpu_s": 0.0, "server": null,
            "histograms": { "ok": null, "wrong": null, "shed": null, "timed_out": null },
            "times": [{ "start_us": 0, "duration_us": 5, "outcome": "ok", "client": 0 }], "failures": [],
            "samples": [{ "at_s": 0.0, "cpu_s": 0.1, "rss_bytes": 1, "threads": 1, "processes": 1,
                          "voluntary_switches": null, "involuntary_switches": null }],
            "warnings": []
        })
    }
}

impl Sandbox {
    /// Writes a folder of results.
    pub fn write_results(&self, folder: &str, results: &Value) {
        fs::create_dir_all(self.path(folder)).unwrap();
        self.write(&format!("{folder}/results.json"), results.to_string());
    }
}
