//! Where in a core clock a ring clock is.

use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::time_ring::MAX_RING_RATIO;

/// Ring clocks of a core clock less the first, at most.
const LATER_BITS: usize = MAX_RING_RATIO as usize - 1;

/// Tells the ring clock which of its edges are core edges (chapter 20, 4.4 rule 2).
///
/// - A bit changes with every core edge; the ring clock in which it differs from what it was a ring clock before is the first of a core clock.
///   M - 1 ring clocks later stands the last one: `core_edge`, a register, high in the clock that ends with a core edge.
/// - Behind power-on it comes with the second core edge. No clear: it counts nothing that could be wrong.
#[block(new)]
pub struct RingPhase {
    /// Core clock.
    clock: In<Clock>,
    /// Ring clock.
    ring_clock: In<Clock>,
    /// The edge that ends this ring clock is a core edge, too.
    core_edge: Out<Bit>,
    turn: Reg<Bit>,
    #[wire(clock = ring_clock)]
    seen: Reg<Bit>,
    #[wire(clock = ring_clock)]
    later: Reg<Bits<LATER_BITS>>,
    last: Constant<Bits<2>>,
}

#[logic]
impl RingPhase {
    /// With M = `ratio` ring edges per core clock, 2 or more.
    pub fn new(ratio: u64) -> Self {
        Self { last: Constant::new(ratio.saturating_sub(2).into()), .. }
    }

    fn update(&mut self) {
        turn = !turn;
        seen = turn;
        let first: Bits<LATER_BITS> = bit_cast::<LATER_BITS, 1>((turn ^ seen).into());
        later = (later << 1) | first;
        core_edge = later[last];
    }

    fn timing(&self) -> Vec<TimingInfo> {
        let ratio = self.last.val().index() + 2;
        block_label("ring_phase", &[("ratio", ratio.to_string())])
    }
}
