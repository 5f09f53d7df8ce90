//! The blocks of the fabric link.

mod bond;
mod crc;
mod flit_codec;
mod gearbox;
mod lane;
mod ltp_crc;
mod ltp_rx;
mod ltp_tx;
mod ltp_wide;
mod phy_loop;
mod phy_lvds;
mod train;
mod vectors;
