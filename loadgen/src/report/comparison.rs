//! A comparison as people read it: a table for terminals, the same in Markdown.

use crate::analysis::comparison::{Compared, Comparison, Condition};
use crate::analysis::statistics::Interval;

use super::format::{NOTHING, or_nothing, three_digits};
use super::table::align;

/// A comparison with what has to be known of its two sides.
#[derive(Debug, Clone, PartialEq)]
pub struct Told<'a> {
    /// One line for each side: `A: results/fib-1, 2026-11-30, 5 trials`.
    pub sides: Vec<String>,
    /// What was found.
    pub comparison: &'a Comparison,
    /// What differs beside the servers.
    pub conditions: &'a [Condition],
    /// How many times faster the machine itself was on the second side.
    pub ceiling_ratio: Option<f64>,
    /// What each side was warned of.
    pub warnings: Vec<String>,
    /// Whether levels are shown.
    pub cells: bool,
}

/// `-4.8%`.
fn change(ratio: f64) -> String {
    // No -0.0%.
    let percent = ((ratio - 1.0) * 1000.0).round() / 10.0 + 0.0;
    format!("{percent:+.1}%")
}

fn range(interval: Option<Interval>) -> String {
    or_nothing(interval, |interval| format!("{} to {}", change(interval.low), change(interval.high)))
}

/// Heads and rows of servers.
fn servers(comparison: &Comparison) -> Vec<Vec<String>> {
    let heads = ["server", "throughput", "95% interval", "p", "p50", "levels", "trials", "verdict"];
    let row = |compared: &Compared| {
        let (base, other) = compared.trials;
        let judged = &compared.throughput;
        vec![
            compared.server.clone(),
            change(judged.ratio),
            range(judged.interval),
            or_nothing(judged.p_value, |p| if p < 0.001 { "<0.001".into() } else { format!("{p:.3}") }),
            or_nothing(compared.p50_ratio, change),
            compared.levels.to_string(),
            if base == other { base.to_string() } else { format!("{base}, {other}") },
            judged.verdict.as_str().to_owned(),
        ]
    };
    std::iter::once(heads.map(str::to_owned).to_vec()).chain(comparison.servers.iter().map(row)).collect()
}

/// Heads and rows of levels.
fn cells(comparison: &Comparison) -> Vec<Vec<String>> {
    let heads = ["level", "base requests/s", "requests/s", "throughput", "95% interval", "p50"];
    let mut rows = vec![heads.map(str::to_owned).to_vec()];
    for compared in &comparison.servers {
        rows.extend(compared.cells.iter().map(|cell| {
            vec![
                format!("{}, {}", compared.server, cell.level.describe()),
                three_digits(cell.throughput_rps.0),
                three_digits(cell.throughput_rps.1),
                change(cell.ratio),
                range(cell.interval),
                or_nothing(cell.p50_ratio, change),
            ]
        }));
    }
    rows
}

/// How the figures come about.
fn method(comparison: &Comparison) -> String {
    let Comparison { threshold, paired, servers, .. } = comparison;
    let judged = servers.iter().filter(|compared| compared.throughput.p_value.is_some()).count();
    let how = if *paired { "trials of one sweep, pair by pair" } else { "trials of two sweeps" };
    let corrected = match judged {
        0 | 1 => String::new(),
        several => format!(", interval and p corrected for {several} comparisons (Holm)"),
    };
    format!(
        "Throughput: geometric mean over the levels that both have, by {how}{corrected}; a difference of up to \
         {:.1}% counts as none.",
        threshold * 100.0
    )
}

/// Everything beside the tables, a sentence each.
fn remarks(told: &Told) -> Vec<String> {
    let comparison = told.comparison;
    let mut remarks = vec![method(comparison)];
    if told.cells {
        remarks.push(
            "Levels are for information: their intervals are not corrected, so that some differ by chance.".into(),
        );
    }
    remarks.extend(comparison.left_out.iter().map(|left| format!("Not compared: {}: {}.", left.server, left.reason)));
    for compared in &comparison.servers {
        remarks.extend(compared.failure.as_ref().map(|failure| format!("{} failed: {failure}.", compared.server)));
    }
    for Condition { what, a, b, decisive } in told.conditions {
        let mark = if *decisive { "Differs" } else { "Also differs" };
        remarks.push(format!("{mark}: {what}: {a} in A, {b} in B."));
    }
    if let Some(ratio) = told.ceiling_ratio {
        let beyond = (ratio - 1.0).abs() > comparison.threshold;
        let meaning = if beyond {
            ": the machine or the kernels changed, so interleave both in one sweep to be sure"
        } else {
            ""
        };
        remarks.push(format!("Ceiling, with no server in the way: {}{meaning}.", change(ratio)));
    }
    remarks.extend(told.warnings.iter().cloned());
    remarks
}

/// For a terminal.
pub fn render(told: &Told) -> String {
    let mut text = told.sides.join("\n");
    text += &format!("\n\n{}", align(&servers(told.comparison)));
    if told.cells {
        text += &format!("\n{}", align(&cells(told.comparison)));
    }
    text += &format!("\n{}\n", remarks(told).join("\n"));
    text
}

/// For a comment or a summary of continuous integration.
pub fn markdown(told: &Told) -> String {
    let mut text = told.sides.iter().map(|side| format!("- {}\n", escaped(side))).collect::<String>();
    text += &format!("\n{}", markdown_table(&servers(told.comparison)));
    if told.cells {
        let table = markdown_table(&cells(told.comparison));
        text += &format!("\n<details><summary>Levels</summary>\n\n{table}\n</details>\n");
    }
    text += "\n";
    text += &remarks(told).iter().map(|remark| format!("- {}\n", escaped(remark))).collect::<String>();
    text
}

fn markdown_table(rows: &[Vec<String>]) -> String {
    let line = |row: &Vec<String>| {
        let cells: Vec<String> = row.iter().map(|text| escaped(text)).collect();
        format!("| {} |\n", cells.join(" | "))
    };
    let Some((heads, rows)) = rows.split_first() else { return String::new() };
    let rule: Vec<&str> = (0..heads.len()).map(|column| if column == 0 { "---" } else { "---:" }).collect();
    format!("{}| {} |\n{}", line(heads), rule.join(" | "), rows.iter().map(line).collect::<String>())
}

/// Names and commands are the user's: nothing in them is Markdown.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for each in text.chars() {
        match each {
            '|' | '\\' | '`' | '*' | '_' | '[' | ']' | '~' => out.extend(['\\', each]),
            '<' => out += "&lt;",
            '&' => out += "&amp;",
            '\n' | '\r' => out.push(' '),
            _ => out.push(each),
        }
    }
    if out.is_empty() { NOTHING.into() } else { out }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_have_a_sign() {
        assert_eq!([0.952, 1.0, 1.051, 0.99999].map(change), ["-4.8%", "+0.0%", "+5.1%", "+0.0%"]);
    }

    #[test]
    fn names_are_no_markdown() {
        assert_eq!(escaped("a|b_c\n<d>"), "a\\|b\\_c &lt;d>");
    }
}
