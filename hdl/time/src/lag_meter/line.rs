//! The line of DDMTD in the core clock.

use super::pair::PAIR_BITS;
use super::tag::STEP_BITS;
use super::LINE_BITS;
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::time_lag::{
    nominal_rate, pair_rate, COUNT_FRACTION_BITS, LINE_FRACTION_BITS, LINE_WORD_BITS, PAIRS_UNTIL_OK,
    PAIR_CLOCKS_LOG2, PAIR_DELAY, PAIR_DELAY_BITS, PAIR_GOOD_BOUND, PAIR_RATE_BOUND, PAIR_RATE_FRACTION_BITS,
    PAIR_RATE_LOG2, RATE_OFFSET_BITS,
};

/// Bits of the phase, words and fraction.
const PHASE_BITS: usize = LINE_WORD_BITS + LINE_FRACTION_BITS;
/// Bits of a product of rate and clocks, signed, 2^-26 word.
const PRODUCT_BITS: usize = 33;
/// Bits of it that are left in 2^-12 word.
const DELAY_BITS: usize = PRODUCT_BITS - PAIR_RATE_FRACTION_BITS;
/// Bits of a sum of two rates' deviations.
const SUM_BITS: usize = RATE_OFFSET_BITS + 1;

/// Words at every core clock, by pairs of lines that the helper clock has seen.
///
/// - Every 64 clocks a pair is asked for. Its core clocks tell how long after the request its words were counted: the nominal words of
///   that time, 16 clocks of shift and add, are taken off, and what is left is the error of the line as it was then.
/// - The line is stepped by it, the rate by it over 512 clocks, if it is below 1/16 word.
/// - The first pair, one after a slip of the core clock, and one that is not within 8 clocks of where the first was, begin the count
///   of core clocks anew and correct nothing.
/// - `ok` after 31 pairs in a row that are valid on the other side and off by less than 1/64 word. It goes with a pair that is not,
///   with `restart`, and where the last pair has not come when the next is due: then the helper clock stands still, which is a slip, too.
#[block(new)]
pub struct LagLine {
    /// Core clock.
    clock: In<Clock>,
    /// Rate and tags of the word clock are to be forgotten.
    restart: In<Bit>,
    /// A request can be sent.
    ready: In<Bit>,
    /// A pair is asked for.
    ask: Out<Bit>,
    /// With it: a restart.
    ask_restart: Out<Bit>,
    /// A pair has arrived.
    arrived: In<Bit>,
    /// The pair.
    pair: In<Bits<PAIR_BITS>>,
    /// Words since power-on with 12 fraction bits.
    line: Out<Bits<LINE_BITS>>,
    /// The phase is valid.
    ok: Out<Bit>,
    /// The phase is static.
    fixed: Out<Bit>,
    /// Event: a slip; the phase is lost.
    slipped: Out<Bit>,

