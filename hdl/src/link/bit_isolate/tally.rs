//! The wrong bits of the words of a comparison, counted and placed.

use super::{MASK_BITS, REPORT_BITS, STEP_BITS, WORD_NUMBER_BITS};
use crate::config::ConfigError;
use crate::prim::stream::FlowOut;
use crate::prim::{ClearedDelay, Delay};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::bit_isolation::{bit_report, WRONG_BITS_MAX};
use flitforge_protocol::ltp::WORD_BITS;

/// Bits of a place: LTP bit, bits before it on its lane, lane.
const PLACE_BITS: usize = bit_report::last_bit::LOW - bit_report::first_bit::LOW;
/// Bits that number the bits of a word.
const BIT_NUMBER_BITS: usize = WORD_BITS.ilog2() as usize;
/// Bits that count the wrong bits of an LTP.
const COUNT_BITS: usize = bit_report::wrong_bits::WIDTH;
/// Nibbles of a word.
const NIBBLES: usize = WORD_BITS / 4;
/// Clocks from a word to its count and its places.
const WORD_CLOCKS: usize = 4;

/// One word per clock in; the report 5 clocks behind the last, a mask 1 clock behind its word.
#[derive(LogicBlock)]
pub struct BitTally {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear: the comparison ends without a report.
    pub clear: Signal<In, Bit>,
    /// A word of a comparison.
    pub valid: Signal<In, Bit>,
    /// Its wrong bits.
    pub mask: Signal<In, Bits<WORD_BITS>>,
    /// Where it stands, as [`BitWalk`](super::BitWalk) says it.
    pub step: Signal<In, Bits<STEP_BITS>>,
    /// Words with wrong bits, layout `bit_mask`.
    pub masks: FlowOut<Bits<MASK_BITS>>,
    /// Layout `bit_report`, with the last word.
    pub report: FlowOut<Bits<REPORT_BITS>>,

    out_mask: DFF<Bits<MASK_BITS>>,
    out_mask_valid: DFF<Bit>,
    /// The word 1 and 2 clocks later.
    word: [DFF<Bits<WORD_BITS>>; 2],
    /// Wrong bits of each nibble, then of each byte, then of each half.
    nibble_count: [DFF<Bits<6>>; NIBBLES],
    byte_count: [DFF<Bits<6>>; 4],
    half_count: [DFF<Bits<6>>; 2],
    count: DFF<Bits<6>>,
    /// The first and the last nibble with wrong bits, then their bits, then bit numbers.
    wrong_nibbles: DFF<Bits<8>>,
    first_nibble: DFF<Bits<3>>,
    last_nibble: DFF<Bits<3>>,
    first_number: Delay<Bits<3>>,
    last_number: Delay<Bits<3>>,
    first_bits: DFF<Bits<4>>,
    last_bits: DFF<Bits<4>>,
    first_place: DFF<Bits<2>>,
    last_place: DFF<Bits<2>>,
    valid_later: ClearedDelay<Bit>,
    step_later: Delay<Bits<STEP_BITS>>,
    /// The comparison so far.
    total: DFF<Bits<COUNT_BITS>>,
    found: DFF<Bit>,
    first: DFF<Bits<PLACE_BITS>>,
    last: DFF<Bits<PLACE_BITS>>,
    done: DFF<Bit>,

    wrong: Signal<Local, Bit>,
    wrong_in: Signal<Local, Bits<8>>,
    nibble: Signal<Local, Bits<4>>,
    ones: Signal<Local, Bits<6>>,
    first_at: Signal<Local, Bits<3>>,
    last_at: Signal<Local, Bits<3>>,
    first_pick: Signal<Local, Bits<4>>,
    last_pick: Signal<Local, Bits<4>>,
    first_in: Signal<Local, Bits<2>>,
    last_in: Signal<Local, Bits<2>>,
    number: Signal<Local, Bits<WORD_NUMBER_BITS>>,
    turn: Signal<Local, Bits<WORD_NUMBER_BITS>>,
    lane: Signal<Local, Bits<2>>,
    first_bit: Signal<Local, Bits<BIT_NUMBER_BITS>>,
    last_bit: Signal<Local, Bits<BIT_NUMBER_BITS>>,
    of_word: Signal<Local, Bits<PLACE_BITS>>,
    first_here: Signal<Local, Bits<PLACE_BITS>>,
    last_here: Signal<Local, Bits<PLACE_BITS>>,
    any: Signal<Local, Bit>,
    begins: Signal<Local, Bit>,
    before: Signal<Local, Bits<COUNT_BITS>>,
    sum: Signal<Local, Bits<9>>,
    most: Constant<Bits<COUNT_BITS>>,
    nibble_number: [Constant<Bits<3>>; NIBBLES],
    bit_number: [Constant<Bits<2>>; 4],
}

