//! A time counter of 96 bits in four parts.

use super::TIME_WORD_BITS;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;

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
#[derive(LogicBlock, Default)]
pub struct TimeCounter {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// Increment, 2^-32 ns.
    pub rate: Signal<In, Bits<RATE_BITS>>,
    /// `jump` is added with this clock's `rate`.
    pub jump_now: Signal<In, Bit>,
    /// What was counted does not count.
    pub zero: Signal<In, Bit>,
    /// Signed, 2^-32 ns.
    pub jump: Signal<In, Bits<TIME_WORD_BITS>>,
    /// 64.32 ns.
    pub value: Signal<Out, Bits<TIME_WORD_BITS>>,
    part: [DFF<Bits<PART>>; 4],
    carry: [DFF<Bit>; 3],
    /// What the higher three parts add.
    addend: [DFF<Bits<SUM>>; 3],
    jumping: [DFF<Bit>; 2],
    zeroing: [DFF<Bit>; 3],
    // Parts that wait for the higher ones.
    first: [DFF<Bits<PART>>; 3],
    second: [DFF<Bits<PART>>; 2],
    third: DFF<Bits<PART>>,
    base: [Signal<Local, Bits<PART>>; 4],
    step: [Signal<Local, Bits<PART>>; 3],
    low: Signal<Local, Bits<SUM>>,
    sum: [Signal<Local, Bits<WIDE>>; 3],
}

impl Logic for TimeCounter {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, third);
        for i in 0..4 {
            self.part[i].clock.next = self.clock.val();
        }
        for i in 0..3 {
            self.carry[i].clock.next = self.clock.val();
            self.addend[i].clock.next = self.clock.val();
            self.zeroing[i].clock.next = self.clock.val();
            self.first[i].clock.next = self.clock.val();
        }
        for i in 0..2 {
            self.jumping[i].clock.next = self.clock.val();
            self.second[i].clock.next = self.clock.val();
        }
        for i in 0..4 {
            self.base[i].next = self.part[i].q.val();
        }
        if self.zero.val() {
            self.base[0].next = 0.into();
        }
        for i in 0..3 {
            if self.zeroing[i].q.val() {
                self.base[i + 1].next = 0.into();
            }
            self.step[i].next = 0.into();
        }
        self.zeroing[0].d.next = self.zero.val();
        self.zeroing[1].d.next = self.zeroing[0].q.val();
        self.zeroing[2].d.next = self.zeroing[1].q.val();
        self.jumping[0].d.next = self.jump_now.val();
        self.jumping[1].d.next = self.jumping[0].q.val();

        // What is added to the parts 1 to 3, a clock before they add it.
        if self.jump_now.val() {
            self.step[0].next = self.jump.val().get_bits::<PART>(24);
        }
        if self.jumping[0].q.val() {
            self.step[1].next = self.jump.val().get_bits::<PART>(48);
        }
        if self.jumping[1].q.val() {
            self.step[2].next = self.jump.val().get_bits::<PART>(72);
        }
        self.addend[0].d.next = bit_cast::<SUM, PART>(self.step[0].val())
            + bit_cast::<SUM, 15>(self.rate.val().get_bits::<15>(24));
        self.addend[1].d.next = bit_cast::<SUM, PART>(self.step[1].val())
            + bit_cast::<SUM, 1>(self.addend[0].q.val().get_bits::<1>(24));
        self.addend[2].d.next = bit_cast::<SUM, PART>(self.step[2].val())
            + bit_cast::<SUM, 1>(self.addend[1].q.val().get_bits::<1>(24));

        // The parts. A carry goes in as the bit below both operands.
        self.low.next = bit_cast::<SUM, PART>(self.base[0].val())
            + bit_cast::<SUM, PART>(self.rate.val().get_bits::<PART>(0));
        self.part[0].d.next = self.low.val().get_bits::<PART>(0);
        self.carry[0].d.next = self.low.val().get_bit(24);
        self.sum[0].next = (bit_cast::<WIDE, PART>(self.base[1].val()) << 1).replace_bit(0, true)
            + (bit_cast::<WIDE, PART>(self.addend[0].q.val().get_bits::<PART>(0)) << 1)
                .replace_bit(0, self.carry[0].q.val());
        self.part[1].d.next = self.sum[0].val().get_bits::<PART>(1);
        self.sum[1].next = (bit_cast::<WIDE, PART>(self.base[2].val()) << 1).replace_bit(0, true)
            + (bit_cast::<WIDE, PART>(self.addend[1].q.val().get_bits::<PART>(0)) << 1)
                .replace_bit(0, self.carry[1].q.val());
        self.part[2].d.next = self.sum[1].val().get_bits::<PART>(1);
        self.sum[2].next = (bit_cast::<WIDE, PART>(self.base[3].val()) << 1).replace_bit(0, true)
            + (bit_cast::<WIDE, PART>(self.addend[2].q.val().get_bits::<PART>(0)) << 1)
                .replace_bit(0, self.carry[2].q.val());
        self.part[3].d.next = self.sum[2].val().get_bits::<PART>(1);
        self.carry[1].d.next = self.sum[0].val().get_bit(25);
        self.carry[2].d.next = self.sum[1].val().get_bit(25);

        // All of one edge.
        self.first[0].d.next = self.part[0].q.val();
        self.first[1].d.next = self.first[0].q.val();
        self.first[2].d.next = self.first[1].q.val();
        self.second[0].d.next = self.part[1].q.val();
        self.second[1].d.next = self.second[0].q.val();
        self.third.d.next = self.part[2].q.val();

        if self.clear.val() {
            self.third.d.next = 0.into();
            for i in 0..4 {
                self.part[i].d.next = 0.into();
            }
            for i in 0..3 {
                self.carry[i].d.next = false;
                self.addend[i].d.next = 0.into();
                self.zeroing[i].d.next = false;
                self.first[i].d.next = 0.into();
            }
            for i in 0..2 {
                self.jumping[i].d.next = false;
                self.second[i].d.next = 0.into();
            }
        }
        self.value.next = bit_cast::<TIME_WORD_BITS, PART>(self.first[2].q.val())
            | (bit_cast::<TIME_WORD_BITS, PART>(self.second[1].q.val()) << 24)
            | (bit_cast::<TIME_WORD_BITS, PART>(self.third.q.val()) << 48)
            | (bit_cast::<TIME_WORD_BITS, PART>(self.part[3].q.val()) << 72);
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("time_counter", &[])
    }
}

drive_ports!(impl[] TimeCounter { clock, clear, rate, jump_now, zero, jump, value });

const _: () = assert!(TIME_WORD_BITS == 4 * PART && RATE_BITS == PART + 15);
