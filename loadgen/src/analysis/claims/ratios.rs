//! Cells against each other: a ratio, about the same, an order.

use crate::analysis::trials::Group;
use crate::format::three_digits;
use crate::results::Judgement;
use crate::scenario::Metric;

use super::cells::Measured;
use super::{Found, NO_DIFFERENCE, words};

/// Whether two positive numbers are within a factor of 1 + tolerance.
pub fn within(a: f64, b: f64, tolerance: f64) -> bool {
    // A hair more, for tolerances of 0 and the last digit.
    a > 0.0 && b > 0.0 && (a / b).max(b / a) <= (1.0 + tolerance) * (1.0 + 1e-9)
}

type Side<'r, 'a> = (&'r Group<'a>, Metric);

/// One of them is so many times the other.
pub fn ratio(measured: &Measured, of: Side, against: Side, published: f64, tolerance: f64) -> Result<Found, String> {
    let product = measured.ratio(of, against)?;
    let judge = |value: f64| match value {
        value if within(value, published, tolerance) => Judgement::Reproduced,
        value if value > 1.0 + NO_DIFFERENCE && published > 1.0 + NO_DIFFERENCE => Judgement::DirectionOnly,
        value if value * (1.0 + NO_DIFFERENCE) < 1.0 && published * (1.0 + NO_DIFFERENCE) < 1.0 => {
            Judgement::DirectionOnly
        }
        _ => Judgement::Contradicted,
    };
    let judgement = judge(product.value);
    let sentence = format!(
        "{}; claimed {}, and {} to {} is taken for that.{}",
        told(measured, of, against, product)?,
        three_digits(published),
        three_digits(published / (1.0 + tolerance)),
        three_digits(published * (1.0 + tolerance)),
        words::doubt(judgement, product.interval, judge),
    );
    Ok(Found { judgement, measured: product.value, claimed: Some(published), interval: product.interval, sentence })
}

/// They are about the same.
pub fn near(measured: &Measured, of: Side, against: Side, tolerance: f64) -> Result<Found, String> {
    let product = measured.ratio(of, against)?;
    let judge = |value: f64| match within(value, 1.0, tolerance) {
        true => Judgement::Reproduced,
        false => Judgement::Contradicted,
    };
    let judgement = judge(product.value);
    let sentence = format!(
        "{}; {} to {} is taken for the same.{}",
        told(measured, of, against, product)?,
        three_digits(1.0 / (1.0 + tolerance)),
        three_digits(1.0 + tolerance),
        words::doubt(judgement, product.interval, judge),
    );
    Ok(Found { judgement, measured: product.value, claimed: Some(1.0), interval: product.interval, sentence })
}

/// `Throughput of A at 8 clients is 1.93 times that of B at 8 clients (19.3/s and 10.0/s; 95% interval 1.9 to 2.0 over trials)`
fn told(measured: &Measured, of: Side, against: Side, product: super::contrast::Product) -> Result<String, String> {
    let other = if of.1 == against.1 { "that".to_owned() } else { against.1.title().to_owned() };
    Ok(words::capital(&format!(
        "{} of {} is {} times {other} of {} ({} and {}; {})",
        of.1.title(),
        measured.label(of.0),
        three_digits(product.value),
        measured.label(against.0),
        words::shown(of.1, measured.value(of.0, of.1)?),
        words::shown(against.1, measured.value(against.0, against.1)?),
        words::interval(product.interval),
    )))
}

/// Each is ahead of the next.
pub fn order(
    measured: &Measured,
    cells: &[&Group],
    metric: Metric,
    lowest_first: bool,
    tolerance: f64,
) -> Result<Found, String> {
    let ahead = |ratio: f64| if lowest_first { 1.0 / ratio } else { ratio };
    let (first, last) = match cells {
        [first, .., last] => (*first, *last),
        _ => return Err("an order needs two cells".into()),
    };
    let ends = measured.ratio((first, metric), (last, metric))?;
    let mut unproven = Vec::new();
    let mut broken = Vec::new();
    for pair in cells.windows(2) {
        let step = measured.ratio((pair[0], metric), (pair[1], metric))?;
        let labels = format!("{} and {}", measured.label(pair[0]), measured.label(pair[1]));
        let share = ahead(step.value);
        if share > 1.0 + tolerance {
            let includes = step.interval.is_some_and(|spread| spread.low <= 1.0 && spread.high >= 1.0);
            unproven.extend(includes.then_some(labels));
        } else if share * (1.0 + tolerance) >= 1.0 {
            broken.push(format!("{labels} are no more than {} apart", crate::format::percent(tolerance)));
        } else {
            broken.push(format!("{labels} are the other way round"));
        }
    }
    let judgement = match ahead(ends.value) {
        _ if broken.is_empty() => Judgement::Reproduced,
        share if share > 1.0 + tolerance => Judgement::DirectionOnly,
        _ => Judgement::Contradicted,
    };
    let figures: Vec<String> = cells
        .iter()
        .map(|cell| Ok(format!("{} {}", measured.label(cell), words::shown(metric, measured.value(cell, metric)?))))
        .collect::<Result<_, String>>()?;
    let mut sentence = words::capital(&format!(
        "{}, {} first as claimed: {}. The first is {} times the last ({}).",
        metric.title(),
        if lowest_first { "the lowest" } else { "the highest" },
        figures.join("; "),
        three_digits(ends.value),
        words::interval(ends.interval)
    ));
    if !broken.is_empty() {
        sentence += &format!(" But {}.", broken.join("; "));
    }
    if !unproven.is_empty() {
        sentence += &format!(" The interval does not exclude that these are the same: {}.", unproven.join("; "));
    }
    Ok(Found { judgement, measured: ends.value, claimed: None, interval: ends.interval, sentence })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tolerance_is_a_factor_so_that_inverses_agree() {
        for (a, b, tolerance, same) in [
            (2.4, 2.0, 0.2, true),
            (2.0, 2.4, 0.2, true),
            (2.41, 2.0, 0.2, false),
            (1.0, 1.0, 0.0, true),
            (1.001, 1.0, 0.0, false),
            (0.0, 1.0, 9.0, false),
            (-1.0, -1.0, 0.5, false),
        ] {
            assert_eq!(within(a, b, tolerance), same, "{a}, {b}, {tolerance}");
        }
    }
}
