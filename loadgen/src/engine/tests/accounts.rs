//! Nothing disappears: exact counts, however a level ends.

use proptest::prelude::*;

use super::server::{Do, Server};
use super::*;

#[tokio::test]
async fn counts_are_exact_for_any_number_of_clients_and_requests() {
    for connections in [Connections::KeepAlive, Connections::PerRequest] {
        for (clients, requests) in [(1, 1), (1, 10), (3, 10), (10, 3), (7, 100), (20, 20), (64, 1001)] {
            let server = Server::start(|asked| vec![Do::Send(reply(asked.salt))]).await;
            let load = Load { connections, ..load(server.address, clients, requests) };
            let measured = run(&load).await;
            assert_eq!((measured.started, measured.ok, measured.in_flight_at_end), (requests, requests, 0));
            assert_eq!((server.requests(), measured.replies), (requests, requests));
            assert_eq!(measured.clients as u64, requests.min(clients as u64));
            assert_eq!(measured.reconnects, 0);
            assert_eq!(measured.times.is_some(), requests <= 1000);
            let connected = match connections {
                Connections::KeepAlive => measured.clients as u64,
                Connections::PerRequest => requests,
            };
            assert_eq!(server.connections(), connected);
            assert_eq!(server.salts(), (7..7 + requests as u32).collect::<Vec<_>>());
        }
    }
}

#[tokio::test]
async fn nothing_to_do_ends_at_once_and_says_nothing() {
    let server = Server::start(|asked| vec![Do::Send(reply(asked.salt))]).await;
    for (clients, requests) in [(5, 0), (0, 5)] {
        let measured = run(&load(server.address, clients, requests)).await;
        assert_eq!((measured.started, server.connections()), (0, 0));
        assert_eq!((measured.throughput_rps(), measured.replies_rps(), measured.steady_rps()), (None, None, None));
        assert_eq!((measured.mean_in_flight(), measured.littles_law()), (None, None));
        assert_eq!((measured.replies_mean(), measured.latency().mean()), (None, None));
    }
}

#[tokio::test]
async fn salts_wrap_around() {
    let server = Server::start(|asked| vec![Do::Send(reply(asked.salt))]).await;
    let load = Load { first_salt: u32::MAX - 1, ..load(server.address, 2, 4) };
    assert_eq!(run(&load).await.ok, 4);
    assert_eq!(server.salts(), [0, 1, u32::MAX - 1, u32::MAX]);
}

#[tokio::test]
async fn a_level_stopped_in_the_middle_counts_what_was_under_way() {
    for requests in [100, Load::UNTIL_STOPPED] {
        let server = Server::start(|asked| match asked.before_in_all {
            0..12 => vec![Do::Send(reply(asked.salt))],
            _ => vec![Do::Hang],
        })
        .await;
        let live = Live::default();
        let all_hang = async {
            while (live.started(), live.completed()) != (17, 12) {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        };
        let measured = run_until(&load(server.address, 5, requests), &live, all_hang).await;
        assert_eq!((measured.started, measured.ok, measured.in_flight_at_end), (17, 12, 5));
        // From the 5th end to the 7th of 12.
        assert_eq!(measured.steady.map(|steady| steady.ended), Some(2));
    }
}

#[tokio::test]
async fn a_level_stopped_before_it_began_is_empty() {
    let server = Server::start(|asked| vec![Do::Send(reply(asked.salt))]).await;
    let measured = run_until(&load(server.address, 5, 10), &Live::default(), async {}).await;
    assert_eq!((measured.started, measured.ok, measured.in_flight_at_end), (0, 0, 0));
}

#[tokio::test]
async fn times_of_each_request_are_kept() {
    let server = Server::start(|asked| vec![Do::Send(reply(asked.salt))]).await;
    let measured = run(&load(server.address, 3, 50)).await;
    let times = measured.times.unwrap();
    assert_eq!(times.len(), 50);
    assert!(times.iter().any(|time| time.start_us == 0));
    assert!((0..3).all(|client| times.iter().any(|time| time.client == client)));
    // Each client has one request at a time.
    for client in 0..3 {
        let own: Vec<_> = times.iter().filter(|time| time.client == client).collect();
        assert!(own.windows(2).all(|pair| pair[0].start_us + pair[0].duration_us <= pair[1].start_us + 1));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Answers right, wrong, broken and shed in any order, any number of clients, a stop at any point.
    #[test]
    fn started_is_ok_and_errors_and_in_flight(
        clients in 0usize..12,
        requests in 0u64..80,
        stop_at in proptest::option::of(0u64..80),
        per_request: bool,
        behaviours in proptest::collection::vec(0u8..7, 1..20),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let server = Server::start(move |asked| {
                match behaviours[asked.salt as usize % behaviours.len()] {
                    0 => vec![Do::Send(reply(asked.salt.wrapping_add(1)))],
                    1 => vec![Do::Close],
                    2 => vec![Do::Reset],
                    3 => vec![Do::Send(b"HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n".to_vec())],
                    4 => vec![Do::Send(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nans".to_vec()), Do::Close],
                    _ => vec![Do::Send(reply(asked.salt))],
                }
            })
            .await;
            let connections = if per_request { Connections::PerRequest } else { Connections::KeepAlive };
            let load = Load { connections, ..load(server.address, clients, requests) };
            let live = Live::default();
            let stop = async {
                match stop_at {
                    Some(stop_at) => {
                        while live.completed() < stop_at.min(requests) {
                            tokio::task::yield_now().await;
                        }
                    }
                    None => pending().await,
                }
            };
            let measured = run_until(&load, &live, stop).await;
            if stop_at.is_none() && clients > 0 {
                assert_eq!((measured.started, measured.in_flight_at_end), (requests, 0));
            }
        });
    }
}
