//! Native code in this process: the only file with unsafe code.
//!
//! Why it is sound:
//! - A [`Native`] owns the code it points to and frees it when dropped; functions are called through it only.
//! - The functions have the signature `extern "C" fn(*mut u64, *mut u64, *const u64)`, which is the one they were declared
//!   with, for the calling convention of the host. They call nothing and keep no pointer.
//! - They touch words of the state below `layout.size` and words of the scratch row below `plan.scratch`:
//!   fixed places by construction of the layout and the plan, memory words through an offset that is either in
//!   range by the known bits of the address or chosen by a comparison with the depth. They read entries of the
//!   tables at places that the known bits of the index bound. [`Native::run`] checks all lengths; what is written
//!   is exclusively borrowed, so nobody else sees it meanwhile.
//! - Code memory is written before `finalize_definitions` only; afterwards it is read and executed, which any
//!   number of threads may do at the same time.
#![allow(unsafe_code)]

use super::emit::Emitter;
use super::layout::Layout;
use super::plan::{Piece, Plan};
use super::word::Words;
use cranelift_codegen::ir::{types, AbiParam, UserFuncName};
use cranelift_codegen::isa::OwnedTargetIsa;
use cranelift_codegen::settings::{self, Configurable};
use cranelift_codegen::Context;
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{default_libcall_names, FuncId, Linkage, Module};
use std::sync::Mutex;

type Entry = unsafe extern "C" fn(*mut u64, *mut u64, *const u64);

/// The host's instruction set; `verify` checks every function before it is compiled.
pub(super) fn host(verify: bool) -> Result<OwnedTargetIsa, String> {
    let mut flags = settings::builder();
    let verify = if verify { "true" } else { "false" };
    // the words are simplified already: Cranelift's own passes took a third more time to compile and gave code that
    // was larger and up to a tenth slower, as they keep loaded words alive for long
    let choices = [("opt_level", "none"), ("is_pic", "false"), ("enable_verifier", verify)];
    for (name, value) in choices.into_iter().chain([("use_colocated_libcalls", "false")]) {
        flags.set(name, value).map_err(|error| error.to_string())?;
    }
    let builder = cranelift_native::builder()?;
    builder.finish(settings::Flags::new(flags)).map_err(|error| error.to_string())
}

/// A function of several pieces.
pub(super) struct Native {
    entries: Vec<Entry>,
    state: usize,
    scratch: usize,
    tables: usize,
    code: usize,
    /// Keeps the code; emptied by `drop` only.
    module: Mutex<Option<Box<JITModule>>>,
}

// SAFETY: the module is touched in `new` and in `drop` only, by one thread each; what the threads share is the
// finished code, which is read only. Its memory comes from the process, not from a thread.
unsafe impl Send for Native {}
// SAFETY: as above; `run` takes only shared references and calls code that has no state of its own.
unsafe impl Sync for Native {}

impl Native {
    /// Compiles a plan; a loaded word is loaded again after `reload` actions.
    pub fn new(
        isa: &OwnedTargetIsa,
        (words, layout): (&Words, &Layout),
        plan: &Plan,
        reload: usize,
    ) -> Result<Self, String> {
        let mut module = JITModule::new(JITBuilder::with_isa(isa.clone(), default_libcall_names()));
        let (mut context, mut builders) = (module.make_context(), FunctionBuilderContext::new());
        let mut ids = vec![];
        let mut code = 0;
        for (number, piece) in plan.pieces.iter().enumerate() {
            let design = (words, layout);
            let id = define(&mut module, &mut context, &mut builders, design, (number, piece), reload)?;
            code += context.compiled_code().map_or(0, |code| code.code_buffer().len());
            module.clear_context(&mut context);
            ids.push(id);
        }
        module.finalize_definitions().map_err(|error| error.to_string())?;
        let entry = |id: &FuncId| {
            // SAFETY: a finished function of exactly this signature and calling convention, see `define`.
            unsafe { std::mem::transmute::<*const u8, Entry>(module.get_finalized_function(*id)) }
        };
        let entries = ids.iter().map(entry).collect();
        let (state, scratch) = (layout.size as usize, plan.scratch as usize);
        let tables = words.tables.len();
        Ok(Self { entries, state, scratch, tables, code, module: Mutex::new(Some(Box::new(module))) })
    }

    /// Bytes of machine code.
    pub fn code(&self) -> usize {
        self.code
    }

    /// Runs all pieces in order.
    pub fn run(&self, state: &mut [u64], scratch: &mut [u64], tables: &[u64]) {
        let fits = state.len() >= self.state && scratch.len() >= self.scratch && tables.len() >= self.tables;
        assert!(fits, "state of another program");
        for entry in &self.entries {
            // SAFETY: all rows are as long as the code was made for (checked above) and the written ones exclusively
            // ours; the code is alive because `self` is.
            unsafe { entry(state.as_mut_ptr(), scratch.as_mut_ptr(), tables.as_ptr()) }
        }
    }
}

impl Drop for Native {
    fn drop(&mut self) {
        self.entries.clear();
        let module = self.module.get_mut().map_or(None, Option::take);
        if let Some(module) = module {
            // SAFETY: no call is running, as `run` borrows `self`, and no pointer to the code is left.
            unsafe { module.free_memory() }
        }
    }
}

fn define(
    module: &mut JITModule,
    context: &mut Context,
    builders: &mut FunctionBuilderContext,
    (words, layout): (&Words, &Layout),
    (number, piece): (usize, &Piece),
    reload: usize,
) -> Result<FuncId, String> {
    let pointer = AbiParam::new(types::I64);
    context.func.signature = module.make_signature();
    context.func.signature.params.extend([pointer, pointer, pointer]);
    context.func.name = UserFuncName::user(0, number as u32);
    let name = format!("piece{number}");
    let id = module.declare_function(&name, Linkage::Local, &context.func.signature);
    let id = id.map_err(|error| error.to_string())?;
    let builder = FunctionBuilder::new(&mut context.func, builders);
    Emitter::new(builder, words, layout, piece, reload).run();
    module.define_function(id, context).map_err(|error| format!("{error:?}"))?;
    Ok(id)
}
