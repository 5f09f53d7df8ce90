//! What is read when: a bad LTP to keep it, a replay to compare it, one word per clock.

use super::{LANE_STATE_BITS, ROW_ADDRESS_BITS, STEP_BITS, WORD_NUMBER_BITS};
use crate::prim::stream::FlowIn;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::lane_word::MAX_LANES;
use flitforge_protocol::ltp::{BITS_1056, BITS_1088, WORD_BITS};
use flitforge_protocol::retry::IsolateAction;

/// Takes the actions and walks through the LTPs they are about.
///
/// A walk begins 2 clocks behind its action, gives one word per clock and rests one clock. Actions that come during a walk wait: a
/// copy before a comparison. A latch that comes while a comparison waits is not taken, nor is its comparison: `missed`.
#[derive(LogicBlock)]
pub struct BitWalk {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear: nothing is kept, nothing is read.
    pub clear: Signal<In, Bit>,
    /// LTPs have 34 words, else 33. Changes only while cleared.
    pub wide: Signal<In, Bit>,
    /// Lanes in use, by the sender's numbers. Changes only while cleared.
    pub active: Signal<In, Bits<4>>,
    /// L - 1. Changes only while cleared.
    pub last_lane: Signal<In, Bits<2>>,
    /// [`IsolateAction`].
    pub action: FlowIn<Bits<2>>,
    /// The row with the first word of its LTP.
    pub first_row: Signal<In, Bits<ROW_ADDRESS_BITS>>,
    /// The sequence state of its LTP.
    pub state: Signal<In, Bits<LANE_STATE_BITS>>,
    /// Pulse: a bad LTP will not be compared, since a comparison waits.
    pub missed: Signal<Out, Bit>,
    /// A word is read.
    pub reads: Signal<Out, Bit>,
    /// Its row.
    pub row: Signal<Out, Bits<ROW_ADDRESS_BITS>>,
    /// Its logical lane in that row.
    pub lane: Signal<Out, Bits<2>>,
    /// It is a word of a bad LTP, to be kept; else of a replay, to be compared.
    pub copies: Signal<Out, Bit>,
    /// The word's number, and of the bad LTP: the words before it on its lane, and the lane by the sender's numbers. Bits
    /// from 0: number 6, words before 6, lane 2, last word 1.
    pub step: Signal<Out, Bits<STEP_BITS>>,

    held: DFF<Bit>,
    copy_due: DFF<Bit>,
    copy_row: DFF<Bits<ROW_ADDRESS_BITS>>,
    copy_state: DFF<Bits<LANE_STATE_BITS>>,
    compare_due: DFF<Bit>,
    compare_row: DFF<Bits<ROW_ADDRESS_BITS>>,
    compare_state: DFF<Bits<LANE_STATE_BITS>>,
    /// State of the LTP that is kept.
    kept_state: DFF<Bits<LANE_STATE_BITS>>,
    out_missed: DFF<Bit>,
    running: DFF<Bit>,
    copying: DFF<Bit>,
    row_now: DFF<Bits<ROW_ADDRESS_BITS>>,
    lane_now: DFF<Bits<2>>,
    number: DFF<Bits<WORD_NUMBER_BITS>>,
    /// Transfer group of the word, the words before it in the group, the lane it came on in the bad LTP.
    group: DFF<Bits<2>>,
    turn: DFF<Bits<WORD_NUMBER_BITS>>,
    bad_lane: DFF<Bits<2>>,
    /// The sender's number of each logical lane; `active` has stood long before it is asked.
    physical: [DFF<Bits<2>>; MAX_LANES],

    latches: Signal<Local, Bit>,
    compares: Signal<Local, Bit>,
    rank: [Signal<Local, Bits<2>>; MAX_LANES],
    last_number: Signal<Local, Bits<WORD_NUMBER_BITS>>,
    is_last: Signal<Local, Bit>,
    sender_lane: Signal<Local, Bits<2>>,
    one: Constant<Bits<WORD_NUMBER_BITS>>,
    one_lane: Constant<Bits<2>>,
    one_row: Constant<Bits<ROW_ADDRESS_BITS>>,
    lane_number: [Constant<Bits<2>>; MAX_LANES],
    narrow_last: Constant<Bits<WORD_NUMBER_BITS>>,
    wide_last: Constant<Bits<WORD_NUMBER_BITS>>,
    latch_code: Constant<Bits<2>>,
    compare_code: Constant<Bits<2>>,
}

impl Default for BitWalk {
    fn default() -> Self {
        let code = |action: IsolateAction| Constant::new(u64::from(action.code()).into());
        let last = |bits: usize| Constant::new(((bits / WORD_BITS) as u64 - 1).into());
        Self {
            clock: Default::default(),
            clear: Default::default(),
            wide: Default::default(),
            active: Default::default(),
            last_lane: Default::default(),
            action: Default::default(),
            first_row: Default::default(),
            state: Default::default(),
            missed: Default::default(),
            reads: Default::default(),
            row: Default::default(),
            lane: Default::default(),
            copies: Default::default(),
            step: Default::default(),
            held: Default::default(),
            copy_due: Default::default(),
            copy_row: Default::default(),
            copy_state: Default::default(),
            compare_due: Default::default(),
            compare_row: Default::default(),
            compare_state: Default::default(),
            kept_state: Default::default(),
            out_missed: Default::default(),
            running: Default::default(),
            copying: Default::default(),
            row_now: Default::default(),
            lane_now: Default::default(),
            number: Default::default(),
            group: Default::default(),
            turn: Default::default(),
            bad_lane: Default::default(),
            physical: Default::default(),
            latches: Default::default(),
            compares: Default::default(),
            rank: Default::default(),
            last_number: Default::default(),
            is_last: Default::default(),
            sender_lane: Default::default(),
            one: Constant::new(1.into()),
            one_lane: Constant::new(1.into()),
            one_row: Constant::new(1.into()),
            lane_number: std::array::from_fn(|lane| Constant::new((lane as u64).into())),
            narrow_last: last(BITS_1056),
            wide_last: last(BITS_1088),
            latch_code: code(IsolateAction::Latch),
            compare_code: code(IsolateAction::Compare),
        }
    }
}

