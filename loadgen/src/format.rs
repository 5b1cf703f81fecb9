//! Numbers as people read them.

/// What stands where there is no value.
pub const NOTHING: &str = "-";

/// Three significant digits, no exponent: `0.0123`, `6.54`, `12.3`, `1234`.
pub fn three_digits(value: f64) -> String {
    if !value.is_finite() {
        return NOTHING.into();
    }
    if value == 0.0 {
        return "0".into();
    }
    let digits = 2 - value.abs().log10().floor() as i32;
    format!("{value:.*}", digits.clamp(0, 9) as usize)
}

/// A time in the unit that fits: `85 us`, `1.23 ms`, `2.5 s`.
pub fn milliseconds(value: f64) -> String {
    match value {
        value if value < 1.0 => format!("{} us", three_digits(value * 1000.0)),
        value if value < 1000.0 => format!("{} ms", three_digits(value)),
        value => format!("{} s", three_digits(value / 1000.0)),
    }
}

/// Minutes and seconds: `0:07`, `12:30`, `1:02:03`.
pub fn clock(seconds: f64) -> String {
    let seconds = seconds.max(0.0).round() as u64;
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if hours > 0 { format!("{hours}:{minutes:02}:{seconds:02}") } else { format!("{minutes}:{seconds:02}") }
}

/// Mebibytes, one decimal.
pub fn mebibytes(bytes: u64) -> String {
    format!("{:.1} MiB", bytes as f64 / f64::from(1 << 20))
}

/// Bytes in the unit that fits: `512 B`, `1.21 KiB`, `64.0 MiB`.
pub fn bytes(count: u64) -> String {
    let units = ["KiB", "MiB", "GiB", "TiB"];
    let Some(unit) = (1..=units.len()).rev().find(|&unit| count >> (10 * unit) > 0) else {
        return format!("{count} B");
    };
    format!("{} {}", three_digits(count as f64 / (1_u64 << (10 * unit)) as f64), units[unit - 1])
}

/// `97%`.
pub fn percent(part: f64) -> String {
    format!("{:.0}%", part * 100.0)
}

/// The text, or [`NOTHING`].
pub fn or_nothing<T>(value: Option<T>, show: impl FnOnce(T) -> String) -> String {
    value.map_or_else(|| NOTHING.into(), show)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        let shown = [0.0, 0.012345, 6.5432, 12.345, 123.45, 12345.6, f64::NAN].map(three_digits);
        assert_eq!(shown, ["0", "0.0123", "6.54", "12.3", "123", "12346", "-"]);
        assert_eq!([0.0853, 1.234, 2500.0].map(milliseconds), ["85.3 us", "1.23 ms", "2.50 s"]);
        assert_eq!(
            [0, 1023, 1240, 64 << 20, u64::MAX].map(bytes),
            ["0 B", "1023 B", "1.21 KiB", "64.0 MiB", "16777216 TiB"]
        );
        assert_eq!([7.2, 750.0, 3723.0, -1.0].map(clock), ["0:07", "12:30", "1:02:03", "0:00"]);
    }
}
