//! `link_lane`: rows of L words to physical lanes and back (chapter 10, 3.6 and 4.7; deskew 4.6 rule 2).
//!
//! Sender, [`LinkLaneTx`]: `start` sends the start row (SDS) on the active lanes, after the training words that leave in a clock
//! with it, and loads the scramblers; then every row is dealt, word i to the i-th active lane, and scrambled; after every 4096
//! rows an ALN row goes out. 2 clocks from a row taken to its lane words; one row per clock.
//!
//! Rows come in through a skid buffer, so `rows.ready` is a register: it falls one clock after the rows stopped moving, and up to
//! two rows wait, one before `start`. A row moves when the register of every active lane is free, so a lane that stalls stalls
//! all. Without an active lane no row moves. `clear` stops and drops the rows and words that wait.
//!
//! Lanes that are not in use, and all lanes before `start`, send what comes on `training`: before `start` all in the same
//! clock, after it with every row. So the FIFOs of all lanes in the PHY are equally
//! full when all train again. A lane whose register is not free then loses the word, and while rows have stopped all
//! words that not every lane has are lost.
//!
//! Receiver, [`LinkLaneRx`]: a lane starts with its start row, if that names this lane, L and CRC mode. A row is made when every
//! active lane has its word: 2 clocks from the last of its lane words.
//!
//! Lanes may be up to 14 words apart (+-7 about the middle), and one more for clocks that are not in step, while the row's last
//! word is on its way here; a 17th word that waits gives `deskew_lost`, as do a lane that stops, and an ALN number that is not
//! the row's; no row after it comes out.
//!
//! `deskew_lost` comes 3 clocks after the word (ALN: one more), `start_mismatch` 2. Rows are deterministic: a control word in a
//! data row sets that word's bit in `row_error` and the lane's in `code_errors`; what is not an ALN in an ALN row only the
//! latter. The scramblers advance by rows, not by words, so neither shifts the sequence. `clear` and `deskew_lost` forget all
//! words; the lanes then wait for start rows.
//!
//! The ALN number is compared with the receiver's own row count, which is stricter than comparing lanes.

mod receive;
mod receive_lane;
mod row_count;
mod scrambler;
mod transmit;

pub use receive::LinkLaneRx;
pub use receive_lane::RxLane;
pub use row_count::RowCount;
pub use scrambler::LaneScrambler;
pub use transmit::{LinkLaneTx, TxLane};

use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::lane_word::{aln, sds, ControlWordKind, COMMA, MAX_LANES, SDS_MARK};

pub use super::gearbox::ROW_BITS;
pub use flitforge_hdl_link_types::lane::{lane_interface, LANE_BITS, LANE_IN_BITS};

/// The start row's control word without lane, bond index, CRC mode and L.
const SDS_LOW: u64 = COMMA as u64
    | (ControlWordKind::Sds.code() as u64) << sds::kind::LOW
    | (SDS_MARK as u64) << sds::mark::LOW;
/// The ALN control word without its number.
const ALN_LOW: u64 = COMMA as u64 | (ControlWordKind::Aln.code() as u64) << aln::kind::LOW;

/// Build-time choice of a lane block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaneConfig {
    /// Physical lanes, 1 to 4.
    pub lanes: usize,
}

impl LaneConfig {
    /// Refuses a number of lanes other than 1 to 4.
    pub fn check(&self) -> Result<(), ConfigError> {
        check_lanes("link_lane", self.lanes)
    }
}

pub(super) fn check_lanes(block: &str, lanes: usize) -> Result<(), ConfigError> {
    check_range(block, "lanes", lanes as u64, 1, MAX_LANES as u64)
}

/// One part per lane.
fn lanes_of<T, const LANES: usize>(
    block: &str,
    make: impl Fn(usize) -> Result<T, ConfigError>,
) -> Result<[T; LANES], ConfigError> {
    let parts: Vec<T> = (0..LANES).map(make).collect::<Result<_, _>>()?;
    parts.try_into().map_err(|_| ConfigError::new(block, "lanes", LANES, "1 to 4", "choose 1 to 4"))
}

const PARAMETERS: &[ParameterInfo] =
    &[ParameterInfo::new("lanes", 4, Allowed::Range(1, 4), "physical lanes")];

const PRESETS: &[Preset] = &[
    Preset { name: "default", values: &[] },
    Preset { name: "two_lanes", values: &[("lanes", 2)] },
    Preset { name: "one_lane", values: &[("lanes", 1)] },
];

/// Registry entry of the sender's side.
pub const TX_ENTRY: BlockEntry = BlockEntry {
    name: "link_lane_tx",
    chapter: "10-link",
    summary: "rows to scrambled lane words, start and ALN rows",
    parameters: PARAMETERS,
    presets: PRESETS,
    build: |settings| {
        shapes! {
            settings: (lanes) => build_tx_as [lanes];
            presets { (4) (2) (1) }
        }
    },
};

/// Builds the block for `N` lanes.
pub fn build_tx_as<const N: usize>(_: &Settings) -> Result<BuiltBlock, ConfigError> {
    Ok(BuiltBlock::new(LinkLaneTx::<N>::new()?, tx_interface(N)))
}

/// Registry entry of the receiver's side.
pub const RX_ENTRY: BlockEntry = BlockEntry {
    name: "link_lane_rx",
    chapter: "10-link",
    summary: "lane words to rows: descrambler, deskew, ALN check",
    parameters: PARAMETERS,
    presets: PRESETS,
    build: |settings| {
        shapes! {
            settings: (lanes) => build_rx_as [lanes];
            presets { (4) (2) (1) }
        }
    },
};

/// Builds the block for `N` lanes.
pub fn build_rx_as<const N: usize>(_: &Settings) -> Result<BuiltBlock, ConfigError> {
    Ok(BuiltBlock::new(LinkLaneRx::<N>::new()?, rx_interface(N)))
}

fn tx_interface(lanes: usize) -> InterfaceInfo {
    let per_lane = [("training", StreamSink), ("lanes", StreamSource)];
    lane_interface(&[("rows", StreamSink)], &per_lane, lanes, 2, "row taken to its lane words")
}

fn rx_interface(lanes: usize) -> InterfaceInfo {
    let per_lane = [("lanes", FlowSink)];
    lane_interface(&[("rows", FlowSource)], &per_lane, lanes, 2, "last lane word of a row to the row")
}
