//! The latch of a bad LTP, the comparison with its replay, and what follows from it.

use super::GROUP_CRC_BITS;
use crate::prim::stream::FlowIn;
use crate::prim::Register;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::lane_word::MAX_LANES;
use flitforge_protocol::retry::IsolateAction;

/// Bits of a verdict: logical lane (one bit each), several lanes, unknown, none.
const VERDICT_BITS: usize = MAX_LANES + 3;

/// Takes the group CRCs of every LTP with its verdict and, for the LTP of an action, says what the action leads to.
///
/// At least 4 clocks lie between two verdicts; an action comes 1 or 2 clocks behind the verdict of its LTP. Outputs
/// come 2 clocks behind the action.
#[derive(LogicBlock)]
pub struct IsolateVerdict {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear: nothing is kept.
    pub clear: Signal<In, Bit>,
    /// Mode 3: the failed CRCs give the verdict.
    pub per_lane: Signal<In, Bit>,
    /// Lanes in use, by the sender's numbers.
    pub active: Signal<In, Bits<4>>,
    /// L - 1.
    pub last_lane: Signal<In, Bits<2>>,
    /// The verdict of the LTP whose CRCs stand at `crcs`.
    pub judged: Signal<In, Bit>,
    /// With `judged`: the LTP is bad.
    pub bad: Signal<In, Bit>,
    /// With `judged`, in mode 3. Bit g: the CRC of group g failed.
    pub failed: Signal<In, Bits<4>>,
    /// Group CRCs by logical lane.
    pub crcs: [Signal<In, Bits<GROUP_CRC_BITS>>; MAX_LANES],
    /// Sequence state of the LTP.
    pub state: Signal<In, Bits<2>>,
    /// [`IsolateAction`].
    pub action: FlowIn<Bits<2>>,
    /// One bit: this lane, by the sender's numbers, is charged.
    pub lane_errors: Signal<Out, Bits<4>>,
    /// Several lanes, but not all.
    pub multi_lane: Signal<Out, Bit>,
    /// Nothing can be said.
    pub iso_unknown: Signal<Out, Bit>,
    /// No group differs.
    pub iso_none: Signal<Out, Bit>,
    /// Mode 3: the comparison gave another verdict than the CRCs.
    pub iso_disagree: Signal<Out, Bit>,

    current: [DFF<Bits<GROUP_CRC_BITS>>; MAX_LANES],
    current_state: DFF<Bits<2>>,
    current_failed: DFF<Bits<4>>,
    /// Where the LTP in the latch's place has each lane's group.
    source: [DFF<Bits<2>>; MAX_LANES],
    latch: [Register<Bits<GROUP_CRC_BITS>>; MAX_LANES],
    latch_state: Register<Bits<2>>,
    held: DFF<Bit>,
    /// Lanes that differ, or whose CRC failed.
    marked: DFF<Bits<4>>,
    latched: DFF<Bit>,
    compared: DFF<Bit>,
    given_up: DFF<Bit>,
    by_crc: Register<Bits<VERDICT_BITS>>,
    out_lane: DFF<Bits<4>>,
    out_multi: DFF<Bit>,
    out_unknown: DFF<Bit>,
    out_none: DFF<Bit>,
    out_disagree: DFF<Bit>,

    latches: Signal<Local, Bit>,
    compares: Signal<Local, Bit>,
    lanes: Signal<Local, Bits<3>>,
    used: Signal<Local, Bits<4>>,
    turn: Signal<Local, Bits<3>>,
    from: Signal<Local, Bits<3>>,
    pick: Signal<Local, Bits<2>>,
    low_pair: Signal<Local, Bits<GROUP_CRC_BITS>>,
    high_pair: Signal<Local, Bits<GROUP_CRC_BITS>>,
    picked: Signal<Local, Bits<GROUP_CRC_BITS>>,
    differs: Signal<Local, Bits<4>>,
    moved: Signal<Local, Bits<7>>,
    on_lanes: Signal<Local, Bits<4>>,
    is_one: Signal<Local, Bit>,
    is_all: Signal<Local, Bit>,
    cannot_say: Signal<Local, Bit>,
    outcome: Signal<Local, Bits<VERDICT_BITS>>,
    charged: Signal<Local, Bit>,
    /// One lane is charged.
    names: Signal<Local, Bit>,
    /// Logical number of each lane; `active` has stood long before it is asked.
    rank: [DFF<Bits<2>>; MAX_LANES],
    rank_now: [Signal<Local, Bits<2>>; MAX_LANES],
    on_lane: Signal<Local, Bits<4>>,
    lane_number: [Constant<Bits<3>>; MAX_LANES],
    one: Constant<Bits<3>>,
    latch_code: Constant<Bits<2>>,
    compare_code: Constant<Bits<2>>,
    unknown_code: Constant<Bits<2>>,
    multi_verdict: Constant<Bits<VERDICT_BITS>>,
    unknown_verdict: Constant<Bits<VERDICT_BITS>>,
    none_verdict: Constant<Bits<VERDICT_BITS>>,
    two_lanes: Constant<Bits<4>>,
    three_lanes: Constant<Bits<4>>,
    four_lanes: Constant<Bits<4>>,
}

