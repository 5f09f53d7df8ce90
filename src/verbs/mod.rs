//! The verbs, one file each.

pub mod doctor;
pub mod list;
pub mod synth;
pub mod verilog;
