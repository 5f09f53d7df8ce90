//! `link_probation`: lanes that are not used, and their way back (chapter 10, 4.5, *Probation*).
//!
//! ```text
//! lanes ─► prbs_check per lane ─► good in this LTP time? ─► probation_count ─► returned, retrain ─► link_train
//! state, lanes in use ─► waits, removals ──────────────────────▲        └► probe ─► link_lane_tx
//! ```
//!
//! Transmit side: while the end is Active or Degraded, `probe` names the lanes of `allowed` that are not sent on;
//! [`LinkLaneTx`](super::lane::LinkLaneTx) puts the words of their scramblers there.
//!
//! Receive side: a lane of `allowed` that is not received on waits. Each such lane has a debt, which LTP times without a bad word
//! work off while the end is Active, and others add to; at 0 `returned` names it and `retrain` asks for Retraining, in which
//! `link_train` asks for it again. Who was lost, and how often, is told when Active is entered: a lane that was in use, or
//! asked for, before and is not now.
//!
//! | reading of the chapter | because |
//! |---|---|
//! | a direction starts when the end becomes Active | an Init that fails is no start, and nothing is counted in it |
//! | the LTP time that runs when Active is entered is a bad one | nobody has seen all of it |
//! | a lane whose number was never seen is taken to come in at the first of the inputs left over | who it is, it says only in training; of one such lane that is certain |
//! | a new TH is what a debt rises to, and what the next one starts with | a debt that is running is only worked off |
//!
//! - Latency: the last word of the last LTP time to `retrain`, 12 clocks.
//! - Throughput: a word per lane and clock; LTP times at least 8 clocks apart.
//! - `clear`, Down and `restore` forget how often lanes were lost; behind them no lane waits until Active is entered.

mod check;
mod count;

pub use check::PrbsCheck;
pub use count::{ProbationCount, REMOVAL_BITS};

use super::lane::{check_lanes, lane_interface, LANE_IN_BITS};
use crate::config::ConfigError;
use crate::prim::stream::FlowIn;
use crate::registry::StreamRole::FlowSink;
use crate::registry::{Allowed, BlockEntry, BuiltBlock, ParameterInfo, Preset, Settings};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::lane_word::MAX_LANES;
use flitforge_protocol::link::LinkState;

/// Build-time choice of a [`LinkProbation`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProbationConfig {
    /// Physical lanes, 1 to 4.
    pub lanes: usize,
}

impl ProbationConfig {
    /// Refuses a number of lanes other than 1 to 4.
    pub fn check(&self) -> Result<(), ConfigError> {
        check_lanes(NAME, self.lanes)
    }
}

const NAME: &str = ENTRY.name;

/// Probation of one end's lanes, of both directions; see the [module](self).
#[derive(LogicBlock)]
pub struct LinkProbation<const LANES: usize> {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// State of `link_train`.
    pub state: Signal<In, Bits<3>>,
    /// LANES.allowed.
    pub allowed: Signal<In, Bits<4>>,
    /// Lanes sent on.
    pub tx_lanes: Signal<In, Bits<4>>,
    /// Lanes received on, by the sender's numbers.
    pub rx_lanes: Signal<In, Bits<4>>,
    /// Where each of the sender's lanes comes in; 0 for a lane that was not seen.
    pub source: [Signal<In, Bits<2>>; LANES],
    /// Pulse: CTRL.restore.
    pub restore: Signal<In, Bit>,
    /// Pulse: an LTP was received, good or bad.
    pub ltp: Signal<In, Bit>,
    /// Register DEGRADE, enable.
    pub enabled: Signal<In, Bit>,
    /// Register DEGRADE, TH.
    pub threshold: Signal<In, Bits<3>>,
    /// Register DEGRADE, SAFE.
    pub safe: Signal<In, Bits<3>>,
    /// Lane words: word in bits 31..0, ctl in bit 32, code_err in bit 33.
    pub lanes: [FlowIn<Bits<LANE_IN_BITS>>; LANES],
    /// Lanes that are to carry PRBS.
    pub probe: Signal<Out, Bits<4>>,
    /// Lanes, by the sender's numbers, that come back; from `retrain` until the state is another.
    pub returned: Signal<Out, Bits<4>>,
    /// Pulse: Retraining is asked for.
    pub retrain: Signal<Out, Bit>,

