//! The life of a server: started through a shepherd, seen, sampled, and gone afterwards, whatever ends it.

use std::fs;
use std::future::Future;
use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use nix::sched::{CpuSet, sched_getaffinity};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use loadgen::subject::*;

/// Far more than anything here takes; only a failure waits so long.
const LONG: Duration = Duration::from_secs(120);
/// Never over within a test.
const NEVER: &str = "100000";

fn launch(program: &str, args: &[&str]) -> Launch {
    Launch {
        name: "tested".to_owned(),
        program: program.into(),
        args: args.iter().map(Into::into).collect(),
        env: Vec::new(),
        cpus: None,
        working_dir: None,
        grace: LONG,
        shepherd_executable: Some(env!("CARGO_BIN_EXE_loadgen").into()),
    }
}

fn shell(script: &str) -> Launch {
    launch("sh", &["-c", script])
}

fn start(script: &str) -> Process {
    Process::spawn(&shell(script)).expect("sh starts")
}

fn run<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async { tokio::time::timeout(LONG, future).await.expect("ends in time") })
}

/// A server with a child, a child in a session of its own, and an orphan of that kind.
const FAMILY: &str = "echo pid $$; sleep 100000 & echo pid $!;
    setsid sh -c 'echo pid $$; exec sleep 100000' &
    (setsid sh -c 'echo pid $$; exec sleep 100000' &);
    wait; wait; sleep 100000";

fn pid_of(line: &str) -> Option<u32> {
    line.strip_prefix("pid ")?.parse().ok()
}

