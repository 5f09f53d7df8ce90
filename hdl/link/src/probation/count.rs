//! What the lanes that wait have to work off.

use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::LutRam;
use flitforge_protocol::degrade::{
    safe_ltps, threshold_ltps, PROBATION_CHARGE_LOG2, PROBATION_DOUBLINGS, SAFE_MAX, THRESHOLD_LOG2,
    THRESHOLD_MAX,
};
use flitforge_protocol::lane_word::MAX_LANES;

/// Bits of the number of times that a lane was lost; it stays at the most.
pub const REMOVAL_BITS: usize = 3;
/// Bits of a debt.
const DEBT_BITS: usize = THRESHOLD_LOG2 as usize + SIZES;
/// The same and a sign.
const SUM_BITS: usize = DEBT_BITS + 1;
/// Debts that a lane can start with: TH, and doubled.
const SIZES: usize = THRESHOLD_MAX as usize + PROBATION_DOUBLINGS as usize + 1;
/// Bits of the number of such a debt.
const SIZE_BITS: usize = 4;
/// Bits of TH and of SAFE, and how many codes they have.
const CODE_BITS: usize = 3;
const CODES: usize = 1 << CODE_BITS;
/// The first clock of the first lane.
const FIRST_STEP: u64 = 1 << 3;
/// Bits of what a bad LTP time costs.
const CHARGE_BITS: usize = 15;

const _: () =
    assert!(PROBATION_DOUBLINGS + 2 == 1 << REMOVAL_BITS, "the last doubling is at the most removals");
const _: () = assert!(safe_ltps(SAFE_MAX) < 1 << CHARGE_BITS && DEBT_BITS == 24);

/// Works off, lane by lane, what each lane owes (chapter 10, 4.5, *Probation*, rules 3 and 4).
///
/// An LTP time that is `good` takes 1 off; another adds a 64th of TH, SAFE at least, up to what the lane started with: TH, for a
/// lane that was lost k times 2^(k-1) times that. One adder and one comparison serve all lanes: after `ltp` the lanes are visited one
/// after the other, two clocks each. So LTP times are at least 8 clocks apart, as 33 words on four lanes are.
///
/// Latency: `back` 9 clocks after `ltp`. `flush` forgets the visit that is going on, but no debt.
#[block("probation_count")]
pub struct ProbationCount {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Synchronous clear.
    flush: In<Bit>,
    /// Pulse: an LTP time is over.
    ltp: In<Bit>,
    /// Lanes without a bad word in it; holds for 8 clocks after `ltp`.
    good: In<Bits<4>>,
    /// Lanes that may come back.
    waits: In<Bits<4>>,
    /// These lanes owe all that they start with again; also with `flush`.
    lost_lanes: In<Bits<4>>,
    /// Times each lane was lost.
    removals: [In<Bits<REMOVAL_BITS>>; MAX_LANES],
    /// Register DEGRADE, enable.
    enabled: In<Bit>,
    /// Register DEGRADE, TH.
    threshold: In<Bits<3>>,
    /// Register DEGRADE, SAFE.
    safe: In<Bits<3>>,
    /// Lanes that come back, for one clock.
    back: Out<Bits<4>>,

    #[wire(clock)]
    debts: LutRam<Bits<DEBT_BITS>, 2>,
    /// {busy, lane, second clock}.
    step: Reg<Bits<4>>,
    /// What a bad LTP time costs.
    charge: Reg<Bits<CHARGE_BITS>>,
    /// Lanes that owe what they start with.
    renewed: Reg<Bits<4>>,
    owed: Reg<Bits<DEBT_BITS>>,
    most: Reg<Bits<DEBT_BITS>>,
    is_new: Reg<Bit>,
    is_good: Reg<Bit>,
    may_return: Reg<Bit>,
    found: Reg<Bits<4>>,
    ended: Reg<Bit>,

    /// A 64th of TH by code.
    #[init(|code| u64::from(threshold_ltps(code as u8) >> PROBATION_CHARGE_LOG2).into())]
    shares: [Constant<Bits<CHARGE_BITS>>; CODES],
    /// SAFE by code.
    #[init(|code| u64::from(safe_ltps(code as u8)).into())]
    leasts: [Constant<Bits<CHARGE_BITS>>; CODES],
    #[init(|size| (1u64 << (THRESHOLD_LOG2 as usize + size)).into())]
    sizes: [Constant<Bits<DEBT_BITS>>; SIZES],
}

#[logic]
impl ProbationCount {
    fn update(&mut self) {
        // A 64th of TH, SAFE at least.
        let mut share: Bits<CHARGE_BITS> = 0;
        let mut least: Bits<CHARGE_BITS> = 0;
        for i in 0..CODES {
            if threshold == i {
                share = shares[i];
            }
            if safe == i {
                least = leasts[i];
            }
        }
        charge = if share > least { share } else { least };

        let (second_clock, lane, busy) = self.choose_lane();

        // Second clock: what it owes now. A lane that owes nothing and may not come back stays so.
        let before = if is_new { most } else { owed };
        let minus_one: Bits<SUM_BITS> = (1 << SUM_BITS) - 1;
        let term = if is_good { minus_one } else { bit_cast::<SUM_BITS, CHARGE_BITS>(charge) };
        let sum = bit_cast::<SUM_BITS, DEBT_BITS>(before) + term;
        let above = sum > bit_cast::<SUM_BITS, DEBT_BITS>(most);
        let below = is_good & sum[DEBT_BITS];
        let new_debt: Bits<DEBT_BITS> = if below {
            0
        } else if above {
            most
        } else {
            sum[0..DEBT_BITS]
        };
        let returns = (is_good & may_return) & !new_debt.any();
        let writes = busy & second_clock;
        debts = In { write_enable: writes, write_address: lane, write_data: new_debt };
        renewed = renewed | lost_lanes;
        if writes {
            renewed = renewed.with(lane, false) | lost_lanes;
        }

        // From lane to lane.
        back = 0;
        if ended {
            back = found;
            found = 0;
        }
        if writes & returns {
            found = found.with(lane, true);
        }
        ended = step.all();
        if busy {
            step = step + 1;
        }
        if ltp {
            step = FIRST_STEP;
        }
        if flush {
            step = 0;
            found = 0;
            ended = false;
        }
    }

    /// First clock of a lane: what is known of it.
    fn choose_lane(&mut self) -> (Bit, Bits<2>, Bit) {
        let second_clock = step[0];
        let lane = step[1..3];
        let busy = step[3];
        debts.read_address = lane;
        owed = debts.read_data;
        is_new = renewed[lane];
        is_good = good[lane];
        may_return = enabled & waits[lane];
        let mut lost = removals[0];
        for i in 1..MAX_LANES {
            if lane == i {
                lost = removals[i];
            }
        }
        let losses = bit_cast::<SIZE_BITS, REMOVAL_BITS>(lost);
        let doublings: Bits<SIZE_BITS> = if lost.any() { losses - 1 } else { 0 };
        let size = doublings + bit_cast::<SIZE_BITS, CODE_BITS>(threshold);
        most = 0;
        for i in 0..SIZES {
            if size == i {
                most = sizes[i];
            }
        }
        (second_clock, lane, busy)
    }
}
