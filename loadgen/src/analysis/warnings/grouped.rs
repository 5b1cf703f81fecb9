//! Warnings of many levels told together.

use std::collections::BTreeSet;

use crate::results::warning::{Kind, Warning};
use crate::results::{Distinctions, Results};

/// All warnings of one kind.
#[derive(Debug, Clone, PartialEq)]
pub struct Grouped {
    /// The worst of them.
    pub worst: Warning,
    /// How many there are: one for each pass or level.
    pub count: usize,
    /// Where: lines, each with its numbers of clients where it is about levels; none: the run as a whole.
    pub places: Vec<(String, BTreeSet<u32>)>,
}

impl Grouped {
    /// One more of the same kind.
    fn add(&mut self, warning: &Warning, line: String, clients: Option<u32>) {
        if warning.kind.severity() > self.worst.kind.severity() {
            self.worst = warning.clone();
        }
        self.count += 1;
        match self.places.last_mut().filter(|(last, _)| *last == line) {
            Some((_, levels)) => levels.extend(clients),
            None => self.places.push((line, clients.into_iter().collect())),
        }
    }
}

/// All warnings, each kind once: those of the run, then those of passes, then those of levels.
pub fn grouped(results: &Results) -> Vec<Grouped> {
    let show = Distinctions::of(results);
    let mut groups: Vec<Grouped> = Vec::new();
    let mut add = |warning: &Warning, line: String, clients: Option<u32>| {
        let at = groups.iter().position(|group| same_kind(&group.worst, warning)).unwrap_or_else(|| {
            groups.push(Grouped { worst: warning.clone(), count: 0, places: Vec::new() });
            groups.len() - 1
        });
        groups[at].add(warning, line, clients);
    };
    for pass in results.passes_sorted() {
        pass.warnings.iter().for_each(|warning| add(warning, pass.label(show), None));
    }
    for (pass, cell) in results.rows() {
        let size = cell.size.map(|size| format!(", size {size}")).unwrap_or_default();
        cell.warnings.iter().for_each(|warning| add(warning, pass.label(show) + &size, Some(cell.concurrency)));
    }
    let of_run =
        results.warnings.iter().map(|warning| Grouped { worst: warning.clone(), count: 1, places: Vec::new() });
    of_run.chain(groups).collect()
}

/// Whether two are of one kind. Those of older results are texts, whose first word tells what they are about.
fn same_kind(one: &Warning, other: &Warning) -> bool {
    let first_word = |warning: &Warning| warning.text.split(' ').next().map(str::to_owned);
    let kind = std::mem::discriminant(&one.kind) == std::mem::discriminant(&other.kind);
    kind && (one.kind != Kind::Other || first_word(one) == first_word(other))
}

#[cfg(test)]
mod tests {
    use super::super::of_pass;
    use super::super::tests::results;
    use super::*;

    #[test]
    fn many_levels_are_told_once_with_the_worst() {
        let mut results = results();
        for (pass, cpus) in [(0, 0.2), (1, 0.7)] {
            for cell in &mut results.passes[pass].levels {
                cell.warnings = vec![Kind::OtherLoad { cpus }.into()];
            }
        }
        results.passes[0].warm_up_settled = Some(false);
        results.passes[0].warnings = of_pass(&results.passes[0]);
        let groups = grouped(&results);
        let both = BTreeSet::from([1, 2]);
        assert_eq!(groups[0].places, [("event-loop".into(), BTreeSet::new())]);
        assert_eq!((groups[1].worst.kind, groups[1].count), (Kind::OtherLoad { cpus: 0.7 }, 4));
        assert_eq!(groups[1].places, [("event-loop".into(), both.clone()), ("worker-pool".into(), both)]);
        assert_eq!(groups.len(), 2);
    }
}