    checks: [PrbsCheck; LANES],
    count: ProbationCount,
    was_up: DFF<Bit>,
    probes: DFF<Bits<4>>,
    /// A lane of the sender that was used, or asked for, when the direction was last Active.
    wanted: DFF<Bits<4>>,
    waits: DFF<Bits<4>>,
    removals: [DFF<Bits<REMOVAL_BITS>>; MAX_LANES],
    /// By inputs, in this LTP time: a word came, a bad word came.
    seen: DFF<Bits<4>>,
    failed: DFF<Bits<4>>,
    /// By inputs: the last LTP time was clean.
    clean: DFF<Bits<4>>,
    /// The verdicts on words are two clocks behind the words, so `ltp` is, too.
    ltp_before: DFF<Bit>,
    ltp_now: DFF<Bit>,
    /// Inputs of the lanes in use.
    inputs_used: DFF<Bits<4>>,
    /// Input of each of the sender's lanes, one bit.
    input: [DFF<Bits<4>>; LANES],
    asked: DFF<Bits<4>>,
    asks: DFF<Bit>,

    is_up: Signal<Local, Bit>,
    starts: Signal<Local, Bit>,
    forgets: Signal<Local, Bit>,
    flush: Signal<Local, Bit>,
    seen_now: Signal<Local, Bits<4>>,
    failed_now: Signal<Local, Bits<4>>,
    own: [Signal<Local, Bits<4>>; LANES],
    used_now: Signal<Local, Bits<4>>,
    /// Inputs that the lanes in use and the lanes below lane i have.
    taken: [Signal<Local, Bits<4>>; LANES],
    left: Signal<Local, Bits<4>>,
    first_left: Signal<Local, Bits<4>>,
    good: Signal<Local, Bits<4>>,
    back: Signal<Local, Bits<4>>,
    active: Constant<Bits<3>>,
    degraded: Constant<Bits<3>>,
    one: Constant<Bits<REMOVAL_BITS>>,
    all: Constant<Bits<4>>,
}

impl<const LANES: usize> LinkProbation<LANES> {
    /// Nothing known of any lane; `LANES` is 1 to 4.
    pub fn new() -> Result<Self, ConfigError> {
        ProbationConfig { lanes: LANES }.check()?;
        let checks: Vec<PrbsCheck> = (0..LANES).map(|_| PrbsCheck::new()).collect::<Result<_, _>>()?;
        let checks = checks
            .try_into()
            .map_err(|_| ConfigError::new(NAME, "lanes", LANES, "1 to 4", "choose 1 to 4"))?;
        let code = |state: LinkState| Constant::new(u64::from(state.code()).into());
        Ok(Self {
            clock: Default::default(),
            clear: Default::default(),
            state: Default::default(),
            allowed: Default::default(),
            tx_lanes: Default::default(),
            rx_lanes: Default::default(),
            source: defaults(),
            restore: Default::default(),
            ltp: Default::default(),
            enabled: Default::default(),
            threshold: Default::default(),
            safe: Default::default(),
            lanes: defaults(),
            probe: Default::default(),
            returned: Default::default(),
            retrain: Default::default(),
            checks,
            count: Default::default(),
            was_up: Default::default(),
            probes: Default::default(),
            wanted: Default::default(),
            waits: Default::default(),
            removals: Default::default(),
            seen: Default::default(),
            failed: Default::default(),
            clean: Default::default(),
            ltp_before: Default::default(),
            ltp_now: Default::default(),
            inputs_used: Default::default(),
            input: defaults(),
            asked: Default::default(),
            asks: Default::default(),
            is_up: Default::default(),
            starts: Default::default(),
            forgets: Default::default(),
            flush: Default::default(),
            seen_now: Default::default(),
            failed_now: Default::default(),
            own: defaults(),
            used_now: Default::default(),
            taken: defaults(),
            left: Default::default(),
            first_left: Default::default(),
            good: Default::default(),
            back: Default::default(),
            active: code(LinkState::Active),
            degraded: code(LinkState::Degraded),
            one: Constant::new(1.into()),
            all: Constant::new(0xF.into()),
        })
    }
}

