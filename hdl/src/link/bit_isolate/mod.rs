//! `link_bit_isolate`: which bits of an LTP were wrong (chapter 10, 4.4, and goal d of 9).
//!
//! The block has the inputs of [`link_isolate`](super::isolate) and watches the same rows. It keeps the last 512 rows, copies the
//! bad LTP of a `latch` out of them before it is overwritten, and at `compare` XORs that copy with the replay, word by word:
//!
//! ```text
//! rows ─► memory of rows ─► word ─┬─► bad LTP ─► XOR ─► count, first, last ─► report
//!          ▲ place of the LTP     └─────────────►                       └───► masks
//! verdicts ┴ actions
//! ```
//!
//! | part | does |
//! |---|---|
//! | [`LtpPlaces`] | where the LTP judged last stands in the memory |
//! | [`BitWalk`] | which word is read when |
//! | [`BitTally`] | counts and places the wrong bits |
//!
//! Out, for every comparison: `masks`, layout `bit_mask`, every word with wrong bits in ascending order, and then `report`, layout
//! `bit_report`: how many bits, the first and the last by LTP bit, lane and bit of the lane. A report without wrong bits is what
//! `link_isolate` calls `iso_none`. Actions `unknown` and `discard` forget the bad LTP without a report.
//!
//! - Timing of the inputs: as for `link_isolate`.
//! - Latency: with nothing else to do the report comes N + 10 clocks behind `compare`, 43 or 44; the mask of word n comes n + 7
//!   clocks behind it.
//! - Throughput: one row per clock. A copy takes N + 1 clocks, a comparison too; what comes in the meantime waits. A latch that
//!   comes while a comparison waits is not taken: `missed`, and its `compare` does nothing. A round trip is longer than
//!   both together but in the shortest links, so this needs errors in LTP after LTP.
//! - `row_start` (and `wide`, `active`, `last_lane`, which it takes) begins a new word count and discards what is kept, waits or
//!   is compared, as `clear` does.

mod places;
mod tally;
mod walk;

pub use places::LtpPlaces;
pub use tally::BitTally;
pub use walk::BitWalk;

use super::gearbox::ROW_BITS;
use crate::config::ConfigError;
use crate::prim::ram::Ram;
use crate::prim::stream::{FlowIn, FlowOut};
use crate::prim::{ClearedDelay, Delay, Register};
use crate::registry::StreamRole::{FlowSink, FlowSource};
use crate::registry::{BlockEntry, BuiltBlock, InterfaceInfo, Preset, Settings};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::bit_isolation::{bit_mask, bit_report};
use flitforge_protocol::ltp::WORD_BITS;

/// Bits of a word's mask with its number.
pub const MASK_BITS: usize = bit_mask::WIDTH;
/// Bits of a report.
pub const REPORT_BITS: usize = bit_report::WIDTH;
/// Bits that address the memory of rows: five LTPs on one lane, and the rows that come during three walks.
const ROW_ADDRESS_BITS: usize = 9;
/// Bits of a sequence state.
const LANE_STATE_BITS: usize = 2;
/// Bits that number the words of an LTP.
const WORD_NUMBER_BITS: usize = bit_mask::word::WIDTH;
/// Bits of a step of a walk: number, words before, lane, last.
const STEP_BITS: usize = 15;
/// Clocks from a step to the words it names.
const READ_CLOCKS: usize = 3;

