//! What a reader should know before believing a run, and what to do about it. Pure.

use crate::analysis::warnings::littles_law_is_off;
use crate::engine::{ErrorKind, Measured, Schedule, Shortfall, Target};
use crate::report::format::{milliseconds, three_digits};
use crate::results::{self, counted};

use super::outcome::Outcome;

/// Part of the time of its threads that loadgen may compute before it counts as the bottleneck.
const GENERATOR_BUSY_MOST: f64 = 0.9;
/// Runs shorter than this do not tell.
const GENERATOR_TOLD_FROM_S: f64 = 0.1;
/// Part of one CPU that loadgen may use on a machine that has none left.
const GENERATOR_SHARE_MOST: f64 = 0.05;
/// A machine that is busier than this has no CPU left.
const MACHINE_BUSY: f64 = 0.95;
/// Part of the response time that may be loadgen's own lateness in sending.
const LATENESS_MOST: f64 = 0.1;
/// Requests cut off by the end, as a part of all.
const CUT_OFF_MOST: f64 = 0.1;

/// What is known of the machine while the run lasted.
#[derive(Debug, Clone, Copy)]
pub(super) struct Surroundings {
    /// CPU seconds of everything on it.
    pub(super) busy_s: Option<f64>,
    pub(super) wall_s: f64,
    pub(super) cpus: usize,
    /// Whether the server shares it with loadgen.
    pub(super) local: bool,
}

/// Whether a server there is surely on this machine.
pub(super) fn is_local(target: &Target) -> bool {
    match target {
        Target::Tcp(address) => address.ip().is_loopback(),
        Target::Unix(_) => true,
    }
}

/// All that apply.
pub(super) fn warnings(outcome: &Outcome, measured: &Measured, surroundings: Surroundings) -> Vec<String> {
    /// Warns, where there is something to warn of.
    type About = fn(&Outcome, &Measured, Surroundings) -> Option<String>;
    let about: [About; 12] = [
        nothing_ended,
        cut_off,
        given_up,
        redirects,
        out_of_files,
        no_ports,
        not_kept_up,
        sent_late,
        littles_law,
        generator_busy,
        server_count,
        debug_build,
    ];
    about.iter().filter_map(|about| about(outcome, measured, surroundings)).collect()
}

fn nothing_ended(outcome: &Outcome, measured: &Measured, _: Surroundings) -> Option<String> {
    (measured.started > 0 && outcome.requests == 0)
        .then(|| format!("none of {} requests ended: run longer (-d, -n), or look at the server", measured.started))
}

fn cut_off(outcome: &Outcome, _: &Measured, _: Surroundings) -> Option<String> {
    let cut = outcome.in_flight_at_end;
    (outcome.requests > 0 && cut as f64 > CUT_OFF_MOST * outcome.requests as f64).then(|| {
        format!(
            "{cut} requests were cut off by the end and are in no figure, against {} that ended: run longer, or by -n",
            outcome.requests
        )
    })
}

fn given_up(outcome: &Outcome, _: &Measured, _: Surroundings) -> Option<String> {
    (outcome.given_up > 0).then(|| {
        format!(
            "the last {} requests were not tried: nothing could be reached for two seconds, so they count as failed like \
             those before; is the server still up?",
            outcome.given_up
        )
    })
}

fn redirects(outcome: &Outcome, _: &Measured, _: Surroundings) -> Option<String> {
    if !outcome.errors_by_kind.contains_key(&ErrorKind::Status) {
        return None;
    }
    let (&status, _) = outcome.status_codes.iter().find(|(status, _)| [301, 302, 303, 307, 308].contains(*status))?;
    Some(format!(
        "the server redirects (status {status}), and redirects are not followed: ask the URL that it leads to, or say \
         --expect-status {status} if the redirect itself is meant"
    ))
}

fn out_of_files(_: &Outcome, measured: &Measured, _: Surroundings) -> Option<String> {
    (measured.out_of_files > 0).then(|| {
        format!(
            "{} connections failed for want of open files (connect_other): raise the limit (`ulimit -n`), or use fewer \
             clients",
            measured.out_of_files
        )
    })
}

fn no_ports(outcome: &Outcome, _: &Measured, _: Surroundings) -> Option<String> {
    let count = outcome.errors_by_kind.get(&ErrorKind::NoPorts)?;
    Some(format!(
        "{count} connections found no local port left (no_ports): closed ones block theirs for a minute; keep \
         connections (--connections keep-alive), or widen net.ipv4.ip_local_port_range"
    ))
}

