//! The wrong bits of the words of a comparison, counted and placed.

use super::{MASK_BITS, REPORT_BITS, STEP_BITS, WORD_NUMBER_BITS};
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::{ClearedDelay, Delay};
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

/// One word per clock in; the report 5 clocks after the last, a mask 1 clock after its word.
#[block("bit_tally", new)]
pub struct BitTally {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Synchronous clear: the comparison ends without a report.
    clear: In<Bit>,
    /// A word of a comparison.
    valid: In<Bit>,
    /// Its wrong bits.
    mask: In<Bits<WORD_BITS>>,
    /// Where it stands, as [`BitWalk`](super::BitWalk) says it.
    step: In<Bits<STEP_BITS>>,
    /// Words with wrong bits, layout `bit_mask`.
    pub masks: FlowOut<Bits<MASK_BITS>>,
    /// Layout `bit_report`, with the last word.
    pub report: FlowOut<Bits<REPORT_BITS>>,

    out_mask: Reg<Bits<MASK_BITS>>,
    out_mask_valid: Reg<Bit>,
    /// The word 1 and 2 clocks later.
    #[wire(d = _)]
    word: [Reg<Bits<WORD_BITS>>; 2],
    /// Wrong bits of each nibble, then of each byte, then of each half.
    #[wire(d = _)]
    nibble_count: [Reg<Bits<6>>; NIBBLES],
    #[wire(d = _)]
    byte_count: [Reg<Bits<6>>; 4],
    #[wire(d = _)]
    half_count: [Reg<Bits<6>>; 2],
    count: Reg<Bits<6>>,
    /// The first and the last nibble with wrong bits, then their bits, then bit numbers.
    wrong_nibbles: Reg<Bits<8>>,
    first_nibble: Reg<Bits<3>>,
    last_nibble: Reg<Bits<3>>,
    #[wire(clock)]
    first_number: Delay<Bits<3>>,
    #[wire(clock)]
    last_number: Delay<Bits<3>>,
    first_bits: Reg<Bits<4>>,
    last_bits: Reg<Bits<4>>,
    first_place: Reg<Bits<2>>,
    last_place: Reg<Bits<2>>,
    #[wire(clock, clear)]
    valid_later: ClearedDelay<Bit>,
    #[wire(clock)]
    step_later: Delay<Bits<STEP_BITS>>,
    /// The comparison so far.
    total: Reg<Bits<COUNT_BITS>>,
    found: Reg<Bit>,
    first: Reg<Bits<PLACE_BITS>>,
    last: Reg<Bits<PLACE_BITS>>,
    done: Reg<Bit>,

    wrong: Local<Bit>,
    wrong_in: Local<Bits<8>>,
    nibble: Local<Bits<4>>,
    ones: Local<Bits<6>>,
    #[init(WRONG_BITS_MAX)]
    most: Constant<Bits<COUNT_BITS>>,
    #[init(|nibble| nibble)]
    nibble_number: [Constant<Bits<3>>; NIBBLES],
    #[init(|bit| bit)]
    bit_number: [Constant<Bits<2>>; 4],
}

#[logic]
impl BitTally {
    /// A tally that waits for the first word.
    pub fn new() -> Result<Self, ConfigError> {
        Ok(Self {
            first_number: Delay::new(2)?,
            last_number: Delay::new(2)?,
            valid_later: ClearedDelay::new(WORD_CLOCKS)?,
            step_later: Delay::new(WORD_CLOCKS)?,
            ..
        })
    }

    fn update(&mut self) {
        valid_later.d = valid;
        step_later.d = step;

        // The word's mask.
        wrong = mask.any();
        out_mask_valid = valid & wrong & !clear;
        out_mask = bit_cast::<MASK_BITS, 32>(mask) | (bit_cast::<MASK_BITS, 6>(step.bits::<6>(0)) << 32);

        self.sum_bits();
        self.find_ends();
        let (number, first_here, last_here) = self.place_ends();
        self.compare(number, first_here, last_here);

        masks = In { data: out_mask, valid: out_mask_valid };
        report.data = bit_cast::<REPORT_BITS, COUNT_BITS>(total)
            | (bit_cast::<REPORT_BITS, PLACE_BITS>(first) << 8)
            | (bit_cast::<REPORT_BITS, PLACE_BITS>(last) << 32);
        report.valid = done;
    }

