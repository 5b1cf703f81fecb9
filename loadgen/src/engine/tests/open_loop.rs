//! Requests on a schedule, whatever happens to earlier ones.

use super::server::{Do, Server};
use super::*;

fn open(address: SocketAddr, clients: usize, requests: u64, rate: f64) -> Load {
    let pace = Pace::Open { rate, arrivals: Arrivals::Constant, seed: 0 };
    Load { pace, ..load(address, clients, requests) }
}

/// When each request should have been sent, in microseconds after the first one.
fn due_us(measured: &Measured) -> Vec<u64> {
    let mut due: Vec<u64> = measured.times.iter().flatten().map(|time| time.start_us).collect();
    due.sort_unstable();
    due
}

#[tokio::test]
async fn requests_are_sent_on_schedule_though_others_hang() {
    let server = Server::start(|asked| match asked.salt % 2 {
        0 => vec![Do::Hang],
        _ => vec![Do::Send(reply(asked.salt))],
    })
    .await;
    let load = Load { timeout: Duration::from_secs(2), ..open(server.address, 20, 40, 200.0) };
    let measured = run(&load).await;
    assert_eq!((measured.ok, measured.errors.get(&ErrorKind::Timeout)), (20, Some(&20)), "{:?}", measured.failures);
    assert_eq!(due_us(&measured), (0..40).map(|number| number * 5000).collect::<Vec<_>>());
    let schedule = measured.schedule.unwrap();
    assert_eq!((schedule.due, schedule.sent, schedule.waited), (40, 40, 0));
    assert_eq!(schedule.due_time, Duration::from_millis(39 * 5));
    assert!((schedule.due_rps().unwrap() - 200.0).abs() < 1e-6);
    assert_eq!((schedule.lateness.count(), schedule.service.count()), (40, 20));
    assert_eq!(server.salts(), (7..47).collect::<Vec<_>>());
}

#[tokio::test]
async fn a_wait_for_a_connection_counts_from_the_schedule_and_is_told() {
    let server = Server::start(|asked| vec![Do::Wait(Duration::from_millis(50)), Do::Send(reply(asked.salt))]).await;
    let measured = run(&open(server.address, 1, 10, 100.0)).await;
    assert_eq!((measured.ok, server.connections()), (10, 1));
    let mut times = measured.times.clone().unwrap();
    times.sort_by_key(|time| time.start_us);
    for (time, number) in times.iter().zip(0..) {
        assert_eq!(time.start_us, number * 10_000);
        assert!(time.duration_us >= 50_000 * (number + 1) - 10_000 * number, "{time:?}");
    }
    let schedule = measured.schedule.unwrap();
    assert_eq!((schedule.sent, schedule.waited, schedule.lateness.count()), (10, 9, 1));
    assert_eq!(schedule.shortfall(), Some(Shortfall::NoFreeConnection { waited: 9 }));
    assert!(schedule.service.min().unwrap() >= Duration::from_millis(50));
    assert!(schedule.service.sum() < measured.outcomes.ok.sum());
}

#[tokio::test]
async fn requests_that_wait_too_long_time_out_unsent() {
    let server = Server::start(|_| vec![Do::Hang]).await;
    let timeout = Duration::from_millis(100);
    let measured = run(&Load { timeout, ..open(server.address, 1, 10, 1000.0) }).await;
    assert_all(&measured, ErrorKind::Timeout);
    assert!(measured.latency().min().unwrap() >= timeout);
    assert!(measured.schedule.unwrap().sent >= 1);
}

