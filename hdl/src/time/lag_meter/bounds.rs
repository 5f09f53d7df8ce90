//! What the samples of a window say about the line.

use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
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
#[derive(LogicBlock)]
pub struct LagBounds {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// No sample counts; the next one begins a window.
    pub flush: Signal<In, Bit>,
    /// How far the line is behind a word's edge, 2^-13 word.
    pub fraction: Signal<In, Bits<BOUND_FRACTION_BITS>>,
    /// The sample is what the line says.
    pub agrees: Signal<In, Bit>,
    /// Bounds leak a unit after clocks of which these low bits are all 1.
    pub leak_mask: Signal<In, Bits<LEAK_BITS>>,
    /// A window has 64 clocks at least, and twice as many for each bit set.
    pub least: Signal<In, Bits<LEAST_STEPS>>,
    /// Bounds contradict each other: a slip.
    pub slips: Signal<Out, Bit>,
    /// They meet.
    pub meets: Signal<Out, Bit>,
    /// The lower one is above the line.
    pub above: Signal<Out, Bit>,
    /// The upper one is below the line.
    pub below: Signal<Out, Bit>,
    /// No tag for too long.
    pub timeout: Signal<Out, Bit>,
    /// The line is between them.
    pub inside: Signal<Out, Bit>,
    /// Their sum: twice the error of the line, signed, 2^-14 word.
    pub sum: Signal<Out, Bits<TAG_BITS>>,
    /// The lower one, 2^-13 word, with 2^13 added.
    pub low: Signal<Out, Bits<BOUND_BITS>>,
    /// The upper one, 2^-13 word, with 2^13 added.
    pub high: Signal<Out, Bits<BOUND_BITS>>,
    /// Clocks of the window.
    pub samples: Signal<Out, Bits<WINDOW_BITS>>,

