//! The debts and verdicts of the lanes, one lane after the other.

use super::{CHARGE_BITS, DEBT_BITS};
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::degrade::{
    threshold_ltps, FAULT_VERDICTS, THRESHOLD_LOG2, THRESHOLD_MAX, VERDICTS_MAX,
};
use flitforge_protocol::lane_word::MAX_LANES;

/// Bits of a debt: the largest TH and a charge.
const BITS: usize = 18;
/// The same and a sign.
const SUM_BITS: usize = BITS + 1;
/// Bits of a count of verdicts; the top one says that all are to be halved.
const COUNT_BITS: usize = 7;
/// Bits of it times 8.
const BAR_BITS: usize = COUNT_BITS + 3;
/// Bits of a debt that TH can be.
const HIGH_BITS: usize = THRESHOLD_MAX as usize + 1;
/// Bits of the number of the clock.
const STEP_BITS: usize = 4;

const _: () = assert!(THRESHOLD_LOG2 == 10 && BITS == 18 && COUNT_BITS == 7, "bits by number below");
const _: () = assert!(VERDICTS_MAX as usize + 1 == 1 << (COUNT_BITS - 1));
const _: () = assert!(threshold_ltps(THRESHOLD_MAX) < 1 << BITS);
const _: () = assert!(FAULT_VERDICTS == 3, "two bits that are all 1, or a higher one");

/// A ring of four debts and one of four counts, which turn once for each LTP.
///
/// `start` is clock 0. Lane l leaves the ring in clock 1 + l, has its new debt in clock 2 + l and is judged in clock 3 + l; `due` comes
/// in clock 7, `worst` changes after clock 8. At least 8 clocks lie from one `start` to the next.
#[block("degrade_debts")]
pub struct DegradeDebts {
    /// Rising edge counts.
    clock: In<Clock>,
    /// All debts and counts are 0.
    clear: In<Bit>,
    /// An LTP time.
    start: In<Bit>,
    /// With `start`: the lane that is charged, one bit at most.
    charged: In<Bits<4>>,
    /// What it is charged, from 2 clocks after `start` on.
    charge: In<Bits<CHARGE_BITS>>,
    /// Lanes in use.
    in_use: In<Bits<4>>,
    /// Debts and counts of these lanes become 0, as soon as the ring stands.
    drop_lanes: In<Bits<4>>,
    /// No lane is the worst until the next LTP.
    forget: In<Bit>,
    /// Register DEGRADE, TH.
    threshold: In<Bits<3>>,
    /// Register DEGRADE, STAND_OUT.
    stand_out: In<Bits<2>>,
    /// Pulse, one bit: this lane has come to TH and stands out.
    due: Out<Bits<4>>,
    /// One bit at most: the lane that goes with a fault.
    worst: Out<Bits<4>>,
    /// `due` may come in this clock.
    deciding: Out<Bit>,
    /// `due` is not 0.
    some_due: Out<Bit>,
    /// `worst` is not 0.
    some_worst: Out<Bit>,
    /// Debts in 1,024 LTP times.
    debt: [Out<Bits<DEBT_BITS>>; MAX_LANES],

    step: Reg<Bits<STEP_BITS>>,
    /// The lane that leaves the ring, the one outside it, and the one before.
    turn: Reg<Bits<4>>,
    outside: Reg<Bits<4>>,
    evaluated: Reg<Bits<4>>,
    /// The lane that is judged is the one that is charged.
    own_evaluated: Reg<Bit>,
    /// What has left the ring.
    old_debt: Reg<Bits<BITS>>,
    old_count: Reg<Bits<COUNT_BITS>>,
    /// What it may be charged up to TH.
    room: Reg<Bits<SUM_BITS>>,
    /// It is that of the lane that is charged.
    own: Reg<Bit>,
    /// TH.
    limit: Reg<Bits<BITS>>,
    /// The fewest verdicts times the factor.
    bar: Reg<Bits<BAR_BITS>>,
    decides: Reg<Bit>,
    debts: [Register<Bits<BITS>>; MAX_LANES],
    counts: [Register<Bits<COUNT_BITS>>; MAX_LANES],
    shown: [Register<Bits<DEBT_BITS>>; MAX_LANES],
    to_drop: Reg<Bits<4>>,
    charged_now: Reg<Bits<4>>,
    /// Counts are halved as they come by.
    halves: Reg<Bit>,
    is_full: Reg<Bit>,
    is_over: Reg<Bit>,
    own_count: Reg<Bits<COUNT_BITS>>,
    fewest: Reg<Bits<COUNT_BITS>>,
    found: Reg<Bit>,
    #[wire(clear = false)]
    most_debt: Register<Bits<BITS>>,
    #[wire(clear = false)]
    most_count: Register<Bits<COUNT_BITS>>,
    #[wire(clear = false)]
    most_lane: Register<Bits<4>>,
    skips: Reg<Bit>,
    worst_now: Reg<Bits<4>>,

