//! Lanes to rows.

use super::receive_lane::RxLane;
use super::{check_lanes, lanes_of, RowCount, LANE_IN_BITS, ROW_BITS};
use crate::config::ConfigError;
use crate::prim::stream::{FlowIn, FlowOut};
use crate::prim::Register;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use std::array;

/// Receiver's side of `link_lane`; see the [module](super).
///
/// Lanes are numbered as the sender numbers them; sender's lane i comes in at `lanes[source[i]]`.
#[derive(LogicBlock)]
pub struct LinkLaneRx<const LANES: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear: forgets words and waits for start rows.
    pub clear: Signal<In, Bit>,
    /// Lanes in use, by the sender's numbers. Changes only while cleared.
    pub active: Signal<In, Bits<4>>,
    /// Where each of the sender's lanes comes in; i for lane i if nothing is crossed. Changes only while cleared.
    pub source: [Signal<In, Bits<2>>; LANES],
    /// CRC mode the start row must name.
    pub crc_mode: Signal<In, Bits<2>>,
    /// L - 1, from `active` one clock before.
    pub last_lane: Signal<Out, Bits<2>>,
    /// Lane words: word in bits 31..0, ctl in bit 32, code_err in bit 33.
    pub lanes: [FlowIn<Bits<LANE_IN_BITS>>; LANES],
    /// Rows: word i (logical lane i) in bits 32i..32i+31; words L and up are 0.
    pub rows: FlowOut<Bits<ROW_BITS>>,
    /// With a row. Bit i: word i is a control word or was marked bad by the PHY.
    pub row_error: Signal<Out, Bits<4>>,
    /// The first lane has started; comes before the first row.
    pub row_start: Signal<Out, Bit>,
    /// Pulse: skew beyond the FIFOs, a lane that stopped, or an ALN number that differs. All lanes wait for
    /// start rows again.
    pub deskew_lost: Signal<Out, Bit>,
    /// Pulse per lane (sender's number): a control word in a data row, anything but ALN in an ALN row, or a
    /// word marked bad by the PHY.
    pub code_errors: Signal<Out, Bits<4>>,
    /// Pulse: a start row named another lane, L or CRC mode; that lane does not start.
    pub start_mismatch: Signal<Out, Bit>,

    lane: [RxLane; LANES],
    row_count: RowCount,
    read_address: DFF<Bits<4>>,
    read_following: Register<Bits<4>>,
    /// Bit j of `places[i]`: lane i's word is word j.
    places: [DFF<Bits<4>>; LANES],
    out_valid: DFF<Bit>,
    out_words: [DFF<Bits<32>>; 4],
    out_error: DFF<Bits<4>>,
    out_start: DFF<Bit>,
    out_lost: DFF<Bit>,
    out_code: DFF<Bits<4>>,
    out_mismatch: DFF<Bit>,
    last: DFF<Bits<2>>,

    one: Constant<Bits<2>>,
    one_row: Constant<Bits<4>>,
    /// Lane i is word i at most.
    possible: [Constant<Bits<4>>; LANES],
    count: [Signal<Local, Bits<3>>; 5],
    rank: [Signal<Local, Bits<2>>; 4],
    count_low: Signal<Local, Bits<2>>,
    running: Signal<Local, Bit>,
    some_active: Signal<Local, Bit>,
    starts: Signal<Local, Bit>,
    take: Signal<Local, Bit>,
    mismatch: Signal<Local, Bit>,
    lost: Signal<Local, Bit>,
    forget: Signal<Local, Bit>,
    place: [Signal<Local, Bits<4>>; LANES],
    words: [Signal<Local, Bits<32>>; 4],
    errors: Signal<Local, Bits<4>>,
    code: Signal<Local, Bits<4>>,
}

impl<const LANES: usize> LinkLaneRx<LANES> {
    /// For `LANES` physical lanes, 1 to 4.
    pub fn new() -> Result<Self, ConfigError> {
        check_lanes("link_lane_rx", LANES)?;
        Ok(Self {
            clock: Default::default(),
            clear: Default::default(),
            active: Default::default(),
            source: defaults(),
            crc_mode: Default::default(),
            last_lane: Default::default(),
            lanes: defaults(),
            rows: Default::default(),
            row_error: Default::default(),
            row_start: Default::default(),
            deskew_lost: Default::default(),
            code_errors: Default::default(),
            start_mismatch: Default::default(),
            lane: lanes_of("link_lane_rx", RxLane::new)?,
            row_count: Default::default(),
            read_address: Default::default(),
            read_following: Register::new(1.into()),
            places: defaults(),
            out_valid: Default::default(),
            out_words: Default::default(),
            out_error: Default::default(),
            out_start: Default::default(),
            out_lost: Default::default(),
            out_code: Default::default(),
            out_mismatch: Default::default(),
            last: Default::default(),
            one: Constant::new(1.into()),
            one_row: Constant::new(1.into()),
            possible: array::from_fn(|lane| Constant::new(((2u64 << lane) - 1).into())),
            count: Default::default(),
            rank: Default::default(),
            count_low: Default::default(),
            running: Default::default(),
            some_active: Default::default(),
            starts: Default::default(),
            take: Default::default(),
            mismatch: Default::default(),
            lost: Default::default(),
            forget: Default::default(),
            place: defaults(),
            words: Default::default(),
            errors: Default::default(),
            code: Default::default(),
        })
    }
}

