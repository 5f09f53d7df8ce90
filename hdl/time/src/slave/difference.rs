//! V + ClockOffset - SyncTime.

use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::time_servo::{DIFFERENCE_BITS, ERROR_BITS};

/// Bits of a third of a difference.
const PART: usize = 24;
/// A part with its carry or borrow.
const SUM: usize = PART + 1;
/// A sum with the carry that comes in below it.
const WIDE: usize = PART + 2;

/// The phase difference of a joined Low and the phase error, which is the difference cut to 32 bits (chapter 20, 4.7
/// rule 4).
///
/// A carry crosses 24 bits per clock. Clocks are counted from the first one of `low` and `sync`: `offset` and `high` may
/// come 2 clocks later and `carry` 3; `difference` follows 5 clocks later and `error` 7. No clear: it holds no state.
#[block("phase_difference")]
pub struct PhaseDifference {
    /// Rising edge counts.
    clock: In<Clock>,
    /// {time\[39:0\], frac} of the Low.
    low: In<Bits<44>>,
    /// Time\[63:40\] of the High.
    high: In<Bits<PART>>,
    /// Low's overlap byte has passed zero: one more in time\[63:40\].
    carry: In<Bit>,
    /// SyncTime, 1/256 ns.
    sync: In<Bits<DIFFERENCE_BITS>>,
    /// ClockOffset, 1/256 ns.
    offset: In<Bits<48>>,
    /// The error counts, else it becomes 0; 2 clocks before `error`.
    wanted: In<Bit>,
    /// V + ClockOffset - SyncTime, signed, 1/256 ns.
    difference: Out<Bits<DIFFERENCE_BITS>>,
    /// The same with 32 bits, saturating.
    error: Out<Bits<ERROR_BITS>>,
    #[wire(d = _)]
    less: [Reg<Bits<SUM>>; 3],
    #[wire(d = _)]
    more: [Reg<Bits<SUM>>; 3],
    // The sign's bits from the 31st up are alike within the middle third, and above the lowest two of the highest without
    // its carries.
    middle_alike: Reg<Bit>,
    upper_alike: Reg<Bit>,
    high_alike: Reg<Bit>,
    top_alike: Reg<Bit>,
    /// The error is the difference, or a limit, or neither.
    fits: Reg<Bit>,
    beyond_most: Reg<Bit>,
    beyond_least: Reg<Bit>,
    saturated: Reg<Bits<ERROR_BITS>>,
    value: Local<Bits<DIFFERENCE_BITS>>,
    minus: Local<Bits<WIDE>>,
    plus: Local<Bits<WIDE>>,
    total: Local<Bits<WIDE>>,
    middle_steps: Local<Bits<16>>,
    high_steps: Local<Bits<21>>,
    sign: Local<Bit>,
    fitting: Local<Bit>,
    #[init(1)]
    one: Constant<Bits<WIDE>>,
    #[init(u64::from(i32::MAX.unsigned_abs()).into())]
    most: Constant<Bits<ERROR_BITS>>,
    #[init(u64::from(i32::MIN.unsigned_abs()).into())]
    least: Constant<Bits<ERROR_BITS>>,
    #[init(0)]
    none: Constant<Bits<ERROR_BITS>>,
}

#[logic]
impl PhaseDifference {
    fn update(&mut self) {
        // V less SyncTime. A borrow goes into the next part as the bit below both operands.
        value = (bit_cast::<DIFFERENCE_BITS, 44>(low) << 4) | (bit_cast::<DIFFERENCE_BITS, PART>(high) << 48);
        minus = bit_cast::<WIDE, PART>(sync.bits::<PART>(0)) << 1;
        total = (bit_cast::<WIDE, PART>(value.bits::<PART>(0)) << 1) - minus;
        less[0] = total.bits::<SUM>(1);
        minus = (bit_cast::<WIDE, PART>(sync.bits::<PART>(24)) << 1).with(0, less[0][24]);
        total = (bit_cast::<WIDE, PART>(value.bits::<PART>(24)) << 1) - minus;
        less[1] = total.bits::<SUM>(1);
        minus = (bit_cast::<WIDE, PART>(sync.bits::<PART>(48)) << 1).with(0, less[1][24]);
        total = (bit_cast::<WIDE, PART>(value.bits::<PART>(48)) << 1) - minus;
        less[2] = total.bits::<SUM>(1);

        // The offset; it is never negative.
        plus = bit_cast::<WIDE, PART>(offset.bits::<PART>(0)) << 1;
        total = (bit_cast::<WIDE, PART>(less[0].bits::<PART>(0)) << 1) + plus;
        more[0] = total.bits::<SUM>(1);
        plus = (bit_cast::<WIDE, PART>(offset.bits::<PART>(24)) << 1).with(0, more[0][24]);
        total = ((bit_cast::<WIDE, PART>(less[1].bits::<PART>(0)) << 1) | one) + plus;
        more[1] = total.bits::<SUM>(1);
        plus = 0;
        plus = plus.with(0, more[1][24]).with(1, carry);
        total = ((bit_cast::<WIDE, PART>(less[2].bits::<PART>(0)) << 1) | one) + plus;
        more[2] = total.bits::<SUM>(1);

        let sum = bit_cast::<DIFFERENCE_BITS, PART>(more[0].bits::<PART>(0))
            | (bit_cast::<DIFFERENCE_BITS, PART>(more[1].bits::<PART>(0)) << 24)
            | (bit_cast::<DIFFERENCE_BITS, PART>(more[2].bits::<PART>(0)) << 48);

        // 32 bits hold it if all bits from the 31st up are alike. To the highest part at most 2 is added: it becomes 0 or -1
        // from -4 to 3 alone, and its lowest three bits tell these apart.
        middle_steps = more[1].bits::<16>(7) ^ more[1].bits::<16>(8);
        middle_alike = !middle_steps.bits::<8>(0).any();
        upper_alike = !middle_steps.bits::<8>(8).any();
        high_steps = less[2].bits::<21>(2) ^ less[2].bits::<21>(3);
        high_alike = !high_steps.bits::<12>(0).any();
        top_alike = !high_steps.bits::<9>(12).any();
        sign = more[1][23];
        fitting = middle_alike
            & upper_alike
            & high_alike
            & top_alike
            & (more[2][0] == sign)
            & (more[2][1] == sign)
            & (more[2][2] == sign);
        fits = wanted & fitting;
        beyond_most = wanted & !fitting & !more[2][23];
        beyond_least = wanted & !fitting & more[2][23];
        saturated = none;
        if fits {
            saturated = sum.bits::<ERROR_BITS>(0);
        }
        if beyond_most {
            saturated = most;
        }
        if beyond_least {
            saturated = least;
        }
        difference = sum;
        error = saturated;
    }
}

const _: () = assert!(DIFFERENCE_BITS == 3 * PART && ERROR_BITS == 32);
