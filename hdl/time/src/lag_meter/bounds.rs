//! What the samples of a window say about the line.

use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::time_lag::{
    BOUND_FRACTION_BITS, EDGE_BOUND, LEAK_LOG2, SLIP_BOUND, WINDOW_FIRST_LOG2, WINDOW_LEAST_LOG2,
};

/// Bits of a bound, 2^-13 word, with 2^13 added.
pub(super) const BOUND_BITS: usize = 14;
/// Bits of the sum or difference of two bounds.
pub(super) const TAG_BITS: usize = 15;
/// Bits of the length of a window, clocks; the highest says that the phase is static.
pub(super) const WINDOW_BITS: usize = 25;
/// Bits of the mask that says how often bounds leak.
pub(super) const LEAK_BITS: usize = LEAK_LOG2.1 as usize;
/// Lengths a window can have at least, each twice the one before.
pub(super) const LEAST_STEPS: usize = (WINDOW_LEAST_LOG2 - WINDOW_FIRST_LOG2) as usize;

/// Bounds of the line's error over a window. A sample is compared in its clock, the bound it is follows a clock later, the bounds
/// with it another clock later; what they come to stands in the outputs from the clock after that.
#[block(new)]
pub struct LagBounds {
    /// Rising edge counts.
    clock: In<Clock>,
    /// No sample counts; the next one begins a window.
    flush: In<Bit>,
    /// How far the line is behind a word's edge, 2^-13 word.
    fraction: In<Bits<BOUND_FRACTION_BITS>>,
    /// The sample is what the line says.
    agrees: In<Bit>,
    /// Bounds leak a unit after clocks of which these low bits are all 1.
    leak_mask: In<Bits<LEAK_BITS>>,
    /// A window has 64 clocks at least, and twice as many for each bit set.
    least: In<Bits<LEAST_STEPS>>,
    /// Bounds contradict each other: a slip.
    slips: Out<Bit>,
    /// They meet.
    meets: Out<Bit>,
    /// The lower one is above the line.
    above: Out<Bit>,
    /// The upper one is below the line.
    below: Out<Bit>,
    /// No tag for too long.
    timeout: Out<Bit>,
    /// The line is between them.
    inside: Out<Bit>,
    /// Their sum: twice the error of the line, signed, 2^-14 word.
    sum: Out<Bits<TAG_BITS>>,
    /// The lower one, 2^-13 word, with 2^13 added.
    low: Out<Bits<BOUND_BITS>>,
    /// The upper one, 2^-13 word, with 2^13 added.
    high: Out<Bits<BOUND_BITS>>,
    /// Clocks of the window.
    samples: Out<Bits<WINDOW_BITS>>,

    running: Local<Bit>,
    compared: Reg<Bit>,
    fraction_late: Reg<Bits<BOUND_FRACTION_BITS>>,
    agrees_late: Reg<Bit>,
    bounded: Reg<Bit>,
    bound: Reg<Bits<BOUND_BITS>>,
    at_least: Reg<Bit>,
    low_now: Reg<Bits<BOUND_BITS>>,
    high_now: Reg<Bits<BOUND_BITS>>,
    samples_now: Reg<Bits<WINDOW_BITS>>,
    leaks: Reg<Bit>,
    inverse: Local<Bits<BOUND_FRACTION_BITS>>,
    leaked_low: Local<Bits<BOUND_BITS>>,
    leaked_high: Local<Bits<BOUND_BITS>>,
    wide_low: Local<Bits<TAG_BITS>>,
    wide_high: Local<Bits<TAG_BITS>>,
    looked: Reg<Bit>,
    enough: Reg<Bit>,
    width_late: Reg<Bits<TAG_BITS>>,
    sum_late: Reg<Bits<TAG_BITS>>,
    above_late: Reg<Bit>,
    below_late: Reg<Bit>,
    inside_late: Reg<Bit>,
    low_late: Reg<Bits<BOUND_BITS>>,
    high_late: Reg<Bits<BOUND_BITS>>,
    samples_late: Reg<Bits<WINDOW_BITS>>,
    all: Local<Bits<LEAK_BITS>>,
    long: [Local<Bit>; 2],
    widest_low: Constant<Bits<BOUND_BITS>>,
    widest_high: Constant<Bits<BOUND_BITS>>,
    #[init(1)]
    one_bound: Constant<Bits<BOUND_BITS>>,
    #[init(1)]
    one: Constant<Bits<WINDOW_BITS>>,
    middle: Constant<Bits<BOUND_BITS>>,
    edge_above: Constant<Bits<BOUND_BITS>>,
    edge_below: Constant<Bits<BOUND_BITS>>,
    /// 2^14, so that widths have no sign.
    lifted: Constant<Bits<TAG_BITS>>,
    meeting: Constant<Bits<TAG_BITS>>,
    slip: Constant<Bits<TAG_BITS>>,
    static_bit: Constant<Bits<WINDOW_BITS>>,
}

