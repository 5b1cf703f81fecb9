//! Quantities on the command line: durations, sizes, rates.

use std::time::Duration;

/// The longest that anything may be asked to take: a week.
const LONGEST: Duration = Duration::from_secs(7 * 24 * 3600);
const SHORTEST_INTERVAL: Duration = Duration::from_millis(10);
/// The highest rate that may be asked for, requests a second.
const FASTEST: f64 = 1e7;

/// `500ms`, `2s`, `1.5m`, `1h`: more than nothing, a week at most.
pub fn duration(text: &str) -> Result<Duration, String> {
    let (number, unit) = split(text);
    let seconds_each = match unit {
        "us" => 1e-6,
        "ms" => 1e-3,
        "s" => 1.0,
        "m" => 60.0,
        "h" => 3600.0,
        "" if number.parse::<f64>().is_ok() => return Err("needs a unit: us, ms, s, m or h, as in 10s".into()),
        _ => return Err("is no duration; write 500ms, 10s or 2m".into()),
    };
    let seconds = number.parse::<f64>().map_err(|_| "is no duration; write 500ms, 10s or 2m")? * seconds_each;
    let duration = Duration::try_from_secs_f64(seconds).map_err(|_| "must be more than 0 and at most 168h")?;
    if duration.is_zero() || duration > LONGEST {
        return Err("must be more than 0 and at most 168h".into());
    }
    Ok(duration)
}

/// A duration that is no shorter than it takes to write down what happened in it.
pub fn interval(text: &str) -> Result<Duration, String> {
    let interval = duration(text)?;
    if interval < SHORTEST_INTERVAL { Err("must be at least 10ms".into()) } else { Ok(interval) }
}

/// `1000`, `64KiB`, `64MiB`, `2GiB`: more than nothing.
pub fn size(text: &str) -> Result<usize, String> {
    let (number, unit) = split(text);
    let each: usize = match unit {
        "" | "B" => 1,
        "KiB" => 1 << 10,
        "MiB" => 1 << 20,
        "GiB" => 1 << 30,
        _ => return Err("is no size; write 65536, 64KiB or 2MiB".into()),
    };
    let number: usize = number.parse().map_err(|_| "is no size; write 65536, 64KiB or 2MiB")?;
    number
        .checked_mul(each)
        .filter(|&bytes| bytes > 0)
        .ok_or_else(|| "must be more than 0, and less than 16 EiB".into())
}

/// Requests a second: more than 0, and finite.
pub fn rate(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(rate) if rate > 0.0 && rate <= FASTEST => Ok(rate),
        Ok(_) => Err("must be more than 0 and at most 10000000 requests a second".into()),
        Err(_) => Err("is not a number of requests a second".into()),
    }
}

/// A number of requests, or a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Amount {
    /// So many requests.
    Requests(u64),
    /// For so long.
    Time(Duration),
}

/// `1000` requests, or `5s`.
pub fn amount(text: &str) -> Result<Amount, String> {
    match text.parse::<u64>() {
        Ok(0) => Err("must be more than 0; leave it out for none".into()),
        Ok(requests) => Ok(Amount::Requests(requests)),
        Err(_) => {
            duration(text).map(Amount::Time).map_err(|_| "must be a number of requests or a time: 100, 5s".into())
        }
    }
}

/// The number and the letters after it.
fn split(text: &str) -> (&str, &str) {
    let at = text.find(|each: char| each.is_ascii_alphabetic()).unwrap_or(text.len());
    text.split_at(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations() {
        for (text, ms) in [("500ms", 500), ("2s", 2000), ("1.5m", 90_000), ("1h", 3_600_000), ("168h", 604_800_000)] {
            assert_eq!(duration(text), Ok(Duration::from_millis(ms)), "{text}");
        }
        assert_eq!(duration("20us"), Ok(Duration::from_micros(20)));
        for text in ["", "s", "0s", "0ms", "-1s", "169h", "1e99s", "nans", "infs", "1 s", "10sec", "ten", "1e-99s"] {
            assert!(duration(text).is_err(), "{text}");
        }
        assert!(duration("10").unwrap_err().contains("unit"));
        assert_eq!(interval("10ms"), Ok(Duration::from_millis(10)));
        assert!(interval("9ms").is_err() && interval("10").unwrap_err().contains("unit"));
    }

    #[test]
    fn sizes() {
        assert_eq!([size("7"), size("7B"), size("2KiB"), size("1MiB")], [Ok(7), Ok(7), Ok(2048), Ok(1 << 20)]);
        for text in ["", "0", "0MiB", "-1", "1.5MiB", "1MB", "99999999999GiB", "MiB"] {
            assert!(size(text).is_err(), "{text}");
        }
    }

    #[test]
    fn rates() {
        assert_eq!((rate("0.5"), rate("1e3")), (Ok(0.5), Ok(1000.0)));
        for text in ["0", "-1", "NaN", "inf", "1e8", "", "fast", "-0"] {
            assert!(rate(text).is_err(), "{text}");
        }
    }

    #[test]
    fn amounts() {
        assert_eq!(amount("100"), Ok(Amount::Requests(100)));
        assert_eq!(amount("100ms"), Ok(Amount::Time(Duration::from_millis(100))));
        for text in ["0", "-5", "0s", "x", "1.5", ""] {
            assert!(amount(text).is_err(), "{text}");
        }
    }
}
