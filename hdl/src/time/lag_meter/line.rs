//! The line of DDMTD in the core clock.

use super::pair::PAIR_BITS;
use super::tag::STEP_BITS;
use super::LINE_BITS;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::time_lag::{
    nominal_rate, pair_rate, COUNT_FRACTION_BITS, LINE_FRACTION_BITS, LINE_WORD_BITS, PAIRS_UNTIL_OK,
    PAIR_BEHIND, PAIR_BEHIND_BITS, PAIR_CLOCKS_LOG2, PAIR_GOOD_BOUND, PAIR_RATE_BOUND,
    PAIR_RATE_FRACTION_BITS, PAIR_RATE_LOG2, RATE_OFFSET_BITS,
};

/// Bits of the phase, words and fraction.
const PHASE_BITS: usize = LINE_WORD_BITS + LINE_FRACTION_BITS;
/// Bits of a product of rate and clocks, signed, 2^-26 word.
const PRODUCT_BITS: usize = 33;
/// Bits of it that are left in 2^-12 word.
const BEHIND_BITS: usize = PRODUCT_BITS - PAIR_RATE_FRACTION_BITS;
/// Bits of a sum of two rates' deviations.
const SUM_BITS: usize = RATE_OFFSET_BITS + 1;

/// Words at every core clock, by pairs of lines that the helper clock has seen.
///
/// - Every 64 clocks a pair is asked for. Its core clocks tell how long behind the request its words were counted: the nominal words of
///   that time, 16 clocks of shift and add, are taken off, and what is left is the error of the line as it was then.
/// - The line is stepped by it, the rate by it over 512 clocks, if it is below 1/16 word.
/// - The first pair, one behind a slip of the core clock, and one that is not within 8 clocks of where the first was, begin the count
///   of core clocks anew and correct nothing.
/// - `ok` after 31 pairs in a row that are valid on the other side and off by less than 1/64 word. It goes with a pair that is not,
///   with `restart`, and where the last pair has not come when the next is due: then the helper clock stands still, which is a slip, too.
#[derive(LogicBlock)]
pub struct LagLine {
    /// Core clock.
    pub clock: Signal<In, Clock>,
    /// Rate and tags of the word clock are to be forgotten.
    pub restart: Signal<In, Bit>,
    /// A request can be sent.
    pub ready: Signal<In, Bit>,
    /// A pair is asked for.
    pub ask: Signal<Out, Bit>,
    /// With it: a restart.
    pub ask_restart: Signal<Out, Bit>,
    /// A pair has arrived.
    pub arrived: Signal<In, Bit>,
    /// The pair.
    pub pair: Signal<In, Bits<PAIR_BITS>>,
    /// Words since power-on with 12 fraction bits.
    pub line: Signal<Out, Bits<LINE_BITS>>,
    /// The phase is valid.
    pub ok: Signal<Out, Bit>,
    /// The phase is static.
    pub fixed: Signal<Out, Bit>,
    /// Event: a slip; the phase is lost.
    pub slipped: Signal<Out, Bit>,

