//! Blocks on a bench, on the back end that `FLITFORGE_BACKEND` names.

use crate::clocked::Clocked;
use crate::pins::Pins;
use flitforge_elaborate::drive::DriveBlock;
use flitforge_elaborate::Value;
use flitforge_sim::{open, BackEnd, Bench, PortHandle, PortKind, SimError};

/// A bench and its ports by path. A path is settled when it is read.
pub struct BenchBlock(pub Box<dyn Bench>);

impl BenchBlock {
    /// A bench for a block whose signals are connected or are to be connected here.
    #[track_caller]
    pub fn new(name: &str, block: impl DriveBlock + 'static) -> Self {
        Self::boxed(name, Box::new(block))
    }

    /// The same of a boxed block.
    #[track_caller]
    pub fn boxed(name: &str, block: Box<dyn DriveBlock>) -> Self {
        Self(open(name, block).unwrap_or_else(|error| panic!("{name}: {error}")))
    }

    /// The same on this back end.
    #[track_caller]
    pub fn on(back_end: BackEnd, name: &str, block: Box<dyn DriveBlock>) -> Self {
        Self(back_end.open(name, block).unwrap_or_else(|error| panic!("{name}: {error}")))
    }

    /// The port at `path`.
    #[track_caller]
    pub fn port(&self, path: &str) -> PortHandle {
        self.0.port(path).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    /// Lets combinational logic settle. Reading a port by path does it too.
    #[track_caller]
    pub fn settle(&mut self) {
        self.0.settle().unwrap_or_else(|error| panic!("{error}"));
    }

    /// A rising edge of these clocks together.
    #[track_caller]
    pub fn edge(&mut self, paths: &[&str]) {
        let clocks: Vec<_> = paths.iter().map(|path| self.port(path)).collect();
        self.0.step_clocks(&clocks).unwrap_or_else(|error| panic!("{error}"));
    }
}

impl Pins for BenchBlock {
    #[track_caller]
    fn drive(&mut self, path: &str, words: &[u64]) {
        let port = self.port(path);
        assert_eq!(self.0.ports().port(port).kind, PortKind::Input, "{path} is an input");
        self.0.set(port, &Value::from_words(self.0.width(port), words));
    }

    #[track_caller]
    fn sample(&mut self, path: &str) -> Value {
        self.settle();
        self.0.get(self.port(path))
    }

    #[track_caller]
    fn word(&mut self, path: &str) -> u64 {
        self.settle();
        self.0.get_u64(self.port(path))
    }
}

impl Clocked for BenchBlock {
    fn pins(&mut self) -> &mut dyn Pins {
        self
    }

    fn clock(&mut self) {
        self.0.step().unwrap_or_else(|error| panic!("{error}"));
    }
}

/// Sets inputs of a bench by path, for an agent of a test bench; bits above their widths are cut off.
pub fn drive_all(bench: &mut dyn Bench, values: &[(&str, u64)]) -> Result<(), SimError> {
    values.iter().try_for_each(|(path, value)| {
        let port = bench.port(path)?;
        bench.set(port, &Value::from_u64(bench.width(port), *value));
        Ok(())
    })
}
