//! What a tag says about the rate.

use super::bounds::{LEAK_BITS, LEAST_STEPS, TAG_BITS, WINDOW_BITS};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::time_lag::{
    BOUND_FRACTION_BITS, GOOD_TAG, LEAK_LOG2, LINE_FRACTION_BITS, RATE_OFFSET_BITS, RATE_TAG, TAGS_UNTIL_OK,
};

/// Bits of a step of the line or the rate, signed, 2^-32 word.
pub(super) const STEP_BITS: usize = 36;

/// Line and rate after a tag: the line is stepped by the error 2 clocks after `tag`, the rate by the error over the length of
/// the window, as a power of two, a clock per place later. Tags are at least 64 clocks apart.
#[derive(LogicBlock)]
pub struct LagTag {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// All is forgotten.
    pub restart: Signal<In, Bit>,
    /// A tag.
    pub tag: Signal<In, Bit>,
    /// Its error, signed, 2^-14 word.
    pub error: Signal<In, Bits<TAG_BITS>>,
    /// Clocks of its window.
    pub samples: Signal<In, Bits<WINDOW_BITS>>,
    /// It is a meeting of bounds.
    pub meets: Signal<In, Bit>,
    /// It is the end of a window without any.
    pub timeout: Signal<In, Bit>,
    /// Step of the line, 0 in other clocks.
    pub step: Signal<Out, Bits<STEP_BITS>>,
    /// Rate less the nominal one, signed, 2^-32 word per clock.
    pub offset: Signal<Out, Bits<RATE_OFFSET_BITS>>,
    /// How often bounds leak.
    pub leak_mask: Signal<Out, Bits<LEAK_BITS>>,
    /// Shortest window: 64 clocks, and twice as many for each bit set.
    pub least: Signal<Out, Bits<LEAST_STEPS>>,
    /// The phase is valid.
    pub ok: Signal<Out, Bit>,
    /// The phase is static.
    pub fixed: Signal<Out, Bit>,

    waiting: DFF<Bit>,
    tag_error: DFF<Bits<TAG_BITS>>,
    tag_samples: DFF<Bits<WINDOW_BITS>>,
    tag_meets: DFF<Bit>,
    tag_timeout: DFF<Bit>,
    tagged: DFF<Bit>,
    good: DFF<Bits<2>>,
    is_fixed: DFF<Bit>,
    shortest: DFF<Bits<LEAST_STEPS>>,
    line_step: DFF<Bits<STEP_BITS>>,
    dividing: DFF<Bit>,
    quotient: DFF<Bits<STEP_BITS>>,
    divisor: DFF<Bits<WINDOW_BITS>>,
    magnitude: DFF<Bits<TAG_BITS>>,
    moves: DFF<Bit>,
    sets_leak: DFF<Bit>,
    places: DFF<Bits<LEAK_FIRST>>,
    mask_next: DFF<Bits<LEAK_BITS>>,
    mask: DFF<Bits<LEAK_BITS>>,
    deviation: DFF<Bits<RATE_OFFSET_BITS>>,
    size: Signal<Local, Bits<TAG_BITS>>,
    is_good: Signal<Local, Bit>,
    is_full: Signal<Local, Bit>,
    wide_error: Signal<Local, Bits<STEP_BITS>>,
    sum: Signal<Local, Bits<STEP_BITS>>,
    /// The sum a clock ago, and that it is the deviation to come.
    moved: DFF<Bits<STEP_BITS>>,
    moving: DFF<Bit>,
    rises: Signal<Local, Bit>,
    shifted_least: Signal<Local, Bits<LEAST_STEPS>>,
    gap: Constant<Bits<TAG_BITS>>,
    good_below: Constant<Bits<TAG_BITS>>,
    rate_below: Constant<Bits<TAG_BITS>>,
    enough: Constant<Bits<2>>,
    one_tag: Constant<Bits<2>>,
    first_mask: Constant<Bits<LEAK_BITS>>,
    /// Sign of an error in a step, and of a deviation.
    sign: Constant<Bits<STEP_BITS>>,
    high: Constant<Bits<STEP_BITS>>,
    most: Constant<Bits<RATE_OFFSET_BITS>>,
    least_value: Constant<Bits<RATE_OFFSET_BITS>>,
}