/// The family's processes, once all have told.
async fn family(process: &Process) -> Vec<u32> {
    loop {
        let pids: Vec<u32> = process.last_words().iter().filter_map(|line| pid_of(line)).collect();
        if pids.len() == 4 {
            assert!(pids.iter().all(|&pid| lives(pid)));
            return pids;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

fn lives(pid: u32) -> bool {
    fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| !stat.contains(") Z "))
}

fn assert_gone(pids: &[u32]) {
    let limit = Instant::now() + LONG;
    for &pid in pids {
        while lives(pid) {
            assert!(Instant::now() < limit, "process {pid} still lives");
            thread::sleep(Duration::from_millis(5));
        }
    }
}

fn signal(pid: u32, signal: Signal) {
    kill(Pid::from_raw(pid as i32), signal).unwrap();
}

#[test]
fn a_server_killed_in_the_middle_is_seen() {
    run(async {
        let process = start(&format!("echo a last word; exec sleep {NEVER}"));
        process.line_starting_with("a last").await.unwrap();
        assert_eq!(process.has_exited(), None);
        // Giving up waiting does no harm.
        assert!(tokio::time::timeout(Duration::from_millis(1), process.exited()).await.is_err());
        signal(process.server_pid(), Signal::SIGKILL);
        let report = process.exited().await;
        assert_eq!((report, report.signal()), (ExitReport::Signalled(9), Some(9)));
        assert_eq!((process.exited().await, process.has_exited()), (report, Some(report)));
        assert_eq!(process.last_words(), ["a last word"]);
        assert_gone(&[process.shepherd_pid(), process.server_pid()]);
        assert_eq!(process.stop().await, report);
    });
}

#[test]
fn the_status_and_the_last_words_of_a_server_are_known() {
    run(async {
        let script =
            "i=0; while [ $i -lt 5000 ]; do echo line $i; i=$((i+1)); done; printf 'no: \\377 end' >&2; exit 3";
        let process = start(script);
        let report = process.exited().await;
        assert_eq!((report.code(), report.describe()), (Some(3), "exited with status 3".to_owned()));
        let words = process.last_words();
        assert_eq!(words.len(), 40);
        assert!(words.contains(&"line 4999".to_owned()) && words.contains(&"no: \u{fffd} end".to_owned()), "{words:?}");
        assert_eq!(process.line_starting_with("line 7").await.as_deref(), Some("line 7"));
        assert_eq!(process.line_starting_with("never").await, None);
    });
}

#[test]
fn a_line_is_waited_for_on_both_streams_until_the_end() {
    run(async {
        let process = start("sleep 0.05; echo out 1; sleep 0.05; echo err 2 >&2; sleep 0.05");
        let (out, err, none) = tokio::join!(
            process.line_starting_with("out"),
            process.line_starting_with("err"),
            process.line_starting_with("none")
        );
        assert_eq!((out.as_deref(), err.as_deref(), none), (Some("out 1"), Some("err 2"), None));
    });
}

#[test]
fn what_cannot_be_started_is_named() {
    let message = |launch: &Launch| Process::spawn(launch).unwrap_err();
    let error = message(&launch("no-such-program-anywhere", &[]));
    assert!(matches!(error, SpawnError::Program { .. }));
    let text = error.to_string();
    assert!(text.contains("tested") && text.contains("`no-such-program-anywhere`") && text.contains("PATH"), "{text}");

    assert!(message(&launch("/etc/passwd", &[])).to_string().contains("executable"));

    let mut lost = shell("true");
    lost.working_dir = Some("/no/such/folder".into());
    assert!(matches!(message(&lost), SpawnError::WorkingDir { .. }));
    assert!(message(&lost).to_string().contains("/no/such/folder"));

    let mut pinned = shell("true");
    pinned.cpus = Some(vec![0, 900]);
    assert!(matches!(message(&pinned), SpawnError::Cpus { .. }));
    pinned.cpus = Some(vec![100_000]);
    assert!(message(&pinned).to_string().contains("100000"));

    let mut wrong = shell("true");
    wrong.shepherd_executable = Some("/bin/false".into());
    assert!(matches!(message(&wrong), SpawnError::Shepherd { .. }));
}

#[test]
fn a_server_that_never_gets_ready_is_an_error_with_its_output() {
    run(async {
        let short = Duration::from_millis(50);
        let error = wait_ready(&start("echo bad flag >&2; exit 4"), Ready::Announced, LONG).await.unwrap_err();
        let text = error.to_string();
        assert!(text.contains("tested exited with status 4"), "{text}");
        let ReadyError::Exited { report: ExitReport::Exited(4), last_words, .. } = error else { panic!("{error}") };
        assert_eq!(last_words, ["bad flag"]);

        let silent = start(&format!("sleep {NEVER}"));
        let error = wait_ready(&silent, Ready::Announced, short).await.unwrap_err();
        assert!(matches!(error, ReadyError::TooLate { .. }) && error.to_string().contains("50ms"), "{error}");

        let port = free_port().unwrap();
        let polled = Ready::Polled(([127, 0, 0, 1], port).into());
        let error = wait_ready(&silent, polled, short).await.unwrap_err();
        assert!(error.to_string().contains(&format!("127.0.0.1:{port}")), "{error}");

        let nonsense = start(&format!("echo listening on port 80; sleep {NEVER}"));
        let error = wait_ready(&nonsense, Ready::Announced, LONG).await.unwrap_err();
        assert!(error.to_string().contains("`listening on port 80`"), "{error}");
    });
}

#[test]
fn a_server_gets_ready() {
    run(async {
        // The test listens in the server's place.
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        for host in ["127.0.0.1", "localhost", "0.0.0.0"] {
            let port = address.port();
            let process = start(&format!("echo hi; echo listening on http://{host}:{port}; exec sleep {NEVER}"));
            assert_eq!(wait_ready(&process, Ready::Announced, LONG).await.unwrap(), address);
            assert_eq!(wait_ready(&process, Ready::Polled(address), LONG).await.unwrap(), address);
        }
        // Somebody else's port is no proof that a server lives.
        let dead = start("exit 1");
        dead.exited().await;
        assert!(wait_ready(&dead, Ready::Polled(address), LONG).await.is_err());
    });
}

#[test]
fn a_server_is_asked_to_stop_and_may_clean_up() {
    run(async {
        let process = start("trap 'echo bye; exit 7' TERM; echo ready; while :; do sleep 0.01; done");
        process.line_starting_with("ready").await.unwrap();
        assert_eq!(process.stop().await, ExitReport::Exited(7));
        let plain = start(&format!("exec sleep {NEVER}"));
        assert_eq!(plain.stop().await.describe(), "was killed by SIGTERM");
    });
}

#[test]
fn a_server_that_ignores_sigterm_is_killed() {
    run(async {
        let mut launch = shell("trap '' TERM; echo ready; while :; do sleep 0.01; done");
        launch.grace = Duration::from_millis(100);
        let process = Process::spawn(&launch).unwrap();
        process.line_starting_with("ready").await.unwrap();
        let (server, before) = (process.server_pid(), Instant::now());
        assert_eq!(process.stop().await, ExitReport::Signalled(9));
        assert!(before.elapsed() >= Duration::from_millis(100));
        assert_gone(&[server]);
    });
}

#[test]
fn a_server_that_writes_a_lot_is_not_blocked() {
    run(async {
        let process = start("head -c 20000000 /dev/zero; echo; yes | head -n 500000; echo done >&2");
        assert_eq!(process.exited().await, ExitReport::Exited(0));
        assert!(process.last_words().iter().any(|line| line == "done"));
    });
}

#[test]
fn nobody_is_left_after_stop() {
    run(async {
        let process = start(FAMILY);
        let pids = family(&process).await;
        process.stop().await;
        assert!(!pids.iter().any(|&pid| lives(pid)));
    });
}

#[test]
fn nobody_is_left_when_the_server_ends_by_itself() {
    run(async {
        let process = start(&format!("trap 'exit 5' USR1; {FAMILY}"));
        let pids = family(&process).await;
        signal(process.server_pid(), Signal::SIGUSR1);
        assert_eq!(process.exited().await, ExitReport::Exited(5));
        assert!(!pids.iter().any(|&pid| lives(pid)));
    });
}

#[test]
fn nobody_is_left_after_drop() {
    run(async {
        let process = start(FAMILY);
        let pids = family(&process).await;
        drop(process);
        assert!(!pids.iter().any(|&pid| lives(pid)));
    });
}

#[test]
fn nobody_is_left_when_the_shepherd_is_told_to_end() {
    for deadly in [Signal::SIGTERM, Signal::SIGINT, Signal::SIGHUP] {
        run(async {
            let process = start(FAMILY);
            let pids = family(&process).await;
            signal(process.shepherd_pid(), deadly);
            assert_eq!(process.exited().await, ExitReport::Signalled(9));
            assert!(!pids.iter().any(|&pid| lives(pid)));
        });
    }
}

#[test]
fn a_killed_shepherd_takes_the_server_along() {
    run(async {
        let process = start(&format!("sleep {NEVER} & echo pid $!; wait"));
        let child = pid_of(&process.line_starting_with("pid").await.unwrap()).unwrap();
        signal(process.shepherd_pid(), Signal::SIGKILL);
        assert_eq!(process.exited().await, ExitReport::Lost);
        assert_gone(&[process.server_pid(), child]);
    });
}

/// Not a test by itself: the process that the next test kills.
#[test]
#[ignore = "the next test runs it in a process of its own"]
fn parent_to_be_killed() {
    if std::env::var_os("PARENT_TO_BE_KILLED").is_none() {
        return;
    }
    run(async {
        let process = start(FAMILY);
        for pid in family(&process).await {
            println!("\npid {pid}");
        }
        println!("\npid {}", process.shepherd_pid());
        process.exited().await;
    });
}

#[test]
fn nobody_is_left_when_loadgen_is_killed() {
    for deadly in [Signal::SIGKILL, Signal::SIGTERM] {
        let mut parent = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "parent_to_be_killed", "--ignored", "--nocapture"])
            .env("PARENT_TO_BE_KILLED", "1")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(parent.stdout.take().unwrap()).lines().map_while(Result::ok);
        let pids: Vec<u32> = lines.filter_map(|line| pid_of(&line)).take(5).collect();
        signal(parent.id(), deadly);
        parent.wait().unwrap();
        assert_eq!(pids.len(), 5);
        assert_gone(&pids);
    }
}

