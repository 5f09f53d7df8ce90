//! One lane of the receiver.

use super::{LaneScrambler, ALN_LOW, LANE_IN_BITS, SDS_LOW};
use crate::config::ConfigError;
use crate::prim::LutRam;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;

/// Bits of a word in the FIFO: {upper half of an ALN's kind, lower half, flagged, word}.
const KEPT_BITS: usize = 35;

/// One lane of the receiver: finds the start row, keeps up to 16 words for the deskew, descrambles, and checks
/// the word at the front against the kind of row that is due.
///
/// What needs many bits of a word is found in one clock and used in the next: the parts of a start row's word,
/// overflow, an ALN's number. That costs no latency, as a start row carries no data and a loss is only told.
#[derive(LogicBlock)]
pub struct RxLane {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Forgets everything.
    pub clear: Signal<In, Bit>,
    /// The lane is in use. Changes only while cleared.
    pub active: Signal<In, Bit>,
    /// The lane is not in use, but another is. Changes only while cleared.
    pub idle: Signal<In, Bit>,
    /// L - 1.
    pub last_lane: Signal<In, Bits<2>>,
    /// CRC mode that the start row must name.
    pub crc_mode: Signal<In, Bits<2>>,
    /// A word comes in.
    pub valid: Signal<In, Bit>,
    /// {code_err, ctl, word}.
    pub data: Signal<In, Bits<LANE_IN_BITS>>,
    /// Some lane has started.
    pub running: Signal<In, Bit>,
    /// Place of the row at the front.
    pub read_address: Signal<In, Bits<4>>,
    /// Place of the row behind it.
    pub read_following: Signal<In, Bits<4>>,
    /// The row at the front is taken.
    pub take: Signal<In, Bit>,
    /// The row at the front is an ALN row.
    pub aln_row: Signal<In, Bit>,
    /// Number the ALN row must have.
    pub aln_number: Signal<In, Bits<16>>,
    /// The start row was seen.
    pub started: Signal<Out, Bit>,
    /// The start row came one clock ago.
    pub starts: Signal<Out, Bit>,
    /// One clock ago came a start row with another lane number, L or CRC mode.
    pub start_mismatch: Signal<Out, Bit>,
    /// A word is at the front, or the lane is idle.
    pub present: Signal<Out, Bit>,
    /// One clock ago a word came that did not fit, or an ALN with another number was taken.
    pub lost: Signal<Out, Bit>,
    /// Descrambled word at the front.
    pub word: Signal<Out, Bits<32>>,
    /// The word at the front is not of its row's kind, or was marked bad by the PHY.
    pub word_error: Signal<Out, Bit>,
    scrambler: LaneScrambler,
    fifo: LutRam<Bits<KEPT_BITS>, 4>,
    has_started: DFF<Bit>,
    write_address: DFF<Bits<4>>,
    is_present: DFF<Bit>,
    overflowed: DFF<Bit>,
    control_came: DFF<Bit>,
    kind_matched: DFF<Bits<2>>,
    mark_matched: DFF<Bit>,
    fields_matched: DFF<Bit>,
    aln_taken: DFF<Bit>,
    number_differs: DFF<Bits<2>>,
    one: Constant<Bits<4>>,
    lane_number: Constant<Bits<2>>,
    sds_kind: Constant<Bits<16>>,
    sds_mark: Constant<Bits<8>>,
    aln_kind: Constant<Bits<16>>,
    start_seen: Signal<Local, Bit>,
    start: Signal<Local, Bit>,
    write: Signal<Local, Bit>,
    after: Signal<Local, Bits<4>>,
    aln_low: Signal<Local, Bit>,
    aln_high: Signal<Local, Bit>,
    comes_flagged: Signal<Local, Bit>,
    front: Signal<Local, Bits<KEPT_BITS>>,
    is_aln: Signal<Local, Bit>,
    low_differs: Signal<Local, Bit>,
    high_differs: Signal<Local, Bit>,
    low_matches: Signal<Local, Bit>,
    high_matches: Signal<Local, Bit>,
}

impl RxLane {
    pub(super) fn new(lane: usize) -> Result<Self, ConfigError> {
        Ok(Self {
            scrambler: LaneScrambler::new(lane)?,
            one: Constant::new(1.into()),
            lane_number: Constant::new((lane as u64).into()),
            sds_kind: Constant::new((SDS_LOW & 0xFFFF).into()),
            sds_mark: Constant::new((SDS_LOW >> 24).into()),
            aln_kind: Constant::new((ALN_LOW & 0xFFFF).into()),
            clock: Default::default(),
            clear: Default::default(),
            active: Default::default(),
            idle: Default::default(),
            last_lane: Default::default(),
            crc_mode: Default::default(),
            valid: Default::default(),
            data: Default::default(),
            running: Default::default(),
            read_address: Default::default(),
            read_following: Default::default(),
            take: Default::default(),
            aln_row: Default::default(),
            aln_number: Default::default(),
            started: Default::default(),
            starts: Default::default(),
            start_mismatch: Default::default(),
            present: Default::default(),
            lost: Default::default(),
            word: Default::default(),
            word_error: Default::default(),
            fifo: Default::default(),
            has_started: Default::default(),
            write_address: Default::default(),
            is_present: Default::default(),
            overflowed: Default::default(),
            control_came: Default::default(),
            kind_matched: Default::default(),
            mark_matched: Default::default(),
            fields_matched: Default::default(),
            aln_taken: Default::default(),
            number_differs: Default::default(),
            start_seen: Default::default(),
            start: Default::default(),
            write: Default::default(),
            after: Default::default(),
            aln_low: Default::default(),
            aln_high: Default::default(),
            comes_flagged: Default::default(),
            front: Default::default(),
            is_aln: Default::default(),
            low_differs: Default::default(),
            high_differs: Default::default(),
            low_matches: Default::default(),
            high_matches: Default::default(),
        })
    }
}

