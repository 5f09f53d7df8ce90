//! One lane of the receiver.

use super::{LaneScrambler, ALN_LOW, LANE_IN_BITS, SDS_LOW};
use crate::config::ConfigError;
use crate::prim::LutRam;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use rust_hdl::prelude::*;

/// One lane of the receiver: finds the start row, keeps up to 15 words for the deskew, descrambles, and checks
/// the word at the front against the kind of row that is due.
#[derive(LogicBlock)]
pub struct RxLane {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Forgets everything.
    pub clear: Signal<In, Bit>,
    /// The lane is in use.
    pub active: Signal<In, Bit>,
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
    /// The row at the front is taken.
    pub take: Signal<In, Bit>,
    /// The row at the front is an ALN row.
    pub aln_row: Signal<In, Bit>,
    /// Number the ALN row must have.
    pub aln_number: Signal<In, Bits<16>>,
    /// The start row was seen.
    pub started: Signal<Out, Bit>,
    /// A start row with another lane number, L or CRC mode came.
    pub start_mismatch: Signal<Out, Bit>,
    /// A word is at the front, or the lane is not in use.
    pub present: Signal<Out, Bit>,
    /// The word that comes in does not fit.
    pub overflow: Signal<Out, Bit>,
    /// Descrambled word at the front.
    pub word: Signal<Out, Bits<32>>,
    /// The word at the front is not of its row's kind, or was marked bad by the PHY.
    pub word_error: Signal<Out, Bit>,
    /// The word at the front is an ALN of another number.
    pub aln_wrong: Signal<Out, Bit>,
    scrambler: LaneScrambler,
    fifo: LutRam<Bits<LANE_IN_BITS>, 4>,
    has_started: DFF<Bit>,
    write_address: DFF<Bits<4>>,
    one: Constant<Bits<4>>,
    lane_number: Constant<Bits<2>>,
    sds_kind: Constant<Bits<16>>,
    sds_mark: Constant<Bits<8>>,
    aln_kind: Constant<Bits<16>>,
    is_start: Signal<Local, Bit>,
    start_right: Signal<Local, Bit>,
    write: Signal<Local, Bit>,
    after: Signal<Local, Bits<4>>,
    front: Signal<Local, Bits<LANE_IN_BITS>>,
    is_aln: Signal<Local, Bit>,
}

impl RxLane {
    pub(super) fn new(lane: usize) -> Result<Self, ConfigError> {
        Ok(Self {
            clock: Default::default(),
            clear: Default::default(),
            active: Default::default(),
            last_lane: Default::default(),
            crc_mode: Default::default(),
            valid: Default::default(),
            data: Default::default(),
            running: Default::default(),
            read_address: Default::default(),
            take: Default::default(),
            aln_row: Default::default(),
            aln_number: Default::default(),
            started: Default::default(),
            start_mismatch: Default::default(),
            present: Default::default(),
            overflow: Default::default(),
            word: Default::default(),
            word_error: Default::default(),
            aln_wrong: Default::default(),
            scrambler: LaneScrambler::new(lane)?,
            fifo: Default::default(),
            has_started: Default::default(),
            write_address: Default::default(),
            one: Constant::new(1.into()),
            lane_number: Constant::new((lane as u64).into()),
            sds_kind: Constant::new((SDS_LOW & 0xFFFF).into()),
            sds_mark: Constant::new((SDS_LOW >> 24).into()),
            aln_kind: Constant::new((ALN_LOW & 0xFFFF).into()),
            is_start: Default::default(),
            start_right: Default::default(),
            write: Default::default(),
            after: Default::default(),
            front: Default::default(),
            is_aln: Default::default(),
        })
    }
}

impl Logic for RxLane {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, has_started, write_address);
        clock!(self, clock, scrambler, fifo);

        // Start row: ctl without code error, kind and mark right.
        self.is_start.next = ((self.valid.val() & self.active.val() & !self.has_started.q.val())
            & (self.data.val().get_bits::<2>(32) == 1))
            & (self.data.val().get_bits::<16>(0) == self.sds_kind.val())
            & (self.data.val().get_bits::<8>(24) == self.sds_mark.val());
        self.start_right.next = (self.data.val().get_bits::<2>(16) == self.lane_number.val())
            & (self.data.val().get_bits::<2>(20) == self.crc_mode.val())
            & (self.data.val().get_bits::<2>(22) == self.last_lane.val());
        self.start_mismatch.next = self.is_start.val() & !self.start_right.val();
        if self.is_start.val() & self.start_right.val() {
            self.has_started.d.next = true;
        }
        self.started.next = self.has_started.q.val();

        self.write.next = self.valid.val() & self.has_started.q.val();
        self.after.next = self.write_address.q.val() + self.one.val();
        self.overflow.next =
            (self.write.val() & !self.take.val()) & (self.after.val() == self.read_address.val());
        self.fifo.write_enable.next = self.write.val();
        self.fifo.write_address.next = self.write_address.q.val();
        self.fifo.write_data.next = self.data.val();
        self.fifo.read_address.next = self.read_address.val();
        if self.write.val() {
            self.write_address.d.next = self.after.val();
        }
        self.present.next = !self.active.val() | (self.write_address.q.val() != self.read_address.val());

        self.front.next = self.fifo.read_data.val();
        self.scrambler.restart.next = !self.running.val();
        self.scrambler.advance.next = self.take.val() & !self.aln_row.val();
        self.word.next = self.front.val().get_bits::<32>(0) ^ self.scrambler.word.val();
        self.is_aln.next = (self.front.val().get_bits::<2>(32) == 1)
            & (self.front.val().get_bits::<16>(0) == self.aln_kind.val());
        self.word_error.next = self.active.val() & self.front.val().get_bits::<2>(32).any();
        if self.aln_row.val() {
            self.word_error.next = self.active.val() & !self.is_aln.val();
        }
        self.aln_wrong.next = (self.active.val() & self.is_aln.val())
            & (self.front.val().get_bits::<16>(16) != self.aln_number.val());
        if self.clear.val() {
            self.has_started.d.next = false;
            self.write_address.d.next = 0.into();
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("lane_rx_lane", &[])
    }
}

drive_ports!(impl[] RxLane {
    clock, clear, active, last_lane, crc_mode, valid, data, running, read_address, take, aln_row, aln_number,
    started, start_mismatch, present, overflow, word, word_error, aln_wrong,
});
