//! The figures that follow from a level, on clocks made up for it.

use proptest::prelude::*;

use super::super::books::{Ended, Sent, Tally};
use super::super::clock::{Ns, ns};
use super::*;

const MS: Duration = Duration::from_millis(1);

/// The n-th millisecond.
fn ms(number: u32) -> Ns {
    ns(MS * number)
}

fn finish(mut tally: Tally) -> Measured {
    tally.close(0, Duration::ZERO);
    Tally::merge(vec![tally])
}

/// `rounds` rounds of `clients` requests of 10 ms each, all at the same time but for a shift of
/// 1 ms from client to client. Every `wrong`-th is wrong.
fn in_step(clients: u32, rounds: u32, wrong: Option<u32>) -> Measured {
    let address = "127.0.0.1:1".parse().unwrap();
    let load = load(address, clients as usize, u64::from(clients * rounds));
    let mut tally = Tally::new(&load, clients as usize, 1);
    let at = |client: u32, round: u32| ms(client + 10 * round);
    for round in 0..=rounds {
        for client in 0..clients {
            if round > 0 {
                let (start, end) = (at(client, round - 1), at(client, round));
                let number = (round - 1) * clients + client;
                let error = wrong.filter(|every| number.is_multiple_of(*every)).map(|_| ErrorKind::Body);
                tally.end(Ended { client: client as usize, start, sent: start, end, reply: Some((200, 1)), error });
            }
            if round < rounds {
                tally.start(at(client, round), at(client, round));
            }
        }
    }
    finish(tally)
}

#[test]
fn rates_and_times_of_a_regular_level() {
    let measured = in_step(5, 10, None);
    // First start at 0 ms, last end at 10 * 10 + 4 ms.
    assert_eq!(measured.elapsed, Some(MS * 104));
    assert!((measured.throughput_rps().unwrap() - 50.0 / 0.104).abs() < 1e-9);
    // From the 5th end (14 ms) to the 45th (94 ms): 40 right answers in 80 ms.
    let steady = measured.steady.unwrap();
    assert_eq!((steady.time, steady.ok, steady.ended, steady.ended_time), (MS * 80, 40, 40, MS * 400));
    assert_eq!(measured.steady_rps(), Some(500.0));
    assert_eq!(measured.mean_in_flight(), Some(5.0));
    let law = measured.littles_law().unwrap();
    assert!((law.expected_in_flight() - 5.0).abs() < 1e-9 && law.deviation() < 1e-9);
    assert_eq!(measured.replies_mean(), Some(MS * 10));
    assert_eq!(measured.latency().mean(), Some(MS * 10));
}

#[test]
fn wrong_answers_are_in_replies_only() {
    let measured = in_step(5, 10, Some(2));
    assert_eq!((measured.ok, measured.replies, measured.latency().count()), (25, 50, 25));
    assert_eq!(measured.steady_rps(), Some(250.0));
    assert!((measured.replies_rps().unwrap() - 50.0 / 0.104).abs() < 1e-9);
    assert_eq!(measured.littles_law().unwrap().rate, 500.0);
}

#[test]
fn a_level_of_two_rounds_has_no_steady_part() {
    let measured = in_step(5, 2, None);
    assert_eq!((measured.steady, measured.steady_rps(), measured.mean_in_flight()), (None, None, None));
    assert!(in_step(5, 3, None).steady_rps().is_some());
}

#[test]
fn a_server_that_hangs_after_an_answer_is_not_fast() {
    let load = Load { timeout: MS * 1000, ..load("127.0.0.1:1".parse().unwrap(), 1, 2) };
    let mut tally = Tally::new(&load, 1, 1);
    for (start, end, reply, error) in [(0, 1, Some((200, 1)), None), (1, 1001, None, Some(ErrorKind::Timeout))] {
        let (start, end) = (ms(start), ms(end));
        tally.start(start, start);
        tally.end(Ended { client: 0, start, sent: start, end, reply, error });
    }
    let measured = finish(tally);
    assert_eq!(measured.elapsed, Some(MS * 1001));
    assert!((measured.throughput_rps().unwrap() - 1.0 / 1.001).abs() < 1e-9);
}

