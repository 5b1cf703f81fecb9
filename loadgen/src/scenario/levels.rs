//! Lists of whole numbers as people write them: `1-20`, `1,2,4`, `1-20:3`.

use std::fmt;
use std::str::FromStr;

use serde::de::{self, Deserialize, Deserializer, SeqAccess, Visitor};
use serde::{Serialize, Serializer};

/// Ascending, distinct, positive numbers, each at most [`Levels::MOST`]; never empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Levels(Vec<u32>);

/// Why a text is no list of levels; its message shows the text and how to write one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}`: {reason} (write `1-20`, `1,2,4` or `1-20:3`)")]
pub struct LevelsError {
    text: String,
    reason: String,
}

impl Levels {
    /// The largest number allowed: a client is a socket, and nobody has more of them to spare.
    pub const MOST: u32 = 10_000;

    /// The levels, ascending.
    pub fn as_slice(&self) -> &[u32] {
        &self.0
    }

    /// The highest level.
    pub fn highest(&self) -> u32 {
        self.0.last().copied().unwrap_or(1)
    }

    /// Fewer of them: the first, the last and the powers of two between.
    pub fn thinned(&self) -> Self {
        let ends = [self.0.first(), self.0.last()];
        let keep = |level: &&u32| level.is_power_of_two() || ends.contains(&Some(level));
        Self(self.0.iter().filter(keep).copied().collect())
    }

    /// Sorts and checks numbers that came from anywhere.
    ///
    /// # Errors
    /// An empty list, a zero, or a number above [`Levels::MOST`].
    pub fn new(numbers: impl IntoIterator<Item = u32>) -> Result<Self, String> {
        let mut levels: Vec<u32> = numbers.into_iter().collect();
        levels.sort_unstable();
        levels.dedup();
        match (levels.first(), levels.last()) {
            (None, _) | (_, None) => Err("the list is empty".into()),
            (Some(0), _) => Err("0 is not allowed, the least is 1".into()),
            (_, Some(&most)) if most > Self::MOST => Err(format!("{most} is too many, the most is {}", Self::MOST)),
            _ => Ok(Self(levels)),
        }
    }
}

/// One comma-separated part: `7`, `1-20` or `1-20:3`.
fn part(text: &str) -> Result<std::iter::StepBy<std::ops::RangeInclusive<u32>>, String> {
    let number = |digits: &str| {
        let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        match digits.parse::<u32>() {
            Ok(number) if plain && number > Levels::MOST => {
                Err(format!("{number} is too many, the most is {}", Levels::MOST))
            }
            Ok(number) if plain => Ok(number),
            _ if plain => Err(format!("{digits} is too many, the most is {}", Levels::MOST)),
            _ if digits.is_empty() => Err("a number is missing".into()),
            _ => Err(format!("`{digits}` is not a whole number")),
        }
    };
    let (range, step) = match text.split_once(':') {
        Some((range, step)) => (range, number(step)?),
        None => (text, 1),
    };
    let (first, last) = match range.split_once('-') {
        Some((first, last)) => (number(first)?, number(last)?),
        None if text.contains(':') => return Err("a step needs a range before it".into()),
        None => (number(range)?, number(range)?),
    };
    if first > last {
        return Err(format!("the range {first}-{last} runs backwards"));
    }
    let step = usize::try_from(step).ok().filter(|&step| step > 0);
    Ok((first..=last).step_by(step.ok_or("a step of 0 leads nowhere")?))
}

impl FromStr for Levels {
    type Err = LevelsError;

    fn from_str(text: &str) -> Result<Self, LevelsError> {
        let fail = |reason| LevelsError { text: text.to_owned(), reason };
        let mut numbers = Vec::new();
        for piece in text.split(',') {
            numbers.extend(part(piece.trim()).map_err(fail)?);
        }
        Levels::new(numbers).map_err(fail)
    }
}

impl fmt::Display for Levels {
    /// Runs are written as ranges: `1-4,8,16`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rest = self.0.as_slice();
        let mut separator = "";
        while let Some(&first) = rest.first() {
            let run = rest.iter().zip(first..).take_while(|&(&a, b)| a == b).count();
            let last = rest[run - 1];
            match run {
                1 => write!(f, "{separator}{first}")?,
                2 => write!(f, "{separator}{first},{last}")?,
                _ => write!(f, "{separator}{first}-{last}")?,
            }
            rest = &rest[run..];
            separator = ",";
        }
        Ok(())
    }
}

impl Serialize for Levels {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Levels {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = Levels;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("levels such as \"1-20\", \"1,2,4\", 8 or [1, 2, 4]")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Levels, E> {
                text.parse().map_err(E::custom)
            }

            fn visit_i64<E: de::Error>(self, number: i64) -> Result<Levels, E> {
                number.to_string().parse().map_err(E::custom)
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Levels, A::Error> {
                let mut numbers = Vec::new();
                while let Some(number) = items.next_element()? {
                    numbers.push(number);
                }
                Levels::new(numbers).map_err(de::Error::custom)
            }
        }
        deserializer.deserialize_any(Either)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn levels(text: &str) -> Vec<u32> {
        text.parse::<Levels>().unwrap().0
    }

    #[test]
    fn reads_numbers_ranges_and_steps() {
        assert_eq!(levels("1-5"), [1, 2, 3, 4, 5]);
        assert_eq!(levels("1,2,4"), [1, 2, 4]);
        assert_eq!(levels("1-20:3"), [1, 4, 7, 10, 13, 16, 19]);
        assert_eq!(levels("8, 1-2,2"), [1, 2, 8]);
    }

    #[test]
    fn refuses_what_is_no_list_and_shows_it() {
        for bad in [
            "",
            "0",
            "0-3",
            "20-1",
            "1-",
            "-1",
            "1-20:0",
            "5:2",
            "a",
            "1.5",
            "+3",
            "100000",
            "1,,2",
            "1-99999999999",
            "1-2-3",
            "1-1000000000",
        ] {
            let error = bad.parse::<Levels>().unwrap_err().to_string();
            assert!(error.contains(&format!("`{bad}`")), "{error}");
        }
    }

    #[test]
    fn thinned_levels_keep_both_ends() {
        assert_eq!("3-20".parse::<Levels>().unwrap().thinned().0, [3, 4, 8, 16, 20]);
    }

    proptest! {
        #[test]
        fn what_is_printed_reads_back(numbers in prop::collection::vec(1..=Levels::MOST, 1..40)) {
            let levels = Levels::new(numbers).unwrap();
            prop_assert_eq!(levels.to_string().parse::<Levels>().unwrap(), levels);
        }

        #[test]
        fn a_range_holds_first_and_every_step(first in 1u32..500, length in 0u32..500, step in 1u32..30) {
            let last = first + length;
            let levels = levels(&format!("{first}-{last}:{step}"));
            prop_assert_eq!(levels[0], first);
            prop_assert!(levels.windows(2).all(|pair| pair[1] - pair[0] == step));
            prop_assert!(last - levels[levels.len() - 1] < step);
        }

        #[test]
        fn no_text_panics(text in ".{0,20}") {
            let _ = text.parse::<Levels>();
        }
    }
}