impl BitTally {
    /// A tally that waits for the first word.
    pub fn new() -> Result<Self, ConfigError> {
        Ok(Self {
            clock: Default::default(),
            clear: Default::default(),
            valid: Default::default(),
            mask: Default::default(),
            step: Default::default(),
            masks: Default::default(),
            report: Default::default(),
            out_mask: Default::default(),
            out_mask_valid: Default::default(),
            word: Default::default(),
            nibble_count: Default::default(),
            byte_count: Default::default(),
            half_count: Default::default(),
            count: Default::default(),
            wrong_nibbles: Default::default(),
            first_nibble: Default::default(),
            last_nibble: Default::default(),
            first_number: Delay::new(2)?,
            last_number: Delay::new(2)?,
            first_bits: Default::default(),
            last_bits: Default::default(),
            first_place: Default::default(),
            last_place: Default::default(),
            valid_later: ClearedDelay::new(WORD_CLOCKS)?,
            step_later: Delay::new(WORD_CLOCKS)?,
            total: Default::default(),
            found: Default::default(),
            first: Default::default(),
            last: Default::default(),
            done: Default::default(),
            wrong: Default::default(),
            wrong_in: Default::default(),
            nibble: Default::default(),
            ones: Default::default(),
            first_at: Default::default(),
            last_at: Default::default(),
            first_pick: Default::default(),
            last_pick: Default::default(),
            first_in: Default::default(),
            last_in: Default::default(),
            number: Default::default(),
            turn: Default::default(),
            lane: Default::default(),
            first_bit: Default::default(),
            last_bit: Default::default(),
            of_word: Default::default(),
            first_here: Default::default(),
            last_here: Default::default(),
            any: Default::default(),
            begins: Default::default(),
            before: Default::default(),
            sum: Default::default(),
            most: Constant::new(WRONG_BITS_MAX.into()),
            bit_number: std::array::from_fn(|bit| Constant::new((bit as u64).into())),
            nibble_number: std::array::from_fn(|nibble| Constant::new((nibble as u64).into())),
        })
    }
}

