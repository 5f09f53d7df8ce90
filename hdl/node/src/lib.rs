//! Nodes: compositions of blocks that a board carries. A node knows no board and no pin.

pub mod clock_tree;
pub mod console;
pub mod link_rack;
pub mod ltp_loopback;
pub mod pattern;
pub mod port_line;
pub mod port_loopback;
pub mod register_line;
pub mod ring_crc;
pub mod switch_node;
use flitforge_hdl_prim::prelude::*;

/// Registry entries. To add a block, add its `ENTRY` here, and its module above.
///
/// A static, not a constant: a constant is compiled again, with all the blocks it builds, by every crate that names it.
#[rustfmt::skip] // one line each, so that lists merge
pub static ENTRIES: &[BlockEntry] = &[
    switch_node::ENTRY,
    console::ENTRY,
    register_line::COMMANDS_ENTRY,
    register_line::ENTRY,
    ltp_loopback::ENTRY,
    port_loopback::ENTRY,
    port_loopback::PANEL_ENTRY,
    pattern::SOURCE_ENTRY,
    pattern::CHECKER_ENTRY,
    ring_crc::ENTRY,
];

/// Designs that are only there to be measured.
pub static COMPOSITES: &[BlockEntry] = &[link_rack::ENTRY];
