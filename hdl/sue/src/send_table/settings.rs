//! What the registers say to the sender (chapter 50, 5: REL0 and REL1).

#![allow(missing_docs)]

use flitforge_hdl_prim::prelude::*;

/// What the registers say to a sender's table, at the table.
#[interface(join = SendRegisters)]
pub struct SendSettings {
    /// WIN: most bodies without acknowledgment, 1 to 32767.
    window: In<Bits<15>>,
    /// RETRY_MAX: expiries without a sign of life before the one that fails.
    retry_max: In<Bits<4>>,
    /// BACKOFF: largest exponent of the timer.
    backoff: In<Bits<4>>,
    /// NACK_MAX: NACKs without progress until the connection is stuck; 0: never.
    nack_max: In<Bits<8>>,
    /// STUCK_FAIL: a stuck connection fails.
    stuck_fail: In<Bit>,
}

/// The same at the registers.
#[interface(join = SendSettings)]
pub struct SendRegisters {
    /// WIN: most bodies without acknowledgment, 1 to 32767.
    window: Out<Bits<15>>,
    /// RETRY_MAX: expiries without a sign of life before the one that fails.
    retry_max: Out<Bits<4>>,
    /// BACKOFF: largest exponent of the timer.
    backoff: Out<Bits<4>>,
    /// NACK_MAX: NACKs without progress until the connection is stuck; 0: never.
    nack_max: Out<Bits<8>>,
    /// STUCK_FAIL: a stuck connection fails.
    stuck_fail: Out<Bit>,
}

/// The settings, and what one less is, a clock later.
#[packed]
pub struct SendLimits {
    /// WIN is more than there are slots.
    wide: Bit,
    /// WIN, unless it is wide.
    window: Bits<9>,
    /// Bodies without acknowledgment when one more closes the window.
    window_before: Bits<9>,
    /// RETRY_MAX.
    retry_max: Bits<4>,
    /// BACKOFF.
    backoff: Bits<4>,
    /// NACK_MAX.
    nack_max: Bits<8>,
    /// NACKs without progress when one more is too many.
    nack_before: Bits<8>,
    /// STUCK_FAIL.
    stuck_fail: Bit,
}
