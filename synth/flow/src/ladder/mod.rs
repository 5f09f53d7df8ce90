//! The ladder: lint, synth, place, pack. Each rung takes text and gives a typed result; each is cached by content.

pub mod area;
pub mod cache;
pub mod effort;
pub mod families;
pub mod lint;
pub mod names;
pub mod pack;
pub mod place;
pub mod synth;

use crate::error::{FlowError, FlowResult};
use serde::{Deserialize, Serialize};
use std::str::FromStr;

/// How far a block is taken. Each level includes the ones before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// The Verilog text is written.
    Verilog,
    /// It passes lint.
    Lint,
    /// It is synthesised: area.
    Synth,
    /// It is placed and routed in the harness: area and Fmax.
    Place,
}

impl Level {
    /// The tools a level needs.
    pub fn tools(self) -> &'static [&'static str] {
        match self {
            Level::Verilog => &[],
            Level::Lint => &["verilator", "yosys"],
            Level::Synth => &["yosys"],
            Level::Place => &["yosys", "nextpnr-ecp5"],
        }
    }
}

impl FromStr for Level {
    type Err = FlowError;

    fn from_str(text: &str) -> FlowResult<Level> {
        match text {
            "verilog" => Ok(Level::Verilog),
            "lint" => Ok(Level::Lint),
            "synth" => Ok(Level::Synth),
            "place" => Ok(Level::Place),
            _ => Err(FlowError::Interface {
                block: text.into(),
                message: "is no level; levels are verilog, lint, synth, place".into(),
            }),
        }
    }
}
