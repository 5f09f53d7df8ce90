//! Where in the memory of rows the LTP stands that was judged last.

use super::{LANE_STATE_BITS, ROW_ADDRESS_BITS};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::lane_word::MAX_LANES;
use flitforge_protocol::ltp::{BITS_1056, BITS_1088, WORD_BITS};

/// Counts rows and LTPs from the start row on: an LTP of N words is (N + s) div L rows behind the one before it, whose
/// sequence state is s.
///
/// At least 4 clocks lie between two verdicts, a verdict comes at least 3 clocks behind the row with its LTP's last word. The
/// place stands from the clock behind the verdict on.
#[derive(LogicBlock)]
pub struct LtpPlaces {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear; the next row starts an LTP.
    pub clear: Signal<In, Bit>,
    /// LTPs have 34 words, else 33. Changes only while cleared.
    pub wide: Signal<In, Bit>,
    /// L - 1. Changes only while cleared.
    pub last_lane: Signal<In, Bits<2>>,
    /// A row is written.
    pub row: Signal<In, Bit>,
    /// Where.
    pub write_row: Signal<Out, Bits<ROW_ADDRESS_BITS>>,
    /// The verdict of the oldest LTP that has none.
    pub judged: Signal<In, Bit>,
    /// There was an LTP with the last verdict; what follows is about it.
    pub known: Signal<Out, Bit>,
    /// The row with its first word.
    pub first_row: Signal<Out, Bits<ROW_ADDRESS_BITS>>,
    /// Its sequence state: the logical lane of its first word.
    pub state: Signal<Out, Bits<LANE_STATE_BITS>>,

    written: DFF<Bits<ROW_ADDRESS_BITS>>,
    /// The oldest LTP without a verdict.
    oldest_row: DFF<Bits<ROW_ADDRESS_BITS>>,
    oldest_state: DFF<Bits<LANE_STATE_BITS>>,
    /// The LTP behind it.
    following_row: DFF<Bits<ROW_ADDRESS_BITS>>,
    following_state: DFF<Bits<LANE_STATE_BITS>>,
    /// The oldest LTP has come whole.
    complete: DFF<Bit>,
    known_now: DFF<Bit>,
    judged_row: DFF<Bits<ROW_ADDRESS_BITS>>,
    judged_state: DFF<Bits<LANE_STATE_BITS>>,

    rows: Signal<Local, Bits<ROW_ADDRESS_BITS>>,
    advance: Signal<Local, Bits<3>>,
    lanes: Signal<Local, Bits<3>>,
    advanced: Signal<Local, Bits<3>>,
    wraps: Signal<Local, Bit>,
    wrapped: Signal<Local, Bits<3>>,
    behind: Signal<Local, Bits<ROW_ADDRESS_BITS>>,
    one: Constant<Bits<ROW_ADDRESS_BITS>>,
    one_lane: Constant<Bits<3>>,
    lane_number: [Constant<Bits<2>>; MAX_LANES],
    /// N div L and N mod L by L - 1, for 33 and 34 words.
    whole_rows: [Constant<Bits<ROW_ADDRESS_BITS>>; 8],
    words_over: [Constant<Bits<3>>; 8],
}

/// Words of an LTP by `wide`, lanes by L - 1.
fn choices() -> [(u64, u64); 8] {
    std::array::from_fn(|choice| {
        let bits = if choice < 4 { BITS_1056 } else { BITS_1088 };
        ((bits / WORD_BITS) as u64, choice as u64 % 4 + 1)
    })
}

impl Default for LtpPlaces {
    fn default() -> Self {
        let choices = choices();
        Self {
            clock: Default::default(),
            clear: Default::default(),
            wide: Default::default(),
            last_lane: Default::default(),
            row: Default::default(),
            write_row: Default::default(),
            judged: Default::default(),
            known: Default::default(),
            first_row: Default::default(),
            state: Default::default(),
            written: Default::default(),
            oldest_row: Default::default(),
            oldest_state: Default::default(),
            following_row: Default::default(),
            following_state: Default::default(),
            complete: Default::default(),
            known_now: Default::default(),
            judged_row: Default::default(),
            judged_state: Default::default(),
            rows: Default::default(),
            advance: Default::default(),
            lanes: Default::default(),
            advanced: Default::default(),
            wraps: Default::default(),
            wrapped: Default::default(),
            behind: Default::default(),
            one: Constant::new(1.into()),
            one_lane: Constant::new(1.into()),
            lane_number: std::array::from_fn(|lane| Constant::new((lane as u64).into())),
            whole_rows: choices.map(|(words, lanes)| Constant::new((words / lanes).into())),
            words_over: choices.map(|(words, lanes)| Constant::new((words % lanes).into())),
        }
    }
}

impl Logic for LtpPlaces {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, written, oldest_row, oldest_state, following_row, following_state, complete);
        dff_setup!(self, clock, known_now, judged_row, judged_state);
        if self.row.val() {
            self.written.d.next = self.written.q.val() + self.one.val();
        }

        // The LTP behind the oldest.
        self.rows.next = self.whole_rows[0].val();
        self.advance.next = self.words_over[0].val();
        for i in 0..4 {
            if self.last_lane.val() == self.lane_number[i].val() {
                self.rows.next = self.whole_rows[i].val();
                self.advance.next = self.words_over[i].val();
                if self.wide.val() {
                    self.rows.next = self.whole_rows[i + 4].val();
                    self.advance.next = self.words_over[i + 4].val();
                }
            }
        }
        self.lanes.next = bit_cast::<3, 2>(self.last_lane.val()) + self.one_lane.val();
        self.advanced.next = bit_cast::<3, 2>(self.oldest_state.q.val()) + self.advance.val();
        self.wraps.next = self.advanced.val() >= self.lanes.val();
        self.wrapped.next = self.advanced.val() - self.lanes.val();
        self.following_row.d.next = self.oldest_row.q.val() + self.rows.val();
        self.following_state.d.next = bit_cast::<2, 3>(self.advanced.val());
        if self.wraps.val() {
            self.following_row.d.next = self.oldest_row.q.val() + self.rows.val() + self.one.val();
            self.following_state.d.next = bit_cast::<2, 3>(self.wrapped.val());
        }

        // The oldest has come whole when all rows before the first one of the next are there, and that one if it is shared.
        self.behind.next = self.written.q.val() - self.following_row.q.val();
        self.complete.d.next =
            !self.behind.val().get_bit(8) & (self.behind.val().any() | !self.following_state.q.val().any());
        if self.judged.val() {
            self.known_now.d.next = self.complete.q.val();
            self.judged_row.d.next = self.oldest_row.q.val();
            self.judged_state.d.next = self.oldest_state.q.val();
            if self.complete.q.val() {
                self.oldest_row.d.next = self.following_row.q.val();
                self.oldest_state.d.next = self.following_state.q.val();
            }
        }
        if self.clear.val() {
            self.written.d.next = 0.into();
            self.oldest_row.d.next = 0.into();
            self.oldest_state.d.next = 0.into();
            self.following_row.d.next = self.one.val();
            self.complete.d.next = false;
            self.known_now.d.next = false;
        }
        self.write_row.next = self.written.q.val();
        self.known.next = self.known_now.q.val();
        self.first_row.next = self.judged_row.q.val();
        self.state.next = self.judged_state.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("ltp_places", &[])
    }
}

drive_ports!(impl[] LtpPlaces { clock, clear, wide, last_lane, row, write_row, judged, known, first_row, state });