impl<const LANES: usize> Logic for LinkProbation<LANES> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, was_up, probes, wanted, waits, seen, failed, clean, ltp_before, ltp_now);
        dff_setup!(self, clock, inputs_used, asked, asks);
        clock!(self, clock, count);

        self.is_up.next = (self.state.val() == self.active.val()) | (self.state.val() == self.degraded.val());
        self.was_up.d.next = self.is_up.val();
        self.starts.next = self.is_up.val() & !self.was_up.q.val();
        self.forgets.next = self.clear.val() | self.restore.val() | !self.state.val().any();
        self.flush.next = self.forgets.val() | !self.was_up.q.val();

        // Lanes that this end does not send on.
        self.probes.d.next = 0.into();
        if self.is_up.val() {
            self.probes.d.next = self.allowed.val() & !self.tx_lanes.val();
        }
        self.probe.next = self.probes.q.val();

        // Words since the last LTP time, by inputs.
        self.seen_now.next = self.seen.q.val();
        self.failed_now.next = self.failed.q.val();
        for i in 0..LANES {
            self.checks[i].clock.next = self.clock.val();
            self.checks[i].restart.next = !self.was_up.q.val();
            FlowIn::<Bits<LANE_IN_BITS>>::link(&mut self.lanes[i], &mut self.checks[i].lane);
            if self.checks[i].came.val() {
                self.seen_now.next = self.seen_now.val().replace_bit(i, true);
            }
            if self.checks[i].bad.val() {
                self.failed_now.next = self.failed_now.val().replace_bit(i, true);
            }
        }
        self.ltp_before.d.next = self.ltp.val() & !self.flush.val();
        self.ltp_now.d.next = self.ltp_before.q.val() & !self.flush.val();
        self.seen.d.next = self.seen_now.val();
        self.failed.d.next = self.failed_now.val();
        if self.ltp_now.q.val() {
            self.clean.d.next = self.seen_now.val() & !self.failed_now.val();
            self.seen.d.next = 0.into();
            self.failed.d.next = 0.into();
        }
        // The first LTP time is never clean.
        if !self.was_up.q.val() {
            self.seen.d.next = 0.into();
            self.failed.d.next = self.all.val();
        }

        // Which input is whose. It settles long before Active, as nothing of this changes behind training.
        self.used_now.next = 0.into();
        for i in 0..LANES {
            self.own[i].next = 0.into();
            self.own[i].next = self.own[i].val().replace_bit(self.source[i].val().index(), true);
            if self.rx_lanes.val().get_bit(i) {
                self.used_now.next = self.used_now.val() | self.own[i].val();
            }
        }
        self.inputs_used.d.next = self.used_now.val();
        self.taken[0].next = self.inputs_used.q.val();
        for i in 1..LANES {
            self.taken[i].next = self.taken[i - 1].val() | self.input[i - 1].q.val();
        }
        self.good.next = 0.into();
        for i in 0..LANES {
            self.left.next = 0.into();
            for j in 0..LANES {
                self.left.next = self.left.val().replace_bit(j, !self.taken[i].val().get_bit(j));
            }
            self.first_left.next = 0.into();
            for j in 0..LANES {
                if self.left.val().get_bit(j) & !self.first_left.val().any() {
                    self.first_left.next = self.first_left.val().replace_bit(j, true);
                }
            }
            self.input[i].clock.next = self.clock.val();
            self.input[i].d.next = self.own[i].val();
            if !self.rx_lanes.val().get_bit(i) & (self.taken[i].val() & self.own[i].val()).any() {
                self.input[i].d.next = self.first_left.val();
            }
            self.good.next =
                self.good.val().replace_bit(i, (self.input[i].q.val() & self.clean.q.val()).any());
        }

        // Who waits, and how often it was lost.
        self.count.flush.next = self.flush.val();
        self.count.ltp.next = self.ltp_now.q.val();
        self.count.good.next = self.good.val();
        // One that comes back in this clock may be visited in it again.
        self.count.waits.next = self.waits.q.val() & !self.count.back.val();
        self.count.enabled.next = self.enabled.val();
        self.count.threshold.next = self.threshold.val();
        self.count.safe.next = self.safe.val();
        self.count.lost_lanes.next = 0.into();
        self.back.next = self.count.back.val();
        if self.flush.val() {
            self.back.next = 0.into();
        }
        self.waits.d.next = self.waits.q.val() & !self.back.val();
        self.wanted.d.next = self.wanted.q.val() | self.back.val();
        for i in 0..4 {
            self.removals[i].clock.next = self.clock.val();
            self.count.removals[i].next = self.removals[i].q.val();
            self.removals[i].d.next = self.removals[i].q.val();
            if (self.starts.val() & self.wanted.q.val().get_bit(i))
                & (!self.rx_lanes.val().get_bit(i) & !self.removals[i].q.val().all())
            {
                self.removals[i].d.next = self.removals[i].q.val() + self.one.val();
            }
            if self.forgets.val() {
                self.removals[i].d.next = 0.into();
            }
        }
        if self.starts.val() {
            // One that waits already goes on where it was.
            self.count.lost_lanes.next = !self.waits.q.val() | (self.wanted.q.val() & !self.rx_lanes.val());
            self.waits.d.next = self.allowed.val() & !self.rx_lanes.val();
            self.wanted.d.next = self.rx_lanes.val();
        }
        if self.forgets.val() {
            self.waits.d.next = 0.into();
            self.wanted.d.next = 0.into();
        }

        // What comes back.
        self.asks.d.next = self.back.val().any();
        self.asked.d.next = self.asked.q.val() | self.back.val();
        if self.flush.val() {
            self.asked.d.next = 0.into();
        }
        self.returned.next = self.asked.q.val();
        self.retrain.next = self.asks.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label(NAME, &[("lanes", LANES.to_string())])
    }
}