    phase: Reg<Bits<PHASE_BITS>>,
    increment: Reg<Bits<PHASE_BITS>>,
    rate: Reg<Bits<STEP_BITS>>,
    offset: Reg<Bits<RATE_OFFSET_BITS>>,
    now: Reg<Bits<LINE_WORD_BITS>>,
    restarting: Reg<Bit>,
    waiting: Reg<Bit>,
    busy: Reg<Bit>,
    asked: Reg<Bits<10>>,
    asked_line: Reg<Bits<LINE_BITS>>,
    anchored: Reg<Bit>,
    anchor: Reg<Bits<LINE_WORD_BITS>>,
    usable: Reg<Bit>,
    pair_ok: Reg<Bit>,
    pair_fixed: Reg<Bit>,
    pair_slip: Reg<Bit>,
    delay: Reg<Bits<PAIR_DELAY_BITS>>,
    left: Reg<Bits<5>>,
    addend: Reg<Bits<PRODUCT_BITS>>,
    product: Reg<Bits<PRODUCT_BITS>>,
    apart: Reg<Bits<LINE_BITS>>,
    found: Reg<Bit>,
    error: Reg<Bits<LINE_BITS>>,
    settled: Reg<Bits<5>>,
    is_fixed: Reg<Bit>,
    slip_event: Reg<Bit>,
    due: Local<Bit>,
    asks: Local<Bit>,
    late: Local<Bit>,
    asked_clock: Local<Bits<LINE_WORD_BITS>>,
    place: Local<Bits<LINE_WORD_BITS>>,
    core: Local<Bits<LINE_BITS>>,
    words: Local<Bits<LINE_BITS>>,
    core_slip: Local<Bit>,
    distance: Local<Bits<LINE_BITS>>,
    is_usable: Local<Bit>,
    worked: Local<Bits<LINE_BITS>>,
    ends: Local<Bit>,
    size: Local<Bits<LINE_BITS>>,
    sum: Local<Bits<SUM_BITS>>,
    #[init(1)]
    one_clock: Constant<Bits<LINE_WORD_BITS>>,
    #[init(PAIR_DELAY)]
    first_delay: Constant<Bits<LINE_WORD_BITS>>,
    #[init(PAIR_DELAY_BITS)]
    bits: Constant<Bits<5>>,
    #[init(1)]
    one: Constant<Bits<5>>,
    #[init(1)]
    one_size: Constant<Bits<LINE_BITS>>,
    nominal: Constant<Bits<STEP_BITS>>,
    offset_sign: Constant<Bits<STEP_BITS>>,
    sum_sign: Constant<Bits<SUM_BITS>>,
    delay_sign: Constant<Bits<LINE_BITS>>,
    pair_rate: Constant<Bits<PRODUCT_BITS>>,
    first_product: Constant<Bits<PRODUCT_BITS>>,
    #[init(PAIR_RATE_BOUND)]
    rate_below: Constant<Bits<LINE_BITS>>,
    #[init(PAIR_GOOD_BOUND)]
    good_below: Constant<Bits<LINE_BITS>>,
    most: Constant<Bits<RATE_OFFSET_BITS>>,
    least: Constant<Bits<RATE_OFFSET_BITS>>,
    _rate: u64,
}

const fn mask(bits: usize) -> u64 {
    (1 << bits) - 1
}

#[logic]
impl LagLine {
    /// For clocks of these nominal periods in femtoseconds.
    pub(super) fn new(core_fs: u64, word_fs: u64) -> Self {
        let pair_rate = pair_rate(core_fs, word_fs);
        let first_product = pair_rate * (PAIR_DELAY << COUNT_FRACTION_BITS);
        let half = 1_u64 << (RATE_OFFSET_BITS - 1);
        Self {
            nominal: Constant::new(nominal_rate(core_fs, word_fs).into()),
            offset_sign: Constant::new((mask(STEP_BITS) & !mask(RATE_OFFSET_BITS)).into()),
            sum_sign: Constant::new((mask(SUM_BITS) & !mask(RATE_OFFSET_BITS)).into()),
            delay_sign: Constant::new((mask(LINE_BITS) & !mask(DELAY_BITS)).into()),
            pair_rate: Constant::new(pair_rate.into()),
            first_product: Constant::new((first_product.wrapping_neg() & mask(PRODUCT_BITS)).into()),
            most: Constant::new((half - 1).into()),
            least: Constant::new(half.into()),
            _rate: nominal_rate(core_fs, word_fs),
            ..
        }
    }

    fn update(&mut self) {
        // The line runs on.
        phase = phase + increment;
        increment = bit_cast::<PHASE_BITS, STEP_BITS>(rate);
        let mut wide_offset = bit_cast::<STEP_BITS, RATE_OFFSET_BITS>(offset);
        if offset[22] {
            wide_offset = bit_cast::<STEP_BITS, RATE_OFFSET_BITS>(offset) | offset_sign;
        }
        rate = nominal + wide_offset;
        now = now + one_clock;
        line = phase.bits::<LINE_BITS>(20);

        self.ask();

        // Its pair: how long after it.
        core = pair.bits::<LINE_BITS>(0);
        words = pair.bits::<LINE_BITS>(28);
        core_slip = pair[58];
        asked_clock = bit_cast::<LINE_WORD_BITS, 10>(asked) << 6;
        place = asked_clock + anchor;
        distance = core - (bit_cast::<LINE_BITS, LINE_WORD_BITS>(place) << 12);
        is_usable = anchored & !distance.bits::<12>(16).any() & !core_slip;

        self.measure();
        let is_ok = self.follow();
        ok = is_ok;
        fixed = is_fixed & is_ok;
        slipped = slip_event;
    }