#[test]
fn time_outs_count_at_least_as_long_as_the_time_out() {
    let load = Load { timeout: MS * 50, ..load("127.0.0.1:1".parse().unwrap(), 1, 2) };
    let mut tally = Tally::new(&load, 1, 1);
    for (kind, end) in [(ErrorKind::ConnectTimeout, ms(20)), (ErrorKind::Timeout, ms(51))] {
        tally.start(0, 0);
        tally.end(Ended { client: 0, start: 0, sent: 0, end, reply: None, error: Some(kind) });
    }
    let measured = finish(tally);
    assert_eq!((measured.latency().min(), measured.latency().max()), (Some(MS * 50), Some(MS * 51)));
    assert_eq!((measured.elapsed, measured.throughput_rps()), (None, None));
}

#[test]
fn books_of_several_threads_add_up_to_those_of_one() {
    let (clients, rounds) = (6, 500);
    let one = in_step(clients, rounds, Some(7));
    let load = load("127.0.0.1:1".parse().unwrap(), clients as usize, u64::from(clients * rounds));
    // The same requests; the clients are shared among three threads.
    let mut tallies: Vec<Tally> = (0..3).map(|_| Tally::new(&load, clients as usize, 3)).collect();
    for round in 0..=rounds {
        for client in 0..clients {
            let at = ms(client + 10 * round);
            let tally = &mut tallies[client as usize % 3];
            if round > 0 {
                let number = (round - 1) * clients + client;
                let error = number.is_multiple_of(7).then_some(ErrorKind::Body);
                let start = ms(client + 10 * (round - 1));
                tally.end(Ended { client: client as usize, start, sent: start, end: at, reply: Some((200, 1)), error });
            }
            if round < rounds {
                tally.start(at, at);
            }
        }
    }
    tallies.iter_mut().for_each(|tally| tally.close(0, MS));
    let three = Tally::merge(tallies);
    assert_eq!((three.started, three.ok, &three.errors), (one.started, one.ok, &one.errors));
    assert_eq!((three.replies, three.elapsed, three.replies_time), (one.replies, one.elapsed, one.replies_time));
    assert_eq!((three.latency().p99(), three.latency().mean()), (one.latency().p99(), one.latency().mean()));
    assert_eq!((three.cpu, three.in_flight_at_end, three.times.is_some()), (MS * 3, 0, false));
    // The steady part is cut at ticks, here of 4 ms; what lies between them is exact.
    let (steady, exact) = (three.steady.unwrap(), one.steady.unwrap());
    assert!(steady.time <= exact.time && steady.time + MS * 16 >= exact.time, "{steady:?} {exact:?}");
    assert_eq!(three.mean_in_flight(), Some(6.0));
    assert!((three.steady_rps().unwrap() / one.steady_rps().unwrap() - 1.0).abs() < 0.01);
    assert!(three.littles_law().unwrap().deviation() < 0.01);
}

