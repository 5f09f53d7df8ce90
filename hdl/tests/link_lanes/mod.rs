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
use flitforge_testkit::wide::place;

/// Clocks of a quick run.
const QUICK_CLOCKS: u64 = 100_000;
/// Clocks of a quick run that rust-hdl itself runs.
const STOCK_CLOCKS: u64 = 300;

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
