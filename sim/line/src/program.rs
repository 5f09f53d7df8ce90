//! Blocks of the library, compiled once for all cases.

use crate::ports;
use crate::refusal::refused;
use flitforge_elaborate::drive::DriveBlock;
use flitforge_elaborate::flat::Flat;
use flitforge_hdl::registry::{self, Settings};
use flitforge_sim::compiled::{Compiled, Handle, Options};
use flitforge_sim::design_of;
use flitforge_sim::SimError;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Bytes of stack: a port is big while it is built, and the threads of tests have little.
const STACK: usize = 256 << 20;

/// A block of the registry with these values, of which these outputs are read.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct BlockChoice {
    /// Name in the registry.
    pub block: &'static str,
    /// Values of parameters.
    pub values: Vec<(&'static str, u64)>,
}

/// The compiled block; the same one for the same choice.
pub fn program(choice: &BlockChoice, outputs: &[String]) -> Result<Arc<Compiled>, SimError> {
    static KNOWN: Mutex<BTreeMap<BlockChoice, Arc<Compiled>>> = Mutex::new(BTreeMap::new());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(program) = known.get(choice) {
        return Ok(program.clone());
    }
    let program = std::thread::scope(|scope| {
        let work =
            std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, || compiled(choice, outputs));
        let ended = work.map_err(|error| refused(choice.block, &error))?.join();
        ended.unwrap_or_else(|_| Err(refused(choice.block, &"the compiler of the bench stopped")))
    })?;
    known.insert(choice.clone(), program.clone());
    Ok(program)
}

fn compiled(choice: &BlockChoice, outputs: &[String]) -> Result<Arc<Compiled>, SimError> {
    let block = built(choice)?;
    let design = design_of(choice.block, block.as_ref())?;
    let flat = Flat::new(&design).map_err(|error| refused(choice.block, &error))?;
    let program = Compiled::of_flat(flat, outputs, Options::default());
    program.map_err(|error| refused(choice.block, &error))
}

/// The input or output at `path`.
pub fn handle(program: &Compiled, block: &'static str, path: &str) -> Result<Handle, SimError> {
    program.handle(path).map_err(|error| refused(block, &error))
}

fn built(choice: &BlockChoice) -> Result<Box<dyn DriveBlock>, SimError> {
    if let Some(port) = ports::port(choice.block, &choice.values) {
        return port;
    }
    let entry = registry::find(choice.block).map_err(|error| refused(choice.block, &error))?;
    let values: Vec<_> = choice.values.iter().map(|(name, value)| (name.to_string(), *value)).collect();
    let settings = Settings::new(entry, None, &values).map_err(|error| refused(choice.block, &error))?;
    let built = (entry.build)(&settings).map_err(|error| refused(choice.block, &error))?;
    Ok(built.block)
}
