//! Scale-up Ethernet (chapter 50): from commands of an accelerator to frames on a lossless Ethernet, and back.

pub mod ack_timers;
pub mod crc_bytes;
pub mod due_list;
pub mod frame;
pub mod receive_table;
pub mod send_lists;
pub mod send_table;
pub mod sender_core;
pub mod slot_store;
pub mod slot_walker;
pub mod timers;

use flitforge_hdl_prim::prelude::*;

/// Registry entries. To add a block, add its `ENTRY` here, and its module above.
///
/// A static, not a constant: a constant is compiled again, with all the blocks it builds, by every crate that names it.
#[rustfmt::skip] // one line each, so that lists merge
pub static ENTRIES: &[BlockEntry] = &[
    ack_timers::ENTRY,
    crc_bytes::ENTRY,
    crc_bytes::CHECK_ENTRY,
    due_list::ENTRY,
    receive_table::ENTRY,
    send_lists::ENTRY,
    send_table::ENTRY,
    sender_core::ENTRY,
    slot_store::ENTRY,
    slot_walker::ENTRY,
    timers::ENTRY,
];
