//! Whether a Low fits the last High.

use crate::prim::stream::FlowIn;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::time::{master_time_high, master_time_low, JOIN_SLACK_NS};

/// Bits of the age of a High in ns: a High that is older fits no Low.
const AGE_BITS: usize = 42;

/// The last High and its age (chapter 20, 4.7 rule 2).
///
/// `fits` and `full` follow 1 and 4 clocks after `check`, `high_held` and `carry` 1 and 2; they hold until the next
/// one. The age of a High counts from the clock before it. `clear` forgets the High.
#[derive(LogicBlock)]
pub struct OverlapCheck {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// Payload of a MasterTimeHigh.
    pub high: FlowIn<Bits<48>>,
    /// LocalTime of this clock, whole ns.
    pub local: Signal<In, Bits<64>>,
    /// `low` and `low_local` are those of a Low; they hold still for 4 clocks.
    pub check: Signal<In, Bit>,
    /// Payload of a MasterTimeLow.
    pub low: Signal<In, Bits<48>>,
    /// LocalTime of its R edge, whole ns.
    pub low_local: Signal<In, Bits<64>>,
    /// The High of the last check; 0 if there is none.
    pub high_held: Signal<Out, Bits<48>>,
    /// It is of the Low's tree and era.
    pub fits: Signal<Out, Bit>,
    /// Its overlap byte fits Low's for its age.
    pub full: Signal<Out, Bit>,
    /// Low's overlap byte is the smaller one: it has passed zero.
    pub carry: Signal<Out, Bit>,
    local_before: DFF<Bits<AGE_BITS>>,
    last: DFF<Bits<48>>,
    known: DFF<Bit>,
    since: DFF<Bits<AGE_BITS>>,
    /// The highest bit of LocalTime differs from that of `since`, and was equal again later.
    wrapped: DFF<Bit>,
    stale: DFF<Bit>,
    held: DFF<Bits<48>>,
    is_fit: DFF<Bit>,
    fresh: DFF<Bit>,
    age: DFF<Bits<AGE_BITS>>,
    // The parts of the age against the slack.
    top_all: DFF<Bit>,
    top_any: DFF<Bit>,
    slack_reached: DFF<Bit>,
    below_reached: DFF<Bit>,
    /// The age is just above, or just below, a multiple of 2^32 ns.
    above: DFF<Bit>,
    below: DFF<Bit>,
    overlap: DFF<Bits<9>>,
    distance: DFF<Bits<10>>,
    is_full: DFF<Bit>,
    age_low: Signal<Local, Bits<20>>,
    age_top: Signal<Local, Bits<12>>,
    age_high: Signal<Local, Bits<9>>,
    low_byte: Signal<Local, Bits<8>>,
    high_byte: Signal<Local, Bits<8>>,
    step: Signal<Local, Bits<8>>,
    distance_top: Signal<Local, Bits<9>>,
    window: Signal<Local, Bit>,
    under_slack: Signal<Local, Bit>,
    under_below: Signal<Local, Bit>,
    slack: Constant<Bits<20>>,
    slack_below: Constant<Bits<20>>,
}

impl Default for OverlapCheck {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            clear: Default::default(),
            high: Default::default(),
            local: Default::default(),
            check: Default::default(),
            low: Default::default(),
            low_local: Default::default(),
            high_held: Default::default(),
            fits: Default::default(),
            full: Default::default(),
            carry: Default::default(),
            local_before: Default::default(),
            last: Default::default(),
            known: Default::default(),
            since: Default::default(),
            wrapped: Default::default(),
            stale: Default::default(),
            held: Default::default(),
            is_fit: Default::default(),
            fresh: Default::default(),
            age: Default::default(),
            top_all: Default::default(),
            top_any: Default::default(),
            slack_reached: Default::default(),
            below_reached: Default::default(),
            above: Default::default(),
            below: Default::default(),
            overlap: Default::default(),
            distance: Default::default(),
            is_full: Default::default(),
            age_low: Default::default(),
            age_top: Default::default(),
            age_high: Default::default(),
            low_byte: Default::default(),
            high_byte: Default::default(),
            step: Default::default(),
            distance_top: Default::default(),
            window: Default::default(),
            under_slack: Default::default(),
            under_below: Default::default(),
            slack: Constant::new(JOIN_SLACK_NS.into()),
            slack_below: Constant::new(((1_u64 << 20) - JOIN_SLACK_NS).into()),
        }
    }
}

