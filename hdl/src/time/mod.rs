//! Fabric time (chapter 20): the blocks that make, carry and follow a master's time.

pub mod device;
pub mod endpoint;
pub mod extract;
pub mod follower;
pub mod generator;
pub mod hfi;
pub mod inject;
pub mod lag_meter;
pub mod link_delay;
pub mod page;
pub mod port;
pub mod ring;
pub mod ring_gate;
pub mod selector;
pub mod servo;
pub mod slave;
pub mod source;
pub mod switch;
pub mod token;
