//! Periods without a used sample.

use flitforge_hdl_prim::prelude::*;
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
/// The clock after `restart` is clock 0 of the first period. `small`, `power` and `shift` are one clock later, of a `restart` two; `due`
/// is two clocks after the count and is never set in the two clocks after `restart`, `enter` or `mask`, in which `limit` may
/// change: one look-up table after two registers, so that the comparison ends in one. `mask` comes with every `restart`.
/// A change of `nclk` counts from the next clock on.
#[block("period_counter")]
pub struct PeriodCounter {
    /// Rising edge counts.
    clock: In<Clock>,
    /// A sample was used, or the block is cleared.
    restart: In<Bit>,
    /// HOLDOVER begins: `due` counts from here.
    enter: In<Bit>,
    /// `due` is not wanted in the next clock.
    mask: In<Bit>,
    /// Core clocks of a period; the lowest bit does not count.
    nclk: In<Bits<32>>,
    /// Periods until `due`.
    limit: In<Bits<HOLD_BITS>>,
    /// 8 periods or fewer, rounded.
    small: Out<Bit>,
    /// 1, 2, 4 or 8 periods, rounded.
    power: Out<Bit>,
    /// Their binary logarithm.
    shift: Out<Bits<2>>,
    /// `limit` periods are over.
    due: Out<Bit>,

    count: Reg<Bits<COUNT_BITS>>,
    hit: Reg<Bit>,
    /// This is the first clock of a half period that follows another one.
    begun: Reg<Bit>,
    /// The lower bits are as far as those of half a period, or further; the upper ones of that clock; those of half a period.
    low_reached: Reg<Bit>,
    top: Reg<Bits<TOP_BITS>>,
    half_top: Reg<Bits<TOP_BITS>>,
    /// The next clock but one is the last of a half period, unless the count begins again.
    reached: Reg<Bit>,
    /// `restart` a clock before.
    restarting: Reg<Bit>,
    halves: Reg<Bits<HALF_BITS>>,
    odd: Reg<Bit>,
    age: Reg<Bits<HOLD_BITS>>,
    is_small: Reg<Bit>,
    is_power: Reg<Bit>,
    logarithm: Reg<Bits<2>>,
    old_enough: Reg<Bit>,
    limit_held: Reg<Bits<HOLD_BITS>>,
    /// `limit_held` may be another one.
    quiet: Reg<Bit>,
    /// `old_enough` may not count.
    silent: Reg<Bit>,
    masked: Local<Bit>,
    /// The half periods round to 1, 2, 4, 8 periods.
    rounds: Local<Bits<4>>,
    #[init(4)]
    first: Constant<Bits<COUNT_BITS>>,
    #[init(5)]
    second: Constant<Bits<COUNT_BITS>>,
    #[init([2, 4, 8, 2 * MAX_INTEGRATED_PERIODS])]
    ends: [Constant<Bits<HALF_BITS>>; 4],
    #[init([1, 3, 7, 2 * MAX_INTEGRATED_PERIODS - 1])]
    odd_ends: [Constant<Bits<HALF_BITS>>; 4],
}

#[logic]
impl PeriodCounter {
    fn update(&mut self) {
        let half = nclk.bits::<COUNT_BITS>(1);

        // Clock k of a half period stands as k + 4, so that a comparison in three clocks ends in its last but one. The first clock after another
        // half period is not compared, as that after a restart cannot be: no half period has fewer than 5.
        begun = hit;
        low_reached = count.bits::<LOW_BITS>(0) >= half.bits::<LOW_BITS>(0);
        if begun | hit | restarting {
            low_reached = false;
        }
        top = count.bits::<TOP_BITS>(16);
        half_top = half.bits::<TOP_BITS>(16);
        let counted = (bit_cast::<WITH_LOW, TOP_BITS>(top) << 1).with(0, low_reached);
        let wanted = (bit_cast::<WITH_LOW, TOP_BITS>(half_top) << 1).with(0, true);
        reached = counted >= wanted;
        hit = reached;
        if hit | restarting {
            top = 0;
            reached = false;
            hit = false;
        }
        count = count + 1;
        if hit {
            count = first;
            odd = !odd;
            if !halves.all() {
                halves = halves + 1;
            }
            if odd {
                age = age + 1;
            }
        }
        if enter {
            age = 0;
        }
        // A clock after the decision, which comes late in its own.
        restarting = restart;
        if restarting {
            count = second;
            begun = false;
            odd = false;
            halves = 0;
            age = 0;
        }
        limit_held = limit;
        masked = enter | mask;
        quiet = masked;
        silent = masked | quiet;
        old_enough = age >= limit_held;

        // (halves + 1) / 2 periods, without an adder; 31 halves are more than 8 periods in any case.
        rounds = 0;
        for i in 0..4 {
            if (halves == ends[i]) | (halves == odd_ends[i]) {
                rounds = rounds.with(i, true);
            }
        }
        is_small = !halves[4] | !halves.bits::<4>(0).any();
        is_power = rounds.any();
        logarithm = 0;
        logarithm = logarithm.d.with(0, rounds[1] | rounds[3]).with(1, rounds[2] | rounds[3]);

        small = is_small;
        power = is_power;
        shift = logarithm;
        due = old_enough & !silent;
    }
}

const _: () = assert!(MAX_INTEGRATED_PERIODS == 8 && LEAST_PERIOD_CLOCKS == 10 && LOW_BITS == 16);
