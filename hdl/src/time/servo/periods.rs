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
/// The clock after `restart` is clock 0 of the first period. `small`, `power` and `shift` are one clock behind, of a `restart` two; `due`
/// is two clocks behind the count and is never set in the two clocks after `restart`, `enter` or `mask`, in which `limit` may
/// change: one look-up table behind two registers, so that the comparison ends in one. `mask` comes with every `restart`.
/// A change of `nclk` counts from the next clock on.
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
    /// The next clock is the last of a half period, unless the count begins again; it has begun; half a period is 2 clocks.
    reached: DFF<Bit>,
    begun: DFF<Bit>,
    tiny: DFF<Bit>,
    /// Half a period is 3 clocks or fewer.
    below_4: DFF<Bit>,
    /// `restart` a clock before.
    restarting: DFF<Bit>,
    halves: DFF<Bits<HALF_BITS>>,
    odd: DFF<Bit>,
    age: DFF<Bits<HOLD_BITS>>,
    is_small: DFF<Bit>,
    is_power: DFF<Bit>,
    logarithm: DFF<Bits<2>>,
    old_enough: DFF<Bit>,
    limit_held: DFF<Bits<HOLD_BITS>>,
    /// `limit_held` may be another one.
    quiet: DFF<Bit>,
    /// `old_enough` may not count.
    silent: DFF<Bit>,
    masked: Signal<Local, Bit>,
    /// The half periods round to 1, 2, 4, 8 periods.
    rounds: Signal<Local, Bits<4>>,
    half: Signal<Local, Bits<32>>,
    first: Constant<Bits<32>>,
    second: Constant<Bits<32>>,
    ends: [Constant<Bits<HALF_BITS>>; 4],
    odd_ends: [Constant<Bits<HALF_BITS>>; 4],
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
            reached: Default::default(),
            begun: Default::default(),
            tiny: Default::default(),
            below_4: Default::default(),
            restarting: Default::default(),
            halves: Default::default(),
            odd: Default::default(),
            age: Default::default(),
            is_small: Default::default(),
            is_power: Default::default(),
            logarithm: Default::default(),
            old_enough: Default::default(),
            limit_held: Default::default(),
            quiet: Default::default(),
            silent: Default::default(),
            masked: Default::default(),
            rounds: Default::default(),
            half: Default::default(),
            first: Constant::new(3.into()),
            second: Constant::new(4.into()),
            ends: [1_u64, 2, 4, MAX_INTEGRATED_PERIODS].map(|periods| Constant::new((2 * periods).into())),
            odd_ends: [1_u64, 2, 4, MAX_INTEGRATED_PERIODS]
                .map(|periods| Constant::new((2 * periods - 1).into())),
        }
    }
}

impl Logic for PeriodCounter {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self, clock, count, hit, reached, begun, tiny, below_4, restarting, halves, odd, age, is_small,
            is_power, logarithm, old_enough, limit_held, quiet, silent
        );
        self.half.next = self.nclk.val() >> 1;

        // Clock k of a half period stands as k + 3, so that a comparison with two registers behind it comes in time; those of
        // its first clock, and of the first two behind a restart, would come too late, and are made for all of them.
        self.reached.d.next = self.count.q.val() >= self.half.val();
        self.begun.d.next = self.hit.q.val();
        self.below_4.d.next = !self.half.val().get_bits::<30>(2).any();
        self.tiny.d.next = !self.half.val().get_bits::<30>(2).any() & !self.half.val().get_bits::<2>(0).all();
        self.hit.d.next = !self.hit.q.val()
            & ((self.begun.q.val() & self.tiny.q.val()) | (!self.begun.q.val() & self.reached.q.val()));
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
        // A clock behind the decision, which comes late in its own.
        self.restarting.d.next = self.restart.val();
        if self.restarting.q.val() {
            self.count.d.next = self.second.val();
            self.hit.d.next = self.tiny.q.val();
            self.begun.d.next = false;
            self.reached.d.next = self.below_4.q.val();
            self.odd.d.next = false;
            self.halves.d.next = 0.into();
            self.age.d.next = 0.into();
        }
        self.limit_held.d.next = self.limit.val();
        self.masked.next = self.enter.val() | self.mask.val();
        self.quiet.d.next = self.masked.val();
        self.silent.d.next = self.masked.val() | self.quiet.q.val();
        self.old_enough.d.next = self.age.q.val() >= self.limit_held.q.val();

        // (halves + 1) / 2 periods, without an adder; 31 halves are more than 8 periods in any case.
        self.rounds.next = 0.into();
        for i in 0..4 {
            if (self.halves.q.val() == self.ends[i].val()) | (self.halves.q.val() == self.odd_ends[i].val()) {
                self.rounds.next = self.rounds.val().replace_bit(i, true);
            }
        }
        self.is_small.d.next = !self.halves.q.val().get_bit(4) | !self.halves.q.val().get_bits::<4>(0).any();
        self.is_power.d.next = self.rounds.val().any();
        self.logarithm.d.next = 0.into();
        self.logarithm.d.next = self
            .logarithm
            .d
            .val()
            .replace_bit(0, self.rounds.val().get_bit(1) | self.rounds.val().get_bit(3))
            .replace_bit(1, self.rounds.val().get_bit(2) | self.rounds.val().get_bit(3));

        self.small.next = self.is_small.q.val();
        self.power.next = self.is_power.q.val();
        self.shift.next = self.logarithm.q.val();
        self.due.next = self.old_enough.q.val() & !self.silent.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("period_counter", &[])
    }
}

drive_ports!(impl[] PeriodCounter { clock, restart, enter, mask, nclk, limit, small, power, shift, due });

const _: () = assert!(MAX_INTEGRATED_PERIODS == 8);
