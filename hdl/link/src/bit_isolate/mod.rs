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
//! - Latency: with nothing else to do the report comes N + 10 clocks after `compare`, 43 or 44; the mask of word n comes n + 7
//!   clocks after it.
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
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::ram::Ram;
use flitforge_hdl_prim::{ClearedDelay, Delay};
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
#[block("link_bit_isolate", new)]
pub struct LinkBitIsolate {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// LTPs have 34 words (modes 2 and 3), else 33. Taken with `row_start` and while cleared.
    wide: In<Bit>,
    /// Lanes in use, by the sender's numbers. Taken with `row_start` and while cleared.
    active: In<Bits<4>>,
    /// L - 1: the lanes in `active` less one. Taken with `row_start` and while cleared.
    last_lane: In<Bits<2>>,
    /// Rows: word i (logical lane i) in bits 32i..32i+31, words L and up are ignored.
    pub rows: FlowIn<Bits<ROW_BITS>>,
    /// The next row is the first after the start row. Not with a row.
    row_start: In<Bit>,
    /// Verdict of the next LTP: good.
    ltp_good: In<Bit>,
    /// Verdict of the next LTP: bad.
    ltp_bad: In<Bit>,
    /// [`IsolateAction`](flitforge_protocol::retry::IsolateAction) for the LTP of the last verdict.
    pub action: FlowIn<Bits<2>>,
    /// Words with wrong bits, layout `bit_mask`.
    pub masks: FlowOut<Bits<MASK_BITS>>,
    /// A comparison, layout `bit_report`.
    pub report: FlowOut<Bits<REPORT_BITS>>,
    /// Pulse: a bad LTP will not be compared, since a comparison waits.
    missed: Out<Bit>,

    #[wire(clock)]
    places: LtpPlaces,
    #[wire(clock)]
    walk: BitWalk,
    #[wire(clock)]
    tally: BitTally,
    #[wire(write_clock = clock, read_clock = clock, read_enable = true, output_enable = true)]
    last_rows: Ram<Bits<ROW_BITS>, ROW_ADDRESS_BITS>,
    /// The bad LTP, by words.
    #[wire(write_clock = clock, read_clock = clock, read_enable = true, output_enable = true)]
    kept: Ram<Bits<WORD_BITS>, WORD_NUMBER_BITS>,
    #[wire(clear = false)]
    wide_now: Register<Bit>,
    #[wire(clear = false)]
    active_now: Register<Bits<4>>,
    #[wire(clear = false)]
    last_lane_now: Register<Bits<2>>,
    #[wire(clock)]
    lane_later: Delay<Bits<2>>,
    #[wire(clock)]
    copies_later: ClearedDelay<Bit>,
    #[wire(clock)]
    compares_later: ClearedDelay<Bit>,
    #[wire(clock)]
    step_later: Delay<Bits<STEP_BITS>>,
    kept_address: Reg<Bits<WORD_NUMBER_BITS>>,
    word: Reg<Bits<WORD_BITS>>,
    mask: Reg<Bits<WORD_BITS>>,
    comparing: Reg<Bit>,
    step: Reg<Bits<STEP_BITS>>,

    #[init(|lane| lane)]
    lane_number: [Constant<Bits<2>>; 4],
}

#[logic]
impl LinkBitIsolate {
    /// An isolation that waits for the first row.
    pub fn new() -> Result<Self, ConfigError> {
        Ok(Self {
            tally: BitTally::new()?,
            lane_later: Delay::new(READ_CLOCKS - 1)?,
            copies_later: ClearedDelay::new(READ_CLOCKS)?,
            compares_later: ClearedDelay::new(READ_CLOCKS)?,
            step_later: Delay::new(READ_CLOCKS)?,
            ..
        })
    }

    fn update(&mut self) {
        let restart = clear | row_start;
        wide_now.enable = restart;
        wide_now = wide;
        active_now.enable = restart;
        active_now = active;
        last_lane_now.enable = restart;
        last_lane_now = last_lane;

        // The rows, and where LTPs stand in them.
        places = In { clear: restart, wide: wide_now, last_lane: last_lane_now, row: rows.valid };
        places.evaluated = ltp_good | ltp_bad;
        last_rows = In { write_enable: rows.valid, write_address: places.write_row, write_data: rows.data };

        // A word per clock.
        walk = In { clear: restart, wide: wide_now, active: active_now, last_lane: last_lane_now };
        walk.action = In { data: action.data, valid: action.valid & places.known };
        walk = In { first_row: places.first_row, state: places.state };
        last_rows.read_address = walk.row;
        lane_later.d = walk.lane;
        let mut picked = last_rows.read_data.bits::<32>(0);
        for i in 1..4 {
            if lane_later.q == lane_number[i] {
                picked = last_rows.read_data.bits::<32>(i * 32);
            }
        }
        word = picked;
        copies_later = In { clear: restart, d: walk.reads & walk.copies };
        compares_later = In { clear: restart, d: walk.reads & !walk.copies };
        step_later.d = walk.step;

        // The bad LTP is written, or read beside its replay.
        kept = In { write_enable: copies_later.q, write_address: step_later.q.bits::<WORD_NUMBER_BITS>(0) };
        kept.write_data = word;
        kept_address = walk.step.bits::<WORD_NUMBER_BITS>(0);
        kept.read_address = kept_address;
        mask = word ^ kept.read_data;
        comparing = compares_later.q & !restart;
        step = step_later.q;

        tally = In { clear: restart, valid: comparing, mask, step };
        link(masks, tally.masks);
        link(report, tally.report);
        missed = walk.missed;
    }
}

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
