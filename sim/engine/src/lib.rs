//! Simulation back ends and the test-bench kit.
//!
//! ```text
//!            kit: sources, sinks, monitors, scoreboards, clear, coverage
//!                               │ drive, observe
//!   Testbench ───────────────► Bench ──► CompiledBench, GraphBench (the elaborated graph) or StockBench (rust-hdl)
//!       │ records
//!       ▼
//!     Trace ──► cosim: model, stock rust-hdl, and the emitted Verilog in Icarus or Verilator
//! ```
//!
//! A test opens a [`Bench`] on a block, adds [`kit::Agent`]s to a [`kit::Testbench`] and runs it; [`cosim`]
//! does so with one stimulus on every description of the block.

pub mod bench;
pub mod compiled;
pub mod cosim;
pub mod crossing;
mod design;
pub mod equality;
pub mod error;
pub mod exercise;
mod graph;
pub mod kit;
mod mismatch;
pub mod model;
mod open;
pub mod port;
pub mod recording;
pub mod replay;
mod rule;
pub mod scenario;
pub mod schedule;
pub mod speed;
pub mod stock;
pub mod tools;
pub mod trace;
pub mod verilator;
mod watch;
pub mod waves;

pub use bench::{BackEnd, Bench};
pub use compiled::{campaign, Compiled, CompiledBench, Instance};
pub use cosim::{CosimPlan, CosimReport};
pub use design::design_of;
pub use error::SimError;
pub use graph::GraphBench;
pub use mismatch::{FourState, Mismatch};
pub use model::{ClockedModel, PortValues};
pub use open::open;
pub use port::{Port, PortHandle, PortKind, Ports};
pub use recording::Recording;
pub use replay::{Simulator, VerilogSource};
pub use stock::StockBench;
pub use trace::{Outputs, Trace};
pub use verilator::VerilatorBench;
pub use watch::{Watch, WatchedSignal};
pub use waves::{SignalTable, WaveLog, WaveRequest, Waves};

/// The examples of the readme.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
