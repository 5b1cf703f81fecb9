//! The stack that compiled code keeps in a guest's memory, for what has an address.

use wasmtime::{Global, Instance, Store, Val};

use super::WasmError;
use crate::backend::BackendError;

/// The stack pointer of one instance. Each instance starts with the same, and a trap leaves it where it was.
pub(super) struct Stack {
    pointer: Global,
    top: u32,
}

impl Stack {
    /// The stack that the module was linked with.
    pub(super) fn of(instance: &Instance, store: &mut Store<()>) -> Result<Self, WasmError> {
        let pointer =
            instance.get_global(&mut *store, "__stack_pointer").ok_or_else(|| WasmError::missing("__stack_pointer"))?;
        let top = pointer.get(store).i32().ok_or_else(|| WasmError::missing("__stack_pointer"))?;
        Ok(Self { pointer, top: top.cast_unsigned() })
    }

    pub(super) fn set_top(&mut self, top: u32) {
        self.top = top;
    }

    /// Empties the stack.
    pub(super) fn reset(&self, store: &mut Store<()>) -> Result<(), wasmtime::Error> {
        self.pointer.set(store, Val::I32(self.top.cast_signed()))
    }

    /// The result of a call; after a trap the stack is emptied, or each trap would cost a piece of it for good.
    pub(super) fn after<R>(&self, result: wasmtime::Result<R>, store: &mut Store<()>) -> Result<R, BackendError> {
        let trap = |error: wasmtime::Error| BackendError::Trap(error.root_cause().to_string());
        result.map_err(|error| self.reset(store).err().map_or_else(|| trap(error), trap))
    }
}

/// The first address of a guest's memory that is the host's.
pub(super) fn heap_base(instance: &Instance, store: &mut Store<()>) -> Result<u32, WasmError> {
    let base = instance.get_global(&mut *store, "__heap_base").and_then(|base| base.get(store).i32());
    base.map(i32::cast_unsigned).ok_or_else(|| WasmError::missing("__heap_base"))
}
