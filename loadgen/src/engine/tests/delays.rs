//! Known service times come out right. No upper bound here depends on the machine: what the server measured itself is the
//! least that the engine may see, and the sum of all response times fits into the time of the level.

use super::server::{Do, Server};
use super::*;

/// A histogram of three digits may round by half a thousandth.
const DIGITS: f64 = 0.999;

/// A level against a server that takes this long, as a function of the salt; held against the server's own record.
async fn assert_times(clients: usize, requests: u64, wait: fn(u32) -> Duration) -> Latencies {
    let server = Server::start(move |asked| vec![Do::Wait(wait(asked.salt)), Do::Send(reply(asked.salt))]).await;
    let measured = run(&load(server.address, clients, requests)).await;
    assert_eq!(measured.ok, requests);
    let (latency, took) = (measured.latency(), server.took());
    // No sample is invented, none is lost.
    assert_eq!((latency.count(), took.len() as u64), (requests, requests));
    let mut seen: Vec<u64> = measured.times.iter().flatten().map(|time| time.duration_us).collect();
    seen.sort_unstable();
    for quantile in [0.5, 0.9, 0.99] {
        let index = ((requests as f64 * quantile).ceil() as usize).max(1) - 1;
        let found = latency.quantile(quantile).unwrap().as_secs_f64();
        assert!(found >= wait_of(wait, requests, index).as_secs_f64() * DIGITS, "{quantile}: {found}");
        let exact = seen[index] as f64 / 1e6;
        assert!((found - exact).abs() <= exact * (1.0 - DIGITS) + 2e-6, "{quantile}: {found} is not {exact}");
    }
    let mean = latency.mean().unwrap();
    assert!(mean * requests as u32 <= measured.elapsed.unwrap() * clients as u32);
    let exact_mean = seen.iter().sum::<u64>() as f64 / 1e6 / requests as f64;
    assert!((mean.as_secs_f64() - exact_mean).abs() < 2e-6);
    assert!(latency.max().unwrap() >= wait_of(wait, requests, requests as usize - 1));
    latency
}

/// The wait with this index, in order of length.
fn wait_of(wait: fn(u32) -> Duration, requests: u64, index: usize) -> Duration {
    let mut waits: Vec<Duration> = (7..7 + requests as u32).map(wait).collect();
    waits.sort_unstable();
    waits[index]
}

#[tokio::test]
async fn constant_times() {
    let latency = assert_times(3, 120, |_| Duration::from_millis(10)).await;
    assert!(latency.min().unwrap() >= Duration::from_millis(10));
}

#[tokio::test]
async fn times_of_two_kinds() {
    assert_times(4, 200, |salt| Duration::from_millis(if salt % 4 == 0 { 60 } else { 3 })).await;
}

#[tokio::test]
async fn one_freeze_in_a_closed_loop_is_one_long_response() {
    let latency = assert_times(1, 300, |salt| Duration::from_millis(if salt == 100 { 1000 } else { 1 })).await;
    assert!(latency.max().unwrap() >= Duration::from_secs(1));
    // Nobody asked during the freeze, so nobody else felt it.
    assert!(latency.quantile(0.9).unwrap() < Duration::from_secs(1));
}

#[tokio::test]
async fn one_freeze_in_an_open_loop_is_felt_by_all_who_came_meanwhile() {
    // The server is frozen as a whole: its thread sleeps.
    let server = Server::start(|asked| {
        if asked.salt == 7 + 10 {
            std::thread::sleep(Duration::from_secs(1));
        }
        vec![Do::Send(reply(asked.salt))]
    })
    .await;
    let pace = Pace::Open { rate: 100.0, arrivals: Arrivals::Constant, seed: 0 };
    let measured = run(&Load { pace, ..load(server.address, 200, 100) }).await;
    assert_eq!(measured.ok, 100);
    // Request 10 froze it, so number 10 + j, sent 10 j ms later, was answered after 1000 - 10 j ms at the earliest.
    let mut times = measured.times.clone().unwrap();
    times.sort_by_key(|time| time.start_us);
    for (time, j) in times.iter().skip(10).zip(0..) {
        assert!(time.duration_us >= 1_000_000 - 10_000 * j, "{j}: {time:?}");
    }
    let latency = measured.latency();
    assert!(latency.mean().unwrap() >= Duration::from_micros(499_500));
    assert!(latency.p90().unwrap().as_secs_f64() >= 0.9 * DIGITS);
    assert!(latency.max().unwrap() >= Duration::from_secs(1));
}
