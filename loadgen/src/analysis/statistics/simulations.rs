//! Known truths, simulated: how often is what we say of them right?

use super::{ALPHA, Estimate};

/// Normally distributed (Box and Muller).
pub fn normal(random: &mut fastrand::Rng) -> f64 {
    let radius = (-2.0 * (1.0 - random.f64()).ln()).sqrt();
    radius * (std::f64::consts::TAU * random.f64()).cos()
}

/// Log-normal samples around `truth`, as throughputs of trials are.
fn samples(random: &mut fastrand::Rng, truth: f64, spread: f64, count: usize) -> Vec<f64> {
    (0..count).map(|_| truth * (spread * normal(random)).exp()).collect()
}

/// How often, of `ROUNDS` times, the interval holds the truth.
fn coverage(seed: u64, truth: f64, mut estimate: impl FnMut(&mut fastrand::Rng) -> Estimate) -> f64 {
    const ROUNDS: usize = 4000;
    let mut random = fastrand::Rng::with_seed(seed);
    let holds = |_: &usize| estimate(&mut random).interval(ALPHA).expect("trials enough").contains(truth);
    (0..ROUNDS).filter(holds).count() as f64 / ROUNDS as f64
}

#[test]
fn intervals_of_95_percent_hold_the_truth_in_95_percent() {
    for trials in [3, 5, 10] {
        for spread in [0.005, 0.05, 0.5] {
            let mean = coverage(1, 7.0, |random| Estimate::over_trials(&samples(random, 7.0, spread, trials)).unwrap());
            let paired = coverage(2, 0.9, |random| {
                let base = samples(random, 5.0, 1.0, trials);
                let other: Vec<f64> =
                    base.iter().zip(samples(random, 0.9, spread, trials)).map(|(a, b)| a * b).collect();
                Estimate::paired_ratio(&base, &other).unwrap()
            });
            for (what, coverage) in [("mean", mean), ("paired", paired)] {
                assert!((0.93..=0.97).contains(&coverage), "{what}, {trials} trials, spread {spread}: {coverage}");
            }
        }
    }
}

#[test]
fn intervals_of_unpaired_ratios_hold_the_truth_however_the_two_vary() {
    for trials in [3, 5, 10] {
        for (of_base, of_other) in [(0.05, 0.05), (0.02, 0.05), (0.01, 0.1)] {
            let coverage = coverage(3, 0.9, |random| {
                let base = samples(random, 10.0, of_base, trials);
                Estimate::unpaired_ratio(&base, &samples(random, 9.0, of_other, trials)).unwrap()
            });
            assert!((0.93..=0.97).contains(&coverage), "{trials} trials, {of_base} and {of_other}: {coverage}");
        }
    }
}
