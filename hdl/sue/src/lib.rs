//! Scale-up Ethernet (chapter 50): from commands of an accelerator to frames on a lossless Ethernet, and back.

pub mod arbiter;
pub mod cbfc;
pub mod crc_bytes;
pub mod frame;
pub mod mac_control;
pub mod pfc;
pub mod receive_table;
pub mod send_table;

use flitforge_hdl_prim::prelude::*;

/// Registry entries. To add a block, add its `ENTRY` here, and its module above.
///
/// A static, not a constant: a constant is compiled again, with all the blocks it builds, by every crate that names it.
#[rustfmt::skip] // one line each, so that lists merge
pub static ENTRIES: &[BlockEntry] = &[
    crc_bytes::ENTRY,
    crc_bytes::CHECK_ENTRY,
    receive_table::ENTRY,
    send_table::ENTRY,
];