impl Logic for BitTally {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, out_mask, out_mask_valid, count, wrong_nibbles, first_nibble, last_nibble);
        dff_setup!(
            self,
            clock,
            first_bits,
            last_bits,
            first_place,
            last_place,
            total,
            found,
            first,
            last,
            done
        );
        clock!(self, clock, first_number, last_number, valid_later, step_later);
        self.valid_later.clear.next = self.clear.val();
        self.valid_later.d.next = self.valid.val();
        self.step_later.d.next = self.step.val();

        // The word's mask.
        self.wrong.next = self.mask.val().any();
        self.out_mask_valid.d.next = self.valid.val() & self.wrong.val() & !self.clear.val();
        self.out_mask.d.next = bit_cast::<MASK_BITS, 32>(self.mask.val())
            | (bit_cast::<MASK_BITS, 6>(self.step.val().get_bits::<6>(0)) << 32);

        // How many: by nibbles, bytes, halves, 1 clock each.
        for i in 0..2 {
            self.word[i].clock.next = self.clock.val();
        }
        self.word[0].d.next = self.mask.val();
        self.word[1].d.next = self.word[0].q.val();
        self.wrong_in.next = 0.into();
        for i in 0..8 {
            self.nibble_count[i].clock.next = self.clock.val();
            self.nibble.next = self.mask.val().get_bits::<4>(4 * i);
            self.ones.next = bit_cast::<6, 1>(self.nibble.val().get_bits::<1>(0))
                + bit_cast::<6, 1>(self.nibble.val().get_bits::<1>(1))
                + bit_cast::<6, 1>(self.nibble.val().get_bits::<1>(2))
                + bit_cast::<6, 1>(self.nibble.val().get_bits::<1>(3));
            self.nibble_count[i].d.next = self.ones.val();
            self.wrong_in.next = self.wrong_in.val().replace_bit(i, self.nibble.val().any());
        }
        self.wrong_nibbles.d.next = self.wrong_in.val();
        for i in 0..4 {
            self.byte_count[i].clock.next = self.clock.val();
            self.byte_count[i].d.next =
                self.nibble_count[2 * i].q.val() + self.nibble_count[2 * i + 1].q.val();
        }
        for i in 0..2 {
            self.half_count[i].clock.next = self.clock.val();
            self.half_count[i].d.next = self.byte_count[2 * i].q.val() + self.byte_count[2 * i + 1].q.val();
        }
        self.count.d.next = self.half_count[0].q.val() + self.half_count[1].q.val();

        // The first and the last: nibble, its bits, the bit.
        self.first_at.next = 0.into();
        self.last_at.next = 0.into();
        for i in 0..8 {
            if self.wrong_nibbles.q.val().get_bit(7 - i) {
                self.first_at.next = self.nibble_number[7 - i].val();
            }
            if self.wrong_nibbles.q.val().get_bit(i) {
                self.last_at.next = self.nibble_number[i].val();
            }
        }
        self.first_nibble.d.next = self.first_at.val();
        self.last_nibble.d.next = self.last_at.val();
        self.first_number.d.next = self.first_nibble.q.val();
        self.last_number.d.next = self.last_nibble.q.val();
        self.first_pick.next = 0.into();
        self.last_pick.next = 0.into();
        for i in 0..8 {
            if self.first_nibble.q.val() == self.nibble_number[i].val() {
                self.first_pick.next = self.word[1].q.val().get_bits::<4>(4 * i);
            }
            if self.last_nibble.q.val() == self.nibble_number[i].val() {
                self.last_pick.next = self.word[1].q.val().get_bits::<4>(4 * i);
            }
        }
        self.first_bits.d.next = self.first_pick.val();
        self.last_bits.d.next = self.last_pick.val();
        self.first_in.next = 0.into();
        self.last_in.next = 0.into();
        for i in 0..4 {
            if self.first_bits.q.val().get_bit(3 - i) {
                self.first_in.next = self.bit_number[3 - i].val();
            }
            if self.last_bits.q.val().get_bit(i) {
                self.last_in.next = self.bit_number[i].val();
            }
        }
        self.first_place.d.next = self.first_in.val();
        self.last_place.d.next = self.last_in.val();

        // Their places in the LTP.
        self.number.next = self.step_later.q.val().get_bits::<WORD_NUMBER_BITS>(0);
        self.turn.next = self.step_later.q.val().get_bits::<WORD_NUMBER_BITS>(6);
        self.lane.next = self.step_later.q.val().get_bits::<2>(12);
        self.first_bit.next = (bit_cast::<BIT_NUMBER_BITS, 3>(self.first_number.q.val()) << 2)
            | bit_cast::<BIT_NUMBER_BITS, 2>(self.first_place.q.val());
        self.last_bit.next = (bit_cast::<BIT_NUMBER_BITS, 3>(self.last_number.q.val()) << 2)
            | bit_cast::<BIT_NUMBER_BITS, 2>(self.last_place.q.val());
        self.of_word.next = (bit_cast::<PLACE_BITS, WORD_NUMBER_BITS>(self.number.val()) << 5)
            | (bit_cast::<PLACE_BITS, WORD_NUMBER_BITS>(self.turn.val()) << 16)
            | (bit_cast::<PLACE_BITS, 2>(self.lane.val()) << 22);
        self.first_here.next = self.of_word.val()
            | bit_cast::<PLACE_BITS, BIT_NUMBER_BITS>(self.first_bit.val())
            | (bit_cast::<PLACE_BITS, BIT_NUMBER_BITS>(self.first_bit.val()) << 11);
        self.last_here.next = self.of_word.val()
            | bit_cast::<PLACE_BITS, BIT_NUMBER_BITS>(self.last_bit.val())
            | (bit_cast::<PLACE_BITS, BIT_NUMBER_BITS>(self.last_bit.val()) << 11);

        // The comparison.
        self.any.next = self.count.q.val().any();
        self.begins.next = !self.number.val().any();
        self.before.next = self.total.q.val();
        if self.begins.val() {
            self.before.next = 0.into();
        }
        self.sum.next = bit_cast::<9, COUNT_BITS>(self.before.val()) + bit_cast::<9, 6>(self.count.q.val());
        self.done.d.next = false;
        if self.valid_later.q.val() {
            self.total.d.next = bit_cast::<COUNT_BITS, 9>(self.sum.val());
            if self.sum.val().get_bit(8) {
                self.total.d.next = self.most.val();
            }
            self.found.d.next = self.any.val() | (self.found.q.val() & !self.begins.val());
            if self.begins.val() {
                self.first.d.next = 0.into();
                self.last.d.next = 0.into();
            }
            if self.any.val() {
                self.last.d.next = self.last_here.val();
                if self.begins.val() | !self.found.q.val() {
                    self.first.d.next = self.first_here.val();
                }
            }
            self.done.d.next = self.step_later.q.val().get_bit(14);
        }
        if self.clear.val() {
            self.done.d.next = false;
        }

        self.masks.data.next = self.out_mask.q.val();
        self.masks.valid.next = self.out_mask_valid.q.val();
        self.report.data.next = bit_cast::<REPORT_BITS, COUNT_BITS>(self.total.q.val())
            | (bit_cast::<REPORT_BITS, PLACE_BITS>(self.first.q.val()) << 8)
            | (bit_cast::<REPORT_BITS, PLACE_BITS>(self.last.q.val()) << 32);
        self.report.valid.next = self.done.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("bit_tally", &[])
    }
}

drive_ports!(impl[] BitTally { clock, clear, valid, mask, step, masks, report });
