//! The latch of a bad LTP, the comparison with its replay, and what follows from it.

use super::GROUP_CRC_BITS;
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::lane_word::MAX_LANES;
use flitforge_protocol::retry::IsolateAction;

/// Bits of a verdict: logical lane (one bit each), several lanes, unknown, none.
const VERDICT_BITS: usize = MAX_LANES + 3;

/// Takes the group CRCs of every LTP with its verdict and, for the LTP of an action, says what the action leads to.
///
/// At least 4 clocks lie between two verdicts; an action comes 1 or 2 clocks after the verdict of its LTP. Outputs
/// come 2 clocks after the action.
#[block("isolate_verdict")]
pub struct IsolateVerdict {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Synchronous clear: nothing is kept.
    clear: In<Bit>,
    /// Mode 3: the failed CRCs give the verdict.
    per_lane: In<Bit>,
    /// Lanes in use, by the sender's numbers.
    active: In<Bits<4>>,
    /// L - 1.
    last_lane: In<Bits<2>>,
    /// The verdict of the LTP whose CRCs stand at `crcs`.
    evaluated: In<Bit>,
    /// With `evaluated`: the LTP is bad.
    bad: In<Bit>,
    /// With `evaluated`, in mode 3. Bit g: the CRC of group g failed.
    failed: In<Bits<4>>,
    /// Group CRCs by logical lane.
    crcs: [In<Bits<GROUP_CRC_BITS>>; MAX_LANES],
    /// Sequence state of the LTP.
    state: In<Bits<2>>,
    /// [`IsolateAction`].
    pub action: FlowIn<Bits<2>>,
    /// One bit: this lane, by the sender's numbers, is charged.
    lane_errors: Out<Bits<4>>,
    /// Several lanes, but not all.
    multi_lane: Out<Bit>,
    /// Nothing can be said.
    iso_unknown: Out<Bit>,
    /// No group differs.
    iso_none: Out<Bit>,
    /// Mode 3: the comparison gave another verdict than the CRCs.
    iso_disagree: Out<Bit>,

    #[wire(d = _)]
    current: [Reg<Bits<GROUP_CRC_BITS>>; MAX_LANES],
    current_state: Reg<Bits<2>>,
    current_failed: Reg<Bits<4>>,
    /// Where the LTP in the latch's place has each lane's group.
    #[wire(d = _)]
    source: [Reg<Bits<2>>; MAX_LANES],
    latch: [Register<Bits<GROUP_CRC_BITS>>; MAX_LANES],
    #[wire(clear = false)]
    latch_state: Register<Bits<2>>,
    held: Reg<Bit>,
    /// Lanes that differ, or whose CRC failed.
    marked: Reg<Bits<4>>,
    latched: Reg<Bit>,
    compared: Reg<Bit>,
    given_up: Reg<Bit>,
    #[wire(clear = false)]
    by_crc: Register<Bits<VERDICT_BITS>>,
    out_lane: Reg<Bits<4>>,
    out_multi: Reg<Bit>,
    out_unknown: Reg<Bit>,
    out_none: Reg<Bit>,
    out_disagree: Reg<Bit>,

    latches: Local<Bit>,
    compares: Local<Bit>,
    lanes: Local<Bits<3>>,
    used: Local<Bits<4>>,
    turn: Local<Bits<3>>,
    from: Local<Bits<3>>,
    pick: Local<Bits<2>>,
    low_pair: Local<Bits<GROUP_CRC_BITS>>,
    high_pair: Local<Bits<GROUP_CRC_BITS>>,
    picked: Local<Bits<GROUP_CRC_BITS>>,
    differs: Local<Bits<4>>,
    moved: Local<Bits<7>>,
    on_lanes: Local<Bits<4>>,
    is_one: Local<Bit>,
    is_all: Local<Bit>,
    cannot_say: Local<Bit>,
    outcome: Local<Bits<VERDICT_BITS>>,
    charged: Local<Bit>,
    /// One lane is charged.
    names: Local<Bit>,
    /// Logical number of each lane; `active` has stood long before it is asked.
    #[wire(d = _)]
    rank: [Reg<Bits<2>>; MAX_LANES],
    rank_now: [Local<Bits<2>>; MAX_LANES],
    #[init(|lane| lane)]
    lane_number: [Constant<Bits<3>>; MAX_LANES],
    #[init(1)]
    one: Constant<Bits<3>>,
    #[init(IsolateAction::Latch)]
    latch_code: Constant<Bits<2>>,
    #[init(IsolateAction::Compare)]
    compare_code: Constant<Bits<2>>,
    #[init(IsolateAction::Unknown)]
    unknown_code: Constant<Bits<2>>,
    #[init(0x10)]
    multi_verdict: Constant<Bits<VERDICT_BITS>>,
    #[init(0x20)]
    unknown_verdict: Constant<Bits<VERDICT_BITS>>,
    #[init(0x40)]
    none_verdict: Constant<Bits<VERDICT_BITS>>,
    #[init(0b0011)]
    two_lanes: Constant<Bits<4>>,
    #[init(0b0111)]
    three_lanes: Constant<Bits<4>>,
    #[init(0b1111)]
    four_lanes: Constant<Bits<4>>,
}

