//! Periods without a used sample.

use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::time_servo::{LEAST_PERIOD_CLOCKS, MAX_INTEGRATED_PERIODS};

/// Bits of the saturating count of half periods: 8 periods and more have to be told apart.
const HALF_BITS: usize = 5;
/// Bits of half a period. A count that passes zero has reached its end before, and begins again.
const COUNT_BITS: usize = 31;
/// Its lower bits, which are compared first.
const LOW_BITS: usize = 16;
/// Its upper bits, which are compared a clock later.
const TOP_BITS: usize = COUNT_BITS - LOW_BITS;
/// The upper bits with the result of the lower ones.
const WITH_LOW: usize = TOP_BITS + 1;
/// Bits of HOLD_MAX.
const HOLD_BITS: usize = 24;

/// Counts half periods of NCLK / 2 clocks (at least 5), so that a rounded number of periods costs no division.
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

    count: DFF<Bits<COUNT_BITS>>,
    hit: DFF<Bit>,
    /// This is the first clock of a half period that follows another one.
    begun: DFF<Bit>,
    /// The lower bits are as far as those of half a period, or further; the upper ones of that clock; those of half a period.
    low_reached: DFF<Bit>,
    top: DFF<Bits<TOP_BITS>>,
    half_top: DFF<Bits<TOP_BITS>>,
    /// The next clock but one is the last of a half period, unless the count begins again.
    reached: DFF<Bit>,
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
    half: Signal<Local, Bits<COUNT_BITS>>,
    counted: Signal<Local, Bits<WITH_LOW>>,
    wanted: Signal<Local, Bits<WITH_LOW>>,
    first: Constant<Bits<COUNT_BITS>>,
    second: Constant<Bits<COUNT_BITS>>,
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
            begun: Default::default(),
            low_reached: Default::default(),
            top: Default::default(),
            half_top: Default::default(),
            reached: Default::default(),
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
            counted: Default::default(),
            wanted: Default::default(),
            first: Constant::new(4.into()),
            second: Constant::new(5.into()),
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
            self,
            clock,
            count,
            hit,
            begun,
            low_reached,
            top,
            half_top,
            reached,
            restarting,
            halves,
            odd,
            age,
            is_small,
            is_power,
            logarithm,
            old_enough,
            limit_held,
            quiet,
            silent
        );
        self.half.next = self.nclk.val().get_bits::<COUNT_BITS>(1);

        // Clock k of a half period stands as k + 4, so that a comparison in three clocks ends in its last but one. The first clock behind another
        // half period is not compared, as that behind a restart cannot be: no half period has fewer than 5.
        self.begun.d.next = self.hit.q.val();
        self.low_reached.d.next =
            self.count.q.val().get_bits::<LOW_BITS>(0) >= self.half.val().get_bits::<LOW_BITS>(0);
        if self.begun.q.val() | self.hit.q.val() | self.restarting.q.val() {
            self.low_reached.d.next = false;
        }
        self.top.d.next = self.count.q.val().get_bits::<TOP_BITS>(16);
        self.half_top.d.next = self.half.val().get_bits::<TOP_BITS>(16);
        self.counted.next =
            (bit_cast::<WITH_LOW, TOP_BITS>(self.top.q.val()) << 1).replace_bit(0, self.low_reached.q.val());
        self.wanted.next = (bit_cast::<WITH_LOW, TOP_BITS>(self.half_top.q.val()) << 1).replace_bit(0, true);
        self.reached.d.next = self.counted.val() >= self.wanted.val();
        self.hit.d.next = self.reached.q.val();
        if self.hit.q.val() | self.restarting.q.val() {
            self.top.d.next = 0.into();
            self.reached.d.next = false;
            self.hit.d.next = false;
        }
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
            self.begun.d.next = false;
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

const _: () = assert!(MAX_INTEGRATED_PERIODS == 8 && LEAST_PERIOD_CLOCKS == 10 && LOW_BITS == 16);
