//! What is read when: a bad LTP to keep it, a replay to compare it, one word per clock.

use super::{LANE_STATE_BITS, ROW_ADDRESS_BITS, STEP_BITS, WORD_NUMBER_BITS};
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::lane_word::MAX_LANES;
use flitforge_protocol::ltp::{BITS_1056, BITS_1088, WORD_BITS};
use flitforge_protocol::retry::IsolateAction;

/// Takes the actions and walks through the LTPs they are about.
///
/// A walk begins 2 clocks after its action, gives one word per clock and rests one clock. Actions that come during a walk wait: a
/// copy before a comparison. A latch that comes while a comparison waits is not taken, nor is its comparison: `missed`.
#[block("bit_walk")]
pub struct BitWalk {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Synchronous clear: nothing is kept, nothing is read.
    clear: In<Bit>,
    /// LTPs have 34 words, else 33. Changes only while cleared.
    wide: In<Bit>,
    /// Lanes in use, by the sender's numbers. Changes only while cleared.
    active: In<Bits<4>>,
    /// L - 1. Changes only while cleared.
    last_lane: In<Bits<2>>,
    /// [`IsolateAction`].
    pub action: FlowIn<Bits<2>>,
    /// The row with the first word of its LTP.
    first_row: In<Bits<ROW_ADDRESS_BITS>>,
    /// The sequence state of its LTP.
    state: In<Bits<LANE_STATE_BITS>>,
    /// Pulse: a bad LTP will not be compared, since a comparison waits.
    missed: Out<Bit>,
    /// A word is read.
    reads: Out<Bit>,
    /// Its row.
    row: Out<Bits<ROW_ADDRESS_BITS>>,
    /// Its logical lane in that row.
    lane: Out<Bits<2>>,
    /// It is a word of a bad LTP, to be kept; else of a replay, to be compared.
    copies: Out<Bit>,
    /// The word's number, and of the bad LTP: the words before it on its lane, and the lane by the sender's numbers. Bits
    /// from 0: number 6, words before 6, lane 2, last word 1.
    step: Out<Bits<STEP_BITS>>,

    held: Reg<Bit>,
    copy_due: Reg<Bit>,
    copy_row: Reg<Bits<ROW_ADDRESS_BITS>>,
    copy_state: Reg<Bits<LANE_STATE_BITS>>,
    compare_due: Reg<Bit>,
    compare_row: Reg<Bits<ROW_ADDRESS_BITS>>,
    compare_state: Reg<Bits<LANE_STATE_BITS>>,
    /// State of the LTP that is kept.
    kept_state: Reg<Bits<LANE_STATE_BITS>>,
    out_missed: Reg<Bit>,
    running: Reg<Bit>,
    copying: Reg<Bit>,
    row_now: Reg<Bits<ROW_ADDRESS_BITS>>,
    lane_now: Reg<Bits<2>>,
    number: Reg<Bits<WORD_NUMBER_BITS>>,
    /// Transfer group of the word, the words before it in the group, the lane it came on in the bad LTP.
    group: Reg<Bits<2>>,
    turn: Reg<Bits<WORD_NUMBER_BITS>>,
    bad_lane: Reg<Bits<2>>,
    /// The sender's number of each logical lane; `active` has stood long before it is asked.
    #[wire(d = _)]
    physical: [Reg<Bits<2>>; MAX_LANES],

    latches: Local<Bit>,
    compares: Local<Bit>,
    rank: [Local<Bits<2>>; MAX_LANES],
    #[init(1)]
    one: Constant<Bits<WORD_NUMBER_BITS>>,
    #[init(1)]
    one_lane: Constant<Bits<2>>,
    #[init(1)]
    one_row: Constant<Bits<ROW_ADDRESS_BITS>>,
    #[init(|lane| lane)]
    lane_number: [Constant<Bits<2>>; MAX_LANES],
    #[init((BITS_1056 / WORD_BITS) - 1)]
    narrow_last: Constant<Bits<WORD_NUMBER_BITS>>,
    #[init((BITS_1088 / WORD_BITS) - 1)]
    wide_last: Constant<Bits<WORD_NUMBER_BITS>>,
    #[init(IsolateAction::Latch)]
    latch_code: Constant<Bits<2>>,
    #[init(IsolateAction::Compare)]
    compare_code: Constant<Bits<2>>,
}

#[logic]
impl BitWalk {
    fn update(&mut self) {
        // The next word of a walk.
        let mut last_number = narrow_last;
        if wide {
            last_number = wide_last;
        }
        let is_last = number == last_number;
        number = number + one;
        lane_now = lane_now + one_lane;
        if lane_now == last_lane {
            lane_now = 0;
            row_now = row_now + one_row;
        }
        bad_lane = bad_lane + one_lane;
        if bad_lane == last_lane {
            bad_lane = 0;
        }
        group = group + one_lane;
        if group == last_lane {
            group = 0;
            turn = turn + one;
        }
        if is_last {
            running = false;
        }

        self.begin_walk();
        self.act();

        // Logical lanes by the sender's numbers.
        rank[0] = 0;
        rank[1] = bit_cast::<2, 1>(active.bits::<1>(0));
        rank[2] = rank[1] + bit_cast::<2, 1>(active.bits::<1>(1));
        rank[3] = rank[2] + bit_cast::<2, 1>(active.bits::<1>(2));
        for i in 0..4 {
            physical[i] = 0;
            for j in 0..4 {
                if active[j] & (rank[j] == lane_number[i]) {
                    physical[i] = lane_number[j];
                }
            }
        }
        let mut sender_lane = physical[0];
        for i in 1..4 {
            if bad_lane == lane_number[i] {
                sender_lane = physical[i];
            }
        }

        missed = out_missed;
        reads = running;
        copies = copying;
        row = row_now;
        lane = lane_now;
        step = bit_cast::<STEP_BITS, WORD_NUMBER_BITS>(number)
            | (bit_cast::<STEP_BITS, WORD_NUMBER_BITS>(turn) << 6)
            | (bit_cast::<STEP_BITS, 2>(sender_lane) << 12)
            | (bit_cast::<STEP_BITS, 1>(is_last.into()) << 14);
    }

    /// The next walk.
    fn begin_walk(&mut self) {
        if !running {
            running = copy_due | compare_due;
            copying = copy_due;
            number = 0;
            group = 0;
            turn = 0;
            row_now = compare_row;
            lane_now = compare_state;
            bad_lane = kept_state;
            if copy_due {
                row_now = copy_row;
                lane_now = copy_state;
                kept_state = copy_state;
                copy_due = false;
            } else {
                compare_due = false;
            }
        }
    }

    /// Actions.
    fn act(&mut self) {
        latches = action.valid & (action.data == latch_code);
        compares = action.valid & (action.data == compare_code) & held;
        if action.valid {
            held = latches & !compare_due;
        }
        if latches & !compare_due {
            copy_due = true;
            copy_row = first_row;
            copy_state = state;
        }
        if compares {
            compare_due = true;
            compare_row = first_row;
            compare_state = state;
        }
        out_missed = latches & compare_due;
        if clear {
            held = false;
            copy_due = false;
            compare_due = false;
            out_missed = false;
            running = false;
        }
    }
}