drive_ports!(impl[const LANES: usize] LinkProbation<LANES> {
    clock, clear, state, allowed, tx_lanes, rx_lanes, source, restore, ltp, enabled, threshold, safe, lanes, probe, returned, retrain,
});

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "link_probation",
    chapter: "10-link",
    summary: "lanes that are not used carry PRBS and come back once they are clean",
    parameters: &[ParameterInfo {
        name: "lanes",
        default: 4,
        allowed: Allowed::Range(1, 4),
        doc: "physical lanes",
    }],
    presets: &[
        Preset { name: "default", values: &[] },
        Preset { name: "two_lanes", values: &[("lanes", 2)] },
    ],
    build,
};

fn build(settings: &Settings) -> Result<BuiltBlock, ConfigError> {
    let lanes = settings.size("lanes")?;
    let note = "last word of the last LTP time to what asks for Retraining";
    let interface = lane_interface(&[], &[("lanes", FlowSink)], lanes, 12, note);
    match lanes {
        1 => Ok(BuiltBlock::new(LinkProbation::<1>::new()?, interface)),
        2 => Ok(BuiltBlock::new(LinkProbation::<2>::new()?, interface)),
        3 => Ok(BuiltBlock::new(LinkProbation::<3>::new()?, interface)),
        4 => Ok(BuiltBlock::new(LinkProbation::<4>::new()?, interface)),
        _ => Err(settings.unsupported("lanes", "1 to 4")),
    }
}
