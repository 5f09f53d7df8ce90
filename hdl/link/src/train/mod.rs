//! `link_train`: link training of one end (chapter 10, 3.6, 4.6 and the lane part of 4.7).
//!
//! ```text
//! lanes ─► link_train_rx per lane ─► view (all lanes together) ─► state machine ─► link_train_tx ─► training
//! ```
//!
//! [`LinkTrain`] brings the link from Down to Init, back to Retraining and Down, and says to every other block what it
//! needs to know: state, lanes, CRC modes, lane map, polarity. It sits beside `link_lane`: its `training` words go into
//! [`LinkLaneTx`](super::lane::LinkLaneTx), and it reads the words that [`LinkLaneRx`](super::lane::LinkLaneRx) reads.
//! [`LinkLanes`] is the three together.
//!
//! A step of the state machine takes place once per training-set time: when the own set ends (every 8 clocks while no lane sends
//! sets), or after 65 clocks if the PHY takes no words.
//!
//! What came in up to there is looked at in the 10 clocks later; the answer is in the set but one behind. So the step is that of
//! the golden model, two sets late. Masks and the start row change at a set's end, so that a set never mixes two states.
//!
//! | reading of the chapter | because |
//! |---|---|
//! | a number that two lanes name counts on neither | one of them is wrong, and nobody can tell which |
//! | the lanes' skew is measured on equal counts, but the FIFOs fill from the start row on | sets and rows leave all lanes in step, so both say the same |
//! | the timeouts count training-set times | a set takes 8 clocks at least, so that they are never shorter than the chapter's |
//! | a Retrain that comes while the end confirms waits for Init | the peer's rows may already be coming |
//! | the PHY inverts a lane, not this block | a coded lane cannot be inverted after its decoder |
//!
//! Latency: a set of the peer to the state it brings about, 11 to 20 clocks. `clear` forces Down within a clock,
//! forgets what the lanes sent and starts the epoch at 0. Bad input never gets further than its own lane: a set with
//! a wrong CRC, version or pattern, or cut off, counts against the lane's lock.

mod events;
mod lanes;
mod locks;
mod machine;
mod mode;
mod receive;
mod set_crc;
mod skew;
mod transmit;
mod unit;
mod view;

pub use events::{Events, TrainEvents};
pub use lanes::LinkLanes;
pub use locks::TrainLocks;
pub use machine::TrainMachine;
pub use mode::TrainMode;
pub use receive::TrainSetRx;
pub use set_crc::SetCrc;
pub use skew::TrainSkew;
pub use transmit::{TrainSetTx, OFFER_BITS};
pub use unit::LinkTrain;
pub use view::TrainView;

use crate::lane::{check_lanes, lane_interface};
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::training::{
    AGREE_CLOCKS, CALL_SETS, CLOCKS_PER_SET, LOCK_SETS, POLL_WAIT_CLOCKS, STABLE_SETS, TRAINING_TRIES,
    TS2_SEEN, TS2_SENT,
};
use rust_hdl::prelude::TimingInfo;

const _: () = assert!(CALL_SETS == 2, "the state machine remembers one set");

/// Build-time choice of [`LinkTrain`]. Counts and timeouts are in training-set times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkTrainConfig {
    /// Physical lanes, 1 to 4.
    pub lanes: usize,
    /// Good sets in a row that lock a lane, 2 to 8.
    pub lock_sets: u32,
    /// Sets with unchanged masks before TS2, 1 to 15.
    pub stable_sets: u32,
    /// TS2 to be seen before the start row, 1 to 31.
    pub ts2_seen: u32,
    /// TS2 to be sent before the start row, 1 to 31.
    pub ts2_sent: u32,
    /// How long other lanes are waited for after the first, 1 to 16000.
    pub poll_wait_sets: u32,
    /// How long Training and Retraining may take, 1 to 262000.
    pub agree_sets: u32,
    /// Tries of Training before Down, 1 to 15.
    pub tries: u32,
}

impl LinkTrainConfig {
    /// The chapter's numbers for so many lanes.
    pub fn new(lanes: usize) -> Self {
        Self {
            lanes,
            lock_sets: LOCK_SETS,
            stable_sets: STABLE_SETS,
            ts2_seen: TS2_SEEN,
            ts2_sent: TS2_SENT,
            poll_wait_sets: POLL_WAIT_CLOCKS / CLOCKS_PER_SET,
            agree_sets: AGREE_CLOCKS / CLOCKS_PER_SET,
            tries: TRAINING_TRIES,
        }
    }

    /// The same with short timeouts, for simulation.
    pub fn short(lanes: usize) -> Self {
        Self { poll_wait_sets: 24, agree_sets: 120, tries: 2, ..Self::new(lanes) }
    }

    /// Refuses what does not fit the counters.
    pub fn check(&self) -> Result<(), ConfigError> {
        let block = "link_train";
        check_lanes(block, self.lanes)?;
        check_range(block, "lock_sets", self.lock_sets.into(), 2, 8)?;
        for (parameter, value, max) in [
            ("stable_sets", self.stable_sets, 15),
            ("ts2_seen", self.ts2_seen, 31),
            ("ts2_sent", self.ts2_sent, 31),
            ("poll_wait_sets", self.poll_wait_sets, 16_000),
            ("agree_sets", self.agree_sets, 262_000),
            ("tries", self.tries, 15),
        ] {
            check_range(block, parameter, value.into(), 1, max)?;
        }
        Ok(())
    }
}