impl Logic for BitWalk {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            held,
            copy_due,
            copy_row,
            copy_state,
            compare_due,
            compare_row,
            compare_state
        );
        dff_setup!(self, clock, kept_state, out_missed, running, copying, row_now, lane_now, number);
        dff_setup!(self, clock, group, turn, bad_lane);

        // The next word of a walk.
        self.last_number.next = self.narrow_last.val();
        if self.wide.val() {
            self.last_number.next = self.wide_last.val();
        }
        self.is_last.next = self.number.q.val() == self.last_number.val();
        self.number.d.next = self.number.q.val() + self.one.val();
        self.lane_now.d.next = self.lane_now.q.val() + self.one_lane.val();
        if self.lane_now.q.val() == self.last_lane.val() {
            self.lane_now.d.next = 0.into();
            self.row_now.d.next = self.row_now.q.val() + self.one_row.val();
        }
        self.bad_lane.d.next = self.bad_lane.q.val() + self.one_lane.val();
        if self.bad_lane.q.val() == self.last_lane.val() {
            self.bad_lane.d.next = 0.into();
        }
        self.group.d.next = self.group.q.val() + self.one_lane.val();
        if self.group.q.val() == self.last_lane.val() {
            self.group.d.next = 0.into();
            self.turn.d.next = self.turn.q.val() + self.one.val();
        }
        if self.is_last.val() {
            self.running.d.next = false;
        }

        // The next walk.
        if !self.running.q.val() {
            self.running.d.next = self.copy_due.q.val() | self.compare_due.q.val();
            self.copying.d.next = self.copy_due.q.val();
            self.number.d.next = 0.into();
            self.group.d.next = 0.into();
            self.turn.d.next = 0.into();
            self.row_now.d.next = self.compare_row.q.val();
            self.lane_now.d.next = self.compare_state.q.val();
            self.bad_lane.d.next = self.kept_state.q.val();
            if self.copy_due.q.val() {
                self.row_now.d.next = self.copy_row.q.val();
                self.lane_now.d.next = self.copy_state.q.val();
                self.kept_state.d.next = self.copy_state.q.val();
                self.copy_due.d.next = false;
            } else {
                self.compare_due.d.next = false;
            }
        }

        // Actions.
        self.latches.next = self.action.valid.val() & (self.action.data.val() == self.latch_code.val());
        self.compares.next =
            self.action.valid.val() & (self.action.data.val() == self.compare_code.val()) & self.held.q.val();
        if self.action.valid.val() {
            self.held.d.next = self.latches.val() & !self.compare_due.q.val();
        }
        if self.latches.val() & !self.compare_due.q.val() {
            self.copy_due.d.next = true;
            self.copy_row.d.next = self.first_row.val();
            self.copy_state.d.next = self.state.val();
        }
        if self.compares.val() {
            self.compare_due.d.next = true;
            self.compare_row.d.next = self.first_row.val();
            self.compare_state.d.next = self.state.val();
        }
        self.out_missed.d.next = self.latches.val() & self.compare_due.q.val();
        if self.clear.val() {
            self.held.d.next = false;
            self.copy_due.d.next = false;
            self.compare_due.d.next = false;
            self.out_missed.d.next = false;
            self.running.d.next = false;
        }

        // Logical lanes by the sender's numbers.
        self.rank[0].next = 0.into();
        self.rank[1].next = bit_cast::<2, 1>(self.active.val().get_bits::<1>(0));
        self.rank[2].next = self.rank[1].val() + bit_cast::<2, 1>(self.active.val().get_bits::<1>(1));
        self.rank[3].next = self.rank[2].val() + bit_cast::<2, 1>(self.active.val().get_bits::<1>(2));
        for i in 0..4 {
            self.physical[i].clock.next = self.clock.val();
            self.physical[i].d.next = 0.into();
            for j in 0..4 {
                if self.active.val().get_bit(j) & (self.rank[j].val() == self.lane_number[i].val()) {
                    self.physical[i].d.next = self.lane_number[j].val();
                }
            }
        }
        self.sender_lane.next = self.physical[0].q.val();
        for i in 1..4 {
            if self.bad_lane.q.val() == self.lane_number[i].val() {
                self.sender_lane.next = self.physical[i].q.val();
            }
        }

        self.missed.next = self.out_missed.q.val();
        self.reads.next = self.running.q.val();
        self.copies.next = self.copying.q.val();
        self.row.next = self.row_now.q.val();
        self.lane.next = self.lane_now.q.val();
        self.step.next = bit_cast::<STEP_BITS, WORD_NUMBER_BITS>(self.number.q.val())
            | (bit_cast::<STEP_BITS, WORD_NUMBER_BITS>(self.turn.q.val()) << 6)
            | (bit_cast::<STEP_BITS, 2>(self.sender_lane.val()) << 12)
            | (bit_cast::<STEP_BITS, 1>(self.is_last.val().into()) << 14);
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("bit_walk", &[])
    }
}

drive_ports!(impl[] BitWalk { clock, clear, wide, active, last_lane, action, first_row, state, missed, reads, row, lane, copies, step });
