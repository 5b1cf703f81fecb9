//! The kernels as Wasm, on wasmtime: the same source as the native ones, compiled ahead of time by `build.rs`.

use wasmtime::{Engine, Instance, Module, Store, TypedFunc};

use super::wasm_settings::settings;
use super::{Backend, BackendError};
use crate::job::{Answer, Job};

/// The compiled module; instances share its code.
#[derive(Debug, Clone)]
pub struct WasmModule {
    module: Module,
}

/// The module cannot be loaded or instantiated here, for example on a CPU without the instructions it was compiled for.
#[derive(Debug, thiserror::Error)]
#[error("the Wasm module of the kernels cannot be used: {0}")]
pub struct WasmError(String);

impl From<wasmtime::Error> for WasmError {
    fn from(error: wasmtime::Error) -> Self {
        Self(format!("{error:#}"))
    }
}

impl WasmModule {
    /// Loads the module that is embedded in the program.
    pub fn load() -> Result<Self, WasmError> {
        let engine = Engine::new(&settings())?;
        // SAFETY: the bytes were made by `Engine::precompile_module` in build.rs and are part of this program, so nobody
        // can have altered them; version, settings and CPU features are checked by the call itself.
        let module =
            unsafe { Module::deserialize(&engine, include_bytes!(concat!(env!("OUT_DIR"), "/kernels.cwasm"))) }?;
        Ok(Self { module })
    }

    /// Makes an instance with a memory of its own.
    pub fn instantiate(&self) -> Result<WasmInstance, WasmError> {
        let mut store = Store::new(self.module.engine(), ());
        let instance = Instance::new(&mut store, &self.module, &[])?;
        Ok(WasmInstance {
            fib: instance.get_typed_func(&mut store, "fib")?,
            atan_tan: instance.get_typed_func(&mut store, "atan_tan")?,
            store,
        })
    }
}

/// An instance, owned by one worker.
pub struct WasmInstance {
    store: Store<()>,
    fib: TypedFunc<(u32, u32), u64>,
    atan_tan: TypedFunc<(u32, u32), f64>,
}

impl Backend for WasmInstance {
    /// A trap is an error of this job; the instance stays usable, since the kernels keep no state between calls.
    fn compute(&mut self, job: &Job) -> Result<Answer, BackendError> {
        let answer = match *job {
            Job::Fib { n, salt } => self.fib.call(&mut self.store, (n, salt)).map(Answer::Integer),
            Job::AtanTan { num, salt } => self.atan_tan.call(&mut self.store, (num, salt)).map(Answer::Double),
        };
        answer.map_err(|trap| BackendError(format!("the Wasm instance trapped: {}", trap.root_cause())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::Native;

    #[test]
    fn answers_as_native_code_does() {
        let mut wasm = WasmModule::load().unwrap().instantiate().unwrap();
        for job in [
            Job::Fib { n: 0, salt: 0 },
            Job::Fib { n: 20, salt: u32::MAX },
            Job::AtanTan { num: 0, salt: 7 },
            Job::AtanTan { num: 4, salt: 1 },
        ] {
            assert_eq!(wasm.compute(&job).unwrap(), Native.compute(&job).unwrap(), "{job:?}");
        }
    }

    #[test]
    fn survives_a_trap() {
        let mut wasm = WasmModule::load().unwrap().instantiate().unwrap();
        // Deeper than any stack.
        let error = wasm.compute(&Job::Fib { n: u32::MAX, salt: 0 }).unwrap_err();
        assert!(error.to_string().contains("trapped"), "{error}");
        assert_eq!(wasm.compute(&Job::Fib { n: 10, salt: 1 }).unwrap(), Answer::Integer(56));
    }
}
