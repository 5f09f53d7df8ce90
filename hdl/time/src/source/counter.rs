//! A time counter of 96 bits in four parts.

use super::TIME_WORD_BITS;
use flitforge_hdl_prim::prelude::*;

/// Bits of a part.
const PART: usize = 24;
/// A part with its carry.
const SUM: usize = PART + 1;
/// A sum with the carry that comes in below it.
const WIDE: usize = PART + 2;
/// Bits of an increment: INC_NOM with F_ACC and SLEW_P may need one more.
pub const RATE_BITS: usize = 39;

/// Adds `rate` every clock; a carry crosses one part per clock, and all parts of `value` are of the same edge.
///
/// `rate` and `jump_now` of a clock show in `value` 4 clocks later. `jump` (its lowest 24 bits are 0) holds for 3
/// clocks. `zero` with `jump_now`: `jump` replaces what was counted. `clear` sets everything to 0.
#[block("time_counter")]
pub struct TimeCounter {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// Increment, 2^-32 ns.
    rate: In<Bits<RATE_BITS>>,
    /// `jump` is added with this clock's `rate`.
    jump_now: In<Bit>,
    /// What was counted does not count.
    zero: In<Bit>,
    /// Signed, 2^-32 ns.
    jump: In<Bits<TIME_WORD_BITS>>,
    /// 64.32 ns.
    value: Out<Bits<TIME_WORD_BITS>>,
    #[wire(d = _)]
    part: [Reg<Bits<PART>>; 4],
    #[wire(d = _)]
    carry: [Reg<Bit>; 3],
    /// What the higher three parts add.
    #[wire(d = _)]
    addend: [Reg<Bits<SUM>>; 3],
    #[wire(d = _)]
    jumping: [Reg<Bit>; 2],
    #[wire(d = _)]
    zeroing: [Reg<Bit>; 3],
    // Parts that wait for the higher ones.
    #[wire(d = _)]
    first: [Reg<Bits<PART>>; 3],
    #[wire(d = _)]
    second: [Reg<Bits<PART>>; 2],
    third: Reg<Bits<PART>>,
    base: [Local<Bits<PART>>; 4],
    step: [Local<Bits<PART>>; 3],
    low: Local<Bits<SUM>>,
    sum: [Local<Bits<WIDE>>; 3],
}

#[logic]
impl TimeCounter {
    fn update(&mut self) {
        for i in 0..4 {
            base[i] = part[i];
        }
        if zero {
            base[0] = 0;
        }
        for i in 0..3 {
            if zeroing[i] {
                base[i + 1] = 0;
            }
            step[i] = 0;
        }
        zeroing[0] = zero;
        zeroing[1] = zeroing[0];
        zeroing[2] = zeroing[1];
        jumping[0] = jump_now;
        jumping[1] = jumping[0];

        // What is added to the parts 1 to 3, a clock before they add it.
        if jump_now {
            step[0] = jump.bits::<PART>(24);
        }
        if jumping[0] {
            step[1] = jump.bits::<PART>(48);
        }
        if jumping[1] {
            step[2] = jump.bits::<PART>(72);
        }
        addend[0] = bit_cast::<SUM, PART>(step[0]) + bit_cast::<SUM, 15>(rate.bits::<15>(24));
        addend[1] = bit_cast::<SUM, PART>(step[1]) + bit_cast::<SUM, 1>(addend[0].bits::<1>(24));
        addend[2] = bit_cast::<SUM, PART>(step[2]) + bit_cast::<SUM, 1>(addend[1].bits::<1>(24));

        // The parts. A carry goes in as the bit below both operands.
        low = bit_cast::<SUM, PART>(base[0]) + bit_cast::<SUM, PART>(rate.bits::<PART>(0));
        part[0] = low.bits::<PART>(0);
        carry[0] = low[24];
        sum[0] = (bit_cast::<WIDE, PART>(base[1]) << 1).with(0, true)
            + (bit_cast::<WIDE, PART>(addend[0].bits::<PART>(0)) << 1).with(0, carry[0]);
        part[1] = sum[0].bits::<PART>(1);
        sum[1] = (bit_cast::<WIDE, PART>(base[2]) << 1).with(0, true)
            + (bit_cast::<WIDE, PART>(addend[1].bits::<PART>(0)) << 1).with(0, carry[1]);
        part[2] = sum[1].bits::<PART>(1);
        sum[2] = (bit_cast::<WIDE, PART>(base[3]) << 1).with(0, true)
            + (bit_cast::<WIDE, PART>(addend[2].bits::<PART>(0)) << 1).with(0, carry[2]);
        part[3] = sum[2].bits::<PART>(1);
        carry[1] = sum[0][25];
        carry[2] = sum[1][25];

        // All of one edge.
        first[0] = part[0];
        first[1] = first[0];
        first[2] = first[1];
        second[0] = part[1];
        second[1] = second[0];
        third = part[2];

        if clear {
            third = 0;
            for i in 0..4 {
                part[i] = 0;
            }
            for i in 0..3 {
                carry[i] = false;
                addend[i] = 0;
                zeroing[i] = false;
                first[i] = 0;
            }
            for i in 0..2 {
                jumping[i] = false;
                second[i] = 0;
            }
        }
        value = bit_cast::<TIME_WORD_BITS, PART>(first[2])
            | (bit_cast::<TIME_WORD_BITS, PART>(second[1]) << 24)
            | (bit_cast::<TIME_WORD_BITS, PART>(third) << 48)
            | (bit_cast::<TIME_WORD_BITS, PART>(part[3]) << 72);
    }
}

const _: () = assert!(TIME_WORD_BITS == 4 * PART && RATE_BITS == PART + 15);
