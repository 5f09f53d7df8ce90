//! `link_degrade`: when a lane is removed (chapter 10, 4.5).
//!
//! Every lane in use has a debt in LTP times. Each LTP (`ltp`) takes 1 off, but a verdict on the lane (`lane_errors`) adds L
//! times what retries have cost since the last verdict: LTPs that were `tossed`, and 5 for each `request`. At 2^(10 +
//! `threshold`) the lane has to go if it has more than 2^`stand_out` times the verdicts of the lane with the fewest:
//!
//! - with more than `min_lanes` + 1 lanes in use, `remove` names the lane: `link_train` clears its rx_ok bit and goes to
//!   Retraining. The lane is out of use until the next `enter`;
//! - else the removal is `refused`, and debt and verdicts of the lane are 0.
//!
//! So does at once, at a `fault`, the lane that had the largest debt at the last LTP, if it had three verdicts and stood out.
//! With `enabled` low all is counted and nothing follows.
//!
//! `enter` says that Active is entered, on the lanes of `active`: lanes that were in use keep what they have, others start at
//! 0. An LTP in that clock is lost.
//!
//! | part | does |
//! |---|---|
//! | `DegradeCharge` | counts what retries cost, and says what a verdict costs |
//! | `DegradeDebts` | turns the debts past one adder, and finds the lane that stands out |
//!
//! - Latency: `remove` and `refused` (one clock long) 8 clocks after the LTP and 1 after a `fault`; `debt` 7 after the LTP, 2
//!   after `enter` and what follows from `remove`.
//! - Throughput: one LTP in 8 clocks; rows of four words bring no more. At most one lane in `lane_errors`. A `fault` counts what
//!   was known 9 clocks before.
//! - `clear`: no lane is in use, nothing is owed or pending.

mod charge;
mod debts;

pub use charge::{DegradeCharge, CHARGE_BITS};
pub use debts::DegradeDebts;

use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::lane_word::MAX_LANES;
use flitforge_protocol::link_registers::lane;

/// Bits of a debt as register LANE has it.
pub const DEBT_BITS: usize = lane::debt::WIDTH;

/// A debt per lane; see the [module](self).
#[block("link_degrade")]
pub struct LinkDegrade {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// Active is entered.
    enter: In<Bit>,
    /// With `enter`: lanes received on, by the sender's numbers.
    active: In<Bits<4>>,
    /// An LTP was received, good or bad.
    ltp: In<Bit>,
    /// With `ltp`: it was tossed, in TOSS.
    tossed: In<Bit>,
    /// With `ltp`: verdict on a lane, one bit at most.
    lane_errors: In<Bits<4>>,
    /// A RetryReq pair goes out.
    request: In<Bit>,
    /// Retry asks for Retraining: RETRY_LIMIT or BAD_RUN of the receiver.
    fault: In<Bit>,
    /// Register DEGRADE, enable.
    enabled: In<Bit>,
    /// Register DEGRADE, MIN_LANES-1.
    min_lanes: In<Bits<2>>,
    /// Register DEGRADE, TH.
    threshold: In<Bits<3>>,
    /// Register DEGRADE, STAND_OUT.
    stand_out: In<Bits<2>>,
    /// Register DEGRADE, SAFE.
    safe: In<Bits<3>>,
    /// Debts in 1,024 LTP times.
    debt: [Out<Bits<DEBT_BITS>>; MAX_LANES],
    /// Pulse, one bit at most: this lane has to go.
    remove: Out<Bits<4>>,
    /// Pulse: a lane should go, but no lane may. Event `REMOVE_REFUSED`.
    refused: Out<Bit>,

    #[wire(clock, clear)]
    charger: DegradeCharge,
    #[wire(clock, clear)]
    debts: DegradeDebts,
    in_use: Reg<Bits<4>>,
    /// How many that are, and whether one may go; they stand long before anybody asks.
    lanes: Reg<Bits<3>>,
    may_go: Reg<Bit>,
    out_remove: Reg<Bits<4>>,
    out_refused: Reg<Bit>,
    /// A fault that came while a debt was looked at.
    fault_waits: Reg<Bit>,

    #[init(1)]
    one: Constant<Bits<3>>,
}

#[logic]
impl LinkDegrade {
    fn update(&mut self) {
        lanes = bit_cast::<3, 1>(in_use.bits::<1>(0))
            + bit_cast::<3, 1>(in_use.bits::<1>(1))
            + bit_cast::<3, 1>(in_use.bits::<1>(2))
            + bit_cast::<3, 1>(in_use.bits::<1>(3));

        let counts = ltp & !enter;
        let charged = lane_errors & in_use;
        charger = In { ltp: counts, tossed, verdict: charged.any(), request, lanes, safe };
        debts = In { start: counts, charged, charge: charger.charge, in_use, threshold, stand_out };
        for i in 0..4 {
            debt[i] = debts.debt[i];
        }

        // A lane whose debt is due, else the worst with a fault.
        let mut going: Bits<4> = 0;
        // `going` is not 0.
        let mut some_goes = false;
        let faulty = fault | fault_waits;
        fault_waits = faulty & debts.deciding;
        if enabled {
            if debts.deciding {
                going = debts.due;
                some_goes = debts.some_due;
            } else if faulty {
                going = debts.worst;
                some_goes = debts.some_worst;
            }
        }
        debts = In { forget: some_goes | enter, drop_lanes: going };
        may_go = lanes > (bit_cast::<3, 2>(min_lanes) + one);
        out_remove = 0;
        if may_go {
            out_remove = going;
            in_use = in_use & !going;
        }
        out_refused = some_goes & !may_go;
        if enter {
            debts.drop_lanes = going | !(in_use & active);
            in_use = active;
        }
        if clear {
            in_use = 0;
            out_remove = 0;
            out_refused = false;
            fault_waits = false;
        }
        remove = out_remove;
        refused = out_refused;
    }
}

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "link_degrade",
    chapter: "10-link",
    summary: "debt per lane, asks for the removal of a lane",
    parameters: &[],
    presets: &[Preset { name: "default", values: &[] }],
    build,
};

fn build(_: &Settings) -> Result<BuiltBlock, ConfigError> {
    let interface = InterfaceInfo::clocked(&[], Some(8), "LTP to removal");
    Ok(BuiltBlock::new(LinkDegrade::default(), interface))
}
