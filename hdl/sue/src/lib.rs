//! Scale-up Ethernet (chapter 50): from commands of an accelerator to frames on a lossless Ethernet, and back.

pub mod ack_timers;
pub mod arbiter;
pub mod axi;
pub mod body_check;
pub mod cbfc;
pub mod command_in;
pub mod command_out;
pub mod connection_memory;
pub mod crc_bytes;
pub mod decap;
pub mod demux;
pub mod due_list;
pub mod encap;
pub mod failover;
pub mod frame;
pub mod generation;
pub mod instance_port;
pub mod lite;
pub mod llr;
pub mod llr_rx;
pub mod llr_set;
pub mod llr_tx;
pub mod load_balance;
pub mod mac_axi;
pub mod mac_control;
pub mod mac_rx;
pub mod mac_tx;
pub mod management;
pub mod network;
pub mod pack;
pub mod pdu_reader;
pub mod pdu_writer;
pub mod pfc;
pub mod port;
pub mod receive_bodies;
pub mod receive_buffer;
pub mod receive_path;
pub mod receive_table;
pub mod registers;
pub mod rel_rx;
pub mod rel_tx;
pub mod reliability;
pub mod send_lists;
pub mod send_table;
pub mod sender_core;
pub mod sender_orders;
pub mod slot_store;
pub mod slot_walker;
pub mod timers;
pub mod top;
pub mod traffic;
pub mod unpack;

use flitforge_hdl_prim::prelude::*;

/// Registry entries. To add a block, add its `ENTRY` here, and its module above.
///
/// A static, not a constant: a constant is compiled again, with all the blocks it builds, by every crate that names it.
#[rustfmt::skip] // one line each, so that lists merge
pub static ENTRIES: &[BlockEntry] = &[
    ack_timers::ENTRY,
    arbiter::ENTRY,
    axi::ENTRY,
    axi::MANAGER_ENTRY,
    axi::SUBORDINATE_ENTRY,
    body_check::ENTRY,
    cbfc::ENTRY,
    command_in::ENTRY,
    command_out::ENTRY,
    crc_bytes::ENTRY,
    crc_bytes::CHECK_ENTRY,
    decap::ENTRY,
    demux::ENTRY,
    due_list::ENTRY,
    encap::ENTRY,
    failover::ENTRY,
    generation::ENTRY,
    lite::COMPLETIONS_ENTRY,
    lite::ENTRY,
    lite::RECEIVER_ENTRY,
    lite::WRITER_ENTRY,
    llr::ENTRY,
    llr_rx::ENTRY,
    llr_tx::ENTRY,
    mac_axi::RECEIVE_ENTRY,
    mac_axi::TRANSMIT_ENTRY,
    load_balance::ENTRY,
    mac_rx::ENTRY,
    mac_tx::ENTRY,
    management::ENTRY,
    pack::ENTRY,
    pdu_reader::ENTRY,
    pdu_writer::ENTRY,
    pfc::ENTRY,
    port::ENTRY,
    receive_bodies::ENTRY,
    receive_buffer::ENTRY,
    receive_path::ENTRY,
    receive_table::ENTRY,
    registers::CROSSING_ENTRY,
    registers::ENTRY,
    registers::PORT_ENTRY,
    rel_rx::ENTRY,
    rel_tx::ENTRY,
    send_lists::ENTRY,
    send_table::ENTRY,
    sender_core::ENTRY,
    slot_store::ENTRY,
    slot_walker::ENTRY,
    timers::ENTRY,
    top::ENTRY,
    traffic::ENTRY,
    unpack::ENTRY,
];
