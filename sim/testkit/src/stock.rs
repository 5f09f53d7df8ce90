//! Blocks in rust-hdl's own simulation, clock by clock.

use crate::clocked::Clocked;
use crate::pins::Pins;
use flitforge_elaborate::drive::DriveBlock;
use flitforge_elaborate::Value;

/// Passes after which logic that still changes does not settle.
const MAX_PASSES: u32 = 200;

/// A block as rust-hdl itself runs it; the clock is the input `clock`.
pub struct StockBlock<B: DriveBlock> {
    /// The block under test.
    pub uut: B,
}

impl<B: DriveBlock> StockBlock<B> {
    /// Connects and settles the block with all inputs 0.
    #[track_caller]
    pub fn new(mut uut: B) -> Self {
        uut.connect_all();
        let mut block = Self { uut };
        block.settle();
        block
    }

    /// Lets combinational logic settle.
    #[track_caller]
    pub fn settle(&mut self) {
        for _ in 0..MAX_PASSES {
            self.uut.update_all();
            if !self.uut.has_changed() {
                return;
            }
        }
        panic!("the logic does not settle");
    }

    /// One rising and one falling edge of the named clocks, at the same time.
    #[track_caller]
    pub fn edge(&mut self, clocks: &[&str]) {
        self.settle();
        for level in [1, 0] {
            for clock in clocks {
                assert!(self.uut.drive(clock, &Value::from_u64(1, level)), "no clock {clock}");
            }
            self.settle();
        }
    }
}

impl<B: DriveBlock> Pins for StockBlock<B> {
    #[track_caller]
    fn drive(&mut self, path: &str, words: &[u64]) {
        let width = self.sample(path).width();
        assert!(self.uut.drive(path, &Value::from_words(width, words)), "no input {path} of {width} bits");
    }

    #[track_caller]
    fn sample(&mut self, path: &str) -> Value {
        self.settle();
        self.uut.sample(path).unwrap_or_else(|| panic!("no port {path}"))
    }
}

impl<B: DriveBlock> Clocked for StockBlock<B> {
    fn pins(&mut self) -> &mut dyn Pins {
        self
    }

    fn clock(&mut self) {
        self.edge(&["clock"]);
    }
}
