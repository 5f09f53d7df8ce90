//! The fabric link (chapter 10): flits, LTPs, CRC, lanes, retry.
//!
//! One folder per block of the chapter's table in section 2; each folder has `mod.rs` with the block, its
//! `Config` and its registry `ENTRY`; line positions are in `flitforge-hdl-link-types`. The tests are in `hdl/tests`.

pub mod bit_isolate;
pub mod bond;
pub mod bonded;
pub mod crc;
pub mod degrade;
pub mod flit_codec;
pub mod gearbox;
pub mod isolate;
pub mod lane;
pub mod ltp_crc;
pub mod ltp_rx;
pub mod ltp_tx;
pub mod ltp_wide;
pub mod phy_ecp5;
pub mod phy_loop;
pub mod phy_lvds;
pub mod port;
pub mod probation;
pub mod regs;
pub mod replay;
pub mod retry_tx;
pub mod train;

pub use flitforge_hdl_link_types::position;

use flitforge_hdl_prim::prelude::*;

/// Registry entries. To add a block, add its `ENTRY` here, and its module above.
///
/// A static, not a constant: a constant is compiled again, with all the blocks it builds, by every crate that names it.
#[rustfmt::skip] // one line each, so that lists merge
pub static ENTRIES: &[BlockEntry] = &[
    crc::ENTRY,
    gearbox::TX_ENTRY,
    gearbox::RX_ENTRY,
    lane::TX_ENTRY,
    lane::RX_ENTRY,
    phy_loop::ENTRY,
    phy_lvds::TX_ENTRY,
    phy_lvds::RX_ENTRY,
    phy_lvds::ENTRY,
    phy_ecp5::CODE_TX_ENTRY,
    phy_ecp5::CODE_RX_ENTRY,
    phy_ecp5::TX_ENTRY,
    phy_ecp5::RX_ENTRY,
    phy_ecp5::START_ENTRY,
    phy_ecp5::ENTRY,
    isolate::ENTRY,
    bit_isolate::ENTRY,
    degrade::ENTRY,
    probation::ENTRY,
    regs::ENTRY,
    train::TX_ENTRY,
    train::RX_ENTRY,
    train::ENTRY,
    train::LANES_ENTRY,
    flit_codec::ENTRY,
    ltp_tx::ENTRY,
    replay::ENTRY,
    retry_tx::ENTRY,
    ltp_rx::ENTRY,
    position::ENTRY,
    port::ENTRY,
    bond::ENTRY,
    bonded::ENTRY,
];