#[test]
fn cpus_are_inherited() {
    let usable = sched_getaffinity(Pid::from_raw(0)).unwrap();
    let last = (0..CpuSet::count()).rev().find(|&cpu| usable.is_set(cpu).unwrap()).unwrap();
    let mut pinned = shell("(grep Cpus_allowed_list /proc/self/status; echo $VALUE in $PWD)");
    pinned.cpus = Some(vec![last]);
    pinned.env = vec![("VALUE".into(), "given".into())];
    pinned.working_dir = Some("/".into());
    run(async {
        let process = Process::spawn(&pinned).unwrap();
        process.exited().await;
        assert_eq!(process.last_words(), [format!("Cpus_allowed_list:\t{last}"), "given in /".to_owned()]);
    });
}

#[test]
fn a_shepherd_sleeps_while_its_server_runs() {
    run(async {
        let process = start("echo ready; while :; do :; done");
        process.line_starting_with("ready").await.unwrap();
        let switches = || {
            let status = fs::read_to_string(format!("/proc/{}/status", process.shepherd_pid())).unwrap();
            status
                .lines()
                .find_map(|line| line.strip_prefix("voluntary_ctxt_switches:\t")?.parse::<u64>().ok())
                .unwrap()
        };
        // It may first take a while to lie down; if it got up now and then it would never sleep so long.
        loop {
            let before = switches();
            tokio::time::sleep(Duration::from_millis(500)).await;
            if switches() == before {
                break;
            }
        }
    });
}

