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
//! - Latency: `remove` and `refused` (one clock long) 8 clocks behind the LTP and 1 behind a `fault`; `debt` 7 behind the LTP, 2
//!   behind `enter` and what follows from `remove`.
//! - Throughput: one LTP in 8 clocks; rows of four words bring no more. At most one lane in `lane_errors`. A `fault` counts what
//!   was known 9 clocks before.
//! - `clear`: no lane is in use, nothing is owed or pending.

mod charge;
mod debts;

pub use charge::{DegradeCharge, CHARGE_BITS};
pub use debts::DegradeDebts;

use crate::config::ConfigError;
use crate::registry::{BlockEntry, BuiltBlock, InterfaceInfo, Preset, Settings};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::lane_word::MAX_LANES;
use flitforge_protocol::link_registers::lane;

/// Bits of a debt as register LANE has it.
pub const DEBT_BITS: usize = lane::debt::WIDTH;

/// A debt per lane; see the [module](self).
#[derive(LogicBlock)]
pub struct LinkDegrade {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// Active is entered.
    pub enter: Signal<In, Bit>,
    /// With `enter`: lanes received on, by the sender's numbers.
    pub active: Signal<In, Bits<4>>,
    /// An LTP was received, good or bad.
    pub ltp: Signal<In, Bit>,
    /// With `ltp`: it was tossed, in TOSS.
    pub tossed: Signal<In, Bit>,
    /// With `ltp`: verdict on a lane, one bit at most.
    pub lane_errors: Signal<In, Bits<4>>,
    /// A RetryReq pair goes out.
    pub request: Signal<In, Bit>,
    /// Retry asks for Retraining: RETRY_LIMIT or BAD_RUN of the receiver.
    pub fault: Signal<In, Bit>,
    /// Register DEGRADE, enable.
    pub enabled: Signal<In, Bit>,
    /// Register DEGRADE, MIN_LANES-1.
    pub min_lanes: Signal<In, Bits<2>>,
    /// Register DEGRADE, TH.
    pub threshold: Signal<In, Bits<3>>,
    /// Register DEGRADE, STAND_OUT.
    pub stand_out: Signal<In, Bits<2>>,
    /// Register DEGRADE, SAFE.
    pub safe: Signal<In, Bits<3>>,
    /// Debts in 1,024 LTP times.
    pub debt: [Signal<Out, Bits<DEBT_BITS>>; MAX_LANES],
    /// Pulse, one bit at most: this lane has to go.
    pub remove: Signal<Out, Bits<4>>,
    /// Pulse: a lane should go, but no lane may. Event `REMOVE_REFUSED`.
    pub refused: Signal<Out, Bit>,

    charger: DegradeCharge,
    debts: DegradeDebts,
    in_use: DFF<Bits<4>>,
    /// How many that are, and whether one may go; they stand long before anybody asks.
    lanes: DFF<Bits<3>>,
    may_go: DFF<Bit>,
    out_remove: DFF<Bits<4>>,
    out_refused: DFF<Bit>,
    /// A fault that came while a debt was looked at.
    fault_waits: DFF<Bit>,

    counts: Signal<Local, Bit>,
    charged: Signal<Local, Bits<4>>,
    going: Signal<Local, Bits<4>>,
    /// `going` is not 0.
    some_goes: Signal<Local, Bit>,
    faulty: Signal<Local, Bit>,
    one: Constant<Bits<3>>,
}

impl Default for LinkDegrade {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            clear: Default::default(),
            enter: Default::default(),
            active: Default::default(),
            ltp: Default::default(),
            tossed: Default::default(),
            lane_errors: Default::default(),
            request: Default::default(),
            fault: Default::default(),
            enabled: Default::default(),
            min_lanes: Default::default(),
            threshold: Default::default(),
            stand_out: Default::default(),
            safe: Default::default(),
            debt: Default::default(),
            remove: Default::default(),
            refused: Default::default(),
            charger: Default::default(),
            debts: Default::default(),
            in_use: Default::default(),
            out_remove: Default::default(),
            out_refused: Default::default(),
            fault_waits: Default::default(),
            faulty: Default::default(),
            counts: Default::default(),
            charged: Default::default(),
            going: Default::default(),
            some_goes: Default::default(),
            lanes: Default::default(),
            may_go: Default::default(),
            one: Constant::new(1.into()),
        }
    }
}

