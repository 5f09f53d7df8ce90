//! Blocks in native code.

use crate::clocked::Clocked;
use crate::pins::Pins;
use flitforge_elaborate::drive::DriveBlock;
use flitforge_elaborate::Value;
use flitforge_sim::compiled::{Clocks, Compiled, Handle, Instance};
use flitforge_sim::design_of;
use std::sync::Arc;

/// Compiles a block whose signals are connected or are to be connected here.
#[track_caller]
pub fn compiled(name: &str, block: &dyn DriveBlock) -> Arc<Compiled> {
    let design = design_of(name, block).unwrap_or_else(|error| panic!("{name}: {error}"));
    Compiled::new(&design).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// An instance of a compiled block: its ports by path, or by handle in what runs in every clock.
pub struct CompiledBlock {
    /// The instance.
    pub instance: Instance,
    clocks: Clocks,
}

impl CompiledBlock {
    /// An instance at power-on, with inputs 0.
    pub fn new(program: &Arc<Compiled>) -> Self {
        Self { instance: program.instance(), clocks: program.all_clocks() }
    }

    /// What all instances share.
    pub fn program(&self) -> &Arc<Compiled> {
        self.instance.program()
    }

    /// The port at `path`.
    #[track_caller]
    pub fn handle(&self, path: &str) -> Handle {
        handle(self.program(), path)
    }

    /// A set of clocks.
    #[track_caller]
    pub fn clocks(&self, paths: &[&str]) -> Clocks {
        self.program().clocks(paths).unwrap_or_else(|error| panic!("{error}"))
    }

    /// The low 64 bits of a signal inside the block.
    #[track_caller]
    pub fn peek(&mut self, path: &str) -> u64 {
        self.instance.peek(path).unwrap_or_else(|| panic!("no signal {path}")).low_u64()
    }

    /// A rising edge of all clocks.
    pub fn step(&mut self) {
        self.instance.step(self.clocks);
    }
}

/// The port of a compiled block at `path`.
#[track_caller]
pub fn handle(program: &Compiled, path: &str) -> Handle {
    program.handle(path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Parts of a stream, a flow or an array: `["valid", "data"]` of `flits_out[1]`.
#[track_caller]
pub fn handles<const N: usize>(program: &Compiled, path: &str, parts: [&str; N]) -> [Handle; N] {
    parts.map(|part| handle(program, &format!("{path}.{part}")))
}

impl Pins for CompiledBlock {
    #[track_caller]
    fn drive(&mut self, path: &str, words: &[u64]) {
        let handle = self.handle(path);
        assert!(self.instance.set_words(handle, words), "{path} is an input");
    }

    #[track_caller]
    fn sample(&mut self, path: &str) -> Value {
        let handle = self.handle(path);
        Value::from_words(handle.width(), self.instance.words(handle))
    }

    #[track_caller]
    fn word(&mut self, path: &str) -> u64 {
        let handle = self.handle(path);
        self.instance.get(handle)
    }
}

impl Clocked for CompiledBlock {
    fn pins(&mut self) -> &mut dyn Pins {
        self
    }

    fn clock(&mut self) {
        self.step();
    }
}
