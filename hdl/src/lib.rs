//! The flitforge hardware blocks, written with rust-hdl.

pub mod prim;
