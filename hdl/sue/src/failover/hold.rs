//! When bodies of the packer wait, so that order is kept over a failover (chapter 50, 4.4 rule 4).

use crate::load_balance::PORTS;
use crate::rel_tx::STILL;
use flitforge_hdl_prim::prelude::*;

/// Clocks, as a power of two and less one, in which nothing has moved: nothing moves.
const CALM_BITS: usize = 6;
const _: () = assert!((1 << CALM_BITS) - 1 > STILL);

/// Holds bodies of the packer from the beginning of a failover until it has settled, and no body is on its way to another port any more. A body that was being led then ends first.
#[block("sue_failover_hold")]
pub struct FailoverHold {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Holds nothing.
    clear: In<Bit>,
    /// MODE = strict and STRICT_FO: order is kept.
    keeps_order: In<Bit>,
    /// A failover is under way.
    settling: In<Bit>,
    /// Ports at which bodies are on their way to another port, or come.
    in_transit: In<Bits<PORTS>>,
    /// A body of the packer is being led to a port.
    leads: In<Bit>,
    /// Bodies of the packer wait.
    held: Out<Bit>,

    holds: Register<Bit>,
    calm: Register<Bits<CALM_BITS>>,
}

#[logic]
impl FailoverHold {
    fn update(&mut self) {
        let busy = settling | in_transit.any() | leads;
        let longer = if calm.all() { calm } else { calm + 1 };
        calm.enable = true;
        calm = if busy { 0 } else { longer };
        holds.enable = true;
        holds = keeps_order & (settling | (holds & !calm.all()));
        held = holds;
    }
}