#[logic]
impl LagBounds {
    /// Bounds that meet within the first of `limits`, a line that is outside by more than the second, both in 2^-13 word; no tag
    /// for 2^`static_log2` clocks is a static phase.
    pub(super) fn new(limits: [u64; 2], static_log2: u32) -> Self {
        let [gap, edge] = limits;
        let middle = 1_u64 << BOUND_FRACTION_BITS;
        let half = middle / 2;
        let lifted = 2 * middle;
        Self {
            widest_low: Constant::new((middle - half).into()),
            widest_high: Constant::new((middle + half - 1).into()),
            middle: Constant::new(middle.into()),
            edge_above: Constant::new((middle + edge).into()),
            edge_below: Constant::new((middle - edge).into()),
            lifted: Constant::new(lifted.into()),
            meeting: Constant::new((lifted + gap).into()),
            slip: Constant::new((lifted - SLIP_BOUND).into()),
            static_bit: Constant::new((1_u64 << static_log2).into()),
            ..
        }
    }

    /// Clocks without a tag that make a phase static, as a power of 2.
    pub(super) fn static_log2(&self) -> u32 {
        (self.static_bit.val().index() as u64).ilog2()
    }

    /// Bounds meet within this, 2^-13 word.
    pub(super) fn gap(&self) -> u64 {
        (self.meeting.val().index() - self.lifted.val().index()) as u64
    }

    /// How far a line may be outside, 2^-13 word.
    pub(super) fn edge(&self) -> u64 {
        (self.edge_above.val().index() - self.middle.val().index()) as u64
    }

    /// What labels say of it: a value that BEAT always has is not named.
    pub(super) fn label(&self) -> Vec<(&'static str, String)> {
        let mut label =
            vec![("gap", self.gap().to_string()), ("static_log2", self.static_log2().to_string())];
        if self.edge() != EDGE_BOUND {
            label.push(("edge", self.edge().to_string()));
        }
        label
    }

    fn update(&mut self) {
        running = !flush;

        // A sample bounds the error by the nearest edge: where the line is by half a word at most away from it.
        compared = running;
        fraction_late = fraction;
        agrees_late = agrees;
        bounded = compared & running;
        inverse = !fraction_late;
        bound = bit_cast::<BOUND_BITS, BOUND_FRACTION_BITS>(inverse).with(13, !inverse[12]);
        at_least = agrees_late ^ fraction_late[12];

        // The bounds with it.
        // A bound as tight as one that leaks, or tighter, takes its place: it need not be compared with what that becomes.
        leaked_low = low_now;
        leaked_high = high_now;
        if leaks & (low_now > widest_low) {
            leaked_low = low_now - one_bound;
        }
        if leaks & (high_now < widest_high) {
            leaked_high = high_now + one_bound;
        }
        all = samples_now.bits::<LEAK_BITS>(0) | !leak_mask;
        if bounded {
            low_now = leaked_low;
            high_now = leaked_high;
            if at_least {
                if bound >= low_now {
                    low_now = bound;
                }
            } else {
                if bound <= high_now {
                    high_now = bound;
                }
            }
            samples_now = samples_now + one;
            leaks = all.all();
        }
        if flush {
            low_now = widest_low;
            high_now = widest_high;
            samples_now = 0;
            leaks = false;
        }

        // What they come to.
        looked = running;
        long[0] = samples_now.bits::<15>(10).any();
        long[1] = long[0];
        for i in 0..LEAST_STEPS {
            long[1] = long[1] | (samples_now[i + 6] & !least[i]);
        }
        enough = long[1];
        wide_low = bit_cast::<TAG_BITS, BOUND_BITS>(low_now);
        wide_high = bit_cast::<TAG_BITS, BOUND_BITS>(high_now);
        width_late = wide_high + lifted - wide_low;
        sum_late = wide_high + wide_low;
        above_late = low_now > edge_above;
        below_late = high_now < edge_below;
        inside_late = (low_now <= middle) & (high_now >= middle);
        low_late = low_now;
        high_late = high_now;
        samples_late = samples_now;

        slips = looked & running & (width_late < slip);
        meets = looked & running & enough & (width_late < meeting);
        above = looked & running & enough & above_late;
        below = looked & running & enough & below_late;
        timeout = looked & running & (samples_late & static_bit).any();
        inside = inside_late;
        // Both have 2^13 added: 2^14 less is the top bit.
        sum = sum_late ^ lifted;
        low = low_late;
        high = high_late;
        samples = samples_late;
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("lag_bounds", &self.label())
    }
}

const _: () = assert!(BOUND_FRACTION_BITS == 13 && WINDOW_FIRST_LOG2 == 6 && WINDOW_LEAST_LOG2 == 10);
