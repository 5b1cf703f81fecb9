//! One instance of the kernels in Wasm.

use wasmtime::{Extern, Instance, Module, SharedMemory, Store, TypedFunc, WasmParams, WasmResults};

use super::WasmError;
use super::stack::Stack;
use crate::backend::BackendError;

/// An instance with what it exports.
pub(super) struct Guest {
    pub(super) store: Store<()>,
    pub(super) instance: Instance,
    stack: Stack,
    pub(super) fib: TypedFunc<(u32, u32), u64>,
    pub(super) atan_tan: TypedFunc<(u32, u32), f64>,
    scratch: TypedFunc<u32, i64>,
    convolve: TypedFunc<u32, i32>,
}

/// What one band needs beside its input and output.
#[derive(Debug, Clone, Copy)]
pub(super) struct ScratchSize {
    pub(super) bytes: u32,
    pub(super) words: u32,
}

/// The guest's answer to a request that it does not take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Refusal(pub(super) i64);

impl Refusal {
    /// It found the convolution itself to be wrong, as native code would.
    pub(super) const INPUT: Self = Self(1);
}

impl Guest {
    /// Instantiates the module, with `memory` where it imports one.
    pub(super) fn new(module: &Module, memory: Option<&SharedMemory>) -> Result<Self, WasmError> {
        let mut store = Store::new(module.engine(), ());
        let imports: Vec<Extern> = memory.cloned().map(Extern::SharedMemory).into_iter().collect();
        let instance = Instance::new(&mut store, module, &imports)?;
        Ok(Self {
            stack: Stack::of(&instance, &mut store)?,
            fib: instance.get_typed_func(&mut store, "fib")?,
            atan_tan: instance.get_typed_func(&mut store, "atan_tan")?,
            scratch: instance.get_typed_func(&mut store, "convolve_scratch")?,
            convolve: instance.get_typed_func(&mut store, "convolve")?,
            instance,
            store,
        })
    }

    /// Gives it a stack of its own, which ends at `top`.
    pub(super) fn move_stack(&mut self, top: u32) -> Result<(), WasmError> {
        self.stack.set_top(top);
        Ok(self.stack.reset(&mut self.store)?)
    }

    /// Calls an export. A trap is an error of this call; the guest stays usable.
    pub(super) fn call<P: WasmParams, R: WasmResults>(
        &mut self,
        function: impl FnOnce(&Self) -> &TypedFunc<P, R>,
        parameters: P,
    ) -> Result<R, BackendError> {
        let function = function(self).clone();
        self.stack.after(function.call(&mut self.store, parameters), &mut self.store)
    }

    /// What a band of the request needs.
    pub(super) fn scratch(&mut self, request: u32) -> Result<Result<ScratchSize, Refusal>, BackendError> {
        let answer = self.call(|guest| &guest.scratch, request)?;
        Ok(if answer < 0 {
            Err(Refusal(answer.saturating_neg()))
        } else {
            // Low and high half, as the guest packed them.
            Ok(ScratchSize { bytes: answer as u32, words: (answer >> 32) as u32 })
        })
    }

    /// Computes the band of the request.
    pub(super) fn convolve(&mut self, request: u32) -> Result<Result<(), Refusal>, BackendError> {
        let code = self.call(|guest| &guest.convolve, request)?;
        Ok(if code == 0 { Ok(()) } else { Err(Refusal(code.into())) })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use wasmtime::Memory;

    use super::*;
    use crate::backend::WasmBuild;
    use crate::backend::wasm::WasmModule;
    use crate::backend::wasm::request;
    use crate::backend::wasm::stack::heap_base;

    fn guest() -> (Guest, Memory) {
        let module = WasmModule::load(WasmBuild::Optimised).unwrap();
        let mut guest = Guest::new(&module.module, None).unwrap();
        let memory = guest.instance.get_memory(&mut guest.store, "memory").unwrap();
        memory.grow(&mut guest.store, 1).unwrap();
        (guest, memory)
    }

    /// Numbers as a confused host might write them: small ones, addresses, and anything.
    fn number() -> impl Strategy<Value = u32> {
        prop_oneof![0..10u32, (1u32 << 20)..(1 << 21), any::<u32>()]
    }

    proptest! {
        /// Whatever the host writes, the guest refuses or computes: it never traps, nor touches what is not the host's.
        #[test]
        fn no_request_is_a_trap(at in number(), words in proptest::collection::vec(number(), request::BYTES / 4)) {
            let (mut guest, memory) = guest();
            let end = memory.data_size(&guest.store);
            let base = heap_base(&guest.instance, &mut guest.store).unwrap() as usize;
            let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            let place = end - request::BYTES;
            memory.data_mut(&mut guest.store)[place..].copy_from_slice(&bytes);
            let before = memory.data(&guest.store)[1 << 20..base].to_vec();
            for at in [at, place as u32] {
                prop_assert!(guest.scratch(at).is_ok());
                prop_assert!(guest.convolve(at).is_ok());
            }
            prop_assert!(memory.data(&guest.store)[1 << 20..base] == before);
        }
    }

    #[test]
    fn a_trap_empties_the_stack() {
        let (mut guest, _) = guest();
        let pointer = guest.instance.get_global(&mut guest.store, "__stack_pointer").unwrap();
        let top = pointer.get(&mut guest.store).i32().unwrap();
        // As if the trap had come amid a function that keeps something there.
        pointer.set(&mut guest.store, (top - 4096).into()).unwrap();
        guest.call(|guest| &guest.fib, (u32::MAX, 0)).unwrap_err();
        assert_eq!(pointer.get(&mut guest.store).i32(), Some(top));
    }

    #[test]
    fn a_request_outside_the_memory_is_refused() {
        let (mut guest, memory) = guest();
        let end = memory.data_size(&guest.store) as u32;
        for at in [0, 8, 1 << 20, end, end - 8, u32::MAX, u32::MAX - 7] {
            assert_eq!(guest.convolve(at).unwrap().unwrap_err(), Refusal(2), "{at}");
        }
    }
}
