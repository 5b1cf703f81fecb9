//! Numbers and intervals in sentences.

use crate::format::{mebibytes, milliseconds, three_digits};
use crate::results::{Judgement, Over, Spread};
use crate::scenario::Metric;

/// A figure with its unit.
pub fn shown(metric: Metric, value: f64) -> String {
    match metric {
        metric if metric.is_rate() => format!("{}/s", three_digits(value)),
        Metric::ServerCpuSPerRequest => milliseconds(value * 1000.0),
        Metric::ServerPeakRssBytes => mebibytes(value as u64),
        Metric::ServerCpusUsed | Metric::ContextSwitchesPerRequest | Metric::Efficiency => three_digits(value),
        _ => milliseconds(value),
    }
}

/// `95% interval 1.90 to 2.05 over trials`, or that there is none.
pub fn interval(interval: Option<Spread>) -> String {
    match interval {
        None => "no interval".into(),
        Some(Spread { low, high, over }) => {
            let over = match over {
                Over::Trials => "over trials",
                Over::OneRun => "within one run",
            };
            format!("95% interval {} to {} {over}", three_digits(low), three_digits(high))
        }
    }
}

/// What the verdict would be if the truth lay at another end of the interval; empty where that makes no difference.
pub fn doubt(found: Judgement, interval: Option<Spread>, judge: impl Fn(f64) -> Judgement) -> String {
    let Some(Spread { low, high, .. }) = interval else { return String::new() };
    let mut others: Vec<&str> =
        [low, high].map(&judge).into_iter().filter(|&other| other != found).map(Judgement::words).collect();
    others.dedup();
    match others[..] {
        [] => String::new(),
        _ => format!(" The interval also holds values that would be `{}`.", others.join("` and `")),
    }
}

/// A whole sentence of a reason.
pub fn sentence(reason: &str) -> String {
    let end = if reason.ends_with(['.', '!', '?']) { "" } else { "." };
    capital(reason) + end
}

/// With a capital letter, unless it begins with a name, which is written as it is.
pub fn capital(text: &str) -> String {
    let is_name = text.split([' ', ',']).next().is_some_and(|word| word.contains(['-', '_']));
    let mut letters = text.chars();
    let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
    if is_name { text.to_owned() } else { first + letters.as_str() }
}
