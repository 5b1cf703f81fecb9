//! Numbers for people: separators at thousands, powers of ten where digits would only be counted.

/// From here on a number is written with a power of ten.
const LARGE: f64 = 1e7;
/// Below this a number is written with a power of ten.
const SMALL: f64 = 1e-4;

/// A number by itself, with five significant digits at most: `12,346`, `0.25`, `3.2×10⁹`. Empty for one that is
/// not finite.
pub fn format_value(value: f64) -> String {
    if !value.is_finite() {
        return String::new();
    }
    let size = value.abs();
    if size != 0.0 && !(SMALL..LARGE).contains(&size) {
        return scientific(value, 4);
    }
    let whole_digits = if size < 1.0 { 0 } else { size.log10() as usize + 1 };
    let decimals = if size < 1.0 && size > 0.0 {
        (4 - size.log10().floor() as i32) as usize
    } else {
        5usize.saturating_sub(whole_digits)
    };
    trim(&fixed(value, decimals))
}

/// A value to three digits: more would only be in the way.
pub(crate) fn short(value: f64) -> String {
    format_value(format!("{value:.2e}").parse().unwrap_or(value))
}

/// The labels of an axis whose ticks are `step` apart: all with the same number of decimals.
pub(crate) fn tick_labels(values: &[f64], step: f64) -> Vec<String> {
    let largest = values.iter().fold(0.0f64, |most, value| most.max(value.abs()));
    let exponent = |value: f64| value.abs().log10().floor() as i32;
    if largest >= LARGE || (step > 0.0 && step < SMALL) {
        return values
            .iter()
            .map(|&value| {
                // As many digits as tell this tick from the next.
                let digits = if value == 0.0 { 0 } else { (exponent(value) - exponent(step)).clamp(0, 15) };
                scientific(value, digits as usize)
            })
            .collect();
    }
    let decimals = if step > 0.0 { (-exponent(step)).clamp(0, 15) as usize } else { 0 };
    values.iter().map(|&value| fixed(value, decimals)).collect()
}

/// `-1234.5` as `−1,234.50`.
fn fixed(value: f64, decimals: usize) -> String {
    let digits = format!("{:.decimals$}", value.abs());
    let (whole, rest) = digits.split_at(digits.find('.').unwrap_or(digits.len()));
    let mut out = String::new();
    if value < 0.0 && digits.bytes().any(|b| (b'1'..=b'9').contains(&b)) {
        out.push('−');
    }
    for (i, digit) in whole.chars().enumerate() {
        if i > 0 && (whole.len() - i) % 3 == 0 {
            out.push(',');
        }
        out.push(digit);
    }
    out + rest
}

/// `1500000000` as `1.5×10⁹`, a power of ten alone as `10⁹`.
fn scientific(value: f64, decimals: usize) -> String {
    if value == 0.0 {
        return "0".into();
    }
    let text = format!("{:.decimals$e}", value.abs());
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let mantissa = trim(mantissa);
    let raised: String = exponent.chars().map(superscript).collect();
    let sign = if value < 0.0 { "−" } else { "" };
    if mantissa == "1" { format!("{sign}10{raised}") } else { format!("{sign}{mantissa}×10{raised}") }
}

fn trim(number: &str) -> String {
    if number.contains('.') { number.trim_end_matches('0').trim_end_matches('.').to_owned() } else { number.to_owned() }
}

fn superscript(c: char) -> char {
    match c {
        '0' => '⁰',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        '4' => '⁴',
        '5' => '⁵',
        '6' => '⁶',
        '7' => '⁷',
        '8' => '⁸',
        '9' => '⁹',
        _ => '⁻',
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_written_for_people() {
        let cases = [
            (0.0, "0"),
            (-0.0, "0"),
            (1.0, "1"),
            (6.4321987, "6.4322"),
            (0.25, "0.25"),
            (0.00012, "0.00012"),
            (1234.5, "1,234.5"),
            (-1234567.0, "−1,234,567"),
            (1e9, "10⁹"),
            (3.2e9, "3.2×10⁹"),
            (2e-6, "2×10⁻⁶"),
            (f64::NAN, ""),
        ];
        for (value, text) in cases {
            assert_eq!(format_value(value), text, "{value}");
        }
    }

    #[test]
    fn ticks_of_one_axis_look_alike() {
        assert_eq!(tick_labels(&[0.0, 0.5, 1.0], 0.5), ["0.0", "0.5", "1.0"]);
        assert_eq!(tick_labels(&[0.0, 5000.0, 10000.0], 5000.0), ["0", "5,000", "10,000"]);
        assert_eq!(tick_labels(&[0.0, 5e11, 1e12, 1.5e12], 5e11), ["0", "5×10¹¹", "10¹²", "1.5×10¹²"]);
        assert_eq!(tick_labels(&[0.0, 2e-7], 2e-7), ["0", "2×10⁻⁷"]);
        assert_eq!(tick_labels(&[-0.5, 0.0], 0.5), ["−0.5", "0.0"]);
    }
}
