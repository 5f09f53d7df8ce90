//! Wire beats to data beats in modes 2 and 3, and the end of each LTP with its CRCs.

use crate::config::ConfigError;
use crate::link::crc::XorMatrix;
use crate::link::ltp_wide::layout::gather_data;
use crate::link::ltp_wide::{window, WideCrc, CRC_BITS, LAST_DATA_BITS};
use crate::prim::stream::{FlowIn, FlowOut};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::beat::beats_per_ltp;

/// As [`LtpRxFraming`](super::LtpRxFraming) for LTPs of 1088 bits, one clock later: data beat `k` is the top `3F k` bits
/// of wire beat `k - 1` and the low bits of wire beat `k`, the last one of mode 3 those bits of both that are data.
///
/// The wire beat moves to its place for the CRCs on its way to the first register; the CRCs' share of it stands behind
/// the second, their residues behind the third.
#[derive(LogicBlock)]
pub struct LtpRxWide<
    const F: usize,
    const FLITS_W: usize,
    const WIRE_W: usize,
    const INDEX_W: usize,
    const WINDOW_W: usize,
> {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// Mode 3. It and `lanes` change only before `frame_start`.
    pub per_lane: Signal<In, Bit>,
    /// Active lanes minus one.
    pub lanes: Signal<In, Bits<2>>,
    /// This wire beat, or the next one, is beat 0 of LTP 0.
    pub frame_start: Signal<In, Bit>,
    /// Wire beats.
    pub wire_in: FlowIn<Bits<WIRE_W>>,
    /// With `wire_in`: a word of this beat had an error.
    pub code_err: Signal<In, Bit>,
    /// Data beats, 3 clocks behind their last wire beat.
    pub beat: FlowOut<Bits<FLITS_W>>,
    /// With `beat`: its place in the LTP.
    pub beat_place: Signal<Out, Bits<INDEX_W>>,
    /// With `beat`: which of two LTP buffers it belongs to.
    pub beat_bank: Signal<Out, Bit>,
    /// An LTP has ended, 3 clocks behind its last wire beat.
    pub check: Signal<Out, Bit>,
    /// With `check`: CRCs right and no error flagged.
    pub check_good: Signal<Out, Bit>,
    /// With `check`: the CRCs, in mode 3 of the groups, that are wrong.
    pub check_failed: Signal<Out, Bits<4>>,
    /// With `check`: its buffer.
    pub check_bank: Signal<Out, Bit>,
    /// With `check`: its sequence state.
    pub check_state: Signal<Out, Bits<2>>,

    crc: WideCrc<WINDOW_W>,
    gather_four: XorMatrix<WINDOW_W, FLITS_W>,
    gather_three: XorMatrix<WINDOW_W, FLITS_W>,
    running: DFF<Bit>,
    count: DFF<Bits<INDEX_W>>,
    wire_beat: DFF<Bits<WIRE_W>>,
    wire_window: DFF<Bits<WINDOW_W>>,
    wire_valid: DFF<Bit>,
    wire_err: DFF<Bit>,
    wire_place: DFF<Bits<INDEX_W>>,
    wire_last: DFF<Bit>,
    tail: DFF<Bits<CRC_BITS>>,
    ltp_err: DFF<Bit>,
    bank: DFF<Bit>,
    lane_state: DFF<Bits<2>>,
    data: DFF<Bits<FLITS_W>>,
    data_valid: DFF<Bit>,
    data_place: DFF<Bits<INDEX_W>>,
    data_bank: DFF<Bit>,
    data_last: DFF<Bit>,
    data_err: DFF<Bit>,
    data_state: DFF<Bits<2>>,
    given: DFF<Bits<FLITS_W>>,
    given_valid: DFF<Bit>,
    given_place: DFF<Bits<INDEX_W>>,
    given_bank: DFF<Bit>,
    ended: DFF<Bit>,
    ended_err: DFF<Bit>,
    ended_state: DFF<Bits<2>>,
    residues: DFF<Bits<CRC_BITS>>,

    is_per_lane: Signal<Local, Bit>,
    is_three: Signal<Local, Bit>,
    place: Signal<Local, Bits<INDEX_W>>,
    take: Signal<Local, Bit>,
    take_last: Signal<Local, Bit>,
    in_window: Signal<Local, Bits<WINDOW_W>>,
    for_crc: Signal<Local, Bits<WINDOW_W>>,
    joint: Signal<Local, Bits<WINDOW_W>>,
    plain: Signal<Local, Bits<WINDOW_W>>,
    error_so_far: Signal<Local, Bit>,
    step: Signal<Local, Bits<2>>,
    stepped: Signal<Local, Bits<3>>,
    failed: Signal<Local, Bits<4>>,
    /// Bits of a window ahead of the CRCs of mode 2.
    ahead: Constant<Bits<WINDOW_W>>,
    crc_shift: Constant<Bits<16>>,
    tail_shift: Constant<Bits<16>>,
    step_shift: Constant<Bits<16>>,
    place_shift: Vec<Constant<Bits<16>>>,
    window_shift: Vec<Constant<Bits<16>>>,
}

