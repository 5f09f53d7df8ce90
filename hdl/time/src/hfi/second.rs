//! The output that rises with every second.

use crate::slave::TIME_WORD_BITS;
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::time_servo::{INC_FRAC, SYNC_EPOCH_BITS};

/// Most core clocks of a pulse.
pub const MAX_PULSE_CLOCKS: u64 = 1 << WIDTH_BITS;
/// Bits of a pulse's count of clocks.
const WIDTH_BITS: usize = 16;
/// Whole nanoseconds of a second.
const SECOND: u64 = 1_000_000_000;
/// Bits of a nanosecond count that tells which of two times within 2 s of each other is later.
const NEAR: usize = 32;
/// Bits of SyncTime's whole nanoseconds.
const WHOLE: usize = TIME_WORD_BITS - INC_FRAC;
/// Bits of the count of a division's steps.
const STEP_BITS: usize = WHOLE.trailing_zeros() as usize;

/// A pulse after every second of SyncTime (chapter 20, 4.11 rule 7).
///
/// The next second is found by a division, one bit per clock, after `clear` and every step; from then on it is the last one and
/// 10^9 ns. Times are compared modulo 2^32 ns.
///
/// - `pps` rises 2 clocks after the first `sync` at or past a second and is high for the number of clocks it was built with. Exact.
/// - A step is a change of `epoch` without `clear`. One of the first 69 clocks of a new time, after `clear` or a step, may begin a second without a pulse.
/// - A second that begins within a pulse begins it anew. `pps` is a register; `clear` ends it in the next clock.
#[block(new)]
pub struct PulsePerSecond {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// SyncTime, 64.32 ns.
    sync: In<Bits<TIME_WORD_BITS>>,
    /// SYNC_EPOCH of the same clock.
    epoch: In<Bits<SYNC_EPOCH_BITS>>,
    /// The pulse.
    pps: Out<Bit>,
    started: Reg<Bit>,
    epoch_before: Reg<Bits<SYNC_EPOCH_BITS>>,
    begin: Reg<Bit>,
    // The division: SyncTime moves through, the rest stays.
    divides: Reg<Bit>,
    steps: Reg<Bits<STEP_BITS>>,
    dividend: Reg<Bits<WHOLE>>,
    rest: Reg<Bits<NEAR>>,
    divided: Reg<Bit>,
    adds: Reg<Bit>,
    settles: Reg<Bit>,
    /// The comparison is the first one with the second that was found.
    first: Reg<Bit>,
    known: Reg<Bit>,
    target: Reg<Bits<NEAR>>,
    past: Reg<Bit>,
    fired: Reg<Bit>,
    pulse: Reg<Bit>,
    left: Reg<Bits<WIDTH_BITS>>,
    fires: Local<Bit>,
    #[init(SECOND)]
    one_second: Constant<Bits<NEAR>>,
    #[init(WHOLE - 1)]
    last_step: Constant<Bits<STEP_BITS>>,
    #[init(1)]
    one_step: Constant<Bits<STEP_BITS>>,
    length: Constant<Bits<WIDTH_BITS>>,
    #[init(1)]
    one: Constant<Bits<WIDTH_BITS>>,
}

#[logic]
impl PulsePerSecond {
    /// With pulses of so many core clocks, 1 to [`MAX_PULSE_CLOCKS`].
    pub fn new(clocks: u64) -> Result<Self, ConfigError> {
        check_range("time_hfi", "pps", clocks, 1, MAX_PULSE_CLOCKS)?;
        Ok(Self { length: Constant::new((clocks - 1).into()), .. })
    }

    fn update(&mut self) {
        let whole = sync.bits::<WHOLE>(32);

        // SyncTime modulo a second.
        epoch_before = epoch;
        started = true;
        begin = clear | !started | (epoch != epoch_before);
        let doubled = (rest << 1).with(0, dividend[63]);
        let less = doubled - one_second;
        divided = false;
        if divides {
            dividend = (dividend << 1).with(0, dividend[63]);
            rest = less;
            if less[31] {
                rest = doubled;
            }
            steps = steps + one_step;
            if steps == last_step {
                divides = false;
                divided = true;
            }
        }

        // The next second.
        adds = divided;
        settles = adds;
        first = settles;
        if settles {
            known = true;
        }
        let distance = whole.bits::<NEAR>(0) - target;
        past = !distance[31];
        fires = known & past & !fired & !begin;
        fired = fires;
        if adds | fires {
            target = target + one_second;
        }
        if divided {
            target = dividend.bits::<NEAR>(0) - rest;
        }

        // The pulse.
        left = left - one;
        if !left.any() {
            pulse = false;
        }
        if fires & !first {
            pulse = true;
            left = length;
        }

        if begin {
            dividend = whole;
            rest = 0;
            steps = 0;
            divides = true;
            divided = false;
            adds = false;
            settles = false;
            first = false;
            known = false;
        }
        if clear {
            pulse = false;
        }
        pps = pulse;
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("pulse_per_second", &[("clocks", (self.length.val().index() + 1).to_string())])
    }
}

const _: () = assert!(WHOLE == 64 && INC_FRAC == 32 && STEP_BITS == 6);
const _: () = assert!(SECOND < 1 << (NEAR - 2));
