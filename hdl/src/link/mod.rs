//! The fabric link (chapter 10): flits, LTPs, CRC, lanes, retry.
//!
//! One folder per block of the chapter's table in section 2; each folder has `mod.rs` with the block, its
//! `Config` and its registry `ENTRY`. The tests are in `hdl/tests`.

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
pub mod position;
pub mod probation;
pub mod regs;
pub mod replay;
pub mod retry_tx;
pub mod train;
