//! Delays of a placed and routed design, pin by pin, and the slowest paths between groups of its registers.
//!
//! The placer's own report has one path per clock. [`Delays`] reads its SDF file instead ([`super::ladder::place::DELAYS`]), which
//! has every cell and every wire, and [`Delays::slowest`] finds the slowest path from each group of registers to each other one.

mod sdf;
mod slowest;

pub use sdf::Delays;