    phase: DFF<Bits<PHASE_BITS>>,
    increment: DFF<Bits<PHASE_BITS>>,
    rate: DFF<Bits<STEP_BITS>>,
    offset: DFF<Bits<RATE_OFFSET_BITS>>,
    now: DFF<Bits<LINE_WORD_BITS>>,
    restarting: DFF<Bit>,
    waiting: DFF<Bit>,
    busy: DFF<Bit>,
    asked: DFF<Bits<10>>,
    asked_line: DFF<Bits<LINE_BITS>>,
    anchored: DFF<Bit>,
    anchor: DFF<Bits<LINE_WORD_BITS>>,
    usable: DFF<Bit>,
    pair_ok: DFF<Bit>,
    pair_fixed: DFF<Bit>,
    pair_slip: DFF<Bit>,
    behind: DFF<Bits<PAIR_BEHIND_BITS>>,
    left: DFF<Bits<5>>,
    addend: DFF<Bits<PRODUCT_BITS>>,
    product: DFF<Bits<PRODUCT_BITS>>,
    apart: DFF<Bits<LINE_BITS>>,
    found: DFF<Bit>,
    error: DFF<Bits<LINE_BITS>>,
    settled: DFF<Bits<5>>,
    is_fixed: DFF<Bit>,
    slip_event: DFF<Bit>,
    due: Signal<Local, Bit>,
    asks: Signal<Local, Bit>,
    late: Signal<Local, Bit>,
    asked_clock: Signal<Local, Bits<LINE_WORD_BITS>>,
    place: Signal<Local, Bits<LINE_WORD_BITS>>,
    core: Signal<Local, Bits<LINE_BITS>>,
    words: Signal<Local, Bits<LINE_BITS>>,
    core_slip: Signal<Local, Bit>,
    distance: Signal<Local, Bits<LINE_BITS>>,
    is_usable: Signal<Local, Bit>,
    worked: Signal<Local, Bits<LINE_BITS>>,
    ends: Signal<Local, Bit>,
    size: Signal<Local, Bits<LINE_BITS>>,
    sum: Signal<Local, Bits<SUM_BITS>>,
    wide_offset: Signal<Local, Bits<STEP_BITS>>,
    is_ok: Signal<Local, Bit>,
    one_clock: Constant<Bits<LINE_WORD_BITS>>,
    first_behind: Constant<Bits<LINE_WORD_BITS>>,
    bits: Constant<Bits<5>>,
    one: Constant<Bits<5>>,
    one_size: Constant<Bits<LINE_BITS>>,
    nominal: Constant<Bits<STEP_BITS>>,
    offset_sign: Constant<Bits<STEP_BITS>>,
    sum_sign: Constant<Bits<SUM_BITS>>,
    behind_sign: Constant<Bits<LINE_BITS>>,
    pair_rate: Constant<Bits<PRODUCT_BITS>>,
    first_product: Constant<Bits<PRODUCT_BITS>>,
    rate_below: Constant<Bits<LINE_BITS>>,
    good_below: Constant<Bits<LINE_BITS>>,
    most: Constant<Bits<RATE_OFFSET_BITS>>,
    least: Constant<Bits<RATE_OFFSET_BITS>>,
    _rate: u64,
}

const fn mask(bits: usize) -> u64 {
    (1 << bits) - 1
}

impl LagLine {
    /// For clocks of these nominal periods in femtoseconds.
    pub(super) fn new(core_fs: u64, word_fs: u64) -> Self {
        let pair_rate = pair_rate(core_fs, word_fs);
        let first_product = pair_rate * (PAIR_BEHIND << COUNT_FRACTION_BITS);
        let half = 1_u64 << (RATE_OFFSET_BITS - 1);
        Self {
            clock: Default::default(),
            restart: Default::default(),
            ready: Default::default(),
            ask: Default::default(),
            ask_restart: Default::default(),
            arrived: Default::default(),
            pair: Default::default(),
            line: Default::default(),
            ok: Default::default(),
            fixed: Default::default(),
            slipped: Default::default(),
            phase: Default::default(),
            increment: Default::default(),
            rate: Default::default(),
            offset: Default::default(),
            now: Default::default(),
            restarting: Default::default(),
            waiting: Default::default(),
            busy: Default::default(),
            asked: Default::default(),
            asked_line: Default::default(),
            anchored: Default::default(),
            anchor: Default::default(),
            usable: Default::default(),
            pair_ok: Default::default(),
            pair_fixed: Default::default(),
            pair_slip: Default::default(),
            behind: Default::default(),
            left: Default::default(),
            addend: Default::default(),
            product: Default::default(),
            apart: Default::default(),
            found: Default::default(),
            error: Default::default(),
            settled: Default::default(),
            is_fixed: Default::default(),
            slip_event: Default::default(),
            due: Default::default(),
            asks: Default::default(),
            late: Default::default(),
            asked_clock: Default::default(),
            place: Default::default(),
            core: Default::default(),
            words: Default::default(),
            core_slip: Default::default(),
            distance: Default::default(),
            is_usable: Default::default(),
            worked: Default::default(),
            ends: Default::default(),
            size: Default::default(),
            sum: Default::default(),
            wide_offset: Default::default(),
            is_ok: Default::default(),
            one_clock: Constant::new(1.into()),
            first_behind: Constant::new(PAIR_BEHIND.into()),
            bits: Constant::new((PAIR_BEHIND_BITS as u64).into()),
            one: Constant::new(1.into()),
            one_size: Constant::new(1.into()),
            nominal: Constant::new(nominal_rate(core_fs, word_fs).into()),
            offset_sign: Constant::new((mask(STEP_BITS) & !mask(RATE_OFFSET_BITS)).into()),
            sum_sign: Constant::new((mask(SUM_BITS) & !mask(RATE_OFFSET_BITS)).into()),
            behind_sign: Constant::new((mask(LINE_BITS) & !mask(BEHIND_BITS)).into()),
            pair_rate: Constant::new(pair_rate.into()),
            first_product: Constant::new((first_product.wrapping_neg() & mask(PRODUCT_BITS)).into()),
            rate_below: Constant::new(PAIR_RATE_BOUND.into()),
            good_below: Constant::new(PAIR_GOOD_BOUND.into()),
            most: Constant::new((half - 1).into()),
            least: Constant::new(half.into()),
            _rate: nominal_rate(core_fs, word_fs),
        }
    }
}

