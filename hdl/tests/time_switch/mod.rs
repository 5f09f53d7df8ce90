//! `time_switch`: its ports fed directly, against the model of rings and ports, and in a small tree on real links.

#![allow(clippy::expect_used)] // tests

mod clock;
mod clock_trees;
mod entry;
mod faults;
mod gate;
mod hfi_tree;
mod model;
mod pairs;
mod registers;
mod rig;
mod tree;
