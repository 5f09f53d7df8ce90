//! `link_retry_tx` (`link_ltp_tx` with `link_replay`) against the golden model of retry, LTP by LTP.

#![allow(clippy::expect_used)] // tests

mod cosim;
mod directed;
mod hardware;
mod mutations;
mod pair;
mod random;
mod rig;
