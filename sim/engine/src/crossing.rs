//! Clock crossings as silicon has them: the first flip-flop of a synchronizer takes the old or the new value when
//! its data changes close to its clock's edge, so that every crossing bit arrives 0 or 1 clocks later.
//!
//! [`UncertainDesign::new`] finds the first flip-flops: registers that take data of another clock, and heads of
//! `ASYNC_REG` chains fed by inputs. Each gets `d ^ late` for `d`, where `late` is a part of the new top input
//! [`LATE_PORT`]. The changed design runs on every back end that takes a design; with the input at 0 it behaves as before.
//! [`CrossingNoise`] drives the input: for every bit that changed since its clock's last edge it chooses the value before
//! the last change, or the new one, at random under the seed. Bits are chosen one by one, so a binary number that crosses
//! without Gray code or handshake is torn, as it is in hardware.

mod find;
mod noise;
mod pass;

pub use noise::CrossingNoise;

use crate::error::SimError;
use flitforge_elaborate::flat::Flat;
use flitforge_elaborate::Design;

/// The top input that delays crossing bits: a 1 gives a register the complement of its data.
pub const LATE_PORT: &str = "crossing_late";

/// One crossing register.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CrossingRegister {
    /// Path of the register.
    pub path: String,
    /// Path of its data.
    pub data: String,
    /// Path of its clock: an input of the top.
    pub clock: String,
    /// Width in bits.
    pub width: u32,
    /// Its lowest bit in [`LATE_PORT`].
    pub offset: u32,
}

/// A design whose crossings can be delayed.
#[derive(Clone, Debug)]
pub struct UncertainDesign {
    /// The design with the additional input.
    pub design: Design,
    /// The registers after the input's bits.
    pub registers: Vec<CrossingRegister>,
}

impl UncertainDesign {
    /// Makes the crossings of a design uncertain. A design that cannot be flattened, has no crossing, or has a port
    /// of the new name is an error.
    pub fn new(name: &str, design: &Design) -> Result<Self, SimError> {
        let reason = |reason: String| SimError::Elaborate { block: name.into(), reason };
        let flat = Flat::new(design).map_err(|error| reason(error.to_string()))?;
        let marks = find::crossings(design, &flat);
        if marks.is_empty() {
            return Err(reason("no register takes data of another clock: nothing to make uncertain".into()));
        }
        if design.modules.iter().any(|module| module.signals.iter().any(|s| s.path == LATE_PORT)) {
            return Err(reason(format!("a signal is called `{LATE_PORT}` already")));
        }
        Ok(pass::apply(design, &flat, &marks))
    }
}
