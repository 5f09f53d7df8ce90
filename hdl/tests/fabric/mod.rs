//! The blocks of the fabric sublayer and the bond below it against their models, rust-hdl itself and the emitted Verilog.

#![allow(clippy::expect_used)] // tests

mod credit_rx;
mod credit_tx;
pub mod encode;
mod link_bond;
mod mutations;
mod packet_rx;
mod packet_tx;
mod vl_rx;
mod vl_tx;
