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
//! - Timing of the inputs: the verdict of an LTP comes at least 3 clocks behind the row with its last word, and
//!   before the last row of the fourth LTP after it. At least 4 clocks lie from one verdict to the next. An action
//!   comes 1 or 2 clocks behind the verdict of its LTP. A verdict without an LTP that waits is that of an LTP from
//!   before `row_start`: its action is ignored.
//! - Latency: outputs 2 clocks behind the action, `good_ltp` 3 and `crc48_bad` 1 behind the verdict.
//! - Throughput: one row per clock.
//! - `row_start` (and `mode`, `active`, `last_lane`, which change only before it) begins a new word count and discards
//!   what is kept, as `clear` does.

mod groups;
mod verdict;

pub use groups::IsolateGroups;
pub use verdict::IsolateVerdict;

use super::gearbox::ROW_BITS;
use crate::config::ConfigError;
use crate::prim::stream::FlowIn;
use crate::prim::ClearedDelay;
use crate::registry::StreamRole::FlowSink;
use crate::registry::{BlockEntry, BuiltBlock, InterfaceInfo, Preset, Settings};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::crc::LANE_ISOLATION;
use flitforge_protocol::ltp::CrcMode;

/// Bits of a group's CRC.
pub const GROUP_CRC_BITS: usize = LANE_ISOLATION.width();
/// Bits that number the LTPs that wait for their verdict.
const QUEUE_ADDRESS_BITS: usize = 2;
/// Clocks from a verdict to what follows from it.
const VERDICT_CLOCKS: usize = 3;

/// Names the lane that broke an LTP; see the [module](self).
#[derive(LogicBlock)]
pub struct LinkIsolate {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// CRC mode, 0 to 3. Changes only before a start or while cleared.
    pub mode: Signal<In, Bits<2>>,
    /// Lanes in use, by the sender's numbers. Changes only before a start or while cleared.
    pub active: Signal<In, Bits<4>>,
    /// L - 1: the lanes in `active` less one.
    pub last_lane: Signal<In, Bits<2>>,
    /// Rows: word i (logical lane i) in bits 32i..32i+31, words L and up are ignored.
    pub rows: FlowIn<Bits<ROW_BITS>>,
    /// The next row is the first after the start row. Not with a row.
    pub row_start: Signal<In, Bit>,
    /// Verdict of the next LTP: good.
    pub ltp_good: Signal<In, Bit>,
    /// Verdict of the next LTP: bad.
    pub ltp_bad: Signal<In, Bit>,
    /// With `ltp_bad`. Mode 2: the CRCs A to D that failed; mode 3: the groups whose CRC failed.
    pub failed: Signal<In, Bits<4>>,
    /// [`IsolateAction`](flitforge_protocol::retry::IsolateAction) for the LTP of the last verdict.
    pub action: FlowIn<Bits<2>>,
    /// Event `LANE_ERR`, one bit at most: this lane, by the sender's numbers, is charged.
    pub lane_errors: Signal<Out, Bits<4>>,
    /// Event `MULTI_LANE`.
    pub multi_lane: Signal<Out, Bit>,
    /// Event `ISO_UNKNOWN`.
    pub iso_unknown: Signal<Out, Bit>,
    /// Event `ISO_NONE`.
    pub iso_none: Signal<Out, Bit>,
    /// Event `ISO_DISAGREE`.
    pub iso_disagree: Signal<Out, Bit>,
    /// Events `CRC48_1BAD` to `CRC48_4BAD`.
    pub crc48_bad: Signal<Out, Bits<4>>,
    /// A good LTP; its verdict is in the same clock.
    pub good_ltp: Signal<Out, Bit>,

    groups: IsolateGroups,
    verdict: IsolateVerdict,
    good_later: ClearedDelay<Bit>,
    /// `last_lane`, which has stood since before the start.
    last: DFF<Bits<2>>,
    known: DFF<Bit>,
    out_crc48: DFF<Bits<4>>,

    restart: Signal<Local, Bit>,
    judged: Signal<Local, Bit>,
    overlapping: Signal<Local, Bit>,
    per_lane: Signal<Local, Bit>,
    failures: Signal<Local, Bits<3>>,
    crc48: Signal<Local, Bits<4>>,
    numbers: [Constant<Bits<3>>; 4],
    overlapping_code: Constant<Bits<2>>,
    per_lane_code: Constant<Bits<2>>,
}