impl<
        const F: usize,
        const FLITS_W: usize,
        const WIRE_W: usize,
        const INDEX_W: usize,
        const WINDOW_W: usize,
    > LtpRxWide<F, FLITS_W, WIRE_W, INDEX_W, WINDOW_W>
{
    /// Waits for the first `frame_start`.
    pub fn new() -> Result<Self, ConfigError> {
        let shift = |amount: usize| Constant::new((amount as u64).into());
        let step = CRC_BITS / beats_per_ltp(F);
        let ahead = (0..window(F) + LAST_DATA_BITS)
            .fold(Bits::<WINDOW_W>::default(), |bits, index| bits.replace_bit(index, true));
        Ok(Self {
            clock: Default::default(),
            clear: Default::default(),
            per_lane: Default::default(),
            lanes: Default::default(),
            frame_start: Default::default(),
            wire_in: Default::default(),
            code_err: Default::default(),
            beat: Default::default(),
            beat_place: Default::default(),
            beat_bank: Default::default(),
            check: Default::default(),
            check_good: Default::default(),
            check_failed: Default::default(),
            check_bank: Default::default(),
            check_state: Default::default(),
            crc: WideCrc::new(F)?,
            gather_four: XorMatrix::new(gather_data(F, 4))?,
            gather_three: XorMatrix::new(gather_data(F, 3))?,
            running: Default::default(),
            count: Default::default(),
            wire_beat: Default::default(),
            wire_window: Default::default(),
            wire_valid: Default::default(),
            wire_err: Default::default(),
            wire_place: Default::default(),
            wire_last: Default::default(),
            tail: Default::default(),
            ltp_err: Default::default(),
            bank: Default::default(),
            lane_state: Default::default(),
            data: Default::default(),
            data_valid: Default::default(),
            data_place: Default::default(),
            data_bank: Default::default(),
            data_last: Default::default(),
            data_err: Default::default(),
            data_state: Default::default(),
            given: Default::default(),
            given_valid: Default::default(),
            given_place: Default::default(),
            given_bank: Default::default(),
            ended: Default::default(),
            ended_err: Default::default(),
            ended_state: Default::default(),
            residues: Default::default(),
            is_per_lane: Default::default(),
            is_three: Default::default(),
            place: Default::default(),
            take: Default::default(),
            take_last: Default::default(),
            in_window: Default::default(),
            for_crc: Default::default(),
            joint: Default::default(),
            plain: Default::default(),
            error_so_far: Default::default(),
            step: Default::default(),
            stepped: Default::default(),
            failed: Default::default(),
            ahead: Constant::new(ahead),
            crc_shift: shift(CRC_BITS),
            tail_shift: shift(WIRE_W - CRC_BITS),
            step_shift: shift(step),
            place_shift: (0..INDEX_W).map(|bit| shift(step << bit)).collect(),
            window_shift: (0..INDEX_W).map(|bit| shift((WIRE_W - window(F)) << bit)).collect(),
        })
    }
}