#[test]
fn an_open_loop_counts_from_when_requests_should_have_been_sent() {
    let pace = Pace::Open { rate: 100.0, arrivals: Arrivals::Constant, seed: 0 };
    let load = Load { pace, ..load("127.0.0.1:1".parse().unwrap(), 2, 3) };
    let mut tally = Tally::new(&load, 2, 1);
    // Due at 0, 10 and 20 ms; the second is sent late, the third waits for a connection.
    for (due, sent, end, waited) in [(0, 0, 5, false), (10, 12, 40, false), (20, 40, 45, true)] {
        tally.start(ms(due), ms(sent));
        if waited {
            tally.waits();
        }
        tally.sent(Sent { due: ms(due), at: ms(sent), waited });
        tally.end(Ended {
            client: 0,
            start: ms(due),
            sent: ms(sent),
            end: ms(end),
            reply: Some((200, 1)),
            error: None,
        });
    }
    let measured = finish(tally);
    assert_eq!((measured.latency().min(), measured.latency().max()), (Some(MS * 5), Some(MS * 30)));
    assert_eq!(measured.latency().sum(), MS * (5 + 30 + 25));
    let schedule = measured.schedule.unwrap();
    assert_eq!((schedule.due, schedule.sent, schedule.waited), (3, 3, 1));
    assert_eq!((schedule.service.min(), schedule.service.sum()), (Some(MS * 5), MS * (5 + 28 + 5)));
    assert_eq!(
        (schedule.lateness.count(), schedule.lateness.mean(), schedule.lateness.max()),
        (2, Some(MS), Some(MS * 2))
    );
    assert_eq!((schedule.due_rps(), schedule.sent_rps()), (Some(100.0), Some(50.0)));
    assert_eq!(schedule.shortfall(), Some(Shortfall::NoFreeConnection { waited: 1 }));
    // A millisecond late of gaps of ten: as many requests were sent, about as regularly. Of gaps of one: not so.
    let late = Schedule { waited: 0, ..schedule };
    assert_eq!(late.shortfall(), None);
    let dense = Schedule { asked_rps: 1000.0, ..late };
    assert_eq!(dense.shortfall(), Some(Shortfall::Late { mean: MS, max: MS * 2 }));
}

#[test]
fn a_schedule_is_kept_by_the_gap_between_requests_not_by_how_long_a_machine_takes_to_wake() {
    for (rate, late_us, kept) in [
        (1e-30, 1_000_000, true),
        (1.0, 99_000, true),
        (1.0, 101_000, false),
        (100.0, 900, true),
        (100.0, 1_100, false),
        (1_000.0, 99, true),
        (1_000.0, 101, false),
        (50_000.0, 99, true),
        (50_000.0, 101, false),
    ] {
        for requests in [1, 2, 10] {
            let pace = Pace::Open { rate, arrivals: Arrivals::Constant, seed: 0 };
            let load = Load { pace, ..load("127.0.0.1:1".parse().unwrap(), 1, requests) };
            let mut tally = Tally::new(&load, 1, 1);
            for number in 0..requests as u32 {
                let due = ns(Duration::from_secs(1)) * u64::from(number);
                tally.start(due, due);
                tally.sent(Sent { due, at: due + late_us * 1000, waited: false });
            }
            let schedule = finish(tally).schedule.unwrap();
            assert_eq!(schedule.shortfall().is_none(), kept, "{requests} at {rate}/s, {late_us} us late");
            assert_eq!((schedule.sent_rps(), schedule.due_rps()), (schedule.due_rps(), schedule.sent_rps()));
        }
    }
}

proptest! {
    /// However long each request takes: in a closed loop without pauses all c are in flight.
    #[test]
    fn a_closed_loop_has_all_its_clients_in_flight(
        clients in 1usize..8,
        durations in proptest::collection::vec(1u32..1000, 40..120),
    ) {
        let load = load("127.0.0.1:1".parse().unwrap(), clients, durations.len() as u64);
        let mut tally = Tally::new(&load, clients, 1);
            let mut durations = durations.into_iter();
        let mut under_way: Vec<_> = (0..clients).map(|client| {
            tally.start(0, 0);
            (ms(durations.next().unwrap()), 0, client)
        }).collect();
        while let Some(index) = (0..under_way.len()).min_by_key(|&index| under_way[index].0) {
            let (end, start, client) = under_way.swap_remove(index);
            tally.end(Ended { client, start, sent: start, end, reply: Some((200, 0)), error: None });
            if let Some(duration) = durations.next() {
                tally.start(end, end);
                under_way.push((end + ms(duration), end, client));
            }
        }
        let measured = finish(tally);
        prop_assert_eq!(measured.in_flight_at_end, 0);
        if let Some(mean) = measured.mean_in_flight() {
            prop_assert!((mean - clients as f64).abs() < 1e-9);
        }
        // Over the whole level the law holds exactly.
        prop_assert_eq!(measured.replies_time, measured.latency().sum());
    }
}
