//! The verdicts on the claims of a scenario, as a table on standard output.

use crate::analysis::limits::{drift, kinds};
use crate::colour::{ERROR, WARNING, styled};
use crate::format::{or_nothing, percent, three_digits};
use crate::results::{Judgement, Over, Results, Spread, Verdict};
use crate::scenario::Claim;

use super::table::align;

/// Each verdict with its claim; one of an edited file that fits to none is left out.
pub fn pairs(results: &Results) -> impl Iterator<Item = (&Claim, &Verdict)> {
    let claim = |verdict: &Verdict| results.scenario.claims.iter().find(|claim| claim.id == verdict.id);
    results.verdicts.iter().filter_map(move |verdict| Some((claim(verdict)?, verdict)))
}

/// `2 reproduced, 1 contradicted`
pub fn counts(results: &Results) -> String {
    use Judgement::{Contradicted, DirectionOnly, NotTestable, Reproduced};
    let count = |judgement| results.verdicts.iter().filter(|verdict| verdict.verdict == judgement).count();
    let told = [Reproduced, DirectionOnly, Contradicted, NotTestable].map(|judgement| (count(judgement), judgement));
    let told = told.into_iter().filter(|(count, _)| *count > 0);
    told.map(|(count, judgement)| format!("{count} {}", judgement.words())).collect::<Vec<_>>().join(", ")
}

/// A number of a verdict: three digits, with its sign.
pub fn number(value: f64) -> String {
    if value < 0.0 { format!("-{}", three_digits(-value)) } else { three_digits(value) }
}

/// `1.90 to 2.05`, with a mark where it is of a single run.
pub fn interval(spread: Spread) -> String {
    let mark = if spread.over == Over::OneRun { "*" } else { "" };
    format!("{} to {}{mark}", number(spread.low), number(spread.high))
}

/// What stands below a table with marked intervals; nothing where none is.
pub fn of_one_run(results: &Results) -> Option<String> {
    let marked =
        results.verdicts.iter().filter_map(|verdict| verdict.interval).any(|spread| spread.over == Over::OneRun);
    let again = results.ceiling.len() > kinds(&results.ceiling).len();
    let moved = drift(&results.ceiling).filter(|_| again).map(percent);
    let moved = moved.map(|moved| format!(", nor that the ceiling moved by {moved} meanwhile")).unwrap_or_default();
    marked.then(|| format!("* within one run: what differs from run to run is not in it{moved}"))
}

/// The table, and a sentence for each that is not reproduced; nothing where there are no claims.
pub fn table(results: &Results) -> String {
    let pairs: Vec<_> = pairs(results).collect();
    if pairs.is_empty() {
        return String::new();
    }
    let mut rows =
        vec![["verdicts", "claimed by", "claimed", "measured", "95% interval", "verdict"].map(str::to_owned).to_vec()];
    for (claim, verdict) in &pairs {
        rows.push(vec![
            claim.id.clone(),
            if claim.ours { "us".into() } else { "the study".into() },
            or_nothing(verdict.claimed, number),
            or_nothing(verdict.measured, number),
            or_nothing(verdict.interval, interval),
            verdict.verdict.words().to_owned(),
        ]);
    }
    let mut out = format!("\n{}", align(&rows));
    out.extend(of_one_run(results).map(|note| note + "\n"));
    for (claim, verdict) in pairs.iter().filter(|(_, verdict)| verdict.verdict != Judgement::Reproduced) {
        let style = if verdict.verdict == Judgement::Contradicted { ERROR } else { WARNING };
        out += &format!("{} {}: {}\n", styled(style, verdict.verdict.words()), claim.id, verdict.sentence);
    }
    out
}
