//! Nodes.

mod console;
mod link_loopback;
mod pattern;
mod register_line;
mod switch_node;
