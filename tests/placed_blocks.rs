//! Blocks of the library after placement and routing, against their own text.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use crate::board_bench::block;
use crate::placed_support::{assert_equal, seed, tools};
use flitforge_elaborate::verilog::Technology;

/// The text that is built has block RAM as instances where the block asks for their output registers; the text it
/// is compared with has arrays.
fn check(name: &str, preset: &str, clocks: usize) {
    let Some(toolbox) = tools() else { return };
    let built = block(name, preset, &[], Technology::Ecp5);
    let reference = block(name, preset, &[], Technology::Generic);
    assert_equal(&built, &reference.verilog, clocks, 25.0, seed(0xb10c), &toolbox);
}

#[test]
fn console() {
    check("console", "fast", 3000);
}

#[test]
fn link_crc() {
    check("link_crc", "short_132", 1500);
}

#[test]
fn fifo_in_block_ram() {
    check("fifo", "beats", 2000);
}
