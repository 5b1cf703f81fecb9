//! Where the time of a request goes, part by part.

use ::charts::{Axis, Bar, Figure, Panel, Scale, Segment};

use crate::analysis::timing::{TOLD, Timing};
use crate::results::{Cell, Distinctions, PassResult, Results, counted};

/// Colours of the parts that servers tell of, and of the rest: that of the computation is the darkest.
pub(in crate::report) const STYLES: [usize; TOLD.len() + 1] = [6, 5, 1, 3, 2];
/// The name of the rest.
pub(in crate::report) const TRANSPORT: &str = "transport";

const NOTE: &str = "Means over right answers. Queue to encode is what the servers say by Server-Timing; transport is the rest \
                    of the response time: sending, receiving, and waiting that a server does not see, as for a busy event loop.";

/// A bar for each server at the fewest and at the most clients; `None` where no server says anything.
pub(super) fn figure(results: &Results) -> Option<Figure> {
    let rows = results.rows().into_iter().filter(|(_, cell)| !cell.interrupted && Timing::of(cell).is_told());
    let rows: Vec<(&PassResult, &Cell)> = rows.collect();
    let levels = || rows.iter().map(|(_, cell)| cell.concurrency);
    let (fewest, most) = (levels().min()?, levels().max()?);
    let show = Distinctions::of(results);
    let panel = |level: u32| Panel {
        title: Some(counted(level, "client")),
        x: Axis::new("milliseconds", Scale::Linear),
        bars: bars(rows.iter().filter(|(_, cell)| cell.concurrency == level), show),
        ..Panel::default()
    };
    let panels: Vec<Panel> = if fewest == most { vec![panel(most)] } else { vec![panel(fewest), panel(most)] };
    // Long labels need the whole width.
    let columns = if show.backend || show.workers || show.cpus { 1 } else { panels.len() };
    let mut figure = super::figure(results, "where the time goes", panels, columns);
    figure.notes.push(NOTE.into());
    Some(figure)
}

fn bars<'a>(rows: impl Iterator<Item = &'a (&'a PassResult, &'a Cell)>, show: Distinctions) -> Vec<Bar> {
    let mut lines: Vec<(String, Vec<Timing>)> = Vec::new();
    for (pass, cell) in rows {
        let label = pass.label(show);
        match lines.iter_mut().find(|(known, _)| *known == label) {
            Some((_, trials)) => trials.push(Timing::of(cell)),
            None => lines.push((label, vec![Timing::of(cell)])),
        }
    }
    lines.into_iter().map(|(label, trials)| Bar::new(label, segments(&trials))).collect()
}

/// The mean of each part over the trials that know of it.
fn segments(trials: &[Timing]) -> Vec<Segment> {
    let names = TOLD.into_iter().chain([TRANSPORT]).zip(STYLES);
    let segment = |(part, (name, style)): (usize, (&str, usize))| {
        let values =
            trials.iter().filter_map(|timing| timing.told_ms.get(part).copied().unwrap_or(timing.transport_ms));
        let values: Vec<f64> = values.collect();
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        (!values.is_empty()).then(|| Segment::new(name, style, mean))
    };
    names.enumerate().filter_map(segment).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trials_are_averaged_part_by_part_and_parts_that_nobody_knows_are_absent() {
        let timing = |compute, transport_ms| Timing { told_ms: [Some(1.0), None, Some(compute), None], transport_ms };
        let segments = segments(&[timing(20.0, Some(2.0)), timing(30.0, None)]);
        let found: Vec<(&str, f64)> = segments.iter().map(|part| (part.key.as_str(), part.value)).collect();
        assert_eq!(found, [("queue", 1.0), ("compute", 25.0), ("transport", 2.0)]);
    }
}
