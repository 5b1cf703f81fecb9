//! report.html in a headless Chromium: it loads without errors or network, no text lies on another or runs out of the
//! window, everything can be read in light and dark, and tooltips show. Skipped by name where there is no
//! `chromium-headless-shell`; where `CI` is set, that is a failure.

mod common;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use loadgen::report::charts::{self, Format};
use loadgen::report::html;
use loadgen::results::Results;
use serde::Deserialize;
use serde_json::{Value, json};

use common::{SERVERS, Synthetic};

const CHECK: &str = include_str!("browser/check.js");
/// Before anything else of the page, so that no error is missed.
const WATCH: &str = "<script>window.errorsOfThePage = []; addEventListener('error', (event) => \
                     window.errorsOfThePage.push(String(event.message)));</script>";
/// Windows: a desk and a phone.
const WIDTHS: [u32; 2] = [1280, 390];

/// What check.js leaves.
#[derive(Debug, Deserialize)]
struct Findings {
    errors: Vec<String>,
    pieces: usize,
    width: u32,
    scroll_width: u32,
    dark: bool,
    requests: Vec<String>,
    overlaps: Vec<String>,
    outside: Vec<String>,
    faint: Vec<String>,
    tooltips: Vec<Vec<String>>,
    title: String,
}

/// The browser, if there is one.
fn browser(test: &str) -> Option<PathBuf> {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&folders).map(|folder| folder.join("chromium-headless-shell"));
    let found = found.into_iter().find(|path| path.is_file());
    if found.is_none() {
        assert!(std::env::var_os("CI").is_none(), "{test}: no chromium-headless-shell in PATH: .ci/run installs it");
        eprintln!("skipped: {test}: no chromium-headless-shell in PATH");
    }
    found
}

/// Loads a page and reads what check.js found in it.
fn look(browser: &Path, page: &Path, width: u32, dark: bool) -> Findings {
    let mut command = Command::new(browser);
    command.args(["--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--virtual-time-budget=5000", "--dump-dom"]);
    command.arg(format!("--blink-settings=preferredColorScheme={}", if dark { 0 } else { 1 }));
    command.arg(format!("--window-size={width},900"));
    command.arg(format!("--user-data-dir={}", page.with_extension("profile").display()));
    command.arg(format!("file://{}", page.display())).stdin(Stdio::null());
    let output = assert_cmd::Command::from_std(command).timeout(common::LONG).output().expect("the browser starts");
    let (dom, words) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(!words.contains(":CONSOLE"), "{words}");
    let found = dom.split_once("<pre id=\"findings\">").and_then(|(_, rest)| rest.split_once("</pre>"));
    let (found, _) = found.unwrap_or_else(|| panic!("check.js left nothing: {words}"));
    let bytes = STANDARD.decode(found.trim()).expect("base64");
    serde_json::from_slice(&bytes).expect("findings")
}

/// Writes the report of these results, with the check in it, and looks at it in every window.
fn check(test: &str, results: &Value) {
    let results: Results = serde_json::from_value(results.clone()).expect("results");
    let charts = charts::all(&results);
    let page = html::page(&results, &charts, &[Format::Png]);
    let Some(browser) = browser(test) else { return };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("report.html");
    let page = page.replacen("<head>", &format!("<head>{WATCH}"), 1);
    let (before, after) = page.rsplit_once("</body>").expect("a body");
    fs::write(&file, format!("{before}<script>{CHECK}</script></body>{after}")).unwrap();
    for (width, dark) in WIDTHS.into_iter().flat_map(|width| [(width, false), (width, true)]) {
        let found = look(&browser, &file, width, dark);
        let here = format!("{test}, {width} wide, {}: {found:#?}", if dark { "dark" } else { "light" });
        assert_eq!((found.width, found.dark), (width, dark), "{here}");
        assert!(found.pieces > 100 && found.tooltips.len() >= charts.len(), "{here}");
        assert!(found.errors.is_empty() && found.requests.is_empty(), "{here}");
        assert!(found.scroll_width <= width && found.outside.is_empty(), "{here}");
        assert!(found.overlaps.is_empty(), "{here}");
        assert!(found.faint.is_empty(), "{here}");
        assert!(found.tooltips.iter().all(Vec::is_empty), "{here}");
        assert_eq!(found.title, format!("{}: report", results.scenario.title), "{here}");
    }
}