    /// A request.
    fn ask(&mut self) {
        due = !now.bits::<6>(0).any();
        asks = due & ready & !waiting & !busy;
        late = due & !asks;
        ask = asks;
        ask_restart = restart | restarting;
        restarting = (restart | restarting) & !asks;
        waiting = asks | (waiting & !arrived);
        if asks {
            asked = now.bits::<10>(6);
            asked_line = phase.bits::<LINE_BITS>(20);
        }
    }

    /// Its error, a bit of the product per clock.
    fn measure(&mut self) {
        if left.any() {
            left = left - one;
            delay = delay >> 1;
            addend = addend << 1;
            if delay[0] {
                product = product + addend;
            }
        }
        worked = bit_cast::<LINE_BITS, DELAY_BITS>(product.bits::<DELAY_BITS>(14));
        if product[32] {
            worked = bit_cast::<LINE_BITS, DELAY_BITS>(product.bits::<DELAY_BITS>(14)) | delay_sign;
        }
        ends = busy & !left.any();
        found = ends;
        error = apart - worked;
        if ends {
            busy = false;
        }
        if arrived {
            busy = true;
            left = bits;
            delay = distance.bits::<PAIR_DELAY_BITS>(0);
            addend = pair_rate;
            product = first_product;
            apart = words - asked_line;
            usable = is_usable;
            pair_ok = pair[56];
            pair_fixed = pair[57];
            pair_slip = pair[58] | pair[59];
            if !is_usable {
                anchored = true;
                anchor = core.bits::<LINE_WORD_BITS>(12) - asked_clock - first_delay;
            }
        }
    }

    /// Line and rate by it.
    fn follow(&mut self) -> Bit {
        size = error;
        if error[27] {
            size = !error + one_size;
        }
        sum = (bit_cast::<SUM_BITS, 13>(error.bits::<13>(0)) << 11)
            + bit_cast::<SUM_BITS, RATE_OFFSET_BITS>(offset);
        if offset[22] {
            sum = (bit_cast::<SUM_BITS, 13>(error.bits::<13>(0)) << 11)
                + (bit_cast::<SUM_BITS, RATE_OFFSET_BITS>(offset) | sum_sign);
        }
        let is_ok = settled.all();
        slip_event = late & is_ok;
        if found {
            if usable {
                increment = bit_cast::<PHASE_BITS, STEP_BITS>(rate)
                    + (bit_cast::<PHASE_BITS, LINE_BITS>(error) << 20);
                if size < rate_below {
                    offset = sum.bits::<RATE_OFFSET_BITS>(0);
                    if !sum[23] & sum[22] {
                        offset = most;
                    }
                    if sum[23] & !sum[22] {
                        offset = least;
                    }
                }
            }
            if (late & is_ok) | pair_slip {
                slip_event = true;
            }
            is_fixed = pair_fixed;
            if ((size < good_below) & usable) & (pair_ok & !pair_slip) {
                if !is_ok {
                    settled = settled + one;
                }
            } else {
                settled = 0;
            }
        }
        if restart | late {
            settled = 0;
        }
        is_ok
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("lag_line", &[("rate", format!("0x{:x}", self._rate))])
    }
}

const _: () = assert!(PAIR_CLOCKS_LOG2 == 6 && PAIR_RATE_LOG2 == 3 && PAIRS_UNTIL_OK == 31);
const _: () = assert!(LINE_FRACTION_BITS - COUNT_FRACTION_BITS == 20 && PAIR_RATE_FRACTION_BITS == 14);
const _: () = assert!(PAIR_DELAY_BITS == 16 && RATE_OFFSET_BITS == 23 && PAIR_RATE_BOUND <= 1 << 12);
