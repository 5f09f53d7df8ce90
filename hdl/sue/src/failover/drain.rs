//! Bodies that still move from other ports, before a connection is asked for, so that they do not meet its own (chapter 50, 4.4 rule 4).

use crate::load_balance::PORTS;
use crate::rel_tx::STILL;
use flitforge_hdl_prim::prelude::*;

/// Clocks, as a power of two, in which nothing has moved: nothing moves.
const STILL_BITS: usize = 5;
const _: () = assert!(1 << STILL_BITS >= STILL);
/// After so many clocks, as a power of two, bodies that no port can take must not wait.
const HURRY: usize = 12;
/// Bits of the clocks after whose half nothing is waited for any more.
const PATIENCE_BITS: usize = 20;

/// Waits for them. While `waits` is high, it says when nothing moves, and when it was too long.
#[block("sue_failover_drain")]
pub struct FailoverDrain {
    /// Rising edge counts.
    clock: In<Clock>,
    /// The connection's own port.
    port: In<Bits<2>>,
    /// It is waited for.
    waits: In<Bit>,
    /// Ports at which bodies are on their way to another port, or come.
    in_transit: In<Bits<PORTS>>,
    /// Nothing moves.
    still: Out<Bit>,
    /// Bodies that no port can take must not wait.
    draining: Out<Bit>,
    /// It took too long.
    gives_up: Out<Bit>,

    #[wire(d = _)]
    others_move: Reg<Bit>,
    #[wire(d = _)]
    calm: Reg<Bits<{ STILL_BITS + 1 }>>,
    #[wire(d = _)]
    patience: Reg<Bits<PATIENCE_BITS>>,
    #[wire(d = _)]
    hurries: Reg<Bit>,
}

#[logic]
impl FailoverDrain {
    fn update(&mut self) {
        let mut some: Bit = false;
        for i in 0..PORTS {
            some = some | (in_transit[i] & !(port == i));
        }
        others_move = some;
        calm = if others_move | !waits { 0 } else { calm + 1 };
        still = calm[STILL_BITS];
        patience = if waits { patience + 1 } else { 0 };
        let long = patience.bits::<{ PATIENCE_BITS - HURRY }>(HURRY);
        hurries = long.any();
        draining = hurries;
        gives_up = patience[PATIENCE_BITS - 1];
    }
}
