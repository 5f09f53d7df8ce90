//! `time_port` joined to a real link: two `link_port`s, a `time_port` beside each, and a `phy_loop` for each direction.

#![allow(clippy::expect_used)] // tests

mod link;
mod pair;
mod rig;
