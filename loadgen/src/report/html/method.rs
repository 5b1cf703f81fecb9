//! How the run was done, where, and where its data are.

use crate::engine::Connections;
use crate::report::charts::Format;
use crate::report::format::clock;

use super::markup::{Html, html};
use super::page::{Page, details, facts};

/// The words of the page that not everybody uses.
const WORDS: [(&str, &str); 9] = [
    ("throughput", "right answers per second, from the first request sent to the last answer received"),
    ("closed loop", "each client sends its next request when the last was answered, so a slow server is asked less"),
    (
        "response time",
        "from the moment a request is sent to the end of its answer; median: half were faster; p99: 99 of 100 were",
    ),
    ("ceiling", "what the same computation does on these CPUs with no server in the way"),
    ("efficiency", "throughput against the ceiling of the server's CPUs"),
    (
        "of limit",
        "throughput against the most that the level could give: the ceiling of min(clients, computing threads, CPUs) CPUs",
    ),
    ("context switch", "the kernel takes a CPU from one thread and gives it to another"),
    (
        "95% interval",
        "where the truth lies with 95% probability, by Student's t over trials; there is none below three trials",
    ),
    ("trial", "one pass of a fresh server process over all levels"),
];

/// Machine, method, words and files.
pub(super) fn sections(page: &Page) -> Html {
    [machine(page), method(page), words(), files(page)].into_iter().collect()
}

fn machine(page: &Page) -> Html {
    let machine = &page.results.machine;
    let turbo = |on: bool| if on { "on" } else { "off" }.to_owned();
    let usable = u32::try_from(machine.cpus_usable.len()).unwrap_or(u32::MAX);
    let online = machine.cpus_online.map(|online| format!(" of {online}")).unwrap_or_default();
    let gibibytes = |bytes: u64| format!("{:.1} GiB", bytes as f64 / f64::from(1 << 30));
    let facts = facts([
        ("CPU", machine.cpu_model.clone()),
        ("CPUs usable", Some(format!("{usable}{online}"))),
        ("quota of the control group", machine.cpu_quota.map(|cpus| format!("{cpus:.2} CPUs"))),
        ("frequency governor", machine.governor.clone()),
        ("turbo", machine.turbo.map(turbo)),
        ("memory", machine.memory_bytes.map(gibibytes)),
        ("kernel", machine.kernel.clone()),
        ("load before", machine.load_before.map(|load| format!("{load:.2}"))),
        ("open files allowed", machine.file_limit.map(|files| files.to_string())),
    ]);
    html!("<section id=\"machine\">\n<h2>The machine</h2>\n{}</section>\n", facts)
}

fn method(page: &Page) -> Html {
    let results = page.results;
    let scenario = &results.scenario;
    let connections = match scenario.connections {
        Connections::KeepAlive => "kept between requests",
        Connections::PerRequest => "a new one for each request",
    };
    let trials = results.passes.iter().map(|pass| pass.trial).max().unwrap_or(1);
    let facts = facts([
        (
            "scenario",
            Some(scenario.name.clone() + &scenario.form().map(|form| format!(", {form}")).unwrap_or_default()),
        ),
        ("request", Some(format!("{} {}", scenario.request.method, scenario.request.path))),
        ("connections", Some(connections.to_owned())),
        ("clients", Some(scenario.concurrency.to_string())),
        ("trials", Some(trials.to_string())),
        ("order", Some(format!("servers and levels shuffled, seed {}", results.seed))),
        ("started", Some(results.started_at.clone())),
        ("took", Some(clock(results.wall_s) + if results.interrupted { ", interrupted" } else { "" })),
        ("program", Some(results.program.clone())),
    ]);
    let description = scenario.description.trim();
    let description =
        if description.is_empty() { Html::default() } else { html!("<p class=\"lead\">{}</p>\n", description) };
    html!(
        "<section id=\"method\">\n<h2>How it was done</h2>\n{}{}<p class=\"note\">The same again:</p>\n<pre>{}</pre>\n</section>\n",
        description,
        facts,
        results.command_line.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
    )
}

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "-_=.,/:@%+".contains(letter);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

fn words() -> Html {
    let words: Html =
        WORDS.iter().map(|(word, meaning)| html!("<div><dt>{}</dt><dd>{}</dd></div>\n", word, meaning)).collect();
    html!(
        "<section id=\"words\">\n<h2>Words</h2>\n{}</section>\n",
        details("What the words of this page mean", &html!("<dl class=\"words\">\n{}</dl>\n", words))
    )
}

/// Beside this file, for as long as it lies where the run wrote it.
fn files(page: &Page) -> Html {
    let pictures = page.charts.iter().flat_map(|chart| page.formats.iter().map(|format| picture(chart.name, *format)));
    let names = ["results.json", "results.csv"].map(str::to_owned).into_iter().chain(pictures);
    let links: Html = names.map(|name| html!("<li><a href=\"{}\">{}</a></li>\n", name, name)).collect();
    html!("<section id=\"files\">\n<h2>Files of this run</h2>\n<ul class=\"plain\">\n{}</ul>\n</section>\n", links)
}

fn picture(name: &str, format: Format) -> String {
    format!("{name}.{}", format.ending())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_can_be_pasted() {
        let shown = ["--out", "a b", "x=1,2", "it's", "", "/fib?salt={salt}"].map(quoted);
        assert_eq!(shown, ["--out", "'a b'", "x=1,2", "'it'\\''s'", "''", "'/fib?salt={salt}'"]);
    }
}