    running: Signal<Local, Bit>,
    compared: DFF<Bit>,
    fraction_late: DFF<Bits<BOUND_FRACTION_BITS>>,
    agrees_late: DFF<Bit>,
    bounded: DFF<Bit>,
    bound: DFF<Bits<BOUND_BITS>>,
    at_least: DFF<Bit>,
    low_now: DFF<Bits<BOUND_BITS>>,
    high_now: DFF<Bits<BOUND_BITS>>,
    samples_now: DFF<Bits<WINDOW_BITS>>,
    leaks: DFF<Bit>,
    inverse: Signal<Local, Bits<BOUND_FRACTION_BITS>>,
    leaked_low: Signal<Local, Bits<BOUND_BITS>>,
    leaked_high: Signal<Local, Bits<BOUND_BITS>>,
    wide_low: Signal<Local, Bits<TAG_BITS>>,
    wide_high: Signal<Local, Bits<TAG_BITS>>,
    looked: DFF<Bit>,
    enough: DFF<Bit>,
    width_late: DFF<Bits<TAG_BITS>>,
    sum_late: DFF<Bits<TAG_BITS>>,
    above_late: DFF<Bit>,
    below_late: DFF<Bit>,
    inside_late: DFF<Bit>,
    low_late: DFF<Bits<BOUND_BITS>>,
    high_late: DFF<Bits<BOUND_BITS>>,
    samples_late: DFF<Bits<WINDOW_BITS>>,
    all: Signal<Local, Bits<LEAK_BITS>>,
    long: [Signal<Local, Bit>; 2],
    widest_low: Constant<Bits<BOUND_BITS>>,
    widest_high: Constant<Bits<BOUND_BITS>>,
    one_bound: Constant<Bits<BOUND_BITS>>,
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

impl LagBounds {
    /// Bounds that meet within the first of `limits`, a line that is outside by more than the second, both in 2^-13 word; no tag
    /// for 2^`static_log2` clocks is a static phase.
    pub(super) fn new(limits: [u64; 2], static_log2: u32) -> Self {
        let [gap, edge] = limits;
        let middle = 1_u64 << BOUND_FRACTION_BITS;
        let half = middle / 2;
        let lifted = 2 * middle;
        Self {
            clock: Default::default(),
            flush: Default::default(),
            fraction: Default::default(),
            agrees: Default::default(),
            leak_mask: Default::default(),
            least: Default::default(),
            slips: Default::default(),
            meets: Default::default(),
            above: Default::default(),
            below: Default::default(),
            timeout: Default::default(),
            inside: Default::default(),
            sum: Default::default(),
            low: Default::default(),
            high: Default::default(),
            samples: Default::default(),
            running: Default::default(),
            compared: Default::default(),
            fraction_late: Default::default(),
            agrees_late: Default::default(),
            bounded: Default::default(),
            bound: Default::default(),
            at_least: Default::default(),
            low_now: Default::default(),
            high_now: Default::default(),
            samples_now: Default::default(),
            leaks: Default::default(),
            inverse: Default::default(),
            leaked_low: Default::default(),
            leaked_high: Default::default(),
            wide_low: Default::default(),
            wide_high: Default::default(),
            looked: Default::default(),
            enough: Default::default(),
            width_late: Default::default(),
            sum_late: Default::default(),
            above_late: Default::default(),
            below_late: Default::default(),
            inside_late: Default::default(),
            low_late: Default::default(),
            high_late: Default::default(),
            samples_late: Default::default(),
            all: Default::default(),
            long: Default::default(),
            widest_low: Constant::new((middle - half).into()),
            widest_high: Constant::new((middle + half - 1).into()),
            one_bound: Constant::new(1.into()),
            one: Constant::new(1.into()),
            middle: Constant::new(middle.into()),
            edge_above: Constant::new((middle + edge).into()),
            edge_below: Constant::new((middle - edge).into()),
            lifted: Constant::new(lifted.into()),
            meeting: Constant::new((lifted + gap).into()),
            slip: Constant::new((lifted - SLIP_BOUND).into()),
            static_bit: Constant::new((1_u64 << static_log2).into()),
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
}

impl Logic for LagBounds {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            compared,
            fraction_late,
            agrees_late,
            bounded,
            bound,
            at_least,
            low_now,
            high_now,
            samples_now,
            leaks,
            looked,
            enough,
            width_late,
            sum_late,
            above_late,
            below_late,
            inside_late,
            low_late,
            high_late,
            samples_late
        );
        self.running.next = !self.flush.val();

        // A sample bounds the error by the nearest edge: where the line is by half a word at most away from it.
        self.compared.d.next = self.running.val();
        self.fraction_late.d.next = self.fraction.val();
        self.agrees_late.d.next = self.agrees.val();
        self.bounded.d.next = self.compared.q.val() & self.running.val();
        self.inverse.next = !self.fraction_late.q.val();
        self.bound.d.next = bit_cast::<BOUND_BITS, BOUND_FRACTION_BITS>(self.inverse.val())
            .replace_bit(13, !self.inverse.val().get_bit(12));
        self.at_least.d.next = self.agrees_late.q.val() ^ self.fraction_late.q.val().get_bit(12);

        // The bounds with it.
        // A bound as tight as one that leaks, or tighter, takes its place: it need not be compared with what that becomes.
        self.leaked_low.next = self.low_now.q.val();
        self.leaked_high.next = self.high_now.q.val();
        if self.leaks.q.val() & (self.low_now.q.val() > self.widest_low.val()) {
            self.leaked_low.next = self.low_now.q.val() - self.one_bound.val();
        }
        if self.leaks.q.val() & (self.high_now.q.val() < self.widest_high.val()) {
            self.leaked_high.next = self.high_now.q.val() + self.one_bound.val();
        }
        self.all.next = self.samples_now.q.val().get_bits::<LEAK_BITS>(0) | !self.leak_mask.val();
        if self.bounded.q.val() {
            self.low_now.d.next = self.leaked_low.val();
            self.high_now.d.next = self.leaked_high.val();
            if self.at_least.q.val() {
                if self.bound.q.val() >= self.low_now.q.val() {
                    self.low_now.d.next = self.bound.q.val();
                }
            } else {
                if self.bound.q.val() <= self.high_now.q.val() {
                    self.high_now.d.next = self.bound.q.val();
                }
            }
            self.samples_now.d.next = self.samples_now.q.val() + self.one.val();
            self.leaks.d.next = self.all.val().all();
        }
        if self.flush.val() {
            self.low_now.d.next = self.widest_low.val();
            self.high_now.d.next = self.widest_high.val();
            self.samples_now.d.next = 0.into();
            self.leaks.d.next = false;
        }

        // What they come to.
        self.looked.d.next = self.running.val();
        self.long[0].next = self.samples_now.q.val().get_bits::<15>(10).any();
        self.long[1].next = self.long[0].val();
        for i in 0..LEAST_STEPS {
            self.long[1].next =
                self.long[1].val() | (self.samples_now.q.val().get_bit(i + 6) & !self.least.val().get_bit(i));
        }
        self.enough.d.next = self.long[1].val();
        self.wide_low.next = bit_cast::<TAG_BITS, BOUND_BITS>(self.low_now.q.val());
        self.wide_high.next = bit_cast::<TAG_BITS, BOUND_BITS>(self.high_now.q.val());
        self.width_late.d.next = self.wide_high.val() + self.lifted.val() - self.wide_low.val();
        self.sum_late.d.next = self.wide_high.val() + self.wide_low.val();
        self.above_late.d.next = self.low_now.q.val() > self.edge_above.val();
        self.below_late.d.next = self.high_now.q.val() < self.edge_below.val();
        self.inside_late.d.next =
            (self.low_now.q.val() <= self.middle.val()) & (self.high_now.q.val() >= self.middle.val());
        self.low_late.d.next = self.low_now.q.val();
        self.high_late.d.next = self.high_now.q.val();
        self.samples_late.d.next = self.samples_now.q.val();

        self.slips.next =
            self.looked.q.val() & self.running.val() & (self.width_late.q.val() < self.slip.val());
        self.meets.next = self.looked.q.val()
            & self.running.val()
            & self.enough.q.val()
            & (self.width_late.q.val() < self.meeting.val());
        self.above.next =
            self.looked.q.val() & self.running.val() & self.enough.q.val() & self.above_late.q.val();
        self.below.next =
            self.looked.q.val() & self.running.val() & self.enough.q.val() & self.below_late.q.val();
        self.timeout.next = self.looked.q.val()
            & self.running.val()
            & (self.samples_late.q.val() & self.static_bit.val()).any();
        self.inside.next = self.inside_late.q.val();
        // Both have 2^13 added: 2^14 less is the top bit.
        self.sum.next = self.sum_late.q.val() ^ self.lifted.val();
        self.low.next = self.low_late.q.val();
        self.high.next = self.high_late.q.val();
        self.samples.next = self.samples_late.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("lag_bounds", &self.label())
    }
}

drive_ports!(impl[] LagBounds {
    clock, flush, fraction, agrees, leak_mask, least, slips, meets, above, below, timeout, inside, sum, low, high, samples,
});

const _: () = assert!(BOUND_FRACTION_BITS == 13 && WINDOW_FIRST_LOG2 == 6 && WINDOW_LEAST_LOG2 == 10);
