//! Nodes.

mod console;
mod ltp_loopback;
mod pattern;
mod register_line;
mod register_line_noise;
mod switch_node;
