//! Moves series apart that would lie on top of each other: each a few pixels to the side, in the order in which they
//! are drawn. A series that keeps clear of the others stays where it is.

use crate::marker;

/// Between neighbours where there is room.
const WIDEST: f64 = 5.0;
/// Between neighbours where all points share one place, so that nothing else is to be told apart.
const ALONE: f64 = 14.0;
/// The part of the gap between two places that the points of one place may take.
const SHARE: f64 = 0.7;
/// Two series are moved apart if this part of the points of the shorter one is hidden by the other.
const HIDDEN: f64 = 0.25;

/// How far to the side each series goes. The places of a series are sorted from left to right.
pub(crate) fn offsets(series: &[Vec<(f64, f64)>], width: f64) -> Vec<f64> {
    let step = |neighbours: usize| {
        let places = series.iter().flatten().map(|place| place.0).collect::<Vec<_>>();
        match gaps(places).first() {
            None => (width * SHARE / neighbours as f64).min(ALONE),
            Some(gap) => (gap * SHARE / neighbours as f64).min(WIDEST),
        }
    };
    let mut offsets = vec![0.0; series.len()];
    for group in groups(series).iter().filter(|group| group.len() > 1) {
        let neighbours = group.len() - 1;
        let step = step(neighbours);
        for (rank, &member) in group.iter().enumerate() {
            offsets[member] = (rank as f64 - neighbours as f64 / 2.0) * step;
        }
    }
    offsets
}

/// The distances between neighbouring places that differ, from the smallest on.
pub(crate) fn gaps(mut places: Vec<f64>) -> Vec<f64> {
    places.sort_by(f64::total_cmp);
    let gaps = places.windows(2).map(|pair| pair[1] - pair[0]);
    let mut gaps: Vec<f64> = gaps.filter(|gap| *gap > 1e-6).collect();
    gaps.sort_by(f64::total_cmp);
    gaps
}

/// Series that hide each other, directly or by way of others.
fn groups(series: &[Vec<(f64, f64)>]) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (index, places) in series.iter().enumerate() {
        let (joined, apart): (Vec<_>, Vec<_>) =
            groups.into_iter().partition(|group| group.iter().any(|&member| hide_each_other(&series[member], places)));
        let mut group: Vec<usize> = joined.into_iter().flatten().collect();
        group.sort_unstable();
        group.push(index);
        groups = apart;
        groups.push(group);
    }
    groups
}

fn hide_each_other(a: &[(f64, f64)], b: &[(f64, f64)]) -> bool {
    let (shorter, longer) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    let hidden = shorter.iter().filter(|(x, y)| {
        let first = longer.partition_point(|other| other.0 < x - 0.5);
        let near = longer[first..].iter().take_while(|other| other.0 < x + 0.5);
        near.into_iter().any(|other| (other.1 - y).abs() < 2.0 * marker::RADIUS)
    });
    let hidden = hidden.count();
    hidden > 0 && hidden as f64 >= HIDDEN * shorter.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flat(y: f64) -> Vec<(f64, f64)> {
        (0..10).map(|i| (f64::from(i) * 30.0, y)).collect()
    }

    #[test]
    fn series_on_top_of_each_other_stand_around_their_place() {
        assert_eq!(offsets(&[flat(5.0), flat(5.0), flat(6.0)], 300.0), [-WIDEST, 0.0, WIDEST]);
    }

    #[test]
    fn a_series_that_keeps_clear_stays() {
        assert_eq!(offsets(&[flat(5.0), flat(99.0), flat(5.0)], 300.0), [-WIDEST / 2.0, 0.0, WIDEST / 2.0]);
        // Being near to another at one of ten places is no reason to move.
        let mut touching = flat(99.0);
        touching[0].1 = 5.0;
        assert_eq!(offsets(&[flat(5.0), touching], 300.0), [0.0, 0.0]);
        assert_eq!(offsets(&[vec![], flat(1.0), vec![]], 300.0), [0.0, 0.0, 0.0]);
    }

    #[test]
    fn neighbouring_places_never_mix() {
        let close = vec![(0.0, 5.0), (8.0, 5.0), (16.0, 5.0)];
        let offsets = offsets(&vec![close; 8], 16.0);
        assert!(offsets[7] - offsets[0] < 8.0);
    }

    #[test]
    fn a_single_place_is_spread_widely() {
        assert_eq!(offsets(&[vec![(5.0, 5.0)], vec![(5.0, 5.0)]], 600.0), [-ALONE / 2.0, ALONE / 2.0]);
    }
}
