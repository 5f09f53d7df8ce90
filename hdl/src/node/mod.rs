//! Nodes: compositions of blocks that a board carries. A node knows no board and no pin.

pub mod clock_tree;
pub mod console;
pub mod link_loopback;
pub mod link_rack;
pub mod pattern;
pub mod port_line;
pub mod port_loopback;
pub mod register_line;
pub mod ring_crc;
pub mod switch_node;
