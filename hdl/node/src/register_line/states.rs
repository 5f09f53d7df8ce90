//! What the commands are doing, and how far a line has come.

use flitforge_hdl_prim::prelude::*;

/// What is being done.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum CommandState {
    /// Takes a line.
    Line,
    /// The request is open.
    Ask,
    /// Sends the digits of a value.
    Digits,
    /// Sends the first letter of an answer without a value.
    First,
    /// Sends the second one.
    Second,
    /// Sends the space in front of the check.
    Gap,
    /// Sends the digits of the check.
    Check,
    /// Sends CR.
    Return,
    /// Sends LF.
    Feed,
}

/// Why a line is not carried out.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum Problem {
    /// It is.
    Nothing,
    /// A character was lost.
    Lost,
    /// Too many characters.
    Long,
    /// Not a command.
    Syntax,
    /// The check is wrong or missing.
    Check,
    /// No such device.
    Device,
    /// No register there.
    Offset,
    /// No answer.
    Silence,
}

/// Which field of the line has come.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum LineField {
    /// None.
    Start,
    /// Its letter.
    Character,
    /// The number of the device.
    Device,
    /// The byte offset.
    Offset,
    /// The value.
    Value,
    /// The check.
    Check,
}