/// Names the wrong bits of an LTP; see the [module](self).
#[derive(LogicBlock)]
pub struct LinkBitIsolate {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// LTPs have 34 words (modes 2 and 3), else 33. Taken with `row_start` and while cleared.
    pub wide: Signal<In, Bit>,
    /// Lanes in use, by the sender's numbers. Taken with `row_start` and while cleared.
    pub active: Signal<In, Bits<4>>,
    /// L - 1: the lanes in `active` less one. Taken with `row_start` and while cleared.
    pub last_lane: Signal<In, Bits<2>>,
    /// Rows: word i (logical lane i) in bits 32i..32i+31, words L and up are ignored.
    pub rows: FlowIn<Bits<ROW_BITS>>,
    /// The next row is the first after the start row. Not with a row.
    pub row_start: Signal<In, Bit>,
    /// Verdict of the next LTP: good.
    pub ltp_good: Signal<In, Bit>,
    /// Verdict of the next LTP: bad.
    pub ltp_bad: Signal<In, Bit>,
    /// [`IsolateAction`](flitforge_protocol::retry::IsolateAction) for the LTP of the last verdict.
    pub action: FlowIn<Bits<2>>,
    /// Words with wrong bits, layout `bit_mask`.
    pub masks: FlowOut<Bits<MASK_BITS>>,
    /// A comparison, layout `bit_report`.
    pub report: FlowOut<Bits<REPORT_BITS>>,
    /// Pulse: a bad LTP will not be compared, since a comparison waits.
    pub missed: Signal<Out, Bit>,

    places: LtpPlaces,
    walk: BitWalk,
    tally: BitTally,
    last_rows: Ram<Bits<ROW_BITS>, ROW_ADDRESS_BITS>,
    /// The bad LTP, by words.
    kept: Ram<Bits<WORD_BITS>, WORD_NUMBER_BITS>,
    wide_now: Register<Bit>,
    active_now: Register<Bits<4>>,
    last_lane_now: Register<Bits<2>>,
    lane_later: Delay<Bits<2>>,
    copies_later: ClearedDelay<Bit>,
    compares_later: ClearedDelay<Bit>,
    step_later: Delay<Bits<STEP_BITS>>,
    kept_address: DFF<Bits<WORD_NUMBER_BITS>>,
    word: DFF<Bits<WORD_BITS>>,
    mask: DFF<Bits<WORD_BITS>>,
    comparing: DFF<Bit>,
    step: DFF<Bits<STEP_BITS>>,

    restart: Signal<Local, Bit>,
    picked: Signal<Local, Bits<WORD_BITS>>,
    lane_number: [Constant<Bits<2>>; 4],
}

impl LinkBitIsolate {
    /// An isolation that waits for the first row.
    pub fn new() -> Result<Self, ConfigError> {
        Ok(Self {
            clock: Default::default(),
            clear: Default::default(),
            wide: Default::default(),
            active: Default::default(),
            last_lane: Default::default(),
            rows: Default::default(),
            row_start: Default::default(),
            ltp_good: Default::default(),
            ltp_bad: Default::default(),
            action: Default::default(),
            masks: Default::default(),
            report: Default::default(),
            missed: Default::default(),
            places: Default::default(),
            walk: Default::default(),
            tally: BitTally::new()?,
            last_rows: Default::default(),
            kept: Default::default(),
            wide_now: Default::default(),
            active_now: Default::default(),
            last_lane_now: Default::default(),
            lane_later: Delay::new(READ_CLOCKS - 1)?,
            copies_later: ClearedDelay::new(READ_CLOCKS)?,
            compares_later: ClearedDelay::new(READ_CLOCKS)?,
            step_later: Delay::new(READ_CLOCKS)?,
            kept_address: Default::default(),
            word: Default::default(),
            mask: Default::default(),
            comparing: Default::default(),
            step: Default::default(),
            restart: Default::default(),
            picked: Default::default(),
            lane_number: std::array::from_fn(|lane| Constant::new((lane as u64).into())),
        })
    }
}

