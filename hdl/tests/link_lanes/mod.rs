//! `link_gearbox`, `link_lane` and `phy_loop` against cycle-exact models, rust-hdl itself and the emitted Verilog;
//! and the chain of the five against the model of the lanes.

#![allow(clippy::expect_used)] // tests

mod gearbox_rx;
mod gearbox_tx;
mod lane_rx;
mod lane_tx;
mod mutations;
mod phy;

use flitforge_elaborate::Value;
use flitforge_protocol::ltp::CrcMode;
use flitforge_sim::cosim::{CosimPlan, Depth};
use std::cell::Cell;
use std::rc::Rc;

/// The plan with 100 000 clocks, or as many as `FLITFORGE_COSIM` asks for; rust-hdl itself does not run all of a
/// quick run.
fn deep(plan: CosimPlan<'_>) -> CosimPlan<'_> {
    let depth = Depth::from_environment().expect("FLITFORGE_COSIM");
    let quick =
        plan.clocks(100_000).stock_limit(300, "a quick run: rust-hdl itself is slow with wide values");
    quick.to_depth(depth)
}

/// The CRC mode with this code, modulo 4.
fn crc_mode(code: u64) -> CrcMode {
    [CrcMode::Standard, CrcMode::Bits14, CrcMode::Overlapping48, CrcMode::PerLane][code as usize % 4]
}

/// The physical lanes of a mask.
fn physical(active: u64) -> Vec<usize> {
    (0..4).filter(|lane| active >> lane & 1 == 1).collect()
}

/// A row port's value.
fn row_value(words: &[u32]) -> Value {
    let mut row = Value::zero(128);
    for (index, word) in words.iter().enumerate() {
        place(&mut row, 32 * index as u32, &Value::from_u64(32, u64::from(*word)));
    }
    row
}

/// The first words of a row port's value.
fn row_words(row: &Value, lanes: usize) -> Vec<u32> {
    (0..lanes).map(|lane| row.slice(32 * lane as u32, 32).low_u64() as u32).collect()
}

/// Copies `part` into `into` from bit `offset` up.
fn place(into: &mut Value, offset: u32, part: &Value) {
    (0..part.width()).for_each(|bit| into.set_bit(offset + bit, part.bit(bit)));
}

/// Counts what a model saw, to be looked at when the run is over.
#[derive(Clone, Default)]
struct Seen(Rc<Cell<u64>>);

impl Seen {
    fn add(&self, count: u64) {
        self.0.set(self.0.get() + count);
    }

    fn at_least(&self, least: u64, what: &str) {
        assert!(self.0.get() >= least, "{what}: {} times, expected {least} at least", self.0.get());
    }
}
