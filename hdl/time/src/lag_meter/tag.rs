//! What a tag says about the rate.

use super::bounds::{LEAK_BITS, LEAST_STEPS, TAG_BITS, WINDOW_BITS};
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::time_lag::{
    BOUND_FRACTION_BITS, GOOD_TAG, LEAK_LOG2, LINE_FRACTION_BITS, RATE_OFFSET_BITS, RATE_TAG, TAGS_UNTIL_OK,
};

/// Bits of a step of the line or the rate, signed, 2^-32 word.
pub(super) const STEP_BITS: usize = 36;

/// Line and rate after a tag: the line is stepped by the error 2 clocks after `tag`, the rate by the error over the length of
/// the window, as a power of two, a clock per place later. Tags are at least 64 clocks apart.
#[block(new)]
pub struct LagTag {
    /// Rising edge counts.
    clock: In<Clock>,
    /// All is forgotten.
    restart: In<Bit>,
    /// A tag.
    tag: In<Bit>,
    /// Its error, signed, 2^-14 word.
    error: In<Bits<TAG_BITS>>,
    /// Clocks of its window.
    samples: In<Bits<WINDOW_BITS>>,
    /// It is a meeting of bounds.
    meets: In<Bit>,
    /// It is the end of a window without any.
    timeout: In<Bit>,
    /// Step of the line, 0 in other clocks.
    step: Out<Bits<STEP_BITS>>,
    /// Rate less the nominal one, signed, 2^-32 word per clock.
    offset: Out<Bits<RATE_OFFSET_BITS>>,
    /// How often bounds leak.
    leak_mask: Out<Bits<LEAK_BITS>>,
    /// Shortest window: 64 clocks, and twice as many for each bit set.
    least: Out<Bits<LEAST_STEPS>>,
    /// The phase is valid.
    ok: Out<Bit>,
    /// The phase is static.
    fixed: Out<Bit>,

    waiting: Reg<Bit>,
    tag_error: Reg<Bits<TAG_BITS>>,
    tag_samples: Reg<Bits<WINDOW_BITS>>,
    tag_meets: Reg<Bit>,
    tag_timeout: Reg<Bit>,
    tagged: Reg<Bit>,
    good: Reg<Bits<2>>,
    is_fixed: Reg<Bit>,
    shortest: Reg<Bits<LEAST_STEPS>>,
    line_step: Reg<Bits<STEP_BITS>>,
    dividing: Reg<Bit>,
    quotient: Reg<Bits<STEP_BITS>>,
    divisor: Reg<Bits<WINDOW_BITS>>,
    magnitude: Reg<Bits<TAG_BITS>>,
    moves: Reg<Bit>,
    sets_leak: Reg<Bit>,
    places: Reg<Bits<LEAK_FIRST>>,
    mask_next: Reg<Bits<LEAK_BITS>>,
    mask: Reg<Bits<LEAK_BITS>>,
    deviation: Reg<Bits<RATE_OFFSET_BITS>>,
    size: Local<Bits<TAG_BITS>>,
    is_good: Local<Bit>,
    is_full: Local<Bit>,
    wide_error: Local<Bits<STEP_BITS>>,
    sum: Local<Bits<STEP_BITS>>,
    /// The sum a clock ago, and that it is the deviation to come.
    moved: Reg<Bits<STEP_BITS>>,
    moving: Reg<Bit>,
    rises: Local<Bit>,
    gap: Constant<Bits<TAG_BITS>>,
    #[init(GOOD_TAG)]
    good_below: Constant<Bits<TAG_BITS>>,
    #[init(RATE_TAG)]
    rate_below: Constant<Bits<TAG_BITS>>,
    enough: Constant<Bits<2>>,
    #[init(1)]
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

/// First bit above a tag's error in a step.
const SIGN_FROM: usize = LINE_FRACTION_BITS - BOUND_FRACTION_BITS - 1 + TAG_BITS;

#[logic]
impl LagTag {
    /// For bounds that meet within `gap`, 2^-13 word.
    pub(super) fn new(gap: u64) -> Self {
        let half = 1_u64 << (RATE_OFFSET_BITS - 1);
        let first = (1_u64 << LEAK_LOG2.0) - 1;
        Self {
            gap: Constant::new(gap.into()),
            enough: Constant::new(u64::from(TAGS_UNTIL_OK).into()),
            first_mask: Constant::new(first.into()),
            sign: Constant::new((!0_u64 << SIGN_FROM & ((1 << STEP_BITS) - 1)).into()),
            high: Constant::new((!0_u64 << RATE_OFFSET_BITS & ((1 << STEP_BITS) - 1)).into()),
            most: Constant::new((half - 1).into()),
            least_value: Constant::new(half.into()),
            ..
        }
    }

