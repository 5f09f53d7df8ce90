//! The blocks of fabric time against their models, rust-hdl itself and the emitted Verilog.

#![allow(clippy::expect_used)] // tests

mod crossing;
mod device;
mod extract;
mod generator;
mod inject;
mod lag_ddmtd;
mod lag_meter;
mod lag_tracker;
mod link;
mod link_delay;
mod link_delay_cases;
mod mutations;
mod page;
mod page_windows;
mod selector;
mod servo;
mod slave;
mod source;
mod support;
mod token;
mod trees;
