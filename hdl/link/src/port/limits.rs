//! REINIT_LIMIT of the receiver (chapter 10, 4.2 rules 5 and 9).

use flitforge_hdl_prim::prelude::*;

/// Counts the Retrainings for which the receiver has asked with one and the same NxtRx, as `link_replay` counts those of
/// the transmit side: at REINIT_LIMIT the link gives up. `retrain` or `give_up` comes 2 clocks after `request_limit`.
/// Requests are at least 3 clocks apart, as LTPs are. `clear` forgets the count.
#[block("port_limits")]
pub struct PortLimits {
    /// Clock.
    clock: In<Clock>,
    /// Synchronous clear; the link is Down.
    clear: In<Bit>,
    /// REINIT_LIMIT, 1 to 255.
    reinit_limit: In<Bits<8>>,
    /// Event: a request beyond RETRY_LIMIT.
    request_limit: In<Bit>,
    /// NxtRx.
    next_rx: In<Bits<16>>,
    /// Pulse: Retraining.
    retrain: Out<Bit>,
    /// Pulse: Down.
    give_up: Out<Bit>,
    /// Pulse: RETRY_LIMIT is reached, with one of the two.
    reached: Out<Bit>,

    stuck: Reg<Bits<16>>,
    count: Reg<Bits<8>>,
    counted: Reg<Bit>,
    wants_retrain: Reg<Bit>,
    wants_down: Reg<Bit>,
    #[init(1)]
    one: Constant<Bits<8>>,
}

#[logic]
impl PortLimits {
    fn update(&mut self) {
        counted = request_limit;
        if request_limit {
            stuck = next_rx;
            count = one;
            if (stuck == next_rx) & count.any() {
                count = count + one;
            }
        }
        wants_down = counted & (count >= reinit_limit);
        wants_retrain = counted & (count < reinit_limit);
        if clear {
            count = 0;
            counted = false;
            wants_down = false;
            wants_retrain = false;
        }
        retrain = wants_retrain;
        give_up = wants_down;
        reached = wants_retrain | wants_down;
    }
}
