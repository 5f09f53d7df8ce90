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
pub mod equality;
pub mod error;
pub mod exercise;
mod graph;
pub mod kit;
pub mod model;
pub mod port;
pub mod recording;
pub mod replay;
pub mod scenario;
pub mod schedule;
pub mod speed;
pub mod stock;
pub mod tools;
pub mod trace;
pub mod verilator;
mod watch;
pub mod waves;

pub use bench::{open, BackEnd, Bench};
pub use compiled::{campaign, Compiled, CompiledBench, Instance};
pub use cosim::{CosimPlan, CosimReport};
pub use error::SimError;
pub use graph::GraphBench;
pub use model::{ClockedModel, PortValues};
pub use port::{Port, PortHandle, PortKind, Ports};
pub use recording::Recording;
pub use replay::{Simulator, VerilogSource};
pub use stock::StockBench;
pub use trace::{Mismatch, Outputs, Trace};
pub use verilator::VerilatorBench;
pub use watch::{Watch, WatchedSignal};
pub use waves::{SignalTable, WaveLog, WaveRequest, Waves};

/// The examples of the readme.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