impl Logic for LagLine {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self, clock, phase, increment, rate, offset, now, restarting, waiting, busy, asked, asked_line,
            anchored, anchor, usable, pair_ok, pair_fixed, pair_slip, behind, left, addend, product, apart,
            found, error, settled, is_fixed, slip_event
        );

        // The line runs on.
        self.phase.d.next = self.phase.q.val() + self.increment.q.val();
        self.increment.d.next = bit_cast::<PHASE_BITS, STEP_BITS>(self.rate.q.val());
        self.wide_offset.next = bit_cast::<STEP_BITS, RATE_OFFSET_BITS>(self.offset.q.val());
        if self.offset.q.val().get_bit(22) {
            self.wide_offset.next =
                bit_cast::<STEP_BITS, RATE_OFFSET_BITS>(self.offset.q.val()) | self.offset_sign.val();
        }
        self.rate.d.next = self.nominal.val() + self.wide_offset.val();
        self.now.d.next = self.now.q.val() + self.one_clock.val();
        self.line.next = self.phase.q.val().get_bits::<LINE_BITS>(20);

        // A request.
        self.due.next = !self.now.q.val().get_bits::<6>(0).any();
        self.asks.next = self.due.val() & self.ready.val() & !self.waiting.q.val() & !self.busy.q.val();
        self.late.next = self.due.val() & !self.asks.val();
        self.ask.next = self.asks.val();
        self.ask_restart.next = self.restart.val() | self.restarting.q.val();
        self.restarting.d.next = (self.restart.val() | self.restarting.q.val()) & !self.asks.val();
        self.waiting.d.next = self.asks.val() | (self.waiting.q.val() & !self.arrived.val());
        if self.asks.val() {
            self.asked.d.next = self.now.q.val().get_bits::<10>(6);
            self.asked_line.d.next = self.phase.q.val().get_bits::<LINE_BITS>(20);
        }

        // Its pair: how long behind it.
        self.core.next = self.pair.val().get_bits::<LINE_BITS>(0);
        self.words.next = self.pair.val().get_bits::<LINE_BITS>(28);
        self.core_slip.next = self.pair.val().get_bit(58);
        self.asked_clock.next = bit_cast::<LINE_WORD_BITS, 10>(self.asked.q.val()) << 6;
        self.place.next = self.asked_clock.val() + self.anchor.q.val();
        self.distance.next =
            self.core.val() - (bit_cast::<LINE_BITS, LINE_WORD_BITS>(self.place.val()) << 12);
        self.is_usable.next =
            self.anchored.q.val() & !self.distance.val().get_bits::<12>(16).any() & !self.core_slip.val();

        // Its error, a bit of the product per clock.
        if self.left.q.val().any() {
            self.left.d.next = self.left.q.val() - self.one.val();
            self.behind.d.next = self.behind.q.val() >> 1;
            self.addend.d.next = self.addend.q.val() << 1;
            if self.behind.q.val().get_bit(0) {
                self.product.d.next = self.product.q.val() + self.addend.q.val();
            }
        }
        self.worked.next =
            bit_cast::<LINE_BITS, BEHIND_BITS>(self.product.q.val().get_bits::<BEHIND_BITS>(14));
        if self.product.q.val().get_bit(32) {
            self.worked.next =
                bit_cast::<LINE_BITS, BEHIND_BITS>(self.product.q.val().get_bits::<BEHIND_BITS>(14))
                    | self.behind_sign.val();
        }
        self.ends.next = self.busy.q.val() & !self.left.q.val().any();
        self.found.d.next = self.ends.val();
        self.error.d.next = self.apart.q.val() - self.worked.val();
        if self.ends.val() {
            self.busy.d.next = false;
        }
        if self.arrived.val() {
            self.busy.d.next = true;
            self.left.d.next = self.bits.val();
            self.behind.d.next = self.distance.val().get_bits::<PAIR_BEHIND_BITS>(0);
            self.addend.d.next = self.pair_rate.val();
            self.product.d.next = self.first_product.val();
            self.apart.d.next = self.words.val() - self.asked_line.q.val();
            self.usable.d.next = self.is_usable.val();
            self.pair_ok.d.next = self.pair.val().get_bit(56);
            self.pair_fixed.d.next = self.pair.val().get_bit(57);
            self.pair_slip.d.next = self.pair.val().get_bit(58) | self.pair.val().get_bit(59);
            if !self.is_usable.val() {
                self.anchored.d.next = true;
                self.anchor.d.next = self.core.val().get_bits::<LINE_WORD_BITS>(12)
                    - self.asked_clock.val()
                    - self.first_behind.val();
            }
        }

        // Line and rate by it.
        self.size.next = self.error.q.val();
        if self.error.q.val().get_bit(27) {
            self.size.next = !self.error.q.val() + self.one_size.val();
        }
        self.sum.next = (bit_cast::<SUM_BITS, 13>(self.error.q.val().get_bits::<13>(0)) << 11)
            + bit_cast::<SUM_BITS, RATE_OFFSET_BITS>(self.offset.q.val());
        if self.offset.q.val().get_bit(22) {
            self.sum.next = (bit_cast::<SUM_BITS, 13>(self.error.q.val().get_bits::<13>(0)) << 11)
                + (bit_cast::<SUM_BITS, RATE_OFFSET_BITS>(self.offset.q.val()) | self.sum_sign.val());
        }
        self.is_ok.next = self.settled.q.val().all();
        self.slip_event.d.next = self.late.val() & self.is_ok.val();
        if self.found.q.val() {
            if self.usable.q.val() {
                self.increment.d.next = bit_cast::<PHASE_BITS, STEP_BITS>(self.rate.q.val())
                    + (bit_cast::<PHASE_BITS, LINE_BITS>(self.error.q.val()) << 20);
                if self.size.val() < self.rate_below.val() {
                    self.offset.d.next = self.sum.val().get_bits::<RATE_OFFSET_BITS>(0);
                    if !self.sum.val().get_bit(23) & self.sum.val().get_bit(22) {
                        self.offset.d.next = self.most.val();
                    }
                    if self.sum.val().get_bit(23) & !self.sum.val().get_bit(22) {
                        self.offset.d.next = self.least.val();
                    }
                }
            }
            if (self.late.val() & self.is_ok.val()) | self.pair_slip.q.val() {
                self.slip_event.d.next = true;
            }
            self.is_fixed.d.next = self.pair_fixed.q.val();
            if ((self.size.val() < self.good_below.val()) & self.usable.q.val())
                & (self.pair_ok.q.val() & !self.pair_slip.q.val())
            {
                if !self.is_ok.val() {
                    self.settled.d.next = self.settled.q.val() + self.one.val();
                }
            } else {
                self.settled.d.next = 0.into();
            }
        }
        if self.restart.val() | self.late.val() {
            self.settled.d.next = 0.into();
        }
        self.ok.next = self.is_ok.val();
        self.fixed.next = self.is_fixed.q.val() & self.is_ok.val();
        self.slipped.next = self.slip_event.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("lag_line", &[("rate", format!("0x{:x}", self._rate))])
    }
}

drive_ports!(impl[] LagLine { clock, restart, ready, ask, ask_restart, arrived, pair, line, ok, fixed, slipped });

const _: () = assert!(PAIR_CLOCKS_LOG2 == 6 && PAIR_RATE_LOG2 == 3 && PAIRS_UNTIL_OK == 31);
const _: () = assert!(LINE_FRACTION_BITS - COUNT_FRACTION_BITS == 20 && PAIR_RATE_FRACTION_BITS == 14);
const _: () = assert!(PAIR_BEHIND_BITS == 16 && RATE_OFFSET_BITS == 23 && PAIR_RATE_BOUND <= 1 << 12);
