//! Two ends of a real link with an oscillator each, word clocks beside the core clocks, and the lag meters of PHASE_SRC BEAT or DDMTD (chapter 20, 4.2).

#![allow(clippy::expect_used)] // tests

mod cases;
mod end;
mod net;
