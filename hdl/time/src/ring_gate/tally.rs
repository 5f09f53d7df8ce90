//! What happens in ring clocks, in core clocks.

use super::GATE_EVENTS;
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::time_ring::MAX_RING_RATIO;

/// Bits of the events of a core clock.
pub const TALLY_BITS: usize = 4;

/// Counts two kinds of events of ring clocks in core clocks: none is lost and none counts twice.
///
/// - `count` is a register of the core clock: the events of a core clock stand in the one after it.
/// - No clear: what happened is counted.
#[block("ring_tally")]
pub struct RingTally {
    /// Core clock.
    clock: In<Clock>,
    /// Ring clock.
    ring_clock: In<Clock>,
    /// The edge that ends this ring clock is a core edge, too.
    core_edge: In<Bit>,
    /// Events of a ring clock; every 1 counts.
    events: In<Bits<GATE_EVENTS>>,
    /// Events of a core clock.
    count: Out<Bits<TALLY_BITS>>,
    #[wire(clock = ring_clock)]
    so_far: Reg<Bits<TALLY_BITS>>,
    counted: Reg<Bits<TALLY_BITS>>,
}

#[logic]
impl RingTally {
    fn update(&mut self) {
        let now = events;
        let sum = so_far
            + bit_cast::<TALLY_BITS, 1>(now.bits::<1>(0))
            + bit_cast::<TALLY_BITS, 1>(now.bits::<1>(1));
        so_far = sum;
        if core_edge {
            so_far = 0;
        }
        counted = sum;
        count = counted;
    }
}

const _: () = assert!(GATE_EVENTS == 2 && GATE_EVENTS * (MAX_RING_RATIO as usize) < 1 << TALLY_BITS);

/// Says of `N` lines of the ring clock whether they were high in a core clock, however short.
///
/// - `seen` is a register of the core clock: what was high in a core clock is high in the one after it. Lines that are high once in a
///   core clock at most are counted by it.
/// - No clear: what was high is seen.
#[block("ring_seen", lines = N)]
pub struct RingSeen<const N: usize> {
    /// Core clock.
    clock: In<Clock>,
    /// Ring clock.
    ring_clock: In<Clock>,
    /// The edge that ends this ring clock is a core edge, too.
    core_edge: In<Bit>,
    /// Lines of the ring clock.
    lines: In<Bits<N>>,
    /// The same in core clocks.
    seen: Out<Bits<N>>,
    #[wire(clock = ring_clock)]
    so_far: Reg<Bits<N>>,
    found: Reg<Bits<N>>,
}

#[logic]
impl<const N: usize> RingSeen<N> {
    fn update(&mut self) {
        let all = so_far | lines;
        so_far = all;
        if core_edge {
            so_far = 0;
        }
        found = all;
        seen = found;
    }
}
