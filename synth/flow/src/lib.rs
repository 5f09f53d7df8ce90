//! The flow from Verilog to a bitstream: tool set-up, the ladder, targets, budgets and reports.
//!
//! The crate knows Verilog text, a top module and its ports ([`Source`]), nothing of the protocol. [`tools`] finds
//! or installs the tools, [`ladder`] runs them, [`harness`] lets any block be timed alone.

pub mod board;
pub mod data;
pub mod delays;
pub mod device;
pub mod error;
pub mod harness;
pub mod ladder;
pub mod measure;
pub mod placed;
pub mod process;
pub mod report;
pub mod source;
pub mod targets;
pub mod tools;

pub use board::{build_board, BoardBuild, BoardRequest, BOARD_TOOLS};
pub use delays::Delays;
pub use device::{Device, Family};
pub use error::{FlowError, FlowResult};
pub use ladder::cache::WorkDirectory;
pub use ladder::effort::Effort;
pub use ladder::Level;
pub use measure::{measure, MeasureRequest};
pub use report::SynthReport;
pub use source::{Direction, Port, Source};