fn ours() -> Vec<(&'static str, &'static str)> {
    SERVERS.map(|name| (name, "what it models, in a line")).to_vec()
}

#[test]
fn one_pass_of_all_servers() {
    let servers = ours();
    let made = Synthetic { servers: &servers, levels: (1..=20).collect(), trials: 1, samples: 30, spread: 0.02 };
    check("one_pass_of_all_servers", &made.results());
}

#[test]
fn several_trials_with_intervals() {
    let servers = ours();
    let made = Synthetic { servers: &servers, levels: vec![1, 2, 4, 8, 16], trials: 4, samples: 10, spread: 0.1 };
    check("several_trials_with_intervals", &made.results());
}

#[test]
fn one_server_at_one_level() {
    let made = Synthetic {
        servers: &[("mine", "`node app.js {port}`")],
        levels: vec![8],
        trials: 1,
        samples: 10,
        spread: 0.0,
    };
    check("one_server_at_one_level", &made.results());
}

#[test]
fn names_that_mean_harm() {
    let long = "a-name-without-end-".repeat(11);
    let spaced = "a name with many words ".repeat(9);
    let servers = [
        ("<script>document.title = 'taken'</script>", "</style><script>document.title = 'taken'</script>"),
        ("\"'><img src=x onerror=\"document.title='taken'\">", "&amp; <b>bold</b>"),
        ("</script><script>throw 1</script>", "{} {name} {0}"),
        (&long, &long),
        (&spaced, "\u{202E}turned around\u{0}"),
    ];
    let made = Synthetic { servers: &servers, levels: vec![1, 4, 20], trials: 1, samples: 10, spread: 0.02 };
    let mut results = made.results();
    let harm = "<script>document.title = 'taken'</script>";
    results["passes"][1]["failure"] =
        json!({ "message": harm.repeat(4), "last_words": [harm, "x".repeat(400), "\u{1B}[31mred"] });
    results["warnings"] = json!([harm, "w".repeat(300)]);
    results["passes"][0]["levels"][0]["warnings"] = json!([harm]);
    results["command_line"] = json!(["loadgen", "sweep", harm, "y".repeat(300)]);
    results["machine"]["cpu_model"] = json!(harm);
    results["scenario"]["title"] = json!(format!("a title {harm}"));
    check("names_that_mean_harm", &results);
}

#[test]
fn a_run_that_was_interrupted_and_failed_in_parts() {
    let servers = ours();
    let made = Synthetic { servers: &servers, levels: vec![1, 2, 4, 8], trials: 1, samples: 10, spread: 0.02 };
    let mut results = made.results();
    results["interrupted"] = json!(true);
    results["ceiling"] = json!([]);
    results["passes"][7]["levels"].as_array_mut().unwrap().truncate(1);
    results["passes"][6]["levels"] = json!([]);
    results["passes"][6]["failure"] = json!({ "message": "it never answered", "last_words": ["address in use"] });
    let cell = &mut results["passes"][2]["levels"][3];
    for key in ["throughput_rps", "elapsed_s", "server"] {
        cell[key] = json!(null);
    }
    (cell["ok"], cell["errors"], cell["errors_by_kind"]) = (json!(0), json!(32), json!({ "reset": 32 }));
    cell["latency_ms"] =
        json!({ "min": null, "mean": null, "p50": null, "p90": null, "p99": null, "p999": null, "max": null });
    cell["interrupted"] = json!(true);
    check("a_run_that_was_interrupted_and_failed_in_parts", &results);
}

#[test]
fn more_servers_than_colours() {
    let names: Vec<String> = (1..=17).map(|number| format!("runtime-{number}-worker-threads")).collect();
    let servers: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "a runtime")).collect();
    let made = Synthetic { servers: &servers, levels: vec![1, 4, 16, 64], trials: 3, samples: 10, spread: 0.02 };
    check("more_servers_than_colours", &made.results());
}
