//! A line with wrong bits.

use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::sue_traffic_registers::CHANCE_BITS;

/// Value of the random number after power-on.
const START: u64 = 0x2545_F491;
/// Bits of a column: octets and control characters.
const COLUMN_BITS: usize = 72;

/// A random number of 32 bits, a new one every clock: Marsaglia's xorshift of 13, 17 and 5. Its period is 2^32 - 1.
#[block("sue_random_word")]
pub struct RandomWord {
    /// Rising edge counts.
    clock: In<Clock>,
    /// The number.
    value: Out<Bits<32>>,
    #[init(START)]
    #[wire(clear = false, enable = true)]
    state: Register<Bits<32>>,
}

#[logic]
impl RandomWord {
    fn update(&mut self) {
        let first = state ^ (state << 13);
        let second = first ^ (first >> 17);
        state = second ^ (second << 5);
        value = state;
    }
}

/// A column goes through in a clock; in `chance` of 2^24 columns one bit is wrong.
#[block("sue_damaged_line")]
pub struct DamagedLine {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Columns of 2^24 with a wrong bit.
    chance: In<Bits<CHANCE_BITS>>,
    /// Octets of a column.
    line_data: In<Bits<64>>,
    /// Which of them are control characters.
    line_control: In<Bits<8>>,
    /// Octets of the column before, one bit of them or of `rxc` wrong.
    rxd: Out<Bits<64>>,
    /// Which of them are control characters.
    rxc: Out<Bits<8>>,
    /// Pulse: a bit is wrong.
    damages: Out<Bit>,
    #[wire(clock)]
    random: RandomWord,
    column: Reg<Bits<COLUMN_BITS>>,
    hits: Reg<Bit>,
    place: Reg<Bits<7>>,
    damaged: Reg<Bit>,
}

#[logic]
impl DamagedLine {
    fn update(&mut self) {
        let number = random.value;
        hits = number.bits::<CHANCE_BITS>(0) < chance;
        let somewhere = number.bits::<7>(CHANCE_BITS);
        place = if somewhere[6] & somewhere.bits::<3>(3).any() { bits::<7>(0) } else { somewhere };
        let arrives: Bits<COLUMN_BITS> = cat(line_data, line_control);
        let one: Bits<COLUMN_BITS> = 1;
        column = if hits { arrives ^ (one << place) } else { arrives };
        damaged = hits;
        rxd = column.bits::<64>(0);
        rxc = column.bits::<8>(64);
        damages = damaged;
    }
}
