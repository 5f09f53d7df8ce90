//! Designs: a board plus a node, elaborated into one top-level module whose ports are the board's pins.

mod clock_tree;
mod link_loopback;
mod link_lvds;
mod link_serdes;
mod sue_pair;

use crate::board::Board;
use crate::constraints::ClockSource;
use crate::known::known;
use crate::platform::ecp5_pll::PllError;
use crate::platform::ecp5_quarter_pll::QuarterError;
use flitforge_hdl::config::ConfigError;
use rust_hdl::prelude::Block;
use thiserror::Error;

/// A design that cannot be had on a board, and why.
#[derive(Debug, Error)]
pub enum DesignError {
    /// No such design.
    #[error("unknown design `{name}`: {known}")]
    Unknown {
        /// The name asked for.
        name: String,
        /// The names there are.
        known: String,
    },
    /// The design is not made for this board.
    #[error("design `{design}` does not run on board `{board}`; it runs on: {known}")]
    NotOnBoard {
        /// The design.
        design: String,
        /// The board asked for.
        board: String,
        /// Its boards.
        known: String,
    },
    /// A block refused its configuration.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The clock cannot be made.
    #[error(transparent)]
    Pll(#[from] PllError),
    /// The clocks cannot be made.
    #[error(transparent)]
    QuarterPll(#[from] QuarterError),
}

/// A design.
#[derive(Clone, Copy, Debug)]
pub struct Design {
    /// Name on the command line.
    pub name: &'static str,
    /// One line about it.
    pub summary: &'static str,
    /// Boards it runs on.
    pub boards: &'static [&'static str],
    /// Clocks that no board knows: those that come from a peer or out of a cell, with their frequency in hertz.
    pub clocks: &'static [(ClockSource, u64)],
    /// What synthesis and placement work for unless the user says otherwise: the name of an effort of the flow.
    pub effort: &'static str,
    build: fn(&Board) -> Result<Box<dyn Block>, DesignError>,
}

impl Design {
    /// The top-level block of this design on `board`.
    pub fn build(&self, board: &Board) -> Result<Box<dyn Block>, DesignError> {
        if !self.boards.contains(&board.name.as_str()) {
            return Err(DesignError::NotOnBoard {
                design: self.name.into(),
                board: board.name.clone(),
                known: self.boards.join(", "),
            });
        }
        (self.build)(board)
    }
}

/// All designs.
pub fn designs() -> &'static [Design] {
    &[clock_tree::DESIGN, link_loopback::DESIGN, link_lvds::DESIGN, link_serdes::DESIGN, sue_pair::DESIGN]
}

/// A design by name.
pub fn design(name: &str) -> Result<&'static Design, DesignError> {
    designs().iter().find(|design| design.name == name).ok_or_else(|| DesignError::Unknown {
        name: name.into(),
        known: known(name, designs().iter().map(|design| design.name)),
    })
}
