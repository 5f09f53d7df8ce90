//! The block language: each construct with its Verilog, real blocks, and what is refused.
#![allow(missing_docs, clippy::expect_used)]

use flitforge_hdl_prim as prim;
use flitforge_hdl_registry::config;

mod blocks;
mod cases;
mod generated;
mod hold;
mod loud;
mod mutants;
mod page;
mod random;
mod reads;
mod stock_writer;
mod support;
