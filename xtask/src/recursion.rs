//! `cargo xtask recursion`: evidence that `fib` makes every one of its 2 F(n+1) - 1 calls.

use std::cell::Cell;
use std::env;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, ensure};

/// Part of the recursive function's symbol in either mangling.
const SYMBOL: &str = "7kernels3fib7recurse";
/// What the golden ratio may look like on a busy machine.
const RATIO: std::ops::RangeInclusive<f64> = 1.45..=1.8;

thread_local! {
    static CALLS: Cell<u64> = const { Cell::new(0) };
}

kernels::define_fib!(counted, { CALLS.set(CALLS.get() + 1) });

/// Prints the evidence; an error says what is off.
pub fn show(root: &Path) -> Result<()> {
    count_calls()?;
    compare_times()?;
    let target_dir = env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    read_machine_code(&target_dir.join("release/loadgen"))
}

fn count_calls() -> Result<()> {
    println!("calls, counted in a twin made from the same tokens:");
    let (mut this, mut next) = (0, 1);
    for n in 0..=30 {
        CALLS.set(0);
        let value = counted(n);
        let (calls, expected) = (CALLS.get(), 2 * next - 1);
        ensure!(value == this, "fib({n}) gave {value} instead of {this}");
        ensure!(calls == expected, "fib({n}) made {calls} calls instead of {expected}");
        if n % 10 == 0 {
            println!("  fib({n}): {calls} = 2 F({}) - 1", n + 1);
        }
        (this, next) = (next, this + next);
    }
    Ok(())
}

fn compare_times() -> Result<()> {
    println!("time(n + 1) / time(n), medians of 7; the golden ratio is 1.618:");
    let times: Vec<f64> = (28..=34).map(|n| median((0..7).map(|_| seconds(n)).collect())).collect();
    let ratios: Vec<f64> = times.windows(2).map(|pair| pair[1] / pair[0]).collect();
    for (n, ratio) in (28..).zip(&ratios) {
        println!("  fib({}) / fib({n}): {ratio:.3}", n + 1);
    }
    let ratio = median(ratios);
    ensure!(RATIO.contains(&ratio), "their median is {ratio:.3}, not within {RATIO:?}");
    Ok(())
}

fn seconds(n: u32) -> f64 {
    let begun = Instant::now();
    black_box(kernels::fib(n));
    begun.elapsed().as_secs_f64()
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn read_machine_code(binary: &Path) -> Result<()> {
    if !binary.exists() {
        println!("machine code: no {}; `cargo build --release` makes it", binary.display());
        return Ok(());
    }
    let disassembly = Command::new("objdump").args(["-d", "--no-show-raw-insn"]).arg(binary).output();
    let Ok(disassembly) = disassembly else {
        println!("machine code: not looked at, since there is no objdump (binutils)");
        return Ok(());
    };
    ensure!(disassembly.status.success(), "objdump failed: {}", String::from_utf8_lossy(&disassembly.stderr));
    let calls = calls_to_itself(&String::from_utf8_lossy(&disassembly.stdout))
        .with_context(|| format!("{} holds no function {SYMBOL}", binary.display()))?;
    println!("machine code of the release build: {calls} calls to itself");
    ensure!(calls == 2, "expected 2");
    Ok(())
}

/// Counts, in objdump's listing of the recursive function, the calls that go to its own start.
fn calls_to_itself(disassembly: &str) -> Option<usize> {
    let mut lines = disassembly.lines();
    let (_, symbol) = lines
        .by_ref()
        .find_map(|line| line.strip_suffix(">:")?.split_once('<').filter(|(_, symbol)| symbol.contains(SYMBOL)))?;
    let to_itself = format!("<{symbol}>");
    let body = lines.take_while(|line| !line.is_empty());
    let calls = body.filter(|line| {
        let mnemonic = line.split_once(":\t").and_then(|(_, rest)| rest.split_whitespace().next());
        matches!(mnemonic, Some("call" | "callq" | "bl")) && line.ends_with(&to_itself)
    });
    Some(calls.count())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_found_in_a_listing() {
        let name = "_ZN7kernels3fib7recurse17h0E";
        let listing = format!(
            "0000000000000010 <other>:\n  10:\tcall   40 <{name}>\n\n0000000000000040 <{name}>:\n  40:\tjae    48 <{name}+0x8>\n  \
             48:\tcall   40 <{name}>\n  50:\tcall   40 <{name}>\n  58:\tcall   10 <other>\n  60:\tret\n\n0000000000000070 <more>:\n  70:\tcall   40 <{name}>\n"
        );
        assert_eq!(calls_to_itself(&listing), Some(2));
        assert_eq!(calls_to_itself("0 <other>:\n"), None);
    }
}