impl Logic for LinkBitIsolate {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, kept_address, word, mask, comparing, step);
        clock!(self, clock, places, walk, tally, wide_now, active_now, last_lane_now);
        clock!(self, clock, lane_later, copies_later, compares_later, step_later);
        self.restart.next = self.clear.val() | self.row_start.val();
        self.wide_now.clear.next = false;
        self.wide_now.enable.next = self.restart.val();
        self.wide_now.d.next = self.wide.val();
        self.active_now.clear.next = false;
        self.active_now.enable.next = self.restart.val();
        self.active_now.d.next = self.active.val();
        self.last_lane_now.clear.next = false;
        self.last_lane_now.enable.next = self.restart.val();
        self.last_lane_now.d.next = self.last_lane.val();

        // The rows, and where LTPs stand in them.
        self.places.clear.next = self.restart.val();
        self.places.wide.next = self.wide_now.q.val();
        self.places.last_lane.next = self.last_lane_now.q.val();
        self.places.row.next = self.rows.valid.val();
        self.places.judged.next = self.ltp_good.val() | self.ltp_bad.val();
        self.last_rows.write_clock.next = self.clock.val();
        self.last_rows.read_clock.next = self.clock.val();
        self.last_rows.write_enable.next = self.rows.valid.val();
        self.last_rows.write_address.next = self.places.write_row.val();
        self.last_rows.write_data.next = self.rows.data.val();

        // A word per clock.
        self.walk.clear.next = self.restart.val();
        self.walk.wide.next = self.wide_now.q.val();
        self.walk.active.next = self.active_now.q.val();
        self.walk.last_lane.next = self.last_lane_now.q.val();
        self.walk.action.data.next = self.action.data.val();
        self.walk.action.valid.next = self.action.valid.val() & self.places.known.val();
        self.walk.first_row.next = self.places.first_row.val();
        self.walk.state.next = self.places.state.val();
        self.last_rows.read_address.next = self.walk.row.val();
        self.last_rows.read_enable.next = true;
        self.last_rows.output_enable.next = true;
        self.lane_later.d.next = self.walk.lane.val();
        self.picked.next = self.last_rows.read_data.val().get_bits::<32>(0);
        for i in 1..4 {
            if self.lane_later.q.val() == self.lane_number[i].val() {
                self.picked.next = self.last_rows.read_data.val().get_bits::<32>(i * 32);
            }
        }
        self.word.d.next = self.picked.val();
        self.copies_later.clear.next = self.restart.val();
        self.copies_later.d.next = self.walk.reads.val() & self.walk.copies.val();
        self.compares_later.clear.next = self.restart.val();
        self.compares_later.d.next = self.walk.reads.val() & !self.walk.copies.val();
        self.step_later.d.next = self.walk.step.val();

        // The bad LTP is written, or read beside its replay.
        self.kept.write_clock.next = self.clock.val();
        self.kept.read_clock.next = self.clock.val();
        self.kept.write_enable.next = self.copies_later.q.val();
        self.kept.write_address.next = self.step_later.q.val().get_bits::<WORD_NUMBER_BITS>(0);
        self.kept.write_data.next = self.word.q.val();
        self.kept_address.d.next = self.walk.step.val().get_bits::<WORD_NUMBER_BITS>(0);
        self.kept.read_address.next = self.kept_address.q.val();
        self.kept.read_enable.next = true;
        self.kept.output_enable.next = true;
        self.mask.d.next = self.word.q.val() ^ self.kept.read_data.val();
        self.comparing.d.next = self.compares_later.q.val() & !self.restart.val();
        self.step.d.next = self.step_later.q.val();

        self.tally.clear.next = self.restart.val();
        self.tally.valid.next = self.comparing.q.val();
        self.tally.mask.next = self.mask.q.val();
        self.tally.step.next = self.step.q.val();
        FlowOut::<Bits<MASK_BITS>>::link(&mut self.masks, &mut self.tally.masks);
        FlowOut::<Bits<REPORT_BITS>>::link(&mut self.report, &mut self.tally.report);
        self.missed.next = self.walk.missed.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("link_bit_isolate", &[])
    }
}

drive_ports!(impl[] LinkBitIsolate { clock, clear, wide, active, last_lane, rows, row_start, ltp_good, ltp_bad, action, masks, report, missed });

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "link_bit_isolate",
    chapter: "10-link",
    summary: "names the wrong bits of an LTP",
    parameters: &[],
    presets: &[Preset { name: "default", values: &[] }],
    build,
};

fn build(_: &Settings) -> Result<BuiltBlock, ConfigError> {
    let streams = [("rows", FlowSink), ("action", FlowSink), ("masks", FlowSource), ("report", FlowSource)];
    Ok(BuiltBlock::new(
        LinkBitIsolate::new()?,
        InterfaceInfo::clocked(&streams, Some(43), "compare to report, 33 words"),
    ))
}