const LANES: ParameterInfo = ParameterInfo::new("lanes", 4, Allowed::Range(1, 4), "physical lanes");
const TIMES: [ParameterInfo; 3] = [
    ParameterInfo::new(
        "poll_wait",
        (POLL_WAIT_CLOCKS / CLOCKS_PER_SET) as u64,
        Allowed::Range(1, 16_000),
        "POLL_WAIT in training-set times",
    ),
    ParameterInfo::new(
        "agree",
        (AGREE_CLOCKS / CLOCKS_PER_SET) as u64,
        Allowed::Range(1, 262_000),
        "limit of Training and Retraining in training-set times",
    ),
    ParameterInfo::new(
        "tries",
        TRAINING_TRIES as u64,
        Allowed::Range(1, 15),
        "tries of Training before Down",
    ),
];
const PARAMETERS: &[ParameterInfo] = &[LANES, TIMES[0], TIMES[1], TIMES[2]];
const SHORT: &[(&str, u64)] = &[("poll_wait", 24), ("agree", 120), ("tries", 2)];
const PRESETS: &[Preset] = &[
    Preset { name: "default", values: &[] },
    Preset { name: "short", values: SHORT },
    Preset { name: "two_lanes", values: &[("lanes", 2), ("poll_wait", 24), ("agree", 120)] },
    Preset { name: "one_lane", values: &[("lanes", 1), ("poll_wait", 24), ("agree", 120)] },
];

fn config(settings: &Settings) -> Result<LinkTrainConfig, ConfigError> {
    let lanes = settings.size("lanes")?;
    let time = |name| settings.get(name).map(|value| value as u32);
    Ok(LinkTrainConfig {
        poll_wait_sets: time("poll_wait")?,
        agree_sets: time("agree")?,
        tries: time("tries")?,
        ..LinkTrainConfig::new(lanes)
    })
}

/// The label of a block that there is with and without probation of lanes.
fn label(block: &str, lanes: usize, probation: usize) -> Vec<TimingInfo> {
    let lanes = ("lanes", lanes.to_string());
    match probation {
        0 => block_label(block, &[lanes]),
        _ => block_label(block, &[lanes, ("probation", "1".to_string())]),
    }
}

/// Registry entry of the sender of training sets.
pub const TX_ENTRY: BlockEntry = BlockEntry {
    name: "link_train_tx",
    chapter: "10-link",
    summary: "training sets to the lanes, in step",
    parameters: &[LANES],
    presets: &[Preset { name: "default", values: &[] }, Preset { name: "one_lane", values: &[("lanes", 1)] }],
    build: |settings| {
        shapes! {
            settings: (lanes) => build_tx_as [lanes];
            presets { (4) (1) }
        }
    },
};

/// Builds the sets' sender for `N` lanes.
pub fn build_tx_as<const N: usize>(_: &Settings) -> Result<BuiltBlock, ConfigError> {
    let interface = lane_interface(&[], &[("training", StreamSource)], N, 0, "no data goes through");
    Ok(BuiltBlock::new(TrainSetTx::<N>::new()?, interface))
}

/// Registry entry of the receiver of one lane's training sets.
pub const RX_ENTRY: BlockEntry = BlockEntry {
    name: "link_train_rx",
    chapter: "10-link",
    summary: "training sets from one lane: polarity, identity, check",
    parameters: &[],
    presets: &[Preset { name: "default", values: &[] }],
    build: |_| {
        let interface =
            InterfaceInfo::clocked(&[("lane", FlowSink)], Some(3), "last word of a set to `received`");
        Ok(BuiltBlock::new(TrainSetRx::new()?, interface))
    },
};

/// Registry entry of training.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "link_train",
    chapter: "10-link",
    summary: "link training: state machine, training sets, lanes and CRC mode",
    parameters: PARAMETERS,
    presets: PRESETS,
    build: |settings| {
        shapes! {
            settings: (lanes) => build_as [lanes];
            presets { (4) (2) (1) }
        }
    },
};

/// Builds training for `N` lanes.
// A stack frame holds one of these big blocks and not all of them.
#[inline(never)]
pub fn build_as<const N: usize>(settings: &Settings) -> Result<BuiltBlock, ConfigError> {
    let per_lane = [("training", StreamSource), ("lanes", FlowSink)];
    let interface = lane_interface(&[], &per_lane, N, 0, "no data goes through");
    Ok(BuiltBlock::new(LinkTrain::<N>::new(config(settings)?)?, interface))
}

/// Registry entry of the lane side of a port.
pub const LANES_ENTRY: BlockEntry = BlockEntry {
    name: "link_lanes",
    chapter: "10-link",
    summary: "the lane side of a port: training, rows to lanes, lanes to rows",
    parameters: PARAMETERS,
    presets: PRESETS,
    build: |settings| {
        shapes! {
            settings: (lanes) => build_lanes_as [lanes];
            presets { (4) (2) (1) }
        }
    },
};

/// Builds the lane side of a port of `N` lanes.
#[inline(never)]
pub fn build_lanes_as<const N: usize>(settings: &Settings) -> Result<BuiltBlock, ConfigError> {
    let per_lane = [("tx", StreamSource), ("rx", FlowSink)];
    let streams = [("rows_in", StreamSink), ("rows_out", FlowSource)];
    let interface = lane_interface(&streams, &per_lane, N, 2, "row taken to its lane words");
    Ok(BuiltBlock::new(LinkLanes::<N>::new(config(settings)?)?, interface))
}