impl Logic for LinkDegrade {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, in_use, lanes, may_go, out_remove, out_refused, fault_waits);
        clock!(self, clock, charger, debts);
        self.lanes.d.next = bit_cast::<3, 1>(self.in_use.q.val().get_bits::<1>(0))
            + bit_cast::<3, 1>(self.in_use.q.val().get_bits::<1>(1))
            + bit_cast::<3, 1>(self.in_use.q.val().get_bits::<1>(2))
            + bit_cast::<3, 1>(self.in_use.q.val().get_bits::<1>(3));

        self.counts.next = self.ltp.val() & !self.enter.val();
        self.charged.next = self.lane_errors.val() & self.in_use.q.val();
        self.charger.clear.next = self.clear.val();
        self.charger.ltp.next = self.counts.val();
        self.charger.tossed.next = self.tossed.val();
        self.charger.verdict.next = self.charged.val().any();
        self.charger.request.next = self.request.val();
        self.charger.lanes.next = self.lanes.q.val();
        self.charger.safe.next = self.safe.val();
        self.debts.clear.next = self.clear.val();
        self.debts.start.next = self.counts.val();
        self.debts.charged.next = self.charged.val();
        self.debts.charge.next = self.charger.charge.val();
        self.debts.in_use.next = self.in_use.q.val();
        self.debts.threshold.next = self.threshold.val();
        self.debts.stand_out.next = self.stand_out.val();
        for i in 0..4 {
            self.debt[i].next = self.debts.debt[i].val();
        }

        // A lane whose debt is due, else the worst with a fault.
        self.going.next = 0.into();
        self.some_goes.next = false;
        self.faulty.next = self.fault.val() | self.fault_waits.q.val();
        self.fault_waits.d.next = self.faulty.val() & self.debts.deciding.val();
        if self.enabled.val() {
            if self.debts.deciding.val() {
                self.going.next = self.debts.due.val();
                self.some_goes.next = self.debts.some_due.val();
            } else if self.faulty.val() {
                self.going.next = self.debts.worst.val();
                self.some_goes.next = self.debts.some_worst.val();
            }
        }
        self.debts.forget.next = self.some_goes.val() | self.enter.val();
        self.debts.drop_lanes.next = self.going.val();
        self.may_go.d.next = self.lanes.q.val() > (bit_cast::<3, 2>(self.min_lanes.val()) + self.one.val());
        self.out_remove.d.next = 0.into();
        if self.may_go.q.val() {
            self.out_remove.d.next = self.going.val();
            self.in_use.d.next = self.in_use.q.val() & !self.going.val();
        }
        self.out_refused.d.next = self.some_goes.val() & !self.may_go.q.val();
        if self.enter.val() {
            self.debts.drop_lanes.next = self.going.val() | !(self.in_use.q.val() & self.active.val());
            self.in_use.d.next = self.active.val();
        }
        if self.clear.val() {
            self.in_use.d.next = 0.into();
            self.out_remove.d.next = 0.into();
            self.out_refused.d.next = false;
            self.fault_waits.d.next = false;
        }
        self.remove.next = self.out_remove.q.val();
        self.refused.next = self.out_refused.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("link_degrade", &[])
    }
}

drive_ports!(impl[] LinkDegrade {
    clock, clear, enter, active, ltp, tossed, lane_errors, request, fault, enabled, min_lanes, threshold, stand_out, safe, debt,
    remove, refused,
});

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
