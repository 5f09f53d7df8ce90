//! `fab_switch`: packets through all ports against the model; faults; latency and throughput.

#![allow(clippy::expect_used)] // tests

mod directed;
mod equal;
mod faults;
mod page;
mod rig;
mod traffic;