#[logic]
impl IsolateVerdict {
    fn update(&mut self) {
        lanes = bit_cast::<3, 2>(last_lane) + one;
        used = four_lanes;
        if last_lane == 2 {
            used = three_lanes;
        }
        if last_lane == 1 {
            used = two_lanes;
        }

        self.turn_marks();
        self.act();
        self.judge();
        out_disagree = compared & per_lane & (outcome != by_crc);
        if clear {
            held = false;
            latched = false;
            compared = false;
            given_up = false;
            out_lane = 0;
            out_multi = false;
            out_unknown = false;
            out_none = false;
            out_disagree = false;
        }

        lane_errors = out_lane;
        multi_lane = out_multi;
        iso_unknown = out_unknown;
        iso_none = out_none;
        iso_disagree = out_disagree;
    }

    /// With the verdict: a bad LTP as it is, a good one turned to where the latched one had its groups.
    fn turn_marks(&mut self) {
        turn = bit_cast::<3, 2>(state) + lanes - bit_cast::<3, 2>(latch_state);
        if turn >= lanes {
            turn = turn - lanes;
        }
        for i in 0..4 {
            current[i] = current[i];
            from = turn + lane_number[i];
            if from >= lanes {
                from = from - lanes;
            }
            source[i] = bit_cast::<2, 3>(from);
            pick = source[i];
            low_pair = crcs[0];
            high_pair = crcs[2];
            if pick[0] {
                low_pair = crcs[1];
                high_pair = crcs[3];
            }
            picked = low_pair;
            if pick[1] {
                picked = high_pair;
            }
            if bad {
                picked = crcs[i];
            }
            if evaluated {
                current[i] = picked;
            }
        }
        if evaluated {
            current_state = state;
            current_failed = failed & used;
        }
    }

    /// With the action: latch or compare. Failed CRCs go from groups to lanes: g to (g + state) mod L.
    fn act(&mut self) {
        latches = action.valid & (action.data == latch_code);
        compares = action.valid & (action.data == compare_code) & held;
        differs = 0;
        for i in 0..4 {
            latch[i] = In { clear: false, enable: latches };
            latch[i] = current[i];
            differs = differs.with(i, current[i] != latch[i]);
        }
        latch_state.enable = latches;
        latch_state = current_state;
        moved = bit_cast::<7, 4>(current_failed) << current_state;
        on_lanes = bit_cast::<4, 7>(moved) | bit_cast::<4, 3>(moved.bits::<3>(4));
        if last_lane == 2 {
            on_lanes = bit_cast::<4, 7>(moved) | bit_cast::<4, 3>(moved.bits::<3>(3));
        }
        marked = differs & used;
        if latches {
            marked = on_lanes & used;
        }
        latched = latches & per_lane;
        compared = compares;
        given_up = action.valid & (action.data == unknown_code) & held & !per_lane;
        if action.valid {
            held = latches;
        }
    }

    /// What the marks say.
    fn judge(&mut self) {
        is_one = (marked == 1) | (marked == 2) | (marked == 4) | (marked == 8);
        cannot_say = !last_lane.any();
        is_all = marked == used;
        outcome = 0;
        if cannot_say | is_all {
            outcome = unknown_verdict;
        } else if is_one {
            outcome = bit_cast::<VERDICT_BITS, 4>(marked);
        } else if marked.any() {
            outcome = multi_verdict;
        } else {
            outcome = none_verdict;
        }
        by_crc.enable = latched;
        by_crc = outcome;
        charged = latched | (compared & !per_lane);
        names = charged & is_one & !cannot_say & !is_all;
        rank_now[0] = 0;
        rank_now[1] = bit_cast::<2, 1>(active.bits::<1>(0));
        rank_now[2] = rank_now[1] + bit_cast::<2, 1>(active.bits::<1>(1));
        rank_now[3] = rank_now[2] + bit_cast::<2, 1>(active.bits::<1>(2));
        let mut on_lane: Bits<4> = 0;
        for i in 0..4 {
            rank[i] = rank_now[i];
            on_lane = on_lane.with(i, active[i] & names & marked[rank[i]]);
        }
        out_lane = on_lane;
        out_multi = charged & outcome[4];
        out_unknown = (charged & outcome[5]) | given_up;
        out_none = charged & outcome[6];
    }
}
