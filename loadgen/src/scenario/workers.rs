//! How many workers servers are run with: one list for all that have workers, or a table with a list for each of some.

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{self, Deserialize, Deserializer, MapAccess, SeqAccess, Visitor, value::SeqAccessDeserializer};
use serde::{Serialize, Serializer};
use toml::Spanned;

use super::Levels;
use super::file::Fault;
use crate::catalog;

/// Most workers that a server is asked for; `loadgen serve` takes no more.
pub const WORKERS_MOST: u32 = 1024;

/// `workers` of a scenario. In a file names have places, so that faults have lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Workers<Name = String> {
    /// For every server that has workers.
    All(Levels),
    /// By server; those that are not there have as many as CPUs.
    ByServer(BTreeMap<Name, Levels>),
}

impl Workers {
    /// The numbers of a server; `None`: as many as CPUs.
    pub fn of(&self, server: &str) -> Option<&Levels> {
        match self {
            Self::All(counts) => Some(counts),
            Self::ByServer(counts) => counts.get(server),
        }
    }
}

impl Workers<Spanned<String>> {
    /// As [`Workers::of`].
    pub(super) fn numbers(&self, server: &str) -> Option<&Levels> {
        match self {
            Self::All(counts) => Some(counts),
            Self::ByServer(counts) => {
                counts.iter().find(|(name, _)| name.get_ref() == server).map(|(_, counts)| counts)
            }
        }
    }

    /// Without places.
    pub(super) fn plain(self) -> Workers {
        match self {
            Self::All(counts) => Workers::All(counts),
            Self::ByServer(counts) => {
                Workers::ByServer(counts.into_iter().map(|(name, counts)| (name.into_inner(), counts)).collect())
            }
        }
    }
}

/// Whether the servers of a scenario can be run like this; `key` names the setting.
pub(super) fn check(
    key: &str,
    workers: &Spanned<Workers<Spanned<String>>>,
    servers: &[Spanned<String>],
) -> Result<(), Fault> {
    let fault = |offset, key: String, reason| Err(Fault { offset, key, reason });
    let has_workers = |name: &str| catalog::find(name).is_some_and(|entry| !entry.worker_arguments.is_empty());
    let too_many = |counts: &Levels| format!("{counts}: at most {WORKERS_MOST} workers");
    let whole = workers.span().start;
    match workers.get_ref() {
        Workers::All(counts) if counts.highest() > WORKERS_MOST => fault(whole, key.into(), too_many(counts)),
        Workers::All(_) if !servers.iter().any(|server| has_workers(server.get_ref())) => {
            fault(whole, key.into(), "no server of this scenario has a setting for the number of workers".into())
        }
        Workers::All(_) => Ok(()),
        Workers::ByServer(counts) if counts.is_empty() => {
            fault(whole, key.into(), "the table is empty; write `server = \"2,4\"`, or leave it out".into())
        }
        Workers::ByServer(counts) => counts.iter().try_for_each(|(server, counts)| {
            let name = server.get_ref();
            let reason = match () {
                () if !servers.iter().any(|other| other.get_ref() == name) => {
                    format!("`{name}` is not among the `servers` of this scenario")
                }
                () if !has_workers(name) => format!("{name} has no setting for the number of workers"),
                () if counts.highest() > WORKERS_MOST => too_many(counts),
                () => return Ok(()),
            };
            fault(server.span().start, format!("{key}.{name}"), reason)
        }),
    }
}

impl Serialize for Workers {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::All(counts) => counts.serialize(serializer),
            Self::ByServer(counts) => counts.serialize(serializer),
        }
    }
}

impl<'de, Name: Deserialize<'de> + Ord> Deserialize<'de> for Workers<Name> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either<Name>(PhantomData<Name>);
        impl<'de, Name: Deserialize<'de> + Ord> Visitor<'de> for Either<Name> {
            type Value = Workers<Name>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("numbers of workers such as \"2,4\", or a table with those of each server")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Self::Value, E> {
                text.parse().map(Workers::All).map_err(E::custom)
            }

            fn visit_i64<E: de::Error>(self, number: i64) -> Result<Self::Value, E> {
                self.visit_str(&number.to_string())
            }

            fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<Self::Value, A::Error> {
                Levels::deserialize(SeqAccessDeserializer::new(items)).map(Workers::All)
            }

            fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Self::Value, A::Error> {
                let mut counts = BTreeMap::new();
                while let Some((server, levels)) = entries.next_entry()? {
                    counts.insert(server, levels);
                }
                Ok(Workers::ByServer(counts))
            }
        }
        deserializer.deserialize_any(Either(PhantomData))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq, Serialize, serde::Deserialize)]
    struct Table {
        workers: Workers,
    }

    #[test]
    fn what_is_written_in_toml_reads_back_from_json() {
        for text in ["workers = \"2,4\"", "workers = 3", "workers = [8, 2]", "[workers]\na = 3\nb = \"2,3,4,8\""] {
            let table: Table = toml::from_str(text).unwrap();
            let json = serde_json::to_string(&table).unwrap();
            assert_eq!(serde_json::from_str::<Table>(&json).unwrap(), table, "{json}");
        }
    }

    #[test]
    fn a_server_without_an_entry_has_no_numbers_of_its_own() {
        let table: Table = toml::from_str("[workers]\na = 3").unwrap();
        assert_eq!(table.workers.of("a").map(ToString::to_string), Some("3".into()));
        assert_eq!(table.workers.of("b"), None);
        let all: Table = toml::from_str("workers = 3").unwrap();
        assert!(all.workers.of("b").is_some());
    }
}