fn not_kept_up(_: &Outcome, measured: &Measured, _: Surroundings) -> Option<String> {
    let schedule = measured.schedule.as_ref()?;
    let show = |time| milliseconds(results::milliseconds(time));
    Some(match schedule.shortfall()? {
        Shortfall::Late { mean, max } => format!(
            "loadgen could not keep up: requests were sent {} late on average, {} at most; ask for a lower rate, or give \
             it CPU of its own or more --threads",
            show(mean),
            show(max)
        ),
        Shortfall::NoFreeConnection { waited } => format!(
            "{waited} of {} requests found all {} connections in use and waited, which their response times hold: the \
             server does not keep up with {} requests/s, or needs more connections (-c)",
            schedule.due,
            measured.clients,
            three_digits(schedule.asked_rps)
        ),
    })
}

/// The schedule was kept, but response times that are counted from it are short enough to be blurred.
fn sent_late(outcome: &Outcome, measured: &Measured, _: Surroundings) -> Option<String> {
    let schedule = measured.schedule.as_ref().filter(|schedule| schedule.shortfall().is_none())?;
    let (late, took) = (schedule.lateness.mean()?, outcome.latency_ms.mean?);
    let late_ms = results::milliseconds(late);
    (late > Schedule::LATENESS_ALLOWED && late_ms > LATENESS_MOST * took).then(|| {
        format!(
            "requests were sent {} late on average, as long as this machine takes to wake up, and latency holds that: \
             service does not; give loadgen a CPU of its own, or look at service",
            milliseconds(late_ms)
        )
    })
}

fn littles_law(outcome: &Outcome, measured: &Measured, _: Surroundings) -> Option<String> {
    let law = outcome.littles_law.filter(|law| littles_law_is_off(law, outcome.requests, measured.clients as u64))?;
    Some(format!(
        "Little's law is off by {:.0}%: {:.2} requests under way, but rate times response time is {:.2}: the load was not \
         steady, or this machine stood still; run longer, or on a quieter one",
        law.deviation() * 100.0,
        law.mean_in_flight,
        law.expected_in_flight()
    ))
}

fn generator_busy(outcome: &Outcome, measured: &Measured, surroundings: Surroundings) -> Option<String> {
    // Less holds little but the start of loadgen's own threads.
    let elapsed = outcome.elapsed_s.filter(|&elapsed| elapsed >= GENERATOR_TOLD_FROM_S)?;
    let used = outcome.generator_cpu_s / elapsed;
    if used > GENERATOR_BUSY_MOST * measured.threads as f64 {
        return Some(format!(
            "loadgen was the bottleneck: it used {:.0}% of a CPU on {}; the server can do more than \
             this: use more --threads, or a faster client machine",
            used * 100.0,
            counted(u32::try_from(measured.threads).unwrap_or(u32::MAX), "sending thread")
        ));
    }
    // The machine's counters have ticks of 10 ms.
    let busy =
        surroundings.busy_s.filter(|_| surroundings.wall_s > 1.0)? / surroundings.wall_s / surroundings.cpus as f64;
    (surroundings.local && busy > MACHINE_BUSY && used > GENERATOR_SHARE_MOST).then(|| {
        format!(
            "loadgen used {:.0}% of a CPU on a machine that had none left: the server would have had it; leave a CPU free \
             (taskset for the server), or use another machine",
            used * 100.0
        )
    })
}

/// The server's count against ours. Requests that found no connection never reached it; one that was sent again may have
/// reached it twice; one that was cut off or broke may not have been read, or, in the warm-up, only now.
fn server_count(outcome: &Outcome, measured: &Measured, _: Surroundings) -> Option<String> {
    let counted = outcome.server_requests_started?;
    let unsent: u64 =
        outcome.errors_by_kind.iter().filter(|(kind, _)| kind.is_connect()).map(|(_, &count)| count).sum();
    let sent = measured.started.saturating_sub(unsent);
    let warm_up = outcome.warm_up.as_ref().map_or(0, |warm_up| warm_up.in_flight_at_end);
    let expected = measured.replies..=sent + measured.reconnects + warm_up;
    (!expected.contains(&counted)).then(|| {
        format!(
            "the server counts {counted} requests, but {sent} were sent and {} answered: does it have other clients, or is \
             there a proxy or a cache between?",
            measured.replies
        )
    })
}

