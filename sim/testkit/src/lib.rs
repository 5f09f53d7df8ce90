//! What the tests of the blocks share. For tests only: what goes wrong panics, with the path or the clock in the message.
//!
//! | need | here |
//! |---|---|
//! | a block's ports by path | [`BenchBlock`] on any back end, [`CompiledBlock`] in native code, [`StockBlock`] in rust-hdl's own simulation |
//! | a rig: a block with what stands around it | [`Clocked`]: says what a clock is; [`Several`] clocks |
//! | registers | [`RegisterBus`] |
//! | did the hard case come about? | [`Seen`], by name; [`Count`], one thing |
//! | streams in and out, clock by clock | [`StreamDriver`], [`FlowTap`], [`FlitWay`]; [`Compare`] for what must come and what came |
//! | wrong bits, lanes exchanged and late, changed LTPs | [`Noise`] and [`ErrorPorts`], [`Cable`], [`relay`] at [`LinePorts`] |
//! | flits in a port's value, ports of up to 128 bits | [`flits`], [`wide`](mod@wide) |
//! | quick and deep runs | [`deep`], [`depth`], [`is_full`] |
//!
//! Agents for a `Testbench`, with random stimulus and co-simulation, are in `flitforge_sim::kit`; this crate is for rigs that a
//! test moves itself.
//!
//! # A rig
//!
//! A pulse-width modulator with a sink that counts; the test says what one clock of both is.
//!
//! ```
//! use flitforge_elaborate::driven;
//! use flitforge_testkit::{BenchBlock, Pins, Clocked, Seen};
//! use rust_hdl::prelude::*;
//!
//! struct Dimmer {
//!     block: BenchBlock,
//!     seen: Seen,
//! }
//!
//! impl Clocked for Dimmer {
//!     fn pins(&mut self) -> &mut dyn Pins {
//!         &mut self.block
//!     }
//!
//!     fn clock(&mut self) {
//!         let lit = self.get("active") == 1;
//!         self.seen.count_if("lit", lit);
//!         self.seen.count_if("dark", !lit);
//!         self.block.clock();
//!     }
//! }
//!
//! let block = driven!(PulseWidthModulator::<6>::default(), |top| top.clock, top.enable, top.threshold);
//! let mut dimmer = Dimmer { block: BenchBlock::boxed("pwm", Box::new(block)), seen: Seen::default() };
//! dimmer.set("enable", 1).set("threshold", 16);
//! dimmer.until("lit", 64, |dimmer| dimmer.get("active") == 1);
//! dimmer.run(64);
//! dimmer.seen.require(&[("lit", 16), ("dark", 47)]);
//! ```

#![allow(clippy::expect_used)] // a test fails by panicking

mod bench;
mod bus;
mod cable;
mod clocked;
mod compare;
mod compiled;
mod count;
mod depth;
mod faults;
mod flit_way;
pub mod flits;
mod line_ports;
mod on_bit;
mod pins;
mod random;
pub mod relay;
mod seen;
mod stock;
mod stream;
pub mod wide;

pub use bench::{drive_all, BenchBlock};
pub use bus::{Answer, RegisterBus, MAX_BUS_CLOCKS};
pub use cable::{lane_orders, Cable};
pub use clocked::{Clocked, OneOf, Several};
pub use compare::{failed, Compare};
pub use compiled::{compiled, handle, handles, CompiledBlock};
pub use count::Count;
pub use depth::{deep, depth, is_full};
pub use faults::{ErrorPorts, Noise, WordError};
pub use flit_way::FlitWay;
pub use line_ports::LinePorts;
pub use on_bit::OnBit;
pub use pins::Pins;
pub use random::random;
pub use seen::Seen;
pub use stock::StockBlock;
pub use stream::{FlowTap, StreamDriver};
