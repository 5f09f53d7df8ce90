//! `link_isolate`: which lane broke an LTP (chapter 10, 4.4).
//!
//! The block watches the rows between `link_lane_rx` and `link_gearbox_rx`, where every lane's words stand apart, and
//! computes 0x1002D over each transfer group of every LTP. `link_ltp_rx` then says for every LTP, in their order,
//! whether it was good (`ltp_good`) or bad (`ltp_bad`, with the CRCs that `failed`) and, for some, what to do
//! ([`IsolateAction`](flitforge_protocol::retry::IsolateAction)):
//!
//! | action | does |
//! |---|---|
//! | latch | keeps group CRCs and sequence state of this bad LTP; mode 3: the failed CRCs give the verdict now |
//! | compare | compares this good LTP, the replay, with what is kept, and gives the verdict; mode 3: a difference to the verdict of the CRCs is `iso_disagree`. Nothing is kept afterwards |
//! | unknown | the bad LTP was a Null: `iso_unknown`, not in mode 3 |
//! | discard | forgets what is kept |
//!
//! A verdict is one of `lane_errors`, `multi_lane`, `iso_unknown`, `iso_none`. In mode 2 every bad LTP counts in
//! `crc48_bad[n-1]`, n = 1 to 4 of its CRCs having failed. `good_ltp` repeats `ltp_good` at the time of the outputs, for
//! `link_degrade`.
//!
//! - Timing of the inputs: the verdict of an LTP comes at least 3 clocks after the row with its last word, and
//!   before the last row of the fourth LTP after it. At least 4 clocks lie from one verdict to the next. An action
//!   comes 1 or 2 clocks after the verdict of its LTP. A verdict without an LTP that waits is that of an LTP from
//!   before `row_start`: its action is ignored.
//! - Latency: outputs 2 clocks after the action, `good_ltp` 3 and `crc48_bad` 1 after the verdict.
//! - Throughput: one row per clock.
//! - `row_start` (and `mode`, `active`, `last_lane`, which change only before it) begins a new word count and discards
//!   what is kept, as `clear` does.

mod groups;
mod verdict;

pub use groups::IsolateGroups;
pub use verdict::IsolateVerdict;

use super::gearbox::ROW_BITS;
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::ClearedDelay;
use flitforge_protocol::crc::LANE_ISOLATION;
use flitforge_protocol::ltp::CrcMode;

/// Bits of a group's CRC.
pub const GROUP_CRC_BITS: usize = LANE_ISOLATION.width();
/// Bits that number the LTPs that wait for their verdict.
const QUEUE_ADDRESS_BITS: usize = 2;
/// Clocks from a verdict to what follows from it.
const VERDICT_CLOCKS: usize = 3;

/// Names the lane that broke an LTP; see the [module](self).
#[block("link_isolate", new)]
pub struct LinkIsolate {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// CRC mode, 0 to 3. Changes only before a start or while cleared.
    mode: In<Bits<2>>,
    /// Lanes in use, by the sender's numbers. Changes only before a start or while cleared.
    active: In<Bits<4>>,
    /// L - 1: the lanes in `active` less one.
    last_lane: In<Bits<2>>,
    /// Rows: word i (logical lane i) in bits 32i..32i+31, words L and up are ignored.
    pub rows: FlowIn<Bits<ROW_BITS>>,
    /// The next row is the first after the start row. Not with a row.
    row_start: In<Bit>,
    /// Verdict of the next LTP: good.
    ltp_good: In<Bit>,
    /// Verdict of the next LTP: bad.
    ltp_bad: In<Bit>,
    /// With `ltp_bad`. Mode 2: the CRCs A to D that failed; mode 3: the groups whose CRC failed.
    failed: In<Bits<4>>,
    /// [`IsolateAction`](flitforge_protocol::retry::IsolateAction) for the LTP of the last verdict.
    pub action: FlowIn<Bits<2>>,
    /// Event `LANE_ERR`, one bit at most: this lane, by the sender's numbers, is charged.
    lane_errors: Out<Bits<4>>,
    /// Event `MULTI_LANE`.
    multi_lane: Out<Bit>,
    /// Event `ISO_UNKNOWN`.
    iso_unknown: Out<Bit>,
    /// Event `ISO_NONE`.
    iso_none: Out<Bit>,
    /// Event `ISO_DISAGREE`.
    iso_disagree: Out<Bit>,
    /// Events `CRC48_1BAD` to `CRC48_4BAD`.
    crc48_bad: Out<Bits<4>>,
    /// A good LTP; its verdict is in the same clock.
    good_ltp: Out<Bit>,

