//! What servers say of the time that a request took them: the `Server-Timing` header (W3C Server Timing), added up.

use std::collections::BTreeMap;

/// Durations by name, summed over responses.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ServerTiming {
    replies: u64,
    sums_ms: Vec<(String, f64)>,
}

impl ServerTiming {
    /// Adds the header of one response, such as `queue;dur=0.03, compute;dur=503.1`. What is no duration is passed over.
    pub(super) fn add(&mut self, header: &[u8]) {
        let Ok(header) = std::str::from_utf8(header) else { return };
        self.replies += 1;
        for metric in header.split(',') {
            let mut parts = metric.split(';').map(str::trim);
            let name = parts.next().unwrap_or_default();
            let duration = parts.find_map(|part| part.strip_prefix("dur=")?.parse::<f64>().ok());
            let Some(ms) = duration.filter(|ms| ms.is_finite() && *ms >= 0.0 && !name.is_empty()) else { continue };
            self.add_ms(name, ms);
        }
    }

    /// Adds what another thread has added up.
    pub(super) fn merge(&mut self, other: &Self) {
        self.replies += other.replies;
        for (name, ms) in &other.sums_ms {
            self.add_ms(name, *ms);
        }
    }

    fn add_ms(&mut self, name: &str, ms: f64) {
        match self.sums_ms.iter().position(|(known, _)| known == name) {
            Some(index) => self.sums_ms[index].1 += ms,
            None if self.sums_ms.len() < Self::MOST_NAMES => self.sums_ms.push((name.to_owned(), ms)),
            None => {}
        }
    }

    /// A server that invents names makes no list without end.
    const MOST_NAMES: usize = 16;

    /// Mean milliseconds by name over the responses that had the header; empty where none had.
    pub fn means_ms(&self) -> impl Iterator<Item = (&str, f64)> {
        self.sums_ms.iter().map(|(name, sum)| (name.as_str(), sum / self.replies as f64))
    }

    /// The same as results hold it.
    pub fn by_name(&self) -> BTreeMap<String, f64> {
        self.means_ms().map(|(name, ms)| (name.to_owned(), ms)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_are_over_the_responses_that_have_the_header() {
        let mut timing = ServerTiming::default();
        assert_eq!(timing.means_ms().count(), 0);
        timing.add(b"queue;dur=1, compute;dur=10.5;desc=\"x\"");
        timing.add(b"queue ; dur=3,compute;dur=0.5, cache, odd;dur=x, worse;dur=-1, nan;dur=NaN");
        timing.add(b"\xff;dur=1");
        assert_eq!(timing.means_ms().collect::<Vec<_>>(), [("queue", 2.0), ("compute", 5.5)]);
    }
}
