//! `time_hfi` joined to a real link: two `link_port`s of one lane and one flit per beat, a `time_hfi` beside each, and a `phy_loop` for each
//! direction. One oscillator drives all of it, so words are exact (PHASE_SRC NONE); a slave's INC_NOM is wrong instead.

#![allow(clippy::expect_used)] // tests

mod faults;
mod lock;
mod merge;
mod pair;
mod rig;
mod roles;
mod second;