impl LinkIsolate {
    /// An isolation that waits for the first row.
    pub fn new() -> Result<Self, ConfigError> {
        let code = |mode: CrcMode| Constant::new(u64::from(mode.code()).into());
        Ok(Self {
            clock: Default::default(),
            clear: Default::default(),
            mode: Default::default(),
            active: Default::default(),
            last_lane: Default::default(),
            rows: Default::default(),
            row_start: Default::default(),
            ltp_good: Default::default(),
            ltp_bad: Default::default(),
            failed: Default::default(),
            action: Default::default(),
            lane_errors: Default::default(),
            multi_lane: Default::default(),
            iso_unknown: Default::default(),
            iso_none: Default::default(),
            iso_disagree: Default::default(),
            crc48_bad: Default::default(),
            good_ltp: Default::default(),
            groups: IsolateGroups::new()?,
            verdict: Default::default(),
            good_later: ClearedDelay::new(VERDICT_CLOCKS)?,
            last: Default::default(),
            known: Default::default(),
            out_crc48: Default::default(),
            restart: Default::default(),
            judged: Default::default(),
            overlapping: Default::default(),
            per_lane: Default::default(),
            failures: Default::default(),
            crc48: Default::default(),
            numbers: std::array::from_fn(|index| Constant::new((index as u64 + 1).into())),
            overlapping_code: code(CrcMode::Overlapping48),
            per_lane_code: code(CrcMode::PerLane),
        })
    }
}

impl Logic for LinkIsolate {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, last, known, out_crc48);
        clock!(self, clock, groups, verdict, good_later);
        self.restart.next = self.clear.val() | self.row_start.val();
        self.judged.next = self.ltp_good.val() | self.ltp_bad.val();
        self.overlapping.next = self.mode.val() == self.overlapping_code.val();
        self.per_lane.next = self.mode.val() == self.per_lane_code.val();

        self.groups.clear.next = self.clear.val();
        self.groups.wide.next = self.mode.val().get_bit(1);
        self.last.d.next = self.last_lane.val();
        self.groups.last_lane.next = self.last_lane.val();
        FlowIn::<Bits<ROW_BITS>>::link(&mut self.rows, &mut self.groups.rows);
        self.groups.row_start.next = self.row_start.val();
        self.groups.take.next = self.judged.val();

        self.verdict.clear.next = self.restart.val();
        self.verdict.per_lane.next = self.per_lane.val();
        self.verdict.active.next = self.active.val();
        self.verdict.last_lane.next = self.last.q.val();
        self.verdict.judged.next = self.judged.val();
        self.verdict.bad.next = self.ltp_bad.val();
        self.verdict.failed.next = self.failed.val();
        for i in 0..4 {
            self.verdict.crcs[i].next = self.groups.crcs[i].val();
        }
        self.verdict.state.next = self.groups.state.val();
        if self.judged.val() {
            self.known.d.next = self.groups.waiting.val();
        }
        self.verdict.action.data.next = self.action.data.val();
        self.verdict.action.valid.next = self.action.valid.val() & self.known.q.val();

        self.failures.next = bit_cast::<3, 1>(self.failed.val().get_bits::<1>(0))
            + bit_cast::<3, 1>(self.failed.val().get_bits::<1>(1))
            + bit_cast::<3, 1>(self.failed.val().get_bits::<1>(2))
            + bit_cast::<3, 1>(self.failed.val().get_bits::<1>(3));
        self.crc48.next = 0.into();
        for i in 0..4 {
            self.crc48.next = self.crc48.val().replace_bit(i, self.failures.val() == self.numbers[i].val());
        }
        self.out_crc48.d.next = 0.into();
        if self.ltp_bad.val() & self.overlapping.val() {
            self.out_crc48.d.next = self.crc48.val();
        }
        self.good_later.clear.next = self.clear.val();
        self.good_later.d.next = self.ltp_good.val();
        if self.restart.val() {
            self.known.d.next = false;
        }
        if self.clear.val() {
            self.out_crc48.d.next = 0.into();
        }

        self.lane_errors.next = self.verdict.lane_errors.val();
        self.multi_lane.next = self.verdict.multi_lane.val();
        self.iso_unknown.next = self.verdict.iso_unknown.val();
        self.iso_none.next = self.verdict.iso_none.val();
        self.iso_disagree.next = self.verdict.iso_disagree.val();
        self.crc48_bad.next = self.out_crc48.q.val();
        self.good_ltp.next = self.good_later.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("link_isolate", &[])
    }
}

drive_ports!(impl[] LinkIsolate { clock, clear, mode, active, last_lane, rows, row_start, ltp_good, ltp_bad, failed, action, lane_errors, multi_lane, iso_unknown, iso_none, iso_disagree, crc48_bad, good_ltp });

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