/// Places that do not make the leak slower.
const LEAK_FIRST: usize = LEAK_LOG2.0 as usize;

impl LagTag {
    /// For bounds that meet within `gap`, 2^-13 word.
    pub(super) fn new(gap: u64) -> Self {
        let half = 1_u64 << (RATE_OFFSET_BITS - 1);
        let first = (1_u64 << LEAK_LOG2.0) - 1;
        Self {
            clock: Default::default(),
            restart: Default::default(),
            tag: Default::default(),
            error: Default::default(),
            samples: Default::default(),
            meets: Default::default(),
            timeout: Default::default(),
            step: Default::default(),
            offset: Default::default(),
            leak_mask: Default::default(),
            least: Default::default(),
            ok: Default::default(),
            fixed: Default::default(),
            waiting: Default::default(),
            tag_error: Default::default(),
            tag_samples: Default::default(),
            tag_meets: Default::default(),
            tag_timeout: Default::default(),
            tagged: Default::default(),
            good: Default::default(),
            is_fixed: Default::default(),
            shortest: Default::default(),
            line_step: Default::default(),
            dividing: Default::default(),
            quotient: Default::default(),
            divisor: Default::default(),
            magnitude: Default::default(),
            moves: Default::default(),
            sets_leak: Default::default(),
            places: Default::default(),
            mask_next: Default::default(),
            mask: Default::default(),
            deviation: Default::default(),
            size: Default::default(),
            is_good: Default::default(),
            is_full: Default::default(),
            wide_error: Default::default(),
            sum: Default::default(),
            moved: Default::default(),
            moving: Default::default(),
            rises: Default::default(),
            shifted_least: Default::default(),
            gap: Constant::new(gap.into()),
            good_below: Constant::new(GOOD_TAG.into()),
            rate_below: Constant::new(RATE_TAG.into()),
            enough: Constant::new(u64::from(TAGS_UNTIL_OK).into()),
            one_tag: Constant::new(1.into()),
            first_mask: Constant::new(first.into()),
            sign: Constant::new((!0_u64 << SIGN_FROM & ((1 << STEP_BITS) - 1)).into()),
            high: Constant::new((!0_u64 << RATE_OFFSET_BITS & ((1 << STEP_BITS) - 1)).into()),
            most: Constant::new((half - 1).into()),
            least_value: Constant::new(half.into()),
        }
    }

    fn gap(&self) -> usize {
        self.gap.val().index()
    }
}

/// First bit above a tag's error in a step.
const SIGN_FROM: usize = LINE_FRACTION_BITS - BOUND_FRACTION_BITS - 1 + TAG_BITS;

