//! The fabric sublayer (chapter 10, 3.3, 3.4, 4.9 to 4.11): packets on the flits of a link, virtual lanes on its beats, credits
//! for both, the switch.

pub mod credit;
pub mod packet;
pub mod port;
pub mod switch;
pub mod vl;
use flitforge_hdl_prim::prelude::*;

/// Registry entries. To add a block, add its `ENTRY` here, and its module above.
///
/// A static, not a constant: a constant is compiled again, with all the blocks it builds, by every crate that names it.
#[rustfmt::skip] // one line each, so that lists merge
pub static ENTRIES: &[BlockEntry] = &[
    packet::TX_ENTRY,
    packet::RX_ENTRY,
    vl::TX_ENTRY,
    vl::RX_ENTRY,
    switch::ENTRY,
    credit::TX_ENTRY,
    credit::RX_ENTRY,
    port::ENTRY,
    port::BONDED_ENTRY,
];
