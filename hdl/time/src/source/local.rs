//! LocalTime, which is never stepped.

use super::TIME_WORD_BITS;
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::Delay;
use flitforge_protocol::time_servo::INC_BITS;

/// Bits of a half.
const HALF: usize = 48;
/// A half with its carry.
const SUM: usize = HALF + 1;
/// Clocks by which INC_NOM is late at the lower half.
const RATE_CLOCKS: u64 = 6;

/// Adds INC_NOM every clock, in two halves; both of `value` are of the same edge.
///
/// `increment` of a clock shows in `value` 8 clocks later. `clear` sets everything to 0, and what stood before it is not counted.
#[block("local_counter", new)]
pub struct LocalCounter {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// INC_NOM, 2^-32 ns.
    increment: In<Bits<INC_BITS>>,
    /// 64.32 ns.
    value: Out<Bits<TIME_WORD_BITS>>,
    #[wire(clock)]
    late: Delay<Bits<INC_BITS>>,
    rate: Register<Bits<INC_BITS>>,
    /// Clocks after `clear`, up to those that `late` takes.
    age: Reg<Bits<3>>,
    low: Reg<Bits<HALF>>,
    carry: Reg<Bit>,
    low_shown: Reg<Bits<HALF>>,
    high: Reg<Bits<HALF>>,
    #[init(1)]
    one: Constant<Bits<3>>,
    #[init(RATE_CLOCKS - 1)]
    grown: Constant<Bits<3>>,
}

#[logic]
impl LocalCounter {
    /// At 0.
    pub fn new() -> Result<Self, ConfigError> {
        Ok(Self { late: Delay::compact(RATE_CLOCKS as usize - 1)?, .. })
    }

    fn update(&mut self) {
        // INC_NOM of the clocks since `clear`.
        late.d = increment;
        let settling = age != grown;
        if settling {
            age = age + one;
        }
        rate.clear = clear | settling;
        rate = late.q;

        let sum = bit_cast::<SUM, HALF>(low) + bit_cast::<SUM, INC_BITS>(rate);
        low = sum.bits::<HALF>(0);
        carry = sum[48];
        low_shown = low;
        let mut carried: Bits<HALF> = 0;
        carried = carried.with(0, carry);
        high = high + carried;

        if clear {
            age = 0;
            low = 0;
            carry = false;
            low_shown = 0;
            high = 0;
        }
        value = bit_cast::<TIME_WORD_BITS, HALF>(low_shown) | (bit_cast::<TIME_WORD_BITS, HALF>(high) << 48);
    }
}

const _: () = assert!(TIME_WORD_BITS == 2 * HALF && INC_BITS < HALF);