fn debug_build(_: &Outcome, _: &Measured, _: Surroundings) -> Option<String> {
    cfg!(debug_assertions).then(|| "debug build: loadgen is not optimised; use a release build (--release)".into())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::commands::run::outcome::for_tests::outcome;
    use crate::engine::Steady;

    /// A second with a right answer every millisecond by one client and one thread.
    fn measured() -> Measured {
        let mut measured =
            Measured { clients: 1, threads: 1, started: 1000, ok: 1000, replies: 1000, ..Default::default() };
        measured.elapsed = Some(Duration::from_secs(1));
        (0..1000).for_each(|_| measured.outcomes.ok.record(Duration::from_millis(1)));
        measured
    }

    fn warned(measured: Measured, busy_s: f64) -> String {
        let (outcome, measured) = outcome(&["-n", "1000"], measured);
        let surroundings = Surroundings { busy_s: Some(busy_s), wall_s: 2.0, cpus: 2, local: true };
        warnings(&outcome, &measured, surroundings).join("\n")
    }

    #[test]
    fn a_good_run_has_none() {
        let text = warned(measured(), 2.0);
        assert_eq!(text.replace("debug build: loadgen is not optimised; use a release build (--release)", ""), "");
    }

    #[test]
    fn a_busy_generator_is_named() {
        // Half a second of CPU in half a second.
        let bottleneck = Measured { elapsed: Some(Duration::from_millis(500)), ..measured() };
        assert!(warned(bottleneck, 2.0).contains("was the bottleneck: it used 100% of a CPU on 1 sending thread;"));
        // A run as short as its start says nothing.
        let short = Measured { elapsed: Some(Duration::from_millis(50)), ..measured() };
        assert!(!warned(short, 2.0).contains("bottleneck"));
        let two_threads = Measured { elapsed: Some(Duration::from_millis(500)), threads: 2, ..measured() };
        assert!(!warned(two_threads, 2.0).contains("bottleneck"));
        // Half of a CPU where the machine had none left, and where it had.
        assert!(warned(measured(), 3.99).contains("loadgen used 50% of a CPU on a machine that had none left"));
        assert!(!warned(measured(), 3.0).contains("none left"));
    }

    #[test]
    fn littles_law_is_checked() {
        let steady = |in_flight_ns| {
            let (time, ended_time) = (Duration::from_secs(1), Duration::from_secs(1));
            Measured { steady: Some(Steady { time, ok: 998, ended: 998, ended_time, in_flight_ns }), ..measured() }
        };
        assert!(!warned(steady(1_000_000_000), 2.0).contains("Little"));
        assert!(warned(steady(2_000_000_000), 2.0).contains("Little's law is off by 50%: 2.00 requests under way"));
    }

    #[test]
    fn requests_that_were_not_tried_are_named() {
        let mut dead = Measured { given_up: 900, started: 2000, ..measured() };
        dead.errors.insert(ErrorKind::ConnectRefused, 1000);
        assert!(warned(dead, 2.0).contains("the last 900 requests were not tried"));
    }

    #[test]
    fn lateness_is_told_where_it_blurs_response_times() {
        let open = |late_us, took_us| {
            let mut measured =
                Measured { schedule: Some(Schedule::new(10.0)), started: 1, ok: 1, ..Default::default() };
            let schedule = measured.schedule.as_mut().unwrap();
            schedule.lateness.record(Duration::from_micros(late_us));
            measured.outcomes.ok.record(Duration::from_micros(took_us));
            let (outcome, measured) = outcome(&["-n", "1", "--rate", "10"], measured);
            let surroundings = Surroundings { busy_s: None, wall_s: 2.0, cpus: 2, local: true };
            warnings(&outcome, &measured, surroundings).join("\n")
        };
        assert!(open(200, 500).contains("requests were sent 200 us late on average, as long as this machine takes"));
        // Too little to matter, absolutely or beside a long response.
        assert!(!open(90, 500).contains("late") && !open(200, 5_000).contains("late"));
        // More than a tenth of the gap between requests: another matter.
        assert!(open(11_000, 20_000).contains("could not keep up"));
    }

    #[test]
    fn what_ran_out_is_named_with_a_way_out() {
        let mut short = Measured { out_of_files: 3, ..measured() };
        short.errors.insert(ErrorKind::NoPorts, 4);
        let text = warned(short, 2.0);
        assert!(text.contains("3 connections failed for want of open files") && text.contains("ulimit"), "{text}");
        assert!(text.contains("4 connections found no local port") && text.contains("keep-alive"), "{text}");
    }
}