#[test]
fn a_busy_server_is_sampled() {
    run(async {
        let process = start("echo ready; while :; do :; done");
        process.line_starting_with("ready").await.unwrap();
        let sampler = Sampler::start(process.shepherd_pid(), Duration::from_millis(10));
        let first = sampler.sample_now().unwrap();
        // However slow the machine: it computes, so at some time it has used a tenth of a second.
        let last = loop {
            tokio::time::sleep(Duration::from_millis(20)).await;
            let sample = sampler.sample_now().unwrap();
            if sample.cpu_s > first.cpu_s + 0.1 {
                break sample;
            }
        };
        assert!(last.at > first.at && last.rss_bytes > 0);
        assert_eq!((last.threads, last.processes), (1, 1));
        assert!(last.involuntary_switches.is_some() && last.voluntary_switches.is_some());
        assert!(sampler.own_cpu() > Duration::ZERO);
        let samples = sampler.take();
        assert!(samples.len() >= 3);
        assert!(samples.is_sorted_by(|a, b| a.at <= b.at && a.cpu_s <= b.cpu_s));
        process.stop().await;
        assert_eq!(sampler.sample_now(), None);
        let after = sampler.stop();
        assert!(after.iter().all(|sample| sample.at >= last.at));
    });
}

#[test]
fn ended_children_and_adopted_orphans_count() {
    const BUSY: &str = "awk 'BEGIN { for (i = 0; i < 3000000; i++) x += i }'";
    run(async {
        // One child that its parent waits for; one orphan that the shepherd adopts and reaps.
        let script = format!(
            "go=; trap go=1 USR1; echo ready; while [ -z $go ]; do sleep 0.01; done;
             {BUSY}; (setsid sh -c \"{BUSY}; echo orphan\" &); sleep {NEVER}"
        );
        let process = start(&script);
        let sampler = Sampler::start(process.shepherd_pid(), Duration::from_millis(10));
        process.line_starting_with("ready").await.unwrap();
        let before = sampler.sample_now().unwrap();
        signal(process.server_pid(), Signal::SIGUSR1);
        process.line_starting_with("orphan").await.unwrap();
        let mut after = sampler.sample_now().unwrap();
        // In the end there are sh and its sleep.
        while after.processes != 2 {
            tokio::time::sleep(Duration::from_millis(5)).await;
            after = sampler.sample_now().unwrap();
        }
        assert!(after.cpu_s > before.cpu_s + 0.02, "{before:?} {after:?}");
        assert!(after.rss_bytes > 0);
        process.stop().await;
    });
}

#[test]
fn a_sampler_without_a_server_gives_nothing() {
    let sampler = Sampler::start(u32::MAX, Duration::from_millis(1));
    assert_eq!(sampler.sample_now(), None);
    assert!(sampler.stop().is_empty());
}

#[test]
fn a_busy_server_is_waited_for_until_it_is_idle() {
    // Its child is what computes.
    const SCRIPT: &str =
        "sh -c 'echo counts; i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done'; echo rests; exec sleep 100000";
    // On a machine that gives it no CPU for a while it looks idle.
    let is_waited_for = |_| {
        let process = start(SCRIPT);
        let settled = run(async {
            process.line_starting_with("counts").await.expect("it begins");
            settle(process.shepherd_pid(), LONG).await.expect("it lives")
        });
        let rests = process.last_words().iter().any(|line| line == "rests");
        run(process.stop());
        settled.idle && settled.after > Duration::ZERO && rests
    };
    assert!((0..20).any(is_waited_for));
}

#[test]
fn a_server_that_never_rests_is_given_up_and_one_that_is_gone_is_nothing() {
    let process = start("while :; do :; done");
    // On a machine that gives it no CPU for a while it looks idle.
    let is_busy = |_| !run(settle(process.shepherd_pid(), Duration::ZERO)).expect("it lives").idle;
    assert!((0..1000).any(is_busy));
    let shepherd = process.shepherd_pid();
    run(process.stop());
    assert_eq!(run(settle(shepherd, LONG)), None);
}