impl<const LANES: usize> Logic for LinkLaneRx<LANES> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, read_address, out_valid, out_error, out_start, out_lost);
        dff_setup!(self, clock, out_code, out_mismatch, last);
        clock!(self, clock, row_count, read_following);
        for i in 0..4 {
            self.out_words[i].clock.next = self.clock.val();
        }

        // count[i]: active lanes below lane i, which is the logical lane of an active lane i.
        self.count[0].next = 0.into();
        for i in 0..4 {
            self.count[i + 1].next = self.count[i].val() + self.active.val().get_bit(i);
            self.rank[i].next = self.count[i].val().get_bits::<2>(0);
        }
        self.count_low.next = self.count[4].val().get_bits::<2>(0);
        self.last.d.next = self.count_low.val() - self.one.val();
        self.last_lane.next = self.last.q.val();

        // A row is taken when every active lane has a word.
        self.some_active.next = false;
        self.running.next = false;
        self.starts.next = false;
        self.take.next = true;
        self.mismatch.next = false;
        self.lost.next = false;
        for i in 0..LANES {
            self.some_active.next = self.some_active.val() | self.active.val().get_bit(i);
            self.running.next = self.running.val() | self.lane[i].started.val();
            self.starts.next = self.starts.val() | self.lane[i].starts.val();
            self.take.next = self.take.val() & self.lane[i].present.val();
            self.mismatch.next = self.mismatch.val() | self.lane[i].start_mismatch.val();
            self.lost.next = self.lost.val() | self.lane[i].lost.val();
        }
        self.forget.next = self.clear.val() | self.lost.val();
        self.row_count.row.next = self.take.val();
        self.row_count.restart.next = !self.running.val();

        for i in 0..LANES {
            self.lane[i].clock.next = self.clock.val();
            self.lane[i].clear.next = self.forget.val();
            self.lane[i].active.next = self.active.val().get_bit(i);
            self.lane[i].idle.next = self.some_active.val() & !self.active.val().get_bit(i);
            self.lane[i].last_lane.next = self.last.q.val();
            self.lane[i].crc_mode.next = self.crc_mode.val();
            self.lane[i].running.next = self.running.val();
            self.lane[i].read_address.next = self.read_address.q.val();
            self.lane[i].read_following.next = self.read_following.q.val();
            self.lane[i].take.next = self.take.val();
            self.lane[i].aln_row.next = self.row_count.due.val();
            self.lane[i].aln_number.next = self.row_count.number.val();
            self.lane[i].valid.next = self.lanes[0].valid.val();
            self.lane[i].data.next = self.lanes[0].data.val();
            for j in 1..LANES {
                if self.source[i].val().index() == j {
                    self.lane[i].valid.next = self.lanes[j].valid.val();
                    self.lane[i].data.next = self.lanes[j].data.val();
                }
            }
        }

        // Words in logical order; the order is that of the clock before, in which it does not change.
        self.errors.next = 0.into();
        self.code.next = 0.into();
        for j in 0..4 {
            self.words[j].next = 0.into();
        }
        for i in 0..LANES {
            self.code.next = self.code.val().replace_bit(i, self.lane[i].word_error.val());
            self.places[i].clock.next = self.clock.val();
            self.place[i].next = 0.into();
            for j in 0..4 {
                self.place[i].next = self.place[i]
                    .val()
                    .replace_bit(j, self.active.val().get_bit(i) & (self.rank[i].val().index() == j));
            }
            self.places[i].d.next = self.place[i].val() & self.possible[i].val();
            for j in 0..4 {
                if self.places[i].q.val().get_bit(j) {
                    self.words[j].next = self.words[j].val() | self.lane[i].word.val();
                    self.errors.next = self.errors.val().replace_bit(j, self.lane[i].word_error.val());
                }
            }
        }

        self.read_following.d.next = self.read_following.q.val() + self.one_row.val();
        self.read_following.enable.next = self.take.val();
        self.read_following.clear.next = self.forget.val();
        if self.take.val() {
            self.read_address.d.next = self.read_following.q.val();
        }
        if self.forget.val() {
            self.read_address.d.next = 0.into();
        }
        self.out_start.d.next = (self.starts.val() & !self.running.val()) & !self.forget.val();
        self.out_valid.d.next = (self.take.val() & !self.row_count.due.val()) & !self.forget.val();
        for j in 0..4 {
            self.out_words[j].d.next = self.words[j].val();
        }
        self.out_error.d.next = self.errors.val();
        self.out_lost.d.next = self.lost.val() & !self.clear.val();
        self.out_mismatch.d.next = self.mismatch.val() & !self.clear.val();
        self.out_code.d.next = 0.into();
        if self.take.val() & !self.forget.val() {
            self.out_code.d.next = self.code.val();
        }

        self.rows.valid.next = self.out_valid.q.val();
        self.rows.data.next = (bit_cast::<ROW_BITS, 32>(self.out_words[3].q.val()) << 96)
            | (bit_cast::<ROW_BITS, 32>(self.out_words[2].q.val()) << 64)
            | (bit_cast::<ROW_BITS, 32>(self.out_words[1].q.val()) << 32)
            | bit_cast::<ROW_BITS, 32>(self.out_words[0].q.val());
        self.row_error.next = self.out_error.q.val();
        self.row_start.next = self.out_start.q.val();
        self.deskew_lost.next = self.out_lost.q.val();
        self.code_errors.next = self.out_code.q.val();
        self.start_mismatch.next = self.out_mismatch.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("link_lane_rx", &[("lanes", LANES.to_string())])
    }
}

drive_ports!(impl[const LANES: usize] LinkLaneRx<LANES> {
    clock, clear, active, source, crc_mode, last_lane, lanes, rows, row_error, row_start, deskew_lost,
    code_errors, start_mismatch,
});
