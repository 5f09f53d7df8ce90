//! The pad of rule 1 and the timer of FREEZE (chapter 10, 4.2).

use super::POINTER_BITS;
use flitforge_hdl_prim::prelude::*;

/// Bits of the timer: 2 RTT_LTP + 16.
const TIMER_BITS: usize = 18;
/// Bits of RTT_LTP + `GUARD_LTPS`.
const SUM_BITS: usize = 17;

/// Counts down the fillers of a pad and the LTP times of FREEZE.
///
/// A pad is RTT_LTP + GUARD_LTPS - R fillers, if that is more than 0; the timer is FREEZE_LTPS, or 2 RTT_LTP + 16 if
/// that is 0. `pads` and `timer_over` follow their counts by one clock.
#[block(new)]
pub struct ReplayTimers {
    /// Rising edge counts.
    clock: In<Clock>,
    /// RTT_LTP.
    round_trip: In<Bits<16>>,
    /// FREEZE_LTPS; 0 = by formula.
    freeze_ltps: In<Bits<16>>,
    /// Strobe: an LTP time goes by.
    decide: In<Bit>,
    /// FREEZE, its pair on the way: the timer runs.
    is_waiting: In<Bit>,
    /// With `decide`: an LTP of slot R-1 is sent.
    pad_start: In<Bit>,
    /// With `decide`: a filler of the pad is sent.
    pad_step: In<Bit>,
    /// The rest of the pad is void.
    pad_cancel: In<Bit>,
    /// Fillers of a whole pad.
    pad: Out<Bits<POINTER_BITS>>,
    /// A filler of the pad is due.
    pads: Out<Bit>,
    /// With the next `decide` the timer has run out.
    timer_over: Out<Bit>,

    pad_ltps: Reg<Bits<16>>,
    timer_ltps: Reg<Bits<TIMER_BITS>>,
    pad_left: Reg<Bits<16>>,
    pad_due: Reg<Bit>,
    left: Reg<Bits<TIMER_BITS>>,
    last: Reg<Bit>,
    over: Local<Bit>,
    guard: Constant<Bits<SUM_BITS>>,
    slots: Constant<Bits<SUM_BITS>>,
    freeze_extra: Constant<Bits<TIMER_BITS>>,
    #[init(1)]
    one_filler: Constant<Bits<16>>,
    #[init(1)]
    one_ltp: Constant<Bits<TIMER_BITS>>,
}

#[logic]
impl ReplayTimers {
    /// Timers of a buffer of `slots` LTPs with `guard` LTPs beyond the round trip.
    pub fn new(slots: usize, guard: u32) -> Self {
        Self {
            guard: Constant::new(u64::from(guard).into()),
            slots: Constant::new((slots as u64).into()),
            freeze_extra: Constant::new(u64::from(flitforge_protocol::retry::freeze_ltps(0)).into()),
            ..
        }
    }

    /// LTPs beyond the round trip before a slot is reused, GUARD_LTPS.
    pub fn guard_ltps(&self) -> usize {
        self.guard.val().index()
    }

    fn update(&mut self) {
        let sum = bit_cast::<SUM_BITS, 16>(round_trip) + guard;
        let excess = sum - slots;
        pad_ltps = 0;
        if sum > slots {
            pad_ltps = excess.bits::<16>(0);
        }
        timer_ltps = bit_cast::<TIMER_BITS, 16>(freeze_ltps);
        if !freeze_ltps.any() {
            timer_ltps = (bit_cast::<TIMER_BITS, 16>(round_trip) << 1) + freeze_extra;
        }

        over = is_waiting & last;
        if decide {
            left = timer_ltps;
            if is_waiting & !over {
                left = left - one_ltp;
            }
            if pad_start {
                pad_left = pad_ltps;
            }
            if pad_step {
                pad_left = pad_left - one_filler;
            }
        }
        if pad_cancel {
            pad_left = 0;
        }
        last = left == one_ltp;
        pad_due = pad_left.any();

        pad = pad_ltps;
        pads = pad_due;
        timer_over = over;
    }

    fn timing(&self) -> Vec<TimingInfo> {
        let slots = self.slots.val().index().to_string();
        block_label("replay_timers", &[("r", slots), ("guard", self.guard_ltps().to_string())])
    }
}
