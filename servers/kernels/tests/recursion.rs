//! The recursion is executed as written: counted, and seen in machine code and in Wasm.

use std::cell::Cell;
use std::path::Path;
use std::process::Command;

use proptest::prelude::*;
use wasmparser::{ExternalKind, Operator, Parser, Payload};

thread_local! {
    static CALLS: Cell<u64> = const { Cell::new(0) };
}

kernels::define_fib!(counted, { CALLS.set(CALLS.get() + 1) });

/// F(n) by addition, for comparison.
fn by_addition(n: u32) -> u64 {
    (0..n).fold((0, 1), |(a, b), _| (b, a + b)).0
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn makes_every_call(n in 0u32..=22) {
        CALLS.set(0);
        prop_assert_eq!(counted(n), by_addition(n));
        prop_assert_eq!(CALLS.get(), 2 * by_addition(n + 1) - 1);
    }

    #[test]
    fn adds_the_salt(n in 0u32..=20, salt: u32) {
        prop_assert_eq!(kernels::salted_fib(n, salt), by_addition(n) + u64::from(salt));
    }
}

#[test]
fn atan_tan_has_the_published_value() {
    // Ten million terms: too long without optimisation.
    let num = if cfg!(debug_assertions) { 5 } else { 10 };
    let published = if num == 10 { "-2898550.376692899" } else { ATAN_TAN_5 };
    assert_eq!(kernels::atan_tan(num).to_string(), published);
}

/// The sum for 5^7, as V8 gives it.
const ATAN_TAN_5: &str = "-235693.53686062433";

#[cfg_attr(
    not(any(target_arch = "x86_64", target_arch = "aarch64")),
    ignore = "reads x86-64 and AArch64 assembly only"
)]
#[test]
fn machine_code_holds_both_calls() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let assembly = folder.join("fib.s");
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let status = Command::new(rustc)
        .args(["--crate-name=fib", "--crate-type=lib", "--edition=2024", "--emit=asm", "-Copt-level=3", "-o"])
        .arg(&assembly)
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/fib.rs"))
        .status()
        .expect("rustc starts");
    assert!(status.success(), "rustc failed on src/fib.rs");
    let text = std::fs::read_to_string(&assembly).expect("rustc wrote the assembly");
    assert_eq!(calls_to_itself(&text, "recurse"), 2, "{text}");
}

/// Counts the call instructions, in the function whose label contains `name`, that go to that function.
fn calls_to_itself(assembly: &str, name: &str) -> usize {
    let mut lines = assembly.lines();
    let label = lines
        .by_ref()
        .find(|line| line.ends_with(':') && line.contains(name) && !line.starts_with(['.', ' ', '\t']))
        .expect("a label of the function")
        .trim_end_matches(':');
    lines
        .take_while(|line| !line.contains(".cfi_endproc") && !line.contains(".size"))
        .filter(|line| line.contains(label))
        .filter(|line| matches!(line.split_whitespace().next(), Some("call" | "callq" | "bl")))
        .count()
}

#[test]
fn wasm_holds_both_calls() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../wasm/kernels.wasm");
    let module = std::fs::read(&path).expect("the checked-in module is readable");
    let calls = wasm_calls(&module);
    // The export adds the salt to what the recursive function gives, by way of functions that may or may not be inlined.
    let mut reachable = vec![calls.exported_fib];
    let mut seen = 0;
    while let Some(&function) = reachable.get(seen) {
        for &callee in &calls.of[function as usize] {
            if !reachable.contains(&callee) {
                reachable.push(callee);
            }
        }
        seen += 1;
    }
    let to_itself = |&function: &u32| calls.of[function as usize].iter().filter(|&&callee| callee == function).count();
    let recursive: Vec<usize> = reachable.iter().map(to_itself).filter(|&count| count > 0).collect();
    assert_eq!(recursive, [2], "calls to themselves of the recursive functions behind the export");
}

/// Who calls whom in a module.
struct WasmCalls {
    exported_fib: u32,
    /// For each function, imported ones included, the functions that it calls, with repetitions.
    of: Vec<Vec<u32>>,
}

fn wasm_calls(module: &[u8]) -> WasmCalls {
    let mut exported_fib = None;
    let mut of = Vec::new();
    for payload in Parser::new(0).parse_all(module) {
        match payload.expect("a valid module") {
            Payload::ImportSection(imports) => {
                assert_eq!(imports.count(), 0, "the module imports nothing")
            }
            Payload::ExportSection(exports) => {
                for export in exports {
                    let export = export.expect("a valid export");
                    if export.kind == ExternalKind::Func && export.name == "fib" {
                        exported_fib = Some(export.index);
                    }
                }
            }
            Payload::CodeSectionEntry(body) => {
                let mut calls = Vec::new();
                for operator in body.get_operators_reader().expect("a valid body") {
                    if let Operator::Call { function_index } = operator.expect("a valid operator") {
                        calls.push(function_index);
                    }
                }
                of.push(calls);
            }
            _ => {}
        }
    }
    WasmCalls { exported_fib: exported_fib.expect("an export named fib"), of }
}
