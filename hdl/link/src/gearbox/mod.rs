//! `link_gearbox`: wire beats to rows of L words of 32 bits, and back (chapter 10, 4.7; bit order 3.5, 3.6).
//!
//! The bits of all LTPs, bit 0 first, are one stream; a wire beat holds 66F or 68F of them (`wide`: modes 2
//! and 3), a row 32L. L = 1 to 4 and `wide` may be chosen at run time; they change only while both gearboxes
//! are cleared.
//!
//! - [`LinkGearboxTx`], [`LinkGearboxTx1`], [`LinkGearboxTx4`] (F = 2, 1, 4): a row is offered at the latest 2
//!   clocks after the beat that completes it was taken; it holds until it is taken. One row per clock, one
//!   beat of 4F words and more per row-time of its words; with L = 4 and F = 2 the input waits one clock in
//!   33 (modes 0, 1). Words L and up of a row are 0.
//! - [`LinkGearboxRx`], [`LinkGearboxRx1`], [`LinkGearboxRx4`]: a beat comes 2 clocks after the row that completes it, with
//!   `code_err` if a word with bits in it was bad, and `frame_start` if it is the first since `row_start`. One row per clock for
//!   F = 2 and 4.
//!
//!   F = 1 gives two beats for 132 bits and so takes, as the clock rule of chapter 10, 2 has it, one row in two clocks on
//!   average; it holds two beat pairs and says `overrun` when it lost one.
//! - `clear` forgets all bits in flight; the next beat is beat 0 of an LTP, the next row starts an LTP.
//!   `row_start` does the same for the receiver, in a clock without a row.
//!
//! - [`LinkGearboxTxLane`], [`LinkGearboxRxLane`] (F = 1): where there is one lane and no mode 2 or 3, clock for clock as [`LinkGearboxTx1`] and
//!   [`LinkGearboxRx1`] in that case, of half and a quarter of their size.
//!
//! The core is built for F = 2: F = 1 pairs beats, F = 4 halves them, which changes no latency except that
//! F = 1 waits for the second beat of a pair.
//!
//! How it stays small: within an LTP (wide: half an LTP) beat k is off the words by 4k (8k) bits, eight cases, so
//! one shifter of three levels aligns; and a group of four words per beat plus one odd word per 33 (17) keeps
//! the second shifter, words to rows, at four cases.

mod one_lane;
mod one_lane_tx;
mod receive;
mod transmit;
mod wide;

pub use one_lane::LinkGearboxRxLane;
pub use one_lane_tx::LinkGearboxTxLane;
pub use receive::LinkGearboxRx;
pub use transmit::LinkGearboxTx;
pub use wide::{
    HalveBeats, JoinBeats, LinkGearboxRx1, LinkGearboxRx4, LinkGearboxTx1, LinkGearboxTx4, PairBeats,
    QueueBeats,
};

use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::beat::{is_flits_per_beat, max_wire_beat_bits, FLITS_PER_BEAT};
use flitforge_protocol::lane_word::MAX_LANES;
use flitforge_protocol::ltp::WORD_BITS;

/// Bits of a row: four words.
pub const ROW_BITS: usize = MAX_LANES * WORD_BITS;
/// Bits of a wire beat of one flit.
pub const WIRE_BITS_1: usize = max_wire_beat_bits(1);
/// Bits of a wire beat of two flits.
pub const WIRE_BITS_2: usize = max_wire_beat_bits(2);
/// Bits of a wire beat of four flits.
pub const WIRE_BITS_4: usize = max_wire_beat_bits(4);

/// Build-time choice of a gearbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GearboxConfig {
    /// F: 1, 2 or 4.
    pub flits_per_beat: usize,
}

impl GearboxConfig {
    /// Refuses an F other than 1, 2 and 4.
    pub fn check(&self) -> Result<(), ConfigError> {
        if is_flits_per_beat(self.flits_per_beat) {
            return Ok(());
        }
        let allowed = FLITS_PER_BEAT.map(|f| f as u64);
        check_one_of("link_gearbox", "f", self.flits_per_beat as u64, &allowed)
    }
}

const PARAMETERS: &[ParameterInfo] = &[
    ParameterInfo::new(
        "f",
        2,
        Allowed::OneOf(&[1, 2, 4]),
        "flits per beat F; a wire beat has 66F or 68F bits",
    ),
    ParameterInfo::new(
        "lanes",
        MAX_LANES as u64,
        Allowed::OneOf(&[1, MAX_LANES as u64]),
        "lanes to choose from; 1 with F = 1 only, CRC modes 0 and 1",
    ),
];

const PRESETS: &[Preset] = &[
    Preset { name: "default", values: &[] },
    Preset { name: "one_flit", values: &[("f", 1)] },
    Preset { name: "four_flits", values: &[("f", 4)] },
    Preset { name: "one_lane", values: &[("f", 1), ("lanes", 1)] },
];

/// Registry entry of the sender's gearbox.
pub const TX_ENTRY: BlockEntry = BlockEntry {
    name: "link_gearbox_tx",
    chapter: "10-link",
    summary: "wire beats of 66F or 68F bits to rows of 1 to 4 words",
    parameters: PARAMETERS,
    presets: PRESETS,
    build: build_tx,
};

/// Registry entry of the receiver's gearbox.
pub const RX_ENTRY: BlockEntry = BlockEntry {
    name: "link_gearbox_rx",
    chapter: "10-link",
    summary: "rows of 1 to 4 words to wire beats of 66F or 68F bits",
    parameters: PARAMETERS,
    presets: PRESETS,
    build: build_rx,
};

fn build_tx(settings: &Settings) -> Result<BuiltBlock, ConfigError> {
    let interface = InterfaceInfo::clocked(
        &[("wire_in", StreamSink), ("rows", StreamSource)],
        Some(2),
        "beat taken to its first row offered, at the latest",
    );
    match settings.size("f")? {
        1 if settings.get("lanes")? == 1 => Ok(BuiltBlock::new(LinkGearboxTxLane::default(), interface)),
        _ if settings.get("lanes")? == 1 => Err(settings.unsupported("lanes", "1 with f = 1 only")),
        1 => Ok(BuiltBlock::new(LinkGearboxTx1::default(), interface)),
        2 => Ok(BuiltBlock::new(LinkGearboxTx::default(), interface)),
        4 => Ok(BuiltBlock::new(LinkGearboxTx4::default(), interface)),
        _ => Err(settings.unsupported("f", "1, 2 or 4")),
    }
}

fn build_rx(settings: &Settings) -> Result<BuiltBlock, ConfigError> {
    let interface = InterfaceInfo::clocked(
        &[("rows", FlowSink), ("wire_out", FlowSource)],
        Some(2),
        "row to the beat it completes",
    );
    match settings.size("f")? {
        1 if settings.get("lanes")? == 1 => Ok(BuiltBlock::new(LinkGearboxRxLane::default(), interface)),
        _ if settings.get("lanes")? == 1 => Err(settings.unsupported("lanes", "1 with f = 1 only")),
        1 => Ok(BuiltBlock::new(LinkGearboxRx1::default(), interface)),
        2 => Ok(BuiltBlock::new(LinkGearboxRx::default(), interface)),
        4 => Ok(BuiltBlock::new(LinkGearboxRx4::default(), interface)),
        _ => Err(settings.unsupported("f", "1, 2 or 4")),
    }
}