impl Default for IsolateVerdict {
    fn default() -> Self {
        let code = |action: IsolateAction| Constant::new(u64::from(action.code()).into());
        Self {
            clock: Default::default(),
            clear: Default::default(),
            per_lane: Default::default(),
            active: Default::default(),
            last_lane: Default::default(),
            judged: Default::default(),
            bad: Default::default(),
            failed: Default::default(),
            crcs: Default::default(),
            state: Default::default(),
            action: Default::default(),
            lane_errors: Default::default(),
            multi_lane: Default::default(),
            iso_unknown: Default::default(),
            iso_none: Default::default(),
            iso_disagree: Default::default(),
            current: Default::default(),
            current_state: Default::default(),
            current_failed: Default::default(),
            source: Default::default(),
            latch: Default::default(),
            latch_state: Default::default(),
            held: Default::default(),
            marked: Default::default(),
            latched: Default::default(),
            compared: Default::default(),
            given_up: Default::default(),
            by_crc: Default::default(),
            out_lane: Default::default(),
            out_multi: Default::default(),
            out_unknown: Default::default(),
            out_none: Default::default(),
            out_disagree: Default::default(),
            latches: Default::default(),
            compares: Default::default(),
            lanes: Default::default(),
            used: Default::default(),
            turn: Default::default(),
            from: Default::default(),
            pick: Default::default(),
            low_pair: Default::default(),
            high_pair: Default::default(),
            picked: Default::default(),
            differs: Default::default(),
            moved: Default::default(),
            on_lanes: Default::default(),
            is_one: Default::default(),
            is_all: Default::default(),
            cannot_say: Default::default(),
            outcome: Default::default(),
            charged: Default::default(),
            names: Default::default(),
            rank: Default::default(),
            rank_now: Default::default(),
            on_lane: Default::default(),
            lane_number: std::array::from_fn(|lane| Constant::new((lane as u64).into())),
            one: Constant::new(1.into()),
            latch_code: code(IsolateAction::Latch),
            compare_code: code(IsolateAction::Compare),
            unknown_code: code(IsolateAction::Unknown),
            multi_verdict: Constant::new(0x10.into()),
            unknown_verdict: Constant::new(0x20.into()),
            none_verdict: Constant::new(0x40.into()),
            two_lanes: Constant::new(0b0011.into()),
            three_lanes: Constant::new(0b0111.into()),
            four_lanes: Constant::new(0b1111.into()),
        }
    }
}