    rotates: Local<Bit>,
    steady: Local<Bit>,
    term: Local<Bits<SUM_BITS>>,
    sum: Local<Bits<SUM_BITS>>,
    over: Local<Bit>,
    next_debt: Local<Bits<BITS>>,
    count: Local<Bits<COUNT_BITS>>,
    next_count: Local<Bits<COUNT_BITS>>,
    used: Local<Bit>,
    more: Local<Bit>,
    bar_now: Local<Bits<BAR_BITS>>,
    beyond_new: Local<Bit>,
    beyond_old: Local<Bit>,
    beyond_now: Local<Bit>,
    beyond: Local<Bit>,
    lowers: Local<Bit>,
    stands_out: Reg<Bit>,
    /// In clock 7: the lane that was charged has come to TH.
    over_now: Reg<Bit>,
    is_due: Local<Bit>,
    /// A lane is the worst.
    has_worst: Reg<Bit>,
    #[init(|code| code)]
    codes: [Constant<Bits<3>>; HIGH_BITS],
    #[init(|code| u64::from(threshold_ltps(code as u8)).into())]
    limits: [Constant<Bits<BITS>>; HIGH_BITS],
    #[init((1u64 << SUM_BITS) - 1)]
    minus_one: Constant<Bits<SUM_BITS>>,
    #[init(1)]
    one_step: Constant<Bits<STEP_BITS>>,
    #[init(1)]
    one: Constant<Bits<COUNT_BITS>>,
    #[init((1u64 << COUNT_BITS) - 1)]
    most: Constant<Bits<COUNT_BITS>>,
}

#[logic]
impl DegradeDebts {
    fn update(&mut self) {
        self.go_round();
        self.charge_lane();
        self.compare();
        self.judge_charged();
        self.decide();
        if clear {
            step = 0;
            turn = 0;
            outside = 0;
            decides = false;
            evaluated = 0;
            to_drop = 0;
            halves = false;
            worst_now = 0;
            has_worst = false;
        }
    }

    /// The clocks of an LTP.
    fn go_round(&mut self) {
        step = 0;
        if step.any() & !step[3] {
            step = step + one_step;
        }
        turn = turn << 1;
        outside = turn;
        evaluated = outside;
        own_evaluated = (outside & charged_now).any();
        rotates = (turn | outside).any();
        steady = !(turn | outside).any();
        decides = step == 6;
        if start {
            step = 1;
            turn = 1;
            charged_now = charged;
        }
    }

