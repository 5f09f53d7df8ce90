//! Fabrics of many devices in integer picoseconds.
//!
//! [`network::Network`] simulates devices with their own oscillators, links with all that delays a flit on them, and the
//! golden models of fabric time in every device; [`manager`] is the fabric manager's library, which programs it through
//! registers as it would a real fabric; [`link_manager`] is that of links and switches.

pub mod chain;
pub mod clock_tree;
pub mod fabric;
pub mod failover;
pub mod line;
pub mod link_manager;
pub mod manager;
pub mod network;
pub mod oscillator;
pub mod record;
pub mod register_line;
pub mod report;
pub mod scale;
pub mod statistics;
pub mod sue;
pub mod svg;
pub mod topology;