impl Logic for IsolateVerdict {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, current_state, current_failed, held, marked, latched, compared, given_up);
        dff_setup!(self, clock, out_lane, out_multi, out_unknown, out_none, out_disagree);
        clock!(self, clock, latch_state, by_crc);
        self.lanes.next = bit_cast::<3, 2>(self.last_lane.val()) + self.one.val();
        self.used.next = self.four_lanes.val();
        if self.last_lane.val() == 2 {
            self.used.next = self.three_lanes.val();
        }
        if self.last_lane.val() == 1 {
            self.used.next = self.two_lanes.val();
        }

        // With the verdict: a bad LTP as it is, a good one turned to where the latched one had its groups.
        self.turn.next = bit_cast::<3, 2>(self.state.val()) + self.lanes.val()
            - bit_cast::<3, 2>(self.latch_state.q.val());
        if self.turn.val() >= self.lanes.val() {
            self.turn.next = self.turn.val() - self.lanes.val();
        }
        for i in 0..4 {
            self.source[i].clock.next = self.clock.val();
            self.current[i].clock.next = self.clock.val();
            self.current[i].d.next = self.current[i].q.val();
            self.from.next = self.turn.val() + self.lane_number[i].val();
            if self.from.val() >= self.lanes.val() {
                self.from.next = self.from.val() - self.lanes.val();
            }
            self.source[i].d.next = bit_cast::<2, 3>(self.from.val());
            self.pick.next = self.source[i].q.val();
            self.low_pair.next = self.crcs[0].val();
            self.high_pair.next = self.crcs[2].val();
            if self.pick.val().get_bit(0) {
                self.low_pair.next = self.crcs[1].val();
                self.high_pair.next = self.crcs[3].val();
            }
            self.picked.next = self.low_pair.val();
            if self.pick.val().get_bit(1) {
                self.picked.next = self.high_pair.val();
            }
            if self.bad.val() {
                self.picked.next = self.crcs[i].val();
            }
            if self.judged.val() {
                self.current[i].d.next = self.picked.val();
            }
        }
        if self.judged.val() {
            self.current_state.d.next = self.state.val();
            self.current_failed.d.next = self.failed.val() & self.used.val();
        }

        // With the action: latch or compare. Failed CRCs go from groups to lanes: g to (g + state) mod L.
        self.latches.next = self.action.valid.val() & (self.action.data.val() == self.latch_code.val());
        self.compares.next =
            self.action.valid.val() & (self.action.data.val() == self.compare_code.val()) & self.held.q.val();
        self.differs.next = 0.into();
        for i in 0..4 {
            self.latch[i].clock.next = self.clock.val();
            self.latch[i].clear.next = false;
            self.latch[i].enable.next = self.latches.val();
            self.latch[i].d.next = self.current[i].q.val();
            self.differs.next =
                self.differs.val().replace_bit(i, self.current[i].q.val() != self.latch[i].q.val());
        }
        self.latch_state.clear.next = false;
        self.latch_state.enable.next = self.latches.val();
        self.latch_state.d.next = self.current_state.q.val();
        self.moved.next = bit_cast::<7, 4>(self.current_failed.q.val()) << self.current_state.q.val();
        self.on_lanes.next =
            bit_cast::<4, 7>(self.moved.val()) | bit_cast::<4, 3>(self.moved.val().get_bits::<3>(4));
        if self.last_lane.val() == 2 {
            self.on_lanes.next =
                bit_cast::<4, 7>(self.moved.val()) | bit_cast::<4, 3>(self.moved.val().get_bits::<3>(3));
        }
        self.marked.d.next = self.differs.val() & self.used.val();
        if self.latches.val() {
            self.marked.d.next = self.on_lanes.val() & self.used.val();
        }
        self.latched.d.next = self.latches.val() & self.per_lane.val();
        self.compared.d.next = self.compares.val();
        self.given_up.d.next = self.action.valid.val()
            & (self.action.data.val() == self.unknown_code.val())
            & self.held.q.val()
            & !self.per_lane.val();
        if self.action.valid.val() {
            self.held.d.next = self.latches.val();
        }

        // What the marks say.
        self.is_one.next = (self.marked.q.val() == 1)
            | (self.marked.q.val() == 2)
            | (self.marked.q.val() == 4)
            | (self.marked.q.val() == 8);
        self.cannot_say.next = !self.last_lane.val().any();
        self.is_all.next = self.marked.q.val() == self.used.val();
        self.outcome.next = 0.into();
        if self.cannot_say.val() | self.is_all.val() {
            self.outcome.next = self.unknown_verdict.val();
        } else if self.is_one.val() {
            self.outcome.next = bit_cast::<VERDICT_BITS, 4>(self.marked.q.val());
        } else if self.marked.q.val().any() {
            self.outcome.next = self.multi_verdict.val();
        } else {
            self.outcome.next = self.none_verdict.val();
        }
        self.by_crc.clear.next = false;
        self.by_crc.enable.next = self.latched.q.val();
        self.by_crc.d.next = self.outcome.val();
        self.charged.next = self.latched.q.val() | (self.compared.q.val() & !self.per_lane.val());
        self.names.next =
            self.charged.val() & self.is_one.val() & !self.cannot_say.val() & !self.is_all.val();
        self.rank_now[0].next = 0.into();
        self.rank_now[1].next = bit_cast::<2, 1>(self.active.val().get_bits::<1>(0));
        self.rank_now[2].next = self.rank_now[1].val() + bit_cast::<2, 1>(self.active.val().get_bits::<1>(1));
        self.rank_now[3].next = self.rank_now[2].val() + bit_cast::<2, 1>(self.active.val().get_bits::<1>(2));
        self.on_lane.next = 0.into();
        for i in 0..4 {
            self.rank[i].clock.next = self.clock.val();
            self.rank[i].d.next = self.rank_now[i].val();
            self.on_lane.next = self.on_lane.val().replace_bit(
                i,
                self.active.val().get_bit(i)
                    & self.names.val()
                    & self.marked.q.val().get_bit(self.rank[i].q.val().index()),
            );
        }
        self.out_lane.d.next = self.on_lane.val();
        self.out_multi.d.next = self.charged.val() & self.outcome.val().get_bit(4);
        self.out_unknown.d.next =
            (self.charged.val() & self.outcome.val().get_bit(5)) | self.given_up.q.val();
        self.out_none.d.next = self.charged.val() & self.outcome.val().get_bit(6);
        self.out_disagree.d.next =
            self.compared.q.val() & self.per_lane.val() & (self.outcome.val() != self.by_crc.q.val());
        if self.clear.val() {
            self.held.d.next = false;
            self.latched.d.next = false;
            self.compared.d.next = false;
            self.given_up.d.next = false;
            self.out_lane.d.next = 0.into();
            self.out_multi.d.next = false;
            self.out_unknown.d.next = false;
            self.out_none.d.next = false;
            self.out_disagree.d.next = false;
        }

        self.lane_errors.next = self.out_lane.q.val();
        self.multi_lane.next = self.out_multi.q.val();
        self.iso_unknown.next = self.out_unknown.q.val();
        self.iso_none.next = self.out_none.q.val();
        self.iso_disagree.next = self.out_disagree.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("isolate_verdict", &[])
    }
}

drive_ports!(impl[] IsolateVerdict { clock, clear, per_lane, active, last_lane, judged, bad, failed, crcs, state, action, lane_errors, multi_lane, iso_unknown, iso_none, iso_disagree });
