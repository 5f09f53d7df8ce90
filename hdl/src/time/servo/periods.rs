//! Periods without a used sample.

use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::time_servo::MAX_INTEGRATED_PERIODS;
use rust_hdl::prelude::*;

/// Bits of the saturating count of half periods: 8 periods and more have to be told apart.
const HALF_BITS: usize = 5;
/// Bits of HOLD_MAX.
const HOLD_BITS: usize = 24;

/// Counts half periods of NCLK / 2 clocks (at least 2), so that a rounded number of periods costs no division.
///
/// The clock after `restart` is clock 0 of the first period. `small`, `power` and `shift` are one clock behind; `due`
/// is two clocks behind the count and is never set in the two clocks after `restart`, `enter` or `mask`, in which `limit` may
/// change.
#[derive(LogicBlock)]
pub struct PeriodCounter {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// A sample was used, or the block is cleared.
    pub restart: Signal<In, Bit>,
    /// HOLDOVER begins: `due` counts from here.
    pub enter: Signal<In, Bit>,
    /// `due` is not wanted in the next clock.
    pub mask: Signal<In, Bit>,
    /// Core clocks of a period; the lowest bit does not count.
    pub nclk: Signal<In, Bits<32>>,
    /// Periods until `due`.
    pub limit: Signal<In, Bits<HOLD_BITS>>,
    /// 8 periods or fewer, rounded.
    pub small: Signal<Out, Bit>,
    /// 1, 2, 4 or 8 periods, rounded.
    pub power: Signal<Out, Bit>,
    /// Their binary logarithm.
    pub shift: Signal<Out, Bits<2>>,
    /// `limit` periods are over.
    pub due: Signal<Out, Bit>,

    count: DFF<Bits<32>>,
    hit: DFF<Bit>,
    halves: DFF<Bits<HALF_BITS>>,
    odd: DFF<Bit>,
    age: DFF<Bits<HOLD_BITS>>,
    is_small: DFF<Bit>,
    is_power: DFF<Bit>,
    logarithm: DFF<Bits<2>>,
    is_due: DFF<Bit>,
    limit_held: DFF<Bits<HOLD_BITS>>,
    /// `limit_held` may be another one.
    quiet: DFF<Bit>,
    masked: Signal<Local, Bit>,
    rounded: Signal<Local, Bits<HALF_BITS>>,
    half: Signal<Local, Bits<32>>,
    first: Constant<Bits<32>>,
    most: Constant<Bits<HALF_BITS>>,
    one: Constant<Bits<HALF_BITS>>,
    two: Constant<Bits<HALF_BITS>>,
    four: Constant<Bits<HALF_BITS>>,
}

impl Default for PeriodCounter {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            restart: Default::default(),
            enter: Default::default(),
            mask: Default::default(),
            nclk: Default::default(),
            limit: Default::default(),
            small: Default::default(),
            power: Default::default(),
            shift: Default::default(),
            due: Default::default(),
            count: Default::default(),
            hit: Default::default(),
            halves: Default::default(),
            odd: Default::default(),
            age: Default::default(),
            is_small: Default::default(),
            is_power: Default::default(),
            logarithm: Default::default(),
            is_due: Default::default(),
            limit_held: Default::default(),
            quiet: Default::default(),
            masked: Default::default(),
            rounded: Default::default(),
            half: Default::default(),
            first: Constant::new(2.into()),
            most: Constant::new(MAX_INTEGRATED_PERIODS.into()),
            one: Constant::new(1.into()),
            two: Constant::new(2.into()),
            four: Constant::new(4.into()),
        }
    }
}

impl Logic for PeriodCounter {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self, clock, count, hit, halves, odd, age, is_small, is_power, logarithm, is_due, limit_held,
            quiet
        );
        self.half.next = self.nclk.val() >> 1;

        // Clock k of a half period stands as k + 2, so that a registered comparison comes in time.
        self.hit.d.next = !self.hit.q.val() & (self.count.q.val() >= self.half.val());
        self.count.d.next = self.count.q.val() + 1;
        if self.hit.q.val() {
            self.count.d.next = self.first.val();
            self.odd.d.next = !self.odd.q.val();
            if !self.halves.q.val().all() {
                self.halves.d.next = self.halves.q.val() + 1;
            }
            if self.odd.q.val() {
                self.age.d.next = self.age.q.val() + 1;
            }
        }
        if self.enter.val() {
            self.age.d.next = 0.into();
        }
        if self.restart.val() {
            self.count.d.next = self.first.val();
            self.hit.d.next = false;
            self.odd.d.next = false;
            self.halves.d.next = 0.into();
            self.age.d.next = 0.into();
        }
        self.limit_held.d.next = self.limit.val();
        self.masked.next = self.restart.val() | self.enter.val() | self.mask.val();
        self.quiet.d.next = self.masked.val();
        self.is_due.d.next =
            (self.age.q.val() >= self.limit_held.q.val()) & !self.masked.val() & !self.quiet.q.val();

        // (halves + 1) / 2 periods; 31 halves are more than 8 periods in any case.
        self.rounded.next = self.halves.q.val() >> 1;
        if self.halves.q.val().get_bit(0) {
            self.rounded.next = (self.halves.q.val() >> 1) + self.one.val();
        }
        self.is_small.d.next = self.rounded.val() <= self.most.val();
        self.is_power.d.next = (self.rounded.val() == self.one.val())
            | (self.rounded.val() == self.two.val())
            | (self.rounded.val() == self.four.val())
            | (self.rounded.val() == self.most.val());
        self.logarithm.d.next = 0.into();
        if self.rounded.val() == self.two.val() {
            self.logarithm.d.next = 1.into();
        }
        if self.rounded.val() == self.four.val() {
            self.logarithm.d.next = 2.into();
        }
        if self.rounded.val() == self.most.val() {
            self.logarithm.d.next = 3.into();
        }

        self.small.next = self.is_small.q.val();
        self.power.next = self.is_power.q.val();
        self.shift.next = self.logarithm.q.val();
        self.due.next = self.is_due.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("period_counter", &[])
    }
}

drive_ports!(impl[] PeriodCounter { clock, restart, enter, mask, nclk, limit, small, power, shift, due });

const _: () = assert!(MAX_INTEGRATED_PERIODS == 8);
