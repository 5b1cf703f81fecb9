//! Spreads labels so that they do not overlap and move as little as can be.

/// Places for the middles of labels of this height between `low` and `high`, as near as can be to those wanted (least
/// squares), in the same order; of equal wishes, the earlier comes first. `None` if they do not all fit.
pub(crate) fn spread(wanted: &[f64], height: f64, low: f64, high: f64) -> Option<Vec<f64>> {
    let count = wanted.len();
    let fits = count as f64 * height <= high - low && wanted.iter().all(|place| place.is_finite());
    if !fits {
        return None;
    }
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by(|&a, &b| wanted[a].total_cmp(&wanted[b]));

    // With the heights of those above taken off, "no overlap" means "not falling": neighbours that fall are pooled
    // until none does, and each pool takes its mean.
    let mut pools: Vec<(f64, usize)> = Vec::new();
    for (rank, &index) in order.iter().enumerate() {
        pools.push((wanted[index] - rank as f64 * height, 1));
        while let [.., (above, above_count), (below, below_count)] = pools[..] {
            if above <= below {
                break;
            }
            let members = above_count + below_count;
            let mean = (above * above_count as f64 + below * below_count as f64) / members as f64;
            pools.truncate(pools.len() - 2);
            pools.push((mean, members));
        }
    }

    let (first, last) = (low + height / 2.0, high - height / 2.0 - height * count.saturating_sub(1) as f64);
    let starts =
        pools.iter().flat_map(|&(start, members)| std::iter::repeat_n(start.max(first).min(last.max(first)), members));
    let mut places = vec![0.0; count];
    for (rank, (start, &index)) in starts.zip(&order).enumerate() {
        places[index] = start + rank as f64 * height;
    }
    Some(places)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn labels_with_room_stay() {
        assert_eq!(spread(&[50.0, 10.0], 10.0, 0.0, 100.0), Some(vec![50.0, 10.0]));
    }

    #[test]
    fn crowded_labels_share_the_move() {
        assert_eq!(spread(&[50.0, 50.0, 50.0], 10.0, 0.0, 100.0), Some(vec![40.0, 50.0, 60.0]));
        assert_eq!(spread(&[0.0, 0.0], 10.0, 0.0, 100.0), Some(vec![5.0, 15.0]));
    }

    #[test]
    fn too_many_labels_are_refused() {
        assert_eq!(spread(&[1.0, 2.0, 3.0], 10.0, 0.0, 29.0), None);
        assert_eq!(spread(&[f64::NAN], 10.0, 0.0, 29.0), None);
        assert_eq!(spread(&[], 10.0, 0.0, 29.0), Some(vec![]));
    }

    proptest! {
        #[test]
        fn never_overlaps_keeps_order_stays_inside(
            wanted in prop::collection::vec(-50.0..450.0f64, 0..20),
            height in 1.0..20.0f64,
        ) {
            let (low, high) = (10.0, 410.0);
            let places = spread(&wanted, height, low, high).unwrap();
            for (i, a) in places.iter().enumerate() {
                prop_assert!(a - height / 2.0 >= low - 1e-9 && a + height / 2.0 <= high + 1e-9);
                for (j, b) in places.iter().enumerate().skip(i + 1) {
                    prop_assert!((a - b).abs() >= height - 1e-9, "{a} and {b} overlap");
                    prop_assert_eq!(a < b, wanted[i] <= wanted[j]);
                }
            }
        }
    }
}
