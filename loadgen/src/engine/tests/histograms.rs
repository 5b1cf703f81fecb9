//! Histograms: no count lost, no extreme blurred, no percentile outside what was seen.

use proptest::prelude::*;

use super::*;

fn latencies(values: &[u64]) -> Latencies {
    let mut latencies = Latencies::new();
    values.iter().for_each(|&ns| latencies.record(Duration::from_nanos(ns)));
    latencies
}

#[test]
fn an_empty_histogram_says_nothing() {
    let empty = Latencies::new();
    assert_eq!((empty.min(), empty.mean(), empty.max(), empty.p50()), (None, None, None, None));
    assert_eq!((empty.count(), empty.sum()), (0, Duration::ZERO));
}

#[test]
fn percentiles_need_enough_samples() {
    type Percentile = fn(&Latencies) -> Option<Duration>;
    let needs: [(Percentile, u64); 4] =
        [(Latencies::p50, 1), (Latencies::p90, 10), (Latencies::p99, 100), (Latencies::p999, 1000)];
    for (percentile, needed) in needs {
        let values: Vec<u64> = (1..=needed).collect();
        assert!(percentile(&latencies(&values)).is_some(), "{needed}");
        assert!(percentile(&latencies(&values[1..])).is_none(), "{needed}");
    }
    for quantile in [-0.1, 1.1, f64::NAN] {
        assert_eq!(latencies(&[1]).quantile(quantile), None);
    }
}

#[test]
fn values_of_any_size_are_taken() {
    let mut latencies = latencies(&[0, 1, 60_000_000_000, u64::MAX]);
    latencies.record(Duration::MAX);
    assert_eq!(latencies.count(), 5);
    assert_eq!(latencies.max(), Some(Duration::from_nanos(u64::MAX)));
}

proptest! {
    #[test]
    fn figures_are_right(values in proptest::collection::vec(0u64..100_000_000_000, 1..1500)) {
        let latencies = latencies(&values);
        let (min, max) = (*values.iter().min().unwrap(), *values.iter().max().unwrap());
        let sum: u64 = values.iter().sum();
        prop_assert_eq!(latencies.count(), values.len() as u64);
        prop_assert_eq!(latencies.min(), Some(Duration::from_nanos(min)));
        prop_assert_eq!(latencies.max(), Some(Duration::from_nanos(max)));
        prop_assert_eq!(latencies.sum(), Duration::from_nanos(sum));
        prop_assert_eq!(latencies.mean(), Some(Duration::from_nanos(sum / values.len() as u64)));
        let mut sorted = values.clone();
        sorted.sort_unstable();
        for quantile in [0.0, 0.1, 0.5, 0.9, 0.99, 0.999, 1.0] {
            let Some(found) = latencies.quantile(quantile) else { continue };
            let found = found.as_nanos() as u64;
            prop_assert!((min..=max).contains(&found));
            let rank = ((quantile * values.len() as f64).ceil() as usize).clamp(1, values.len());
            let exact = sorted[rank - 1];
            prop_assert!(found.abs_diff(exact) <= exact / 1000 + 1, "{quantile}: {found} is not {exact}");
        }
    }

    #[test]
    fn merging_is_recording_together(
        left in proptest::collection::vec(0u64..1_000_000_000_000, 0..200),
        right in proptest::collection::vec(0u64..1_000_000_000_000, 0..200),
    ) {
        let mut merged = latencies(&left);
        merged.merge(&latencies(&right));
        let together = latencies(&[left, right].concat());
        prop_assert_eq!(merged.histogram(), together.histogram());
        prop_assert_eq!((merged.min(), merged.max(), merged.sum()), (together.min(), together.max(), together.sum()));
        let saved = merged.histogram().clone();
        if let (Some(min), Some(max)) = (merged.min(), merged.max()) {
            let again = Latencies::from_saved(saved, min, max, merged.sum());
            prop_assert_eq!((again.p50(), again.mean()), (merged.p50(), merged.mean()));
        }
    }
}
