//! The verbs, one file each.

pub mod bench;
pub mod build;
pub mod check;
pub mod clock_tree;
pub mod completions;
pub mod doctor;
pub mod list;
pub mod sim;
pub mod sue;
pub mod synth;
pub mod timing;
pub mod verilog;