impl<
        const F: usize,
        const FLITS_W: usize,
        const WIRE_W: usize,
        const INDEX_W: usize,
        const WINDOW_W: usize,
    > Logic for LtpRxWide<F, FLITS_W, WIRE_W, INDEX_W, WINDOW_W>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, running, count, tail, ltp_err, bank, lane_state, residues);
        dff_setup!(self, clock, wire_beat, wire_window, wire_valid, wire_err, wire_place, wire_last);
        dff_setup!(self, clock, data, data_valid, data_place, data_bank, data_last, data_err, data_state);
        dff_setup!(self, clock, given, given_valid, given_place, given_bank, ended, ended_err, ended_state);
        clock!(self, clock, crc);
        self.is_per_lane.next = self.per_lane.val() & self.lanes.val().get_bit(1);
        self.is_three.next = !self.lanes.val().get_bit(0);

        // The wire beat of this clock: its place in the LTP, and in its window.
        self.place.next = self.count.q.val();
        if self.frame_start.val() {
            self.place.next = 0.into();
            self.running.d.next = true;
            self.count.d.next = 0.into();
        }
        self.take.next = self.wire_in.valid.val() & (self.running.q.val() | self.frame_start.val());
        self.take_last.next = self.place.val().all();
        self.in_window.next = bit_cast::<WINDOW_W, WIRE_W>(self.wire_in.data.val());
        for i in 0..INDEX_W {
            if self.place.val().get_bit(i) {
                self.in_window.next = self.in_window.val() << self.window_shift[i].val();
            }
        }
        self.for_crc.next = self.in_window.val();
        if self.take_last.val() & !self.is_per_lane.val() {
            self.for_crc.next = (self.in_window.val() & self.ahead.val())
                | ((self.in_window.val() & !self.ahead.val()) << self.crc_shift.val());
        }
        self.wire_valid.d.next = self.take.val();
        if self.take.val() {
            self.count.d.next = self.place.val() + 1;
            self.wire_beat.d.next = self.wire_in.data.val();
            self.wire_window.d.next = self.for_crc.val();
            self.wire_place.d.next = self.place.val();
            self.wire_last.d.next = self.take_last.val();
            self.wire_err.d.next = self.code_err.val();
        }

        // The data beat: what the wire beats before left over, then the wire beat of the clock before.
        self.joint.next = (bit_cast::<WINDOW_W, WIRE_W>(self.wire_beat.q.val()) << self.crc_shift.val())
            | bit_cast::<WINDOW_W, CRC_BITS>(self.tail.q.val());
        self.gather_four.data.next = self.joint.val();
        self.gather_three.data.next = self.joint.val();
        self.plain.next = self.joint.val() >> self.step_shift.val();
        for i in 0..INDEX_W {
            if !self.wire_place.q.val().get_bit(i) {
                self.plain.next = self.plain.val() >> self.place_shift[i].val();
            }
        }
        self.data.d.next = bit_cast::<FLITS_W, WINDOW_W>(self.plain.val());
        if self.wire_last.q.val() & self.is_per_lane.val() {
            self.data.d.next = self.gather_four.sum.val();
            if self.is_three.val() {
                self.data.d.next = self.gather_three.sum.val();
            }
        }
        self.data_valid.d.next = self.wire_valid.q.val();
        self.data_place.d.next = self.wire_place.q.val();
        self.data_bank.d.next = self.bank.q.val();
        self.given.d.next = self.data.q.val();
        self.given_valid.d.next = self.data_valid.q.val();
        self.given_place.d.next = self.data_place.q.val();
        self.given_bank.d.next = self.data_bank.q.val();

        // The CRCs.
        self.crc.per_lane.next = self.is_per_lane.val();
        self.crc.three.next = self.is_three.val();
        self.crc.beat.next = self.wire_window.q.val();
        self.crc.load.next = self.wire_valid.q.val();
        self.crc.first.next = !self.wire_place.q.val().any();
        self.crc.step.next = self.data_valid.q.val();
        self.residues.d.next = self.crc.crcs.val();

        // The end of the LTP. 34 words on 4, 3 lanes move the next one by 2, 1 lanes.
        self.error_so_far.next =
            self.wire_err.q.val() | (self.ltp_err.q.val() & self.wire_place.q.val().any());
        self.step.next = 0.into();
        if self.lanes.val() == 2 {
            self.step.next = 1.into();
        }
        if self.lanes.val() == 3 {
            self.step.next = 2.into();
        }
        self.stepped.next = bit_cast::<3, 2>(self.lane_state.q.val()) + bit_cast::<3, 2>(self.step.val());
        if self.stepped.val() > bit_cast::<3, 2>(self.lanes.val()) {
            self.stepped.next = 0.into();
        }
        self.data_last.d.next = self.wire_valid.q.val() & self.wire_last.q.val();
        self.data_err.d.next = self.error_so_far.val();
        self.data_state.d.next = self.lane_state.q.val();
        if self.wire_valid.q.val() {
            self.tail.d.next = bit_cast::<CRC_BITS, WIRE_W>(self.wire_beat.q.val() >> self.tail_shift.val());
            self.ltp_err.d.next = self.error_so_far.val();
            if self.wire_last.q.val() {
                self.bank.d.next = !self.bank.q.val();
                self.lane_state.d.next = bit_cast::<2, 3>(self.stepped.val());
            }
        }
        self.ended.d.next = self.data_last.q.val();
        self.ended_err.d.next = self.data_err.q.val();
        self.ended_state.d.next = self.data_state.q.val();
        if self.frame_start.val() {
            self.lane_state.d.next = 0.into();
        }
        if self.clear.val() {
            self.running.d.next = false;
            self.wire_valid.d.next = false;
            self.data_valid.d.next = false;
            self.data_last.d.next = false;
            self.given_valid.d.next = false;
            self.ended.d.next = false;
        }

        self.failed.next = 0.into();
        for i in 0..4 {
            self.failed.next =
                self.failed.val().replace_bit(i, self.residues.q.val().get_bits::<12>(i * 12).any());
        }
        if self.is_per_lane.val() & self.is_three.val() {
            self.failed.next = 0.into();
            for i in 0..3 {
                self.failed.next =
                    self.failed.val().replace_bit(i, self.residues.q.val().get_bits::<16>(i * 16).any());
            }
        }
        self.beat.data.next = self.given.q.val();
        self.beat.valid.next = self.given_valid.q.val();
        self.beat_place.next = self.given_place.q.val();
        self.beat_bank.next = self.given_bank.q.val();
        self.check.next = self.ended.q.val();
        self.check_good.next = !self.failed.val().any() & !self.ended_err.q.val();
        self.check_failed.next = self.failed.val();
        self.check_bank.next = self.given_bank.q.val();
        self.check_state.next = self.ended_state.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("ltp_rx_wide", &[("f", F.to_string())])
    }
}

drive_ports!(impl[const F: usize, const FLITS_W: usize, const WIRE_W: usize, const INDEX_W: usize, const WINDOW_W: usize] LtpRxWide<F, FLITS_W, WIRE_W, INDEX_W, WINDOW_W> { clock, clear, per_lane, lanes, frame_start, wire_in, code_err, beat, beat_place, beat_bank, check, check_good, check_failed, check_bank, check_state });
