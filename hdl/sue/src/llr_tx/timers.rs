//! Timers of the sender: one for replays and LLR_INIT, one for the PCS, and the age of the oldest frame.

use super::TICK_BITS;
use flitforge_hdl_prim::prelude::*;

/// Clocks of a tick are two to this power.
const PRESCALE_BITS: usize = 10;

/// The timers; each runs down through zero, so that its top bit says that it has run out.
#[block("eth_llr_timers")]
pub struct LlrTimers {
    clock: In<Clock>,
    clear: In<Bit>,
    /// Runs out at once: LLR_INIT is due.
    ends_now: In<Bit>,
    /// Runs from here, by the interval of LLR_INIT.
    starts_init: In<Bit>,
    /// Runs from here, by the replay timer.
    starts_replay: In<Bit>,
    init_interval: In<Bits<16>>,
    replay_timer: In<Bits<16>>,
    pcs_up: In<Bit>,
    pcs_lost: In<Bits<16>>,
    /// When the oldest frame began.
    oldest_tick: In<Bits<TICK_BITS>>,
    /// There is an oldest frame, or another one: its age says nothing yet.
    fresh: In<Bit>,
    age: In<Bits<16>>,
    /// The timer has run out.
    due: Out<Bit>,
    /// The PCS was down for PCS_LOST_T.
    lost: Out<Bit>,
    /// The oldest frame is older than AGE_T.
    aged: Out<Bit>,
    /// The time.
    tick: Out<Bits<TICK_BITS>>,

    timer: Register<Bits<17>>,
    prescaler: Register<Bits<PRESCALE_BITS>>,
    ticks: Register<Bit>,
    time: Register<Bits<TICK_BITS>>,
    pcs_timer: Reg<Bits<17>>,
    #[wire(d = _)]
    age_now: Reg<Bits<TICK_BITS>>,
    #[wire(d = _)]
    old: Reg<Bit>,
    /// Neither `age_now` nor `old` is of a frame before.
    settled: Register<Bits<2>>,
}

#[logic]
impl LlrTimers {
    fn update(&mut self) {
        timer.enable = starts_init | starts_replay | !timer[16];
        timer = if starts_init {
            cat(init_interval, false)
        } else if starts_replay {
            cat(replay_timer, false)
        } else {
            timer - 1
        };
        if ends_now {
            timer.enable = true;
            timer = bits::<17>(1 << 16);
        }
        due = timer[16];

        prescaler = prescaler + 1;
        ticks = prescaler.all();
        time.enable = ticks;
        time = time + 1;
        tick = time;

        if pcs_up | clear {
            pcs_timer = cat(pcs_lost, false);
        } else if ticks & !pcs_timer[16] {
            pcs_timer = pcs_timer - 1;
        }
        lost = pcs_timer[16] & pcs_lost.any();

        age_now = time - oldest_tick;
        old = (age_now > age) & age.any();
        settled = if fresh { 0 } else { cat(true, settled[0]) };
        aged = old & settled[1] & !fresh;
    }
}