    #[wire(clock, clear)]
    groups: IsolateGroups,
    #[wire(clock)]
    verdict: IsolateVerdict,
    #[wire(clock, clear)]
    good_later: ClearedDelay<Bit>,
    /// `last_lane`, which has stood since before the start.
    last: Reg<Bits<2>>,
    known: Reg<Bit>,
    out_crc48: Reg<Bits<4>>,

    #[init(|index| index + 1)]
    numbers: [Constant<Bits<3>>; 4],
    overlapping_code: Constant<Bits<2>>,
    per_lane_code: Constant<Bits<2>>,
}

#[logic]
impl LinkIsolate {
    /// An isolation that waits for the first row.
    pub fn new() -> Result<Self, ConfigError> {
        let code = |mode: CrcMode| Constant::new(u64::from(mode.code()).into());
        Ok(Self {
            groups: IsolateGroups::new()?,
            good_later: ClearedDelay::new(VERDICT_CLOCKS)?,
            overlapping_code: code(CrcMode::Overlapping48),
            per_lane_code: code(CrcMode::PerLane),
            ..
        })
    }

    fn update(&mut self) {
        let restart = clear | row_start;
        let evaluated = ltp_good | ltp_bad;
        let overlapping = mode == overlapping_code;
        let per_lane = mode == per_lane_code;

        groups.wide = mode[1];
        last = last_lane;
        groups.last_lane = last_lane;
        link(rows, groups.rows);
        groups = In { row_start, take: evaluated };

        verdict = In { clear: restart, per_lane, active, last_lane: last, evaluated, bad: ltp_bad, failed };
        for i in 0..4 {
            verdict.crcs[i] = groups.crcs[i];
        }
        verdict.state = groups.state;
        if evaluated {
            known = groups.waiting;
        }
        verdict.action = In { data: action.data, valid: action.valid & known };

        let failures = bit_cast::<3, 1>(failed.bits::<1>(0))
            + bit_cast::<3, 1>(failed.bits::<1>(1))
            + bit_cast::<3, 1>(failed.bits::<1>(2))
            + bit_cast::<3, 1>(failed.bits::<1>(3));
        let mut crc48: Bits<4> = 0;
        for i in 0..4 {
            crc48 = crc48.with(i, failures == numbers[i]);
        }
        out_crc48 = 0;
        if ltp_bad & overlapping {
            out_crc48 = crc48;
        }
        good_later.d = ltp_good;
        if restart {
            known = false;
        }
        if clear {
            out_crc48 = 0;
        }

        Out { lane_errors, multi_lane, iso_unknown, iso_none, iso_disagree } = verdict;
        crc48_bad = out_crc48;
        good_ltp = good_later.q;
    }
}

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "link_isolate",
    chapter: "10-link",
    summary: "names the lane that broke an LTP",
    parameters: &[],
    presets: &[Preset { name: "default", values: &[] }],
    build,
};

fn build(_: &Settings) -> Result<BuiltBlock, ConfigError> {
    let streams = [("rows", FlowSink), ("action", FlowSink)];
    Ok(BuiltBlock::new(LinkIsolate::new()?, InterfaceInfo::clocked(&streams, Some(2), "action to verdict")))
}
