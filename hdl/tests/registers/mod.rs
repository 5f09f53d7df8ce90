//! Register pages that are made from tables: every field of every one, and the rules that all pages share.

#![allow(clippy::expect_used)] // tests

#[macro_use]
mod panel_registers;
mod every_field;
mod every_page;
mod panel;
mod port;
