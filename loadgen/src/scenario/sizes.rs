//! The size of a job, a second axis beside concurrency: `{size}` in the request, and an answer for each size.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{self, Deserialize, Deserializer, MapAccess, Visitor};
use serde::{Serialize, Serializer};

use super::Levels;
use super::expect::Number;

/// Where the size goes in a path or in a body.
pub const SIZE: &str = "{size}";

/// A text with the size in its place.
pub fn with_size(text: &str, size: Option<u32>) -> String {
    match size {
        Some(size) => text.replace(SIZE, &size.to_string()),
        None => text.to_owned(),
    }
}

/// `base` of `[expect]`: one number, or a table with one for each size.
#[derive(Debug, Clone, PartialEq)]
pub enum Base {
    /// The same for every request.
    One(Number),
    /// By size.
    BySize(BTreeMap<u32, Number>),
}

impl Base {
    /// The one number of a size; without an answer for that size it stays what it is.
    pub fn at(&self, size: Option<u32>) -> Self {
        match (self, size) {
            (Self::BySize(numbers), Some(size)) => {
                numbers.get(&size).map_or_else(|| self.clone(), |&number| Self::One(number))
            }
            _ => self.clone(),
        }
    }

    /// All that it holds.
    pub fn numbers(&self) -> Box<dyn Iterator<Item = &Number> + '_> {
        match self {
            Self::One(number) => Box::new(std::iter::once(number)),
            Self::BySize(numbers) => Box::new(numbers.values()),
        }
    }

    /// Those of the sizes that have no answer, and the sizes that have one.
    pub fn unanswered(&self, sizes: &Levels) -> Option<(Levels, Levels)> {
        let Self::BySize(numbers) = self else { return None };
        let missing = sizes.as_slice().iter().copied().filter(|size| !numbers.contains_key(size));
        Some((Levels::new(missing).ok()?, Levels::new(numbers.keys().copied()).ok()?))
    }
}

impl Serialize for Base {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::One(number) => number.serialize(serializer),
            Self::BySize(numbers) => numbers.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Base {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = Base;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number such as 610, or a table with one for each size, such as { 15 = 610, 16 = 987 }")
            }

            fn visit_i64<E: de::Error>(self, number: i64) -> Result<Base, E> {
                let whole = u64::try_from(number);
                whole.map(|whole| Base::One(Number::Whole(whole))).or(Ok(Base::One(Number::Float(number as f64))))
            }

            fn visit_u64<E: de::Error>(self, number: u64) -> Result<Base, E> {
                Ok(Base::One(Number::Whole(number)))
            }

            fn visit_f64<E: de::Error>(self, number: f64) -> Result<Base, E> {
                Ok(Base::One(Number::Float(number)))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Base, A::Error> {
                let mut numbers = BTreeMap::new();
                while let Some((key, number)) = entries.next_entry::<String, Number>()? {
                    let size = key.parse::<u32>().ok().filter(|size| (1..=Levels::MOST).contains(size));
                    let Some(size) = size else {
                        let most = Levels::MOST;
                        return Err(de::Error::custom(format!("`{key}` is no size: a whole number from 1 to {most}")));
                    };
                    if numbers.insert(size, number).is_some() {
                        return Err(de::Error::custom(format!("size {size} has two answers")));
                    }
                }
                match numbers.is_empty() {
                    true => Err(de::Error::custom("the table of answers is empty")),
                    false => Ok(Base::BySize(numbers)),
                }
            }
        }
        deserializer.deserialize_any(Either)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq, Serialize, serde::Deserialize)]
    struct Table {
        base: Base,
    }

    #[test]
    fn what_is_written_in_toml_reads_back_from_json() {
        for text in ["base = 610", "base = 6.5", "base = -3", "[base]\n15 = 610\n16 = 987"] {
            let table: Table = toml::from_str(text).unwrap();
            let json = serde_json::to_string(&table).unwrap();
            assert_eq!(serde_json::from_str::<Table>(&json).unwrap(), table, "{json}");
        }
    }

    #[test]
    fn keys_that_are_no_sizes_are_named() {
        for (text, named) in [
            ("base = { x = 1 }", "`x`"),
            ("base = { 0 = 1 }", "`0`"),
            ("base = { 15 = 1, 015 = 2 }", "15 has two"),
            ("base = {}", "empty"),
            ("base = \"610\"", "one for each size"),
            ("base = { 15 = \"610\" }", "line 1"),
        ] {
            let message = toml::from_str::<Table>(text).unwrap_err().to_string();
            assert!(message.contains(named), "{text}: {message}");
        }
    }

    #[test]
    fn sizes_without_an_answer_are_found() {
        let base = Base::BySize(BTreeMap::from([(15, Number::Whole(610)), (17, Number::Whole(1597))]));
        let sizes = |text: &str| text.parse::<Levels>().unwrap();
        assert_eq!(base.unanswered(&sizes("15-18")), Some((sizes("16,18"), sizes("15,17"))));
        assert_eq!(base.unanswered(&sizes("15")), None);
        assert_eq!(Base::One(Number::Whole(1)).unanswered(&sizes("15")), None);
    }
}
