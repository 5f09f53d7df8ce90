//! `switch_node`: a switch with four links, and at the far end of each a `fab_port` with sources and sinks.

#![allow(clippy::expect_used)] // tests

mod ends;
mod faults;
mod rig;
mod star;
mod traffic;