impl Logic for LagTag {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            waiting,
            tag_error,
            tag_samples,
            tag_meets,
            tag_timeout,
            tagged,
            good,
            is_fixed,
            shortest,
            line_step,
            dividing,
            quotient,
            divisor,
            magnitude,
            moves,
            sets_leak,
            places,
            mask_next,
            mask,
            moved,
            moving,
            deviation
        );
        self.waiting.d.next = self.tag.val();
        if self.tag.val() {
            self.tag_error.d.next = self.error.val();
            self.tag_samples.d.next = self.samples.val();
            self.tag_meets.d.next = self.meets.val();
            self.tag_timeout.d.next = self.timeout.val() & !self.meets.val();
        }

        // How large, of a negative one a unit less, and what for.
        self.size.next = self.tag_error.q.val();
        self.wide_error.next = bit_cast::<STEP_BITS, TAG_BITS>(self.tag_error.q.val()) << 18;
        if self.tag_error.q.val().get_bit(14) {
            self.size.next = !self.tag_error.q.val();
            self.wide_error.next =
                (bit_cast::<STEP_BITS, TAG_BITS>(self.tag_error.q.val()) << 18) | self.sign.val();
        }
        self.is_good.next = self.size.val() < self.good_below.val();
        self.is_full.next = self.shortest.q.val().get_bit(3);
        self.shifted_least.next = (self.shortest.q.val() << 1).replace_bit(0, true);
        self.line_step.d.next = 0.into();
        if self.waiting.q.val() {
            self.is_fixed.d.next = self.tag_timeout.q.val();
            self.tagged.d.next = true;
            self.shortest.d.next = self.shifted_least.val();
            if self.tag_timeout.q.val() {
                self.good.d.next = self.enough.val();
            } else {
                if self.is_full.val() {
                    if self.tag_meets.q.val() & self.is_good.val() {
                        if self.good.q.val() != self.enough.val() {
                            self.good.d.next = self.good.q.val() + self.one_tag.val();
                        }
                    } else {
                        if self.tag_meets.q.val() | (self.good.q.val() != self.enough.val()) {
                            self.good.d.next = 0.into();
                        }
                    }
                }
            }
            self.line_step.d.next = self.wide_error.val();
            self.dividing.d.next = true;
            self.quotient.d.next = self.wide_error.val();
            self.divisor.d.next = self.tag_samples.q.val();
            self.magnitude.d.next = self.size.val();
            if self.size.val() < self.gap.val() {
                self.magnitude.d.next = self.gap.val();
            }
            self.moves.d.next = self.tagged.q.val()
                & !self.tag_timeout.q.val()
                & (self.tag_meets.q.val() | (self.size.val() < self.rate_below.val()));
            self.sets_leak.d.next = self.tagged.q.val();
            self.places.d.next = 0.into();
            self.mask_next.d.next = self.first_mask.val();
        }

        // Error over length, a place per clock.
        self.sum.next =
            self.quotient.q.val() + bit_cast::<STEP_BITS, RATE_OFFSET_BITS>(self.deviation.q.val());
        if self.deviation.q.val().get_bit(22) {
            self.sum.next = self.quotient.q.val()
                + (bit_cast::<STEP_BITS, RATE_OFFSET_BITS>(self.deviation.q.val()) | self.high.val());
        }
        self.moved.d.next = self.sum.val();
        self.moving.d.next = false;
        self.rises.next = !self.magnitude.q.val().any();
        if self.dividing.q.val() {
            if self.divisor.q.val().any() {
                self.divisor.d.next = self.divisor.q.val() >> 1;
                self.quotient.d.next =
                    (self.quotient.q.val() >> 1).replace_bit(35, self.quotient.q.val().get_bit(35));
                self.magnitude.d.next = self.magnitude.q.val() >> 1;
                if self.rises.val() {
                    self.places.d.next = (self.places.q.val() << 1).replace_bit(0, true);
                    if self.places.q.val().get_bit(4) & !self.mask_next.q.val().get_bit(19) {
                        self.mask_next.d.next = (self.mask_next.q.val() << 1).replace_bit(0, true);
                    }
                }
            } else {
                self.dividing.d.next = false;
                self.moving.d.next = self.moves.q.val();
                if self.sets_leak.q.val() {
                    self.mask.d.next = self.mask_next.q.val();
                }
            }
        }
        if self.moving.q.val() {
            self.deviation.d.next = self.moved.q.val().get_bits::<RATE_OFFSET_BITS>(0);
            if !self.moved.q.val().get_bit(35) & self.moved.q.val().get_bits::<13>(22).any() {
                self.deviation.d.next = self.most.val();
            }
            if self.moved.q.val().get_bit(35) & !self.moved.q.val().get_bits::<13>(22).all() {
                self.deviation.d.next = self.least_value.val();
            }
        }
        if self.restart.val() {
            self.waiting.d.next = false;
            self.tagged.d.next = false;
            self.good.d.next = 0.into();
            self.is_fixed.d.next = false;
            self.shortest.d.next = 0.into();
            self.line_step.d.next = 0.into();
            self.dividing.d.next = false;
            self.moving.d.next = false;
            self.mask.d.next = self.first_mask.val();
            self.deviation.d.next = 0.into();
        }
        self.step.next = self.line_step.q.val();
        self.offset.next = self.deviation.q.val();
        self.leak_mask.next = self.mask.q.val() | self.first_mask.val();
        self.least.next = self.shortest.q.val();
        self.ok.next = self.good.q.val() == self.enough.val();
        self.fixed.next = self.is_fixed.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("lag_tag", &[("gap", self.gap().to_string())])
    }
}

drive_ports!(impl[] LagTag {
    clock, restart, tag, error, samples, meets, timeout, step, offset, leak_mask, least, ok, fixed,
});

const _: () = assert!(LEAK_FIRST == 5 && LEAK_BITS == 20 && RATE_OFFSET_BITS == 23 && LEAST_STEPS == 4);
