//! `loadgen serve`: flags that cannot both be meant are refused.

use assert_cmd::Command;

/// Runs `loadgen serve`, which must not start, and gives what it says.
fn refused(arguments: &str) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_loadgen"));
    let output = command.arg("serve").args(arguments.split(' ')).args(["--port", "0"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{arguments}: {output:?}");
    assert!(output.stdout.is_empty(), "{arguments}: {output:?}");
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn contradictions_exit_with_2_and_say_why() {
    for (arguments, word) in [
        ("wasm-worker --backend native", "worker-pool"),
        ("worker-pool --wasm study-o0", "--backend wasm"),
        ("worker-pool --backend native --wasm threads", "--backend wasm"),
        ("worker-pool --backend wasm --job-threads 2", "--wasm threads"),
        ("wasm-worker --wasm study-o3 --job-threads 4", "--wasm threads"),
    ] {
        let message = refused(arguments);
        assert!(message.contains(word), "{arguments}: {message}");
    }
}

#[test]
fn values_that_are_none_are_refused() {
    for arguments in ["worker-pool --backend jit", "wasm-worker --wasm fast", "event-loop --job-threads 0"] {
        assert!(refused(arguments).contains("possible values") || arguments.ends_with('0'), "{arguments}");
    }
}
