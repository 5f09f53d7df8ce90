//! Elaboration: any rust-hdl `Block` becomes one typed RTL graph.
//!
//! ```text
//! Block ──walk──► graph::Design ──check──► problems
//!                     │  └──────► verilog text
//!                     └─flatten─► evaluator (cycle by cycle, the oracle of every simulator)
//! ```
//!
//! Everything downstream reads the same [`graph::Design`], so what is simulated is what is emitted.

pub mod check;
pub mod drive;
pub mod error;
pub mod evaluate;
pub mod flat;
pub mod graph;
pub mod identifier;
pub mod interface;
pub mod lint;
pub mod marker;
pub mod models;
pub mod selfcheck;
pub mod value;
pub mod verilog;
pub mod walk;

pub use error::ElaborateError;
pub use evaluate::Evaluator;
pub use graph::Design;
pub use value::Value;
pub use walk::{elaborate, Elaborator};

/// The examples of the readme.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