impl Logic for RxLane {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            has_started,
            write_address,
            is_present,
            overflowed,
            control_came,
            kind_matched
        );
        dff_setup!(self, clock, mark_matched, fields_matched, aln_taken, number_differs);
        clock!(self, clock, scrambler, fifo);

        // Start row: ctl without code error, kind and mark right; compared now, looked at in the next clock.
        self.control_came.d.next = ((self.valid.val() & self.active.val())
            & (self.data.val().get_bits::<2>(32) == 1))
            & !self.clear.val();
        self.low_matches.next = self.data.val().get_bits::<8>(0) == self.sds_kind.val().get_bits::<8>(0);
        self.high_matches.next = self.data.val().get_bits::<8>(8) == self.sds_kind.val().get_bits::<8>(8);
        self.kind_matched.d.next = bit_cast::<2, 1>(self.low_matches.val().into())
            | (bit_cast::<2, 1>(self.high_matches.val().into()) << 1);
        self.mark_matched.d.next = self.data.val().get_bits::<8>(24) == self.sds_mark.val();
        self.fields_matched.d.next = (self.data.val().get_bits::<2>(16) == self.lane_number.val())
            & (self.data.val().get_bits::<2>(20) == self.crc_mode.val())
            & (self.data.val().get_bits::<2>(22) == self.last_lane.val());
        self.start_seen.next = (self.control_came.q.val() & !self.has_started.q.val())
            & (self.kind_matched.q.val().all() & self.mark_matched.q.val());
        self.start.next = self.start_seen.val() & self.fields_matched.q.val();
        self.start_mismatch.next = self.start_seen.val() & !self.fields_matched.q.val();
        self.starts.next = self.start.val();
        if self.start.val() {
            self.has_started.d.next = true;
        }
        self.started.next = self.has_started.q.val();

        self.write.next = self.valid.val() & (self.has_started.q.val() | self.start.val());
        self.after.next = self.write_address.q.val() + self.one.val();
        self.aln_low.next = (self.data.val().get_bits::<2>(32) == 1)
            & (self.data.val().get_bits::<8>(0) == self.aln_kind.val().get_bits::<8>(0));
        self.aln_high.next = self.data.val().get_bits::<8>(8) == self.aln_kind.val().get_bits::<8>(8);
        self.comes_flagged.next = self.data.val().get_bits::<2>(32).any();
        self.fifo.write_enable.next = self.write.val();
        self.fifo.write_address.next = self.write_address.q.val();
        self.fifo.write_data.next = bit_cast::<KEPT_BITS, 32>(self.data.val().get_bits::<32>(0))
            | (bit_cast::<KEPT_BITS, 1>(self.comes_flagged.val().into()) << 32)
            | (bit_cast::<KEPT_BITS, 1>(self.aln_low.val().into()) << 33)
            | (bit_cast::<KEPT_BITS, 1>(self.aln_high.val().into()) << 34);
        self.fifo.read_address.next = self.read_address.val();
        if self.write.val() {
            self.write_address.d.next = self.after.val();
        }
        self.overflowed.d.next = (((self.write.val() & !self.take.val()) & self.is_present.q.val())
            & (self.write_address.q.val() == self.read_address.val()))
            & !self.clear.val();
        if self.take.val() & (self.write_address.q.val() == self.read_following.val()) {
            self.is_present.d.next = false;
        }
        if self.write.val() {
            self.is_present.d.next = true;
        }
        self.present.next = self.is_present.q.val();

        self.front.next = self.fifo.read_data.val();
        self.is_aln.next = self.front.val().get_bits::<2>(33).all();
        self.scrambler.restart.next = !self.running.val();
        self.scrambler.advance.next = self.take.val() & !self.aln_row.val();
        self.word.next = self.front.val().get_bits::<32>(0) ^ self.scrambler.word.val();
        self.word_error.next = self.active.val() & self.front.val().get_bit(32);
        if self.aln_row.val() {
            self.word_error.next = self.active.val() & !self.is_aln.val();
        }
        self.aln_taken.d.next = ((self.take.val() & self.aln_row.val())
            & (self.active.val() & self.is_aln.val()))
            & !self.clear.val();
        self.low_differs.next = self.front.val().get_bits::<8>(16) != self.aln_number.val().get_bits::<8>(0);
        self.high_differs.next = self.front.val().get_bits::<8>(24) != self.aln_number.val().get_bits::<8>(8);
        self.number_differs.d.next = bit_cast::<2, 1>(self.low_differs.val().into())
            | (bit_cast::<2, 1>(self.high_differs.val().into()) << 1);
        self.lost.next =
            self.overflowed.q.val() | (self.aln_taken.q.val() & self.number_differs.q.val().any());

        if self.clear.val() {
            self.has_started.d.next = false;
            self.write_address.d.next = 0.into();
            self.is_present.d.next = false;
        }
        if self.idle.val() {
            self.is_present.d.next = true;
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("lane_rx_lane", &[])
    }
}

drive_ports!(impl[] RxLane {
    clock, clear, active, idle, last_lane, crc_mode, valid, data, running, read_address, read_following, take,
    aln_row, aln_number, started, starts, start_mismatch, present, lost, word, word_error,
});