impl Logic for OverlapCheck {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, local_before, last, known, since, wrapped, stale, held, is_fit, fresh, age);
        dff_setup!(
            self,
            clock,
            top_all,
            top_any,
            slack_reached,
            below_reached,
            above,
            below,
            overlap,
            distance,
            is_full
        );

        self.local_before.d.next = self.local.val().get_bits::<AGE_BITS>(0);
        if self.local_before.q.val().get_bit(41) != self.since.q.val().get_bit(41) {
            self.wrapped.d.next = true;
        } else {
            self.stale.d.next = self.stale.q.val() | self.wrapped.q.val();
        }
        if self.high.valid.val() {
            self.last.d.next = self.high.data.val();
            self.known.d.next = true;
            self.since.d.next = self.local_before.q.val();
            self.wrapped.d.next = false;
            self.stale.d.next = false;
        }

        if self.check.val() {
            self.held.d.next = self.last.q.val();
            self.is_fit.d.next = self.known.q.val()
                & (self.last.q.val().get_bits::<4>(40) == self.low.val().get_bits::<4>(40));
            self.fresh.d.next = !self.stale.q.val();
            self.age.d.next = self.low_local.val().get_bits::<AGE_BITS>(0) - self.since.q.val();
        }

        // Second clock: the step of the overlap byte, modulo 256.
        self.age_low.next = self.age.q.val().get_bits::<20>(0);
        self.age_top.next = self.age.q.val().get_bits::<12>(20);
        // The highest bit that differs from a constant decides; a carry chain would be three times as large.
        self.under_slack.next = false;
        self.under_below.next = false;
        for i in 0..20 {
            if self.age_low.val().get_bit(i) != self.slack.val().get_bit(i) {
                self.under_slack.next = self.slack.val().get_bit(i);
            }
            if self.age_low.val().get_bit(i) != self.slack_below.val().get_bit(i) {
                self.under_below.next = self.slack_below.val().get_bit(i);
            }
        }
        self.top_all.d.next = self.age_top.val().all();
        self.top_any.d.next = self.age_top.val().any();
        self.slack_reached.d.next = !self.under_slack.val();
        self.below_reached.d.next = !self.under_below.val();
        self.low_byte.next = self.low.val().get_bits::<8>(32);
        self.high_byte.next = self.held.q.val().get_bits::<8>(0);
        self.overlap.d.next = bit_cast::<9, 8>(self.low_byte.val()) - bit_cast::<9, 8>(self.high_byte.val());
        // Third clock.
        self.below.d.next = self.top_all.q.val() & self.below_reached.q.val();
        self.above.d.next = !self.top_any.q.val() & !self.slack_reached.q.val();
        // Multiples of 2^32 ns in the age, less the step; where the highest bit of the age is set there are too many in any case.
        self.age_high.next = self.age.q.val().get_bits::<9>(32);
        self.step.next = self.overlap.q.val().get_bits::<8>(0);
        self.distance.d.next = bit_cast::<10, 9>(self.age_high.val()) - bit_cast::<10, 8>(self.step.val());
        // Fourth clock. The step is the number of multiples or one more; with the slack one less or two more.
        // 0 and -1, 1 with `above`, -2 with `below`.
        self.distance_top.next = self.distance.q.val().get_bits::<9>(1);
        self.window.next = (!self.distance_top.val().any()
            & (!self.distance.q.val().get_bit(0) | self.above.q.val()))
            | (self.distance_top.val().all() & (self.distance.q.val().get_bit(0) | self.below.q.val()));
        self.is_full.d.next =
            self.is_fit.q.val() & self.fresh.q.val() & !self.age.q.val().get_bit(41) & self.window.val();

        if self.clear.val() {
            self.last.d.next = 0.into();
            self.known.d.next = false;
        }
        self.high_held.next = self.held.q.val();
        self.fits.next = self.is_fit.q.val();
        self.full.next = self.is_full.q.val();
        self.carry.next = self.overlap.q.val().get_bit(8);
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("overlap_check", &[])
    }
}

drive_ports!(impl[] OverlapCheck {
    clock, clear, high, local, check, low, low_local, high_held, fits, full, carry,
});

const _: () = assert!(JOIN_SLACK_NS < 1 << 20);
const _: () = assert!(master_time_low::tree::LOW == 40 && master_time_low::era::LOW == 42);
const _: () = assert!(master_time_high::tree::LOW == 40 && master_time_high::era::LOW == 42);
const _: () = assert!(master_time_high::time::LOW == 0 && master_time_low::time::WIDTH == 40);
