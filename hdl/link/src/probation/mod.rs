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
//! - `clear`, Down and `restore` forget how often lanes were lost; after them no lane waits until Active is entered.

mod check;
mod count;
mod inputs;

pub use check::PrbsCheck;
pub use count::{ProbationCount, REMOVAL_BITS};
pub use inputs::ProbationInputs;

use super::lane::{check_lanes, lane_interface, LANE_IN_BITS};
use flitforge_hdl_prim::prelude::*;
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
/// Codes of the states in which flits go.
const ACTIVE: u8 = LinkState::Active.code();
const DEGRADED: u8 = LinkState::Degraded.code();
/// Every lane.
const ALL: u64 = (1 << MAX_LANES) - 1;

/// Probation of one end's lanes, of both directions; see the [module](self).
#[block(new)]
pub struct LinkProbation<const LANES: usize> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// State of `link_train`.
    state: In<Bits<3>>,
    /// LANES.allowed.
    allowed: In<Bits<4>>,
    /// Lanes sent on.
    tx_lanes: In<Bits<4>>,
    /// Lanes received on, by the sender's numbers.
    rx_lanes: In<Bits<4>>,
    /// Where each of the sender's lanes comes in; 0 for a lane that was not seen.
    source: [In<Bits<2>>; LANES],
    /// Pulse: CTRL.restore.
    restore: In<Bit>,
    /// Pulse: an LTP was received, good or bad.
    ltp: In<Bit>,
    /// Register DEGRADE, enable.
    enabled: In<Bit>,
    /// Register DEGRADE, TH.
    threshold: In<Bits<3>>,
    /// Register DEGRADE, SAFE.
    safe: In<Bits<3>>,
    /// Lane words: word in bits 31..0, ctl in bit 32, code_err in bit 33.
    pub lanes: [FlowIn<Bits<LANE_IN_BITS>>; LANES],
    /// Lanes that are to carry PRBS.
    probe: Out<Bits<4>>,
    /// Lanes, by the sender's numbers, that come back; from `retrain` until the state is another.
    returned: Out<Bits<4>>,
    /// Pulse: Retraining is asked for.
    retrain: Out<Bit>,

    #[wire(clock)]
    checks: [PrbsCheck; LANES],
    #[wire(clock, rx_lanes, clean)]
    inputs: ProbationInputs<LANES>,
    #[wire(clock, enabled, threshold, safe)]
    count: ProbationCount,
    was_up: Reg<Bit>,
    probes: Reg<Bits<MAX_LANES>>,
    /// A lane of the sender that was used, or asked for, when the direction was last Active.
    wanted: Reg<Bits<MAX_LANES>>,
    waits: Reg<Bits<MAX_LANES>>,
    #[wire(d = _)]
    removals: [Reg<Bits<REMOVAL_BITS>>; MAX_LANES],
    /// By inputs, in this LTP time: a word came, a bad word came.
    seen: Reg<Bits<MAX_LANES>>,
    failed: Reg<Bits<MAX_LANES>>,
    /// By inputs: the last LTP time was clean.
    clean: Reg<Bits<MAX_LANES>>,
    /// The verdicts on words are two clocks after the words, so `ltp` is, too.
    ltp_before: Reg<Bit>,
    ltp_now: Reg<Bit>,
    asked: Reg<Bits<MAX_LANES>>,
    asks: Reg<Bit>,
}

#[logic]
impl<const LANES: usize> LinkProbation<LANES> {
    /// Nothing known of any lane; `LANES` is 1 to 4.
    pub fn new() -> Result<Self, ConfigError> {
        ProbationConfig { lanes: LANES }.check()?;
        let checks: Vec<PrbsCheck> = (0..LANES).map(|_| PrbsCheck::new()).collect::<Result<_, _>>()?;
        let checks = checks
            .try_into()
            .map_err(|_| ConfigError::new(NAME, "lanes", LANES, "1 to 4", "choose 1 to 4"))?;
        Ok(Self { checks, .. })
    }

    fn update(&mut self) {
        let is_up = (state == ACTIVE) | (state == DEGRADED);
        let starts = is_up & !was_up;
        let forgets = clear | restore | !state.any();
        let flush = forgets | !was_up;
        was_up = is_up;

        // Lanes that this end does not send on.
        probes = if is_up { allowed & !tx_lanes } else { 0 };
        probe = probes;

        // Words since the last LTP time, by inputs. The first LTP time is never clean.
        let mut received: Bits<MAX_LANES> = 0;
        let mut bad: Bits<MAX_LANES> = 0;
        for i in 0..LANES {
            inputs.source[i] = source[i];
            checks[i].restart = !was_up;
            link(lanes[i], checks[i].lane);
            received = received.with(i, checks[i].received);
            bad = bad.with(i, checks[i].bad);
        }
        let seen_now = seen | received;
        let failed_now = failed | bad;
        ltp_before = ltp & !flush;
        ltp_now = ltp_before & !flush;
        if ltp_now {
            clean = seen_now & !failed_now;
        }
        seen = if ltp_now | !was_up { 0 } else { seen_now };
        failed = if !was_up {
            ALL
        } else if ltp_now {
            0
        } else {
            failed_now
        };

        // Who waits. One that comes back in this clock may be visited in it again; one that waits already goes on where it was.
        let back: Bits<MAX_LANES> = if flush { 0 } else { count.back };
        let absent = !rx_lanes;
        count = In { flush, ltp: ltp_now, good: inputs.good, waits: waits & !count.back };
        count.lost_lanes = if starts { !waits | (wanted & absent) } else { 0 };
        waits = waits & !back;
        wanted = wanted | back;
        if starts {
            waits = allowed & absent;
            wanted = rx_lanes;
        }
        if forgets {
            waits = 0;
            wanted = 0;
        }

        // How often each was lost.
        for i in 0..MAX_LANES {
            let lost = starts & wanted[i] & absent[i] & !removals[i].all();
            count.removals[i] = removals[i];
            removals[i] = if lost { removals[i] + 1 } else { removals[i] };
            if forgets {
                removals[i] = 0;
            }
        }

        // What comes back.
        asks = back.any();
        asked = if flush { 0 } else { asked | back };
        returned = asked;
        retrain = asks;
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label(NAME, &[("lanes", LANES.to_string())])
    }
}

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "link_probation",
    chapter: "10-link",
    summary: "lanes that are not used carry PRBS and come back once they are clean",
    parameters: &[ParameterInfo::new("lanes", 4, Allowed::Range(1, 4), "physical lanes")],
    presets: &[
        Preset { name: "default", values: &[] },
        Preset { name: "two_lanes", values: &[("lanes", 2)] },
    ],
    build,
};

fn build(settings: &Settings) -> Result<BuiltBlock, ConfigError> {
    shapes! {
        settings: (lanes) => build_as [lanes];
        presets { (4) (2) }
    }
}

/// Builds the block for `N` lanes.
pub fn build_as<const N: usize>(_: &Settings) -> Result<BuiltBlock, ConfigError> {
    let note = "last word of the last LTP time to what asks for Retraining";
    let interface = lane_interface(&[], &[("lanes", FlowSink)], N, 12, note);
    Ok(BuiltBlock::new(LinkProbation::<N>::new()?, interface))
}