#[tokio::test]
async fn a_stopped_schedule_counts_what_waits_as_in_flight() {
    let server = Server::start(|_| vec![Do::Hang]).await;
    let live = Live::default();
    let ten = async {
        while live.started() < 10 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    let measured = run_until(&open(server.address, 2, Load::UNTIL_STOPPED, 100.0), &live, ten).await;
    assert!(measured.started >= 10);
    assert_eq!((measured.in_flight_at_end, measured.ok), (measured.started, 0));
    // Those that were never sent have waited, too.
    let schedule = measured.schedule.unwrap();
    assert!(schedule.sent == 2 && (1..=schedule.due - 2).contains(&schedule.waited), "{schedule:?}");
    assert!(matches!(schedule.shortfall(), Some(Shortfall::NoFreeConnection { .. })));
}

#[tokio::test]
async fn a_duration_holds_as_many_requests_as_are_due_in_it() {
    let server = Server::start(|asked| vec![Do::Wait(Duration::from_millis(20)), Do::Send(reply(asked.salt))]).await;
    for threads in [1, 3] {
        let mut load = open(server.address, 20, Load::UNTIL_STOPPED, 100.0);
        (load.duration, load.drain, load.threads) =
            (Some(Duration::from_millis(105)), Duration::from_secs(60), threads);
        let measured = run(&load).await;
        assert_eq!((measured.started, measured.ok, measured.in_flight_at_end), (11, 11, 0));
        assert_eq!(due_us(&measured), (0..11).map(|number| number * 10_000).collect::<Vec<_>>());
    }
}

#[tokio::test]
async fn the_same_seed_is_the_same_schedule() {
    let server = Server::start(|asked| vec![Do::Send(reply(asked.salt))]).await;
    let mut schedules = Vec::new();
    for seed in [1, 1, 2] {
        let pace = Pace::Open { rate: 1000.0, arrivals: Arrivals::Poisson, seed };
        let measured = run(&Load { pace, ..load(server.address, 50, 100) }).await;
        assert_eq!(measured.ok, 100);
        schedules.push(due_us(&measured));
    }
    assert!(schedules[0] == schedules[1] && schedules[0] != schedules[2]);
}

#[tokio::test]
async fn failures_do_not_stop_the_schedule() {
    let socket = tokio::net::TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let measured = run(&open(socket.local_addr().unwrap(), 3, 30, 300.0)).await;
    assert_all(&measured, ErrorKind::ConnectRefused);
    assert_eq!((measured.given_up, measured.schedule.as_ref().unwrap().sent), (0, 30));
}

#[tokio::test]
async fn connections_that_the_server_closes_while_idle_are_replaced_quietly() {
    let server = Server::start(|asked| vec![Do::Send(reply(asked.salt)), Do::Yield, Do::Close]).await;
    let measured = run(&open(server.address, 5, 20, 50.0)).await;
    assert_eq!((measured.ok, measured.errors_total()), (20, 0), "{:?}", measured.failures);
    assert_eq!(server.connections(), 20);
}

#[tokio::test]
async fn bytes_that_come_while_idle_are_an_error_of_the_next_request() {
    let server = Server::start(|asked| match asked.before_in_all {
        0 => vec![Do::Send(reply(asked.salt)), Do::Yield, Do::Send(b"unasked".to_vec())],
        _ => vec![Do::Send(reply(asked.salt))],
    })
    .await;
    // The next request is due long after.
    let measured = run(&open(server.address, 1, 3, 2.0)).await;
    assert_eq!((measured.ok, measured.errors.get(&ErrorKind::Malformed)), (2, Some(&1)), "{:?}", measured.failures);
}

#[tokio::test]
async fn a_probe_runs_beside_a_level() {
    let server = Server::start(|asked| vec![Do::Wait(Duration::from_millis(5)), Do::Send(reply(asked.salt))]).await;
    let level = load(server.address, 4, 200);
    let probe = open(server.address, 10, Load::UNTIL_STOPPED, 100.0);
    let (ended, level_ended) = tokio::sync::oneshot::channel::<()>();
    let level = async {
        let measured = run(&level).await;
        drop(ended);
        measured
    };
    let probe = async { run_until(&probe, &Live::default(), async { drop(level_ended.await) }).await };
    let (level, probe) = tokio::join!(level, probe);
    assert_eq!(level.ok, 200);
    assert!(probe.ok > 0 && probe.errors_total() == 0, "{probe:?}");
}
