//! Where in a core clock a ring clock is.

use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::time_ring::MAX_RING_RATIO;

/// Ring clocks of a core clock less the first, at most.
const LATER_BITS: usize = MAX_RING_RATIO as usize - 1;

/// Tells the ring clock which of its edges are core edges (chapter 20, 4.4 rule 2).
///
/// - A bit changes with every core edge; the ring clock in which it differs from what it was a ring clock before is the first of a core clock.
///   M - 1 ring clocks later stands the last one: `core_edge`, a register, high in the clock that ends with a core edge.
/// - Behind power-on it comes with the second core edge. No clear: it counts nothing that could be wrong.
#[derive(LogicBlock)]
pub struct RingPhase {
    /// Core clock.
    pub clock: Signal<In, Clock>,
    /// Ring clock.
    pub ring_clock: Signal<In, Clock>,
    /// The edge that ends this ring clock is a core edge, too.
    pub core_edge: Signal<Out, Bit>,
    turn: DFF<Bit>,
    seen: DFF<Bit>,
    later: DFF<Bits<LATER_BITS>>,
    first: Signal<Local, Bits<LATER_BITS>>,
    last: Constant<Bits<2>>,
}

impl RingPhase {
    /// With M = `ratio` ring edges per core clock, 2 or more.
    pub fn new(ratio: u64) -> Self {
        Self {
            clock: Default::default(),
            ring_clock: Default::default(),
            core_edge: Default::default(),
            turn: Default::default(),
            seen: Default::default(),
            later: Default::default(),
            first: Default::default(),
            last: Constant::new(ratio.saturating_sub(2).into()),
        }
    }
}

impl Logic for RingPhase {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, turn);
        dff_setup!(self, ring_clock, seen, later);
        self.turn.d.next = !self.turn.q.val();
        self.seen.d.next = self.turn.q.val();
        self.first.next = bit_cast::<LATER_BITS, 1>((self.turn.q.val() ^ self.seen.q.val()).into());
        self.later.d.next = (self.later.q.val() << 1) | self.first.val();
        self.core_edge.next = self.later.q.val().get_bit(self.last.val().index());
    }

    fn timing(&self) -> Vec<TimingInfo> {
        let ratio = self.last.val().index() + 2;
        block_label("ring_phase", &[("ratio", ratio.to_string())])
    }
}

drive_ports!(impl[] RingPhase { clock, ring_clock, core_edge });
