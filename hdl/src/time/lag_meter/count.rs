//! The number of words of a line whose phase is known.

use super::{LINE_BITS, TX_AHEAD};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::time_lag::{COUNT_FRACTION_BITS, COUNT_MEAN_LOG2};

/// Bits of how far a reading may be from the first one, signed: up to two words.
const NEAR_BITS: usize = COUNT_FRACTION_BITS + 2;
/// Bits of the sum of all readings.
const SUM_BITS: usize = NEAR_BITS + COUNT_MEAN_LOG2 as usize;
/// Bits of a number of readings.
const READINGS_BITS: usize = COUNT_MEAN_LOG2 as usize + 1;

/// What the port counts more than the line, as the mean of 2^[`COUNT_MEAN_LOG2`] clocks.
///
/// The port's count is of whole words: against the line it goes up and down by a word, and where between these it is read first is
/// chance. The mean is not: a meter has the same constant part with every start, and so have two meters of the same build.
///
/// - `found` 2^16 + 4 clocks after `enable` rises and `done` [`TX_AHEAD`] + 1 clocks later, if no reading is two words or more away from the first one; then it begins anew.
/// - `enable` low forgets all.
#[derive(LogicBlock)]
pub struct LagCount {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// The phase of the line is known.
    pub enable: Signal<In, Bit>,
    /// What the port counts, 2^-12 word.
    pub counted: Signal<In, Bits<LINE_BITS>>,
    /// The line, 2^-12 word.
    pub line: Signal<In, Bits<LINE_BITS>>,
    /// The mean, 2^-12 word; with `found`.
    pub base: Signal<Out, Bits<LINE_BITS>>,
    /// It is known.
    pub found: Signal<Out, Bit>,
    /// A lag that was given [`TX_AHEAD`] clocks before has it in it.
    pub done: Signal<Out, Bit>,

    since: DFF<Bits<4>>,
    enabled: DFF<Bit>,
    apart: DFF<Bits<LINE_BITS>>,
    first: DFF<Bits<LINE_BITS>>,
    near: DFF<Bits<NEAR_BITS>>,
    is_near: DFF<Bit>,
    /// Readings summed; the first of all stands in `first`.
    readings: DFF<Bits<READINGS_BITS>>,
    /// `first` stands, and a clock later readings count.
    began: DFF<Bit>,
    counts: DFF<Bit>,
    sum: DFF<Bits<SUM_BITS>>,
    away: Signal<Local, Bits<LINE_BITS>>,
    high: Signal<Local, Bits<15>>,
    wide_near: Signal<Local, Bits<SUM_BITS>>,
    mean: Signal<Local, Bits<LINE_BITS>>,
    finished: Signal<Local, Bit>,
    /// Half a unit of the mean.
    half: Constant<Bits<SUM_BITS>>,
    near_sign: Constant<Bits<SUM_BITS>>,
    mean_sign: Constant<Bits<LINE_BITS>>,
    one: Constant<Bits<READINGS_BITS>>,
}

impl Default for LagCount {
    fn default() -> Self {
        let above = |bits: usize, of: usize| !0_u64 << bits & ((1 << of) - 1);
        Self {
            clock: Default::default(),
            enable: Default::default(),
            counted: Default::default(),
            line: Default::default(),
            base: Default::default(),
            found: Default::default(),
            done: Default::default(),
            since: Default::default(),
            enabled: Default::default(),
            apart: Default::default(),
            first: Default::default(),
            near: Default::default(),
            is_near: Default::default(),
            readings: Default::default(),
            began: Default::default(),
            counts: Default::default(),
            sum: Default::default(),
            away: Default::default(),
            high: Default::default(),
            wide_near: Default::default(),
            mean: Default::default(),
            finished: Default::default(),
            half: Constant::new((1_u64 << (COUNT_MEAN_LOG2 - 1)).into()),
            near_sign: Constant::new(above(NEAR_BITS, SUM_BITS).into()),
            mean_sign: Constant::new(above(NEAR_BITS, LINE_BITS).into()),
            one: Constant::new(1.into()),
        }
    }
}

impl Logic for LagCount {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, enabled, apart, first, near, is_near, readings, began, counts, sum, since);
        // A reading, and how far it is from the first one.
        self.enabled.d.next = self.enable.val();
        self.apart.d.next = self.counted.val() - self.line.val();
        self.away.next = self.apart.q.val() - self.first.q.val();
        self.near.d.next = self.away.val().get_bits::<NEAR_BITS>(0);
        self.high.next = self.away.val().get_bits::<15>(13);
        self.is_near.d.next = self.high.val().all() | !self.high.val().any();

        // Their sum.
        self.wide_near.next = bit_cast::<SUM_BITS, NEAR_BITS>(self.near.q.val());
        if self.near.q.val().get_bit(13) {
            self.wide_near.next = bit_cast::<SUM_BITS, NEAR_BITS>(self.near.q.val()) | self.near_sign.val();
        }
        self.finished.next = self.readings.q.val().get_bit(16);
        self.began.d.next = self.enabled.q.val();
        self.counts.d.next = self.began.q.val();
        if self.began.q.val() {
            if self.counts.q.val() & !self.finished.val() {
                self.sum.d.next = self.sum.q.val() + self.wide_near.val();
                self.readings.d.next = self.readings.q.val() + self.one.val();
                if !self.is_near.q.val() {
                    self.began.d.next = false;
                    self.counts.d.next = false;
                }
            }
        } else {
            self.first.d.next = self.apart.q.val();
            self.sum.d.next = self.half.val();
            self.readings.d.next = 0.into();
        }
        if !self.enable.val() {
            self.enabled.d.next = false;
            self.began.d.next = false;
            self.counts.d.next = false;
        }
        self.mean.next = bit_cast::<LINE_BITS, NEAR_BITS>(self.sum.q.val().get_bits::<NEAR_BITS>(16));
        if self.sum.q.val().get_bit(29) {
            self.mean.next = bit_cast::<LINE_BITS, NEAR_BITS>(self.sum.q.val().get_bits::<NEAR_BITS>(16))
                | self.mean_sign.val();
        }
        self.base.next = self.first.q.val() + self.mean.val();
        self.found.next = self.finished.val() & self.counts.q.val() & self.enable.val();
        self.since.d.next = 0.into();
        if self.found.val() {
            self.since.d.next = (self.since.q.val() << 1).replace_bit(0, true);
        }
        self.done.next = self.found.val() & self.since.q.val().get_bit(3);
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("lag_count", &[])
    }
}

drive_ports!(impl[] LagCount { clock, enable, counted, line, base, found, done });

// The positions written as numbers in `update`.
const _: () = assert!(LINE_BITS == 28 && NEAR_BITS == 14 && COUNT_MEAN_LOG2 == 16 && SUM_BITS == 30);
const _: () = assert!(TX_AHEAD == 3);
