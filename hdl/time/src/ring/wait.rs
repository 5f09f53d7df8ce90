//! How long an insertion waits at a stop of a ring.

use super::WAIT_BITS;
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::time_ring::SLOW_WAIT_MAX;

/// Half of the bits of the clocks waited by what is no Low.
const LONG_HALF: usize = SLOW_WAIT_MAX.trailing_zeros() as usize / 2;
/// Lower half of the clocks waited, four clocks before they are too many.
const NEAR_END: u64 = (SLOW_WAIT_MAX as u64 - 4) % (1 << LONG_HALF);
const _: () = assert!(SLOW_WAIT_MAX == 1 << (2 * LONG_HALF));

/// Counts the ring clocks that an insertion waits. Chapter 20, 4.4 rule 2: a Low waits `wait_max` clocks, anything else 2^16.
///
/// Counts hang on registers only: what says that an insertion waits comes late in a clock. Latency 1 clock; `idle` is clear enough.
#[block("ring_wait")]
pub struct RingWait {
    /// Ring clock.
    clock: In<Clock>,
    /// No insertion has waited before this clock.
    idle: In<Bit>,
    /// A Low has waited before this clock.
    low_waits: In<Bit>,
    /// The insertion is a Low now.
    is_low: In<Bit>,
    /// RING_WAIT_MAX, 1 to 15 clocks.
    wait_max: In<Bits<WAIT_BITS>>,
    /// Clocks that a Low has waited.
    waited: Out<Bits<WAIT_BITS>>,
    /// Their parity.
    parity: Out<Bit>,
    /// An insertion that has waited before this clock has waited long enough.
    over: Out<Bit>,

    count: Reg<Bits<WAIT_BITS>>,
    count_parity: Reg<Bit>,
    full: Reg<Bit>,
    last: Reg<Bit>,
    // Clocks waited without the last one, in two parts with a carry between, and whether they are nearly too many.
    long_low: Reg<Bits<LONG_HALF>>,
    long_carry: Reg<Bit>,
    long_high: Reg<Bits<LONG_HALF>>,
    long_end: Reg<Bit>,
    long_nearly: Reg<Bit>,
    nearly: Reg<Bit>,
}

#[logic]
impl RingWait {
    fn update(&mut self) {
        waited = if low_waits { count } else { 0 };
        parity = low_waits & count_parity;
        let more = waited + 1;
        count = more;
        count_parity = more.xor();
        full = more == wait_max;

        let carry: Bits<LONG_HALF> = bit_cast::<LONG_HALF, 1>(long_carry.into());
        long_low = if idle { 0 } else { long_low + 1 };
        long_high = if idle { 0 } else { long_high + carry };
        long_carry = !idle & long_low.all();
        long_end = long_high.all();
        long_nearly = !idle & long_end & (long_low == NEAR_END);
        nearly = !idle & long_nearly;

        last = (low_waits & full) | (!is_low & !idle & nearly);
        over = !idle & last;
    }
}
