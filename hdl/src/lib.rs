//! The flitforge hardware blocks, written with rust-hdl.
//!
//! A block is a folder under the room of its chapter ([`prim`], [`link`], [`fabric`]). Every block can be found by name,
//! with its parameters, in the [`registry`].
//!
//! rust-hdl's derives of interfaces and structs (`LogicInterface` with `join`, `LogicStruct`) add public
//! methods without documentation. The files that hold such types, and only those, start with
//! `#![allow(missing_docs)]`; `tests/documentation.rs` sees to it that their own items are documented all the same.

// What `#[register_page]` makes names this crate, also inside of it.
extern crate self as flitforge_hdl;

pub mod config;
pub mod fabric;
pub mod link;
pub mod node;
pub mod prim;
pub mod registers;
pub mod registry;
pub mod time;

pub use config::ConfigError;
