//! `time_tree_page`: the window of a tree that is followed.

use super::config::WindowBuild;
use flitforge_hdl_prim::prelude::*;

/// Bits that address a word of a tree's window.
pub const TREE_WORD_BITS: usize = 4;

/// The registers and counters of one tree of a slave (chapter 20, 5).
///
/// - A window of 16 words: `ack` 3 clocks after `request`, of a counter 5 to 20; see [`registers`](flitforge_hdl_prim::registers).
/// - A read of SMP_POP pops the slave's FIFO (`smp_pop_asked`, a gate after `request`); what the sample registers show is its shadow, which
///   is there 2 clocks later and holds until the next pop, so samples are read whole, whatever comes meanwhile.
/// - SMP_STAT.overflow says that a sample was discarded since 0 was written there.
#[register_page(
    flitforge_protocol::time_registers, "time_tree_page", address = 4, base = TREE,
    only(SMP_STAT, SMP_POP, MASTER_HIGH, MASTER_LOW, MASTER_FULL, SMP_LOCAL, SMP_ERR, CLOCK_OFFSET0, CLOCK_OFFSET1),
    asked(SMP_POP), counters(TREE_COUNTERS),
)]
pub struct TimeTreePage;

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "time_tree_page",
    chapter: "20-time",
    summary: "registers and counters of a tree that is followed",
    parameters: &[],
    presets: &[Preset { name: "default", values: &[] }],
    build: |_| {
        let interface = InterfaceInfo::clocked(&[], Some(3), "request to ack");
        Ok(BuiltBlock::new(TimeTreePage::new(&WindowBuild::counting(Some(0)))?, interface))
    },
};
