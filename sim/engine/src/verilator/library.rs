//! A loaded model. All calls into foreign code stand here.
//!
//! Sound because: the library was built by [`build`](super::build) from a harness whose C signatures are those of
//! [`Symbols`]; every slice handed over has the length that the harness was generated for, which is asserted;
//! a handle is used by one thread at a time (`&mut self`) and freed once, before its library.

#![allow(unsafe_code)]

use super::build::Interface;
use crate::error::SimError;
use libloading::Library;
use std::ffi::c_void;
use std::path::Path;
use std::ptr::NonNull;
use std::sync::Arc;

type New = unsafe extern "C" fn(i32) -> *mut c_void;
type Delete = unsafe extern "C" fn(*mut c_void);
type Settle = unsafe extern "C" fn(*mut c_void, *const u64, *mut u64);
type Rise = unsafe extern "C" fn(*mut c_void, u64);
type Exercise = unsafe extern "C" fn(*mut c_void, u64, u64, *const u64, *mut u64) -> u64;

struct Symbols {
    new: New,
    delete: Delete,
    settle: Settle,
    rise: Rise,
    exercise: Exercise,
    /// Keeps the functions mapped.
    _library: Library,
}

/// A running model.
pub struct Model {
    symbols: Arc<Symbols>,
    handle: NonNull<c_void>,
    inputs: usize,
    outputs: usize,
}

// A model owns its context and has no thread-local state.
unsafe impl Send for Model {}

impl Model {
    /// Loads `library`, built for `interface`, with random start values from `seed`.
    pub fn load(library: &Path, interface: &Interface, seed: u64) -> Result<Self, SimError> {
        let fail = |error: libloading::Error| SimError::Format {
            what: library.display().to_string(),
            problem: format!("{error}; delete the file, it is built again"),
        };
        // SAFETY: a Verilator model has no initialisers with preconditions; see the module for the signatures.
        let symbols = unsafe {
            let loaded = Library::new(library).map_err(fail)?;
            Symbols {
                new: *loaded.get::<New>(b"flitforge_new\0").map_err(fail)?,
                delete: *loaded.get::<Delete>(b"flitforge_delete\0").map_err(fail)?,
                settle: *loaded.get::<Settle>(b"flitforge_settle\0").map_err(fail)?,
                rise: *loaded.get::<Rise>(b"flitforge_rise\0").map_err(fail)?,
                exercise: *loaded.get::<Exercise>(b"flitforge_exercise\0").map_err(fail)?,
                _library: loaded,
            }
        };
        // Verilator takes 31 bits, and 0 would mean a seed of its own choice.
        let seed = (seed % 0x7fff_ffff + 1) as i32;
        // SAFETY: takes any number and returns an owned handle.
        let handle = NonNull::new(unsafe { (symbols.new)(seed) }).ok_or_else(|| SimError::Format {
            what: library.display().to_string(),
            problem: "the model gave no instance".into(),
        })?;
        let (inputs, outputs) = (interface.inputs.stride(), interface.outputs.stride());
        Ok(Self { symbols: Arc::new(symbols), handle, inputs, outputs })
    }

    /// Gives inputs, settles with all clocks low and reads outputs.
    pub fn settle(&mut self, inputs: &[u64], outputs: &mut [u64]) {
        assert_eq!((inputs.len(), outputs.len()), (self.inputs, self.outputs));
        // SAFETY: the lengths are those the harness was generated for.
        unsafe { (self.symbols.settle)(self.handle.as_ptr(), inputs.as_ptr(), outputs.as_mut_ptr()) }
    }

    /// A rising edge of these clocks, by mask.
    pub fn rise(&mut self, clocks: u64) {
        // SAFETY: any mask is allowed.
        unsafe { (self.symbols.rise)(self.handle.as_ptr(), clocks) }
    }

    /// Runs `clocks` clocks with inputs that are random where `random` has ones; returns a hash of all outputs
    /// on all clocks.
    pub fn exercise(&mut self, clocks: u64, seed: u64, random: &[u64], inputs: &mut [u64]) -> u64 {
        assert_eq!((inputs.len(), random.len()), (self.inputs, self.inputs));
        // SAFETY: the lengths are those the harness was generated for.
        unsafe {
            (self.symbols.exercise)(self.handle.as_ptr(), clocks, seed, random.as_ptr(), inputs.as_mut_ptr())
        }
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        // SAFETY: freed once, while the library is still mapped.
        unsafe { (self.symbols.delete)(self.handle.as_ptr()) }
    }
}
