//! When a Low is due.

use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::time::{GEN_PERIOD_SHIFT, GEN_PHASE_SHIFT};

/// Bits of the period count P\[63:20\].
const COUNT: usize = 44;
/// Bits of half of time\[63:12\] less the phase.
const HALF: usize = 26;

/// Compares SyncTime less GEN_PHASE with the next multiple of the period (chapter 20, 4.6 rule 1).
///
/// `due` follows 3 clocks after the `sync` that reached it, and moves the next one on if `act`; it is never set in two
/// clocks in a row. `arm` with a `sync` makes the next one due a period after that. No clear: without `arm` nothing
/// counts.
#[block("time_due")]
pub struct TimeDue {
    /// Rising edge counts.
    clock: In<Clock>,
    /// SyncTime, whole ns.
    sync: In<Bits<64>>,
    /// The next one is due a period after this `sync`.
    arm: In<Bit>,
    /// GEN_PERIOD, 2^20 ns.
    period: In<Bits<12>>,
    /// GEN_PHASE, 2^12 ns.
    phase: In<Bits<16>>,
    /// `due` is acted on in this clock.
    act: In<Bit>,
    /// The next one is due.
    due: Out<Bit>,
    low: Reg<Bits<27>>,
    high: Reg<Bits<HALF>>,
    /// P\[63:20\].
    count: Reg<Bits<COUNT>>,
    armed: [Reg<Bit>; 2],
    after: Reg<Bits<COUNT>>,
    is_due: Reg<Bit>,
    minuend: Local<Bits<HALF>>,
    borrow: Local<Bits<HALF>>,
    upper: Local<Bits<HALF>>,
    kept: Local<Bits<27>>,
    start: Local<Bits<COUNT>>,
}

#[logic]
impl TimeDue {
    fn update(&mut self) {
        // P in two clocks.
        minuend = sync.bits::<HALF>(12);
        low = bit_cast::<27, HALF>(minuend) - bit_cast::<27, 16>(phase);
        high = sync.bits::<HALF>(38);
        borrow = 0;
        borrow = borrow.with(0, low[26]);
        upper = high - borrow;
        kept = low;
        count = bit_cast::<COUNT, 18>(kept.bits::<18>(8)) | (bit_cast::<COUNT, HALF>(upper) << 18);
        armed[0] = arm;
        armed[1] = armed[0];

        // Counts wrap: the sign of the difference says which is ahead.
        let behind = count - after;
        is_due = !behind[43] & !is_due & !armed[1];
        start = after;
        if armed[1] {
            start = count;
        }
        if act | armed[1] {
            after = start + bit_cast::<COUNT, 12>(period);
        }
        due = is_due;
    }
}

const _: () =
    assert!(GEN_PERIOD_SHIFT == 20 && GEN_PHASE_SHIFT == 12 && COUNT == 64 - GEN_PERIOD_SHIFT as usize);
