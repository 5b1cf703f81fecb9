//! Which cells a claim is about.

use std::fmt;

use serde::Serialize;
use serde::de::value::{MapAccessDeserializer, StrDeserializer};
use serde::de::{self, Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use toml::Spanned;

/// A server, with what else tells a cell from its neighbours. What is `None` is found by the rules of docs/claims.md.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Selector {
    /// By name.
    pub server: String,
    /// What computes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backend: Option<String>,
    /// Its workers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workers: Option<u32>,
    /// CPUs that it may use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpus: Option<u32>,
    /// Of the job.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<u32>,
    /// Clients.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub concurrency: Option<u32>,
}

impl Selector {
    /// What one says and another does not.
    #[must_use]
    pub fn or(self, other: &Self) -> Self {
        Self {
            server: self.server,
            backend: self.backend.or_else(|| other.backend.clone()),
            workers: self.workers.or(other.workers),
            cpus: self.cpus.or(other.cpus),
            size: self.size.or(other.size),
            concurrency: self.concurrency.or(other.concurrency),
        }
    }
}

impl fmt::Display for Selector {
    /// `node-worker-array, 4 workers, 10 clients`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.server)?;
        if let Some(backend) = &self.backend {
            write!(f, ", {backend}")?;
        }
        let counted = |number: Option<u32>, what: &str| {
            number.map(|number| format!(", {number} {what}{}", if number == 1 { "" } else { "s" })).unwrap_or_default()
        };
        f.write_str(&counted(self.workers, "worker"))?;
        f.write_str(&counted(self.cpus, "CPU"))?;
        f.write_str(&self.size.map(|size| format!(", size {size}")).unwrap_or_default())?;
        f.write_str(&counted(self.concurrency, "client"))
    }
}

/// One cell as it is written: a server's name, or a table.
pub(super) struct OneCell(pub(super) Selector);

/// One of them or a list, with where each stands in the text where that is known.
pub(super) struct Cells(pub(super) Vec<(Option<usize>, Selector)>);

const FORMS: &str =
    "a server such as \"event-loop\", or a cell such as { server = \"worker-pool\", workers = 4, concurrency = 10 }";

fn by_name<E: de::Error>(name: &str) -> Result<Selector, E> {
    let server = String::deserialize(StrDeserializer::new(name))?;
    Ok(Selector { server, backend: None, workers: None, cpus: None, size: None, concurrency: None })
}

impl<'de> Deserialize<'de> for OneCell {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = OneCell;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(FORMS)
            }

            fn visit_str<E: de::Error>(self, name: &str) -> Result<OneCell, E> {
                by_name(name).map(OneCell)
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<OneCell, A::Error> {
                Selector::deserialize(MapAccessDeserializer::new(map)).map(OneCell)
            }
        }
        deserializer.deserialize_any(Either)
    }
}

impl<'de> Deserialize<'de> for Cells {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;
        impl<'de> Visitor<'de> for Any {
            type Value = Cells;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{FORMS}, or a list of them")
            }

            fn visit_str<E: de::Error>(self, name: &str) -> Result<Cells, E> {
                Ok(Cells(vec![(None, by_name(name)?)]))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Cells, A::Error> {
                Ok(Cells(vec![(None, Selector::deserialize(MapAccessDeserializer::new(map))?)]))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Cells, A::Error> {
                let mut cells = Vec::new();
                while let Some(cell) = items.next_element::<Spanned<OneCell>>()? {
                    cells.push((Some(cell.span().start), cell.into_inner().0));
                }
                Ok(Cells(cells))
            }
        }
        deserializer.deserialize_any(Any)
    }
}
