//! How long packets wait and stand still.

use flitforge_hdl_prim::prelude::*;

/// Bits of LIFE.
pub const LIFE_BITS: usize = 32;

/// Divides LIFE into sixteen ticks, for all lanes together. A tick in work that is longer than LIFE has it now begins anew.
#[block("switch_ticks")]
pub struct SwitchTicks {
    /// Rising edge counts.
    clock: In<Clock>,
    /// LIFE, clocks; below 16: off.
    life: In<Bits<LIFE_BITS>>,
    /// A sixteenth has gone by.
    tick: Out<Bit>,
    count: Reg<Bits<28>>,
    ticks: Reg<Bit>,
    longer: Reg<Bit>,
    #[init(1)]
    one: Constant<Bits<28>>,
}

#[logic]
impl SwitchTicks {
    fn update(&mut self) {
        // The last clock of a tick reloads: a count of 1 is looked for, so that the zero that powers on reloads too.
        ticks = false;
        count = count - one;
        if !count.bits::<27>(1).any() {
            count = life.bits::<28>(4);
            ticks = life.bits::<28>(4).any();
        }
        longer = count > life.bits::<28>(4);
        if longer {
            count = life.bits::<28>(4);
            ticks = false;
        }
        tick = ticks;
    }
}

/// The age of one packet: old after the seventeenth tick, so that a whole LIFE has gone by and at most a sixteenth more.
#[block("switch_age")]
pub struct SwitchAge {
    /// Rising edge counts.
    clock: In<Clock>,
    /// A sixteenth of LIFE has gone by.
    tick: In<Bit>,
    /// Begins anew: nobody waits, or something moves.
    restart: In<Bit>,
    /// LIFE has gone by.
    old: Out<Bit>,
    ticks: Reg<Bits<5>>,
    is_old: Reg<Bit>,
    #[init(1)]
    one: Constant<Bits<5>>,
    #[init(16)]
    last: Constant<Bits<5>>,
}

#[logic]
impl SwitchAge {
    fn update(&mut self) {
        if tick {
            ticks = ticks + one;
            is_old = is_old | (ticks == last);
        }
        if restart {
            ticks = 0;
            is_old = false;
        }
        old = is_old;
    }
}
