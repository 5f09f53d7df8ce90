//! The flitforge hardware blocks, written with rust-hdl.
//!
//! A block is a folder in the crate of its family ([`prim`], [`link`], [`fabric`], [`time`], [`sue`], [`node`], [`sue_node`]), and this crate has them all. Every block can be
//! found by name, with its parameters, in the [`registry`].

pub mod registry;

pub use flitforge_hdl_fabric as fabric;
pub use flitforge_hdl_link as link;
pub use flitforge_hdl_node as node;
pub use flitforge_hdl_prim as prim;
pub use flitforge_hdl_prim::registers;
pub use flitforge_hdl_registry::{config, ConfigError};
pub use flitforge_hdl_sue as sue;
pub use flitforge_hdl_sue_node as sue_node;
pub use flitforge_hdl_time as time;