    fn gap(&self) -> usize {
        self.gap.val().index()
    }

    fn update(&mut self) {
        waiting = tag;
        if tag {
            tag_error = error;
            tag_samples = samples;
            tag_meets = meets;
            tag_timeout = timeout & !meets;
        }

        self.start_division();
        self.divide();
    }

    /// How large, of a negative one a unit less, and what for.
    fn start_division(&mut self) {
        size = tag_error;
        wide_error = bit_cast::<STEP_BITS, TAG_BITS>(tag_error) << 18;
        if tag_error[14] {
            size = !tag_error;
            wide_error = (bit_cast::<STEP_BITS, TAG_BITS>(tag_error) << 18) | sign;
        }
        is_good = size < good_below;
        is_full = shortest[3];
        let shifted_least = (shortest << 1).with(0, true);
        line_step = 0;
        if waiting {
            is_fixed = tag_timeout;
            tagged = true;
            shortest = shifted_least;
            if tag_timeout {
                good = enough;
            } else {
                if is_full {
                    if tag_meets & is_good {
                        if good != enough {
                            good = good + one_tag;
                        }
                    } else {
                        if tag_meets | (good != enough) {
                            good = 0;
                        }
                    }
                }
            }
            line_step = wide_error;
            dividing = true;
            quotient = wide_error;
            divisor = tag_samples;
            magnitude = size;
            if size < gap {
                magnitude = gap;
            }
            moves = tagged & !tag_timeout & (tag_meets | (size < rate_below));
            sets_leak = tagged;
            places = 0;
            mask_next = first_mask;
        }
    }

    /// Error over length, a place per clock.
    fn divide(&mut self) {
        sum = quotient + bit_cast::<STEP_BITS, RATE_OFFSET_BITS>(deviation);
        if deviation[22] {
            sum = quotient + (bit_cast::<STEP_BITS, RATE_OFFSET_BITS>(deviation) | high);
        }
        moved = sum;
        moving = false;
        rises = !magnitude.any();
        if dividing {
            if divisor.any() {
                divisor = divisor >> 1;
                quotient = (quotient >> 1).with(35, quotient[35]);
                magnitude = magnitude >> 1;
                if rises {
                    places = (places << 1).with(0, true);
                    if places[4] & !mask_next[19] {
                        mask_next = (mask_next << 1).with(0, true);
                    }
                }
            } else {
                dividing = false;
                moving = moves;
                if sets_leak {
                    mask = mask_next;
                }
            }
        }
        if moving {
            deviation = moved.bits::<RATE_OFFSET_BITS>(0);
            if !moved[35] & moved.bits::<13>(22).any() {
                deviation = most;
            }
            if moved[35] & !moved.bits::<13>(22).all() {
                deviation = least_value;
            }
        }
        if restart {
            waiting = false;
            tagged = false;
            good = 0;
            is_fixed = false;
            shortest = 0;
            line_step = 0;
            dividing = false;
            moving = false;
            mask = first_mask;
            deviation = 0;
        }
        step = line_step;
        offset = deviation;
        leak_mask = mask | first_mask;
        least = shortest;
        ok = good == enough;
        fixed = is_fixed;
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("lag_tag", &[("gap", self.gap().to_string())])
    }
}

const _: () = assert!(LEAK_FIRST == 5 && LEAK_BITS == 20 && RATE_OFFSET_BITS == 23 && LEAST_STEPS == 4);
