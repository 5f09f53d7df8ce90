//! How the Lows and Highs of a port come into the rings.

use crate::ring::{INSERT_EXTRA_BITS, VALUE_BITS};
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::time::{master_time_high, master_time_low};
use flitforge_protocol::time_ring::SlotKind;

/// Bits of an insertion: {data, parity, tree, kind}.
pub const INSERT_BITS: usize = VALUE_BITS + INSERT_EXTRA_BITS;

/// Offers each Low and High to both rings (chapter 20, 4.4 rule 2 and reading 8), as the fields that EMBED=VALUE carries.
///
/// - A Low or High is in `insert` in the clock in which it comes; what is not taken then waits, one Low and one High for each ring. The Low
///   goes first, and the High gives way to a Low that comes.
/// - A Low that comes while another one waits for the same ring, and a High that comes while one goes on waiting, are dropped
///   (`dropped`, a clock later): their wait could not be told.
/// - `insert.data` is a gate after the payload: its parity.
/// - `clear` drops what waits and what comes.
#[block("ring_entry")]
pub struct RingEntry {
    /// Core clock.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// Payload of a MasterTimeLow.
    pub low: FlowIn<Bits<48>>,
    /// Payload of a MasterTimeHigh.
    pub high: FlowIn<Bits<48>>,
    /// Insertions, clockwise and counter-clockwise.
    pub insert: [StreamOut<Bits<INSERT_BITS>>; 2],
    /// Event by ring: a Low \[1:0\], a High \[3:2\] was dropped.
    dropped: Out<Bits<4>>,
    #[wire(d = _)]
    low_waits: [Reg<Bit>; 2],
    #[wire(d = _)]
    high_waits: [Reg<Bit>; 2],
    waiting_low: [Register<Bits<INSERT_BITS>>; 2],
    waiting_high: [Register<Bits<INSERT_BITS>>; 2],
    dropped_now: Reg<Bits<4>>,
    drops: Local<Bits<4>>,
    payload: Local<Bits<48>>,
    low_data: Local<Bits<INSERT_BITS>>,
    high_data: Local<Bits<INSERT_BITS>>,
    has_low: Local<Bit>,
    has_high: Local<Bit>,
    takes: Local<Bit>,
    #[init(SlotKind::Low)]
    low_kind: Constant<Bits<INSERT_BITS>>,
    #[init(SlotKind::High)]
    high_kind: Constant<Bits<INSERT_BITS>>,
}

#[logic]
impl RingEntry {
    fn update(&mut self) {
        // Either kind has one bit, so parity is odd without it.
        payload = low.data;
        low_data = (bit_cast::<INSERT_BITS, 40>(payload.bits::<40>(0)) << 5)
            | (bit_cast::<INSERT_BITS, 4>(payload.bits::<4>(44)) << 45)
            | (bit_cast::<INSERT_BITS, 2>(payload.bits::<2>(42)) << 49)
            | (bit_cast::<INSERT_BITS, 2>(payload.bits::<2>(40)) << 2)
            | low_kind;
        low_data = low_data.with(4, !payload.xor());
        payload = high.data;
        high_data = (bit_cast::<INSERT_BITS, 40>(payload.bits::<40>(0)) << 5)
            | (bit_cast::<INSERT_BITS, 4>(payload.bits::<4>(44)) << 45)
            | (bit_cast::<INSERT_BITS, 2>(payload.bits::<2>(42)) << 49)
            | (bit_cast::<INSERT_BITS, 2>(payload.bits::<2>(40)) << 2)
            | high_kind;
        high_data = high_data.with(4, !payload.xor());

        drops = 0;
        for i in 0..2 {
            waiting_low[i].clear = false;
            waiting_high[i].clear = false;

            // What is offered.
            has_low = low.valid | low_waits[i];
            has_high = high.valid | high_waits[i];
            takes = insert[i].ready;
            insert[i] = In { valid: has_low | has_high, data: high_data };
            if high_waits[i] {
                insert[i].data = waiting_high[i];
            }
            if low.valid {
                insert[i].data = low_data;
            }
            if low_waits[i] {
                insert[i].data = waiting_low[i];
            }

            // What goes on waiting.
            waiting_low[i].enable = !low_waits[i];
            waiting_low[i] = low_data;
            low_waits[i] = has_low & !takes & !clear;
            waiting_high[i].enable = !high_waits[i] | (takes & !has_low);
            waiting_high[i] = high_data;
            high_waits[i] = ((high_waits[i] & high.valid) | (has_high & (has_low | !takes))) & !clear;
            drops = drops
                .with(i, low.valid & low_waits[i] & !clear)
                .with(i + 2, high.valid & high_waits[i] & (has_low | !takes) & !clear);
        }
        dropped_now = drops;
        dropped = dropped_now;
    }
}

const _: () = assert!(master_time_low::frac::LOW == 44 && master_time_low::era::LOW == 42);
const _: () = assert!(master_time_high::quality::LOW == 44 && master_time_high::era::LOW == 42);
const _: () = assert!(master_time_low::tree::LOW == 40 && master_time_high::tree::LOW == 40);
const _: () = assert!(SlotKind::Low.code() == 1 && SlotKind::High.code() == 2 && VALUE_BITS == 46);
