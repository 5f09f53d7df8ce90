//! Nodes.

mod console;
mod link_loopback;
mod pattern;
mod switch_node;
