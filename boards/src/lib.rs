//! Boards, platform primitives and the designs that stand on them.
//!
//! A board is one TOML file of facts ([`Board`]); a design is a board plus a node ([`Design`]). Constraint files
//! are made from the two ([`constraints`]), never written by hand.

mod board;
pub mod constraints;
pub mod designs;
mod known;
pub mod platform;

pub use board::{board, boards, Board, BoardError, Direction, Pin, Pull};
pub use designs::{design, designs, Design, DesignError};
