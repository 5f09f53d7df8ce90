//! Fabric time (chapter 20): the blocks that make, carry and follow a master's time.

pub mod device;
pub mod endpoint;
pub mod extract;
pub mod follower;
pub mod generator;
pub mod hfi;
pub mod inject;
pub mod lag_meter;
pub mod link_delay;
pub mod page;
pub mod port;
pub mod ring;
pub mod ring_gate;
pub mod selector;
pub mod servo;
pub mod slave;
pub mod source;
pub mod switch;
pub mod token;
use flitforge_hdl_prim::prelude::*;

/// Registry entries. To add a block, add its `ENTRY` here, and its module above.
///
/// A static, not a constant: a constant is compiled again, with all the blocks it builds, by every crate that names it.
#[rustfmt::skip] // one line each, so that lists merge
pub static ENTRIES: &[BlockEntry] = &[
    ring::STOP_ENTRY,
    ring::ENTRY,
    token::ENTRY,
    source::ENTRY,
    servo::ENTRY,
    extract::ENTRY,
    inject::ENTRY,
    lag_meter::TRACKER_ENTRY,
    lag_meter::DDMTD_ENTRY,
    lag_meter::ENTRY,
    link_delay::ENTRY,
    port::ENTRY,
    switch::ENTRY,
    generator::ENTRY,
    slave::ENTRY,
    selector::ENTRY,
    follower::ENTRY,
    endpoint::ENTRY,
    page::TREE_ENTRY,
    page::PORT_ENTRY,
    page::RING_ENTRY,
    page::ENTRY,
    device::ENTRY,
    hfi::ENTRY,
];
