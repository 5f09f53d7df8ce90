//! The block language: each construct with its Verilog, real blocks, and what is refused.
#![allow(missing_docs, clippy::expect_used)]

#[path = "../../src/config.rs"]
#[allow(dead_code)]
mod config;
#[path = "../../src/prim/mod.rs"]
#[allow(dead_code, unused_imports)]
mod prim;
mod registry;

mod blocks;
mod cases;
mod generated;
mod hold;
mod loud;
mod mutants;
mod page;
mod random;
mod reads;
mod refusals;
mod stock_writer;
mod support;