    /// How many: by nibbles, bytes, halves, 1 clock each.
    fn sum_bits(&mut self) {
        word[0] = mask;
        word[1] = word[0];
        wrong_in = 0;
        for i in 0..8 {
            nibble = mask.bits::<4>(4 * i);
            ones = bit_cast::<6, 1>(nibble.bits::<1>(0))
                + bit_cast::<6, 1>(nibble.bits::<1>(1))
                + bit_cast::<6, 1>(nibble.bits::<1>(2))
                + bit_cast::<6, 1>(nibble.bits::<1>(3));
            nibble_count[i] = ones;
            wrong_in = wrong_in.with(i, nibble.any());
        }
        wrong_nibbles = wrong_in;
        for i in 0..4 {
            byte_count[i] = nibble_count[2 * i] + nibble_count[2 * i + 1];
        }
        for i in 0..2 {
            half_count[i] = byte_count[2 * i] + byte_count[2 * i + 1];
        }
        count = half_count[0] + half_count[1];
    }

    /// The first and the last: nibble, its bits, the bit.
    fn find_ends(&mut self) {
        let mut first_at: Bits<3> = 0;
        let mut last_at: Bits<3> = 0;
        for i in 0..8 {
            if wrong_nibbles[7 - i] {
                first_at = nibble_number[7 - i];
            }
            if wrong_nibbles[i] {
                last_at = nibble_number[i];
            }
        }
        first_nibble = first_at;
        last_nibble = last_at;
        first_number.d = first_nibble;
        last_number.d = last_nibble;
        let mut first_pick: Bits<4> = 0;
        let mut last_pick: Bits<4> = 0;
        for i in 0..8 {
            if first_nibble == nibble_number[i] {
                first_pick = word[1].bits::<4>(4 * i);
            }
            if last_nibble == nibble_number[i] {
                last_pick = word[1].bits::<4>(4 * i);
            }
        }
        first_bits = first_pick;
        last_bits = last_pick;
        let mut first_in: Bits<2> = 0;
        let mut last_in: Bits<2> = 0;
        for i in 0..4 {
            if first_bits[3 - i] {
                first_in = bit_number[3 - i];
            }
            if last_bits[i] {
                last_in = bit_number[i];
            }
        }
        first_place = first_in;
        last_place = last_in;
    }

    /// Their places in the LTP.
    fn place_ends(&mut self) -> (Bits<WORD_NUMBER_BITS>, Bits<PLACE_BITS>, Bits<PLACE_BITS>) {
        let number = step_later.q.bits::<WORD_NUMBER_BITS>(0);
        let turn = step_later.q.bits::<WORD_NUMBER_BITS>(6);
        let lane = step_later.q.bits::<2>(12);
        let first_bit = (bit_cast::<BIT_NUMBER_BITS, 3>(first_number.q) << 2)
            | bit_cast::<BIT_NUMBER_BITS, 2>(first_place);
        let last_bit =
            (bit_cast::<BIT_NUMBER_BITS, 3>(last_number.q) << 2) | bit_cast::<BIT_NUMBER_BITS, 2>(last_place);
        let of_word = (bit_cast::<PLACE_BITS, WORD_NUMBER_BITS>(number) << 5)
            | (bit_cast::<PLACE_BITS, WORD_NUMBER_BITS>(turn) << 16)
            | (bit_cast::<PLACE_BITS, 2>(lane) << 22);
        let first_here = of_word
            | bit_cast::<PLACE_BITS, BIT_NUMBER_BITS>(first_bit)
            | (bit_cast::<PLACE_BITS, BIT_NUMBER_BITS>(first_bit) << 11);
        let last_here = of_word
            | bit_cast::<PLACE_BITS, BIT_NUMBER_BITS>(last_bit)
            | (bit_cast::<PLACE_BITS, BIT_NUMBER_BITS>(last_bit) << 11);
        (number, first_here, last_here)
    }

    /// The comparison.
    fn compare(
        &mut self,
        number: Bits<WORD_NUMBER_BITS>,
        first_here: Bits<PLACE_BITS>,
        last_here: Bits<PLACE_BITS>,
    ) {
        let any = count.any();
        let begins = !number.any();
        let mut before = total;
        if begins {
            before = 0;
        }
        let sum = bit_cast::<9, COUNT_BITS>(before) + bit_cast::<9, 6>(count);
        done = false;
        if valid_later.q {
            total = bit_cast::<COUNT_BITS, 9>(sum);
            if sum[8] {
                total = most;
            }
            found = any | (found & !begins);
            if begins {
                first = 0;
                last = 0;
            }
            if any {
                last = last_here;
                if begins | !found {
                    first = first_here;
                }
            }
            done = step_later.q[14];
        }
        if clear {
            done = false;
        }
    }
}