    /// The lane outside: 1 less, or the charge more, TH at most.
    fn charge_lane(&mut self) {
        own = (charged_now & turn).any();
        old_debt = debts[0];
        old_count = counts[0];
        term = minus_one;
        if own {
            term = bit_cast::<SUM_BITS, CHARGE_BITS>(charge);
        }
        sum = bit_cast::<SUM_BITS, BITS>(old_debt) + term;
        limit = 0;
        for i in 0..8 {
            if threshold == codes[i] {
                limit = limits[i];
            }
        }
        // Beside the sum, not behind it. Below 0 if TH has become less than a debt.
        room = bit_cast::<SUM_BITS, BITS>(limit) - bit_cast::<SUM_BITS, BITS>(debts[0]);
        over = own & (room[18] | (bit_cast::<BITS, CHARGE_BITS>(charge) >= room.bits::<BITS>(0)));
        next_debt = sum.bits::<BITS>(0);
        if sum[18] {
            next_debt = 0;
        }
        if over {
            next_debt = limit;
        }
        count = old_count;
        if halves {
            count = old_count >> 1;
        }
        next_count = count;
        if own {
            next_count = count + one;
        }
        if step == 1 {
            is_full = false;
            is_over = false;
        }
        if outside.any() & next_count[6] {
            is_full = true;
        }
        if outside.any() & over {
            is_over = true;
        }
        if step == 6 {
            halves = is_full;
        }
        to_drop = drop_lanes;
        if !steady {
            to_drop = to_drop | drop_lanes;
        }
        for i in 0..4 {
            debts[i].clear = clear | (steady & to_drop[i]);
            counts[i].clear = clear | (steady & to_drop[i]);
            debts[i].enable = rotates;
            counts[i].enable = rotates;
            shown[i] = In { clear: clear | (steady & to_drop[i]), enable: !rotates };
            shown[i] = debts[i].bits::<DEBT_BITS>(10);
            debt[i] = shown[i];
        }
        for i in 0..3 {
            debts[i] = debts[i + 1];
            counts[i] = counts[i + 1];
        }
        debts[3] = next_debt;
        counts[3] = next_count;
    }

    /// The lane that is back: is its debt the largest, are its verdicts the fewest?
    fn compare(&mut self) {
        bar_now = bit_cast::<BAR_BITS, COUNT_BITS>(counts[3]) << 1;
        if stand_out[1] {
            bar_now = bit_cast::<BAR_BITS, COUNT_BITS>(counts[3]) << 2;
            if stand_out[0] {
                bar_now = bit_cast::<BAR_BITS, COUNT_BITS>(counts[3]) << 3;
            }
        }
        used = (evaluated & in_use).any();
        more = used & (!found | (debts[3] > most_debt));
        most_debt.enable = more;
        most_count.enable = more;
        most_lane.enable = more;
        most_debt = debts[3];
        most_count = counts[3];
        most_lane = evaluated;
        if used {
            found = true;
            if counts[3] < fewest {
                fewest = counts[3];
                bar = bar_now;
            }
        }
        if own_evaluated {
            own_count = counts[3];
        }
        if step == 2 {
            found = false;
            fewest = most;
        }
    }

    /// Whether the lane that was charged stands out is known a clock ahead, for both bars that may come; if that lane
    /// has the fewest verdicts itself, it does not.
    fn judge_charged(&mut self) {
        beyond_new = bit_cast::<BAR_BITS, COUNT_BITS>(own_count) > bar_now;
        beyond_old = bit_cast::<BAR_BITS, COUNT_BITS>(own_count) > bar;
        beyond_now = bit_cast::<BAR_BITS, COUNT_BITS>(counts[3]) > bar;
        lowers = used & (counts[3] < fewest);
        beyond = beyond_old;
        if own_evaluated {
            beyond = beyond_now & !lowers;
        } else if lowers {
            beyond = beyond_new;
        }
        stands_out = !stand_out.any() | beyond;
    }

    /// Clock 7: the lane that was charged. Clock 8: the worst.
    fn decide(&mut self) {
        let worst_stands_out = !stand_out.any() | (bit_cast::<BAR_BITS, COUNT_BITS>(most_count) > bar);
        let enough = most_count.bits::<5>(2).any() | most_count.bits::<2>(0).all();
        due = 0;
        over_now = ((step == 6) & is_over) & !clear;
        is_due = over_now & stands_out;
        if is_due {
            due = charged_now & in_use;
        }
        some_due = is_due & (charged_now & in_use).any();
        skips = forget;
        if step[3] {
            worst_now = 0;
            has_worst = false;
            if (found & enough) & (worst_stands_out & !skips) {
                worst_now = most_lane;
                has_worst = true;
            }
        }
        if forget {
            worst_now = 0;
            has_worst = false;
        }
        worst = worst_now;
        deciding = decides;
        some_worst = has_worst;
    }
}
