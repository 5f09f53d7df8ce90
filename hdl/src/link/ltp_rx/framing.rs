//! Wire beats to data beats, and the end of each LTP with its CRC.

use crate::config::ConfigError;
use crate::link::crc::{CrcConfig, CrcPipeline, LinkCrc};
use crate::link::ltp_tx::TRAILER_BITS;
use crate::prim::stream::{FlowIn, FlowOut};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::beat::beats_per_ltp;
use flitforge_protocol::crc::{Polynomial, BITS14, STANDARD};

/// Wire beats to data beats. Data beat `k` is the top `F k` bits of wire beat `k - 1` and the low bits of wire
/// beat `k`. An LTP cut short by `frame_start` gives beats but no `check`.
#[derive(LogicBlock)]
pub struct LtpRxFraming<
    const F: usize,
    const FLITS_W: usize,
    const BEAT_W: usize,
    const WIRE_W: usize,
    const JOINT_W: usize,
    const INDEX_W: usize,
> {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// LTP mode; sampled with beat 0.
    pub mode: Signal<In, Bits<2>>,
    /// Active lanes minus one.
    pub lanes: Signal<In, Bits<2>>,
    /// This wire beat, or the next one, is beat 0 of LTP 0.
    pub frame_start: Signal<In, Bit>,
    /// Wire beats.
    pub wire_in: FlowIn<Bits<WIRE_W>>,
    /// With `wire_in`: a word of this beat had an error.
    pub code_err: Signal<In, Bit>,
    /// Data beats, 2 clocks behind their last wire beat.
    pub beat: FlowOut<Bits<FLITS_W>>,
    /// With `beat`: its place in the LTP.
    pub beat_place: Signal<Out, Bits<INDEX_W>>,
    /// With `beat`: which of two LTP buffers it belongs to.
    pub beat_bank: Signal<Out, Bit>,
    /// An LTP has ended, 2 clocks behind its last wire beat.
    pub check: Signal<Out, Bit>,
    /// With `check`: CRC right and no error flagged.
    pub check_good: Signal<Out, Bit>,
    /// With `check`: the LTP is one of mode 1.
    pub check_bits14: Signal<Out, Bit>,
    /// With `check`: its buffer.
    pub check_bank: Signal<Out, Bit>,
    /// With `check`: its sideband {c1, c0}.
    pub check_side: Signal<Out, Bits<2>>,
    /// With `check`: its sequence state.
    pub check_state: Signal<Out, Bits<2>>,

    crc16: LinkCrc<BEAT_W, 16>,
    crc14: LinkCrc<BEAT_W, 14>,
    running: DFF<Bit>,
    count: DFF<Bits<INDEX_W>>,
    bits14: DFF<Bit>,
    wire_beat: DFF<Bits<BEAT_W>>,
    wire_valid: DFF<Bit>,
    wire_err: DFF<Bit>,
    wire_place: DFF<Bits<INDEX_W>>,
    tail: DFF<Bits<TRAILER_BITS>>,
    ltp_err: DFF<Bit>,
    bank: DFF<Bit>,
    lane_state: DFF<Bits<2>>,
    data: DFF<Bits<FLITS_W>>,
    data_valid: DFF<Bit>,
    data_place: DFF<Bits<INDEX_W>>,
    data_bank: DFF<Bit>,
    ended: DFF<Bit>,
    ended_err: DFF<Bit>,
    ended_bits14: DFF<Bit>,
    ended_bank: DFF<Bit>,
    ended_side: DFF<Bits<2>>,
    ended_state: DFF<Bits<2>>,

    place: Signal<Local, Bits<INDEX_W>>,
    take: Signal<Local, Bit>,
    take_last: Signal<Local, Bit>,
    wire_last: Signal<Local, Bit>,
    joint: Signal<Local, Bits<JOINT_W>>,
    error_so_far: Signal<Local, Bit>,
    next_state: Signal<Local, Bits<2>>,
    state_mask: Signal<Local, Bits<2>>,
    last_place: Constant<Bits<INDEX_W>>,
    beat_shift: Constant<Bits<16>>,
    tail_shift: Constant<Bits<16>>,
    step_shift: Constant<Bits<16>>,
    place_shift: Vec<Constant<Bits<16>>>,
}

impl<
        const F: usize,
        const FLITS_W: usize,
        const BEAT_W: usize,
        const WIRE_W: usize,
        const JOINT_W: usize,
        const INDEX_W: usize,
    > LtpRxFraming<F, FLITS_W, BEAT_W, WIRE_W, JOINT_W, INDEX_W>
{
    /// Waits for the first `frame_start`.
    pub fn new() -> Result<Self, ConfigError> {
        let shift = |amount: usize| Constant::new((amount as u64).into());
        let crc = |polynomial: Polynomial| CrcConfig::receiver(polynomial, BEAT_W, CrcPipeline::Short);
        Ok(Self {
            clock: Default::default(),
            clear: Default::default(),
            mode: Default::default(),
            lanes: Default::default(),
            frame_start: Default::default(),
            wire_in: Default::default(),
            code_err: Default::default(),
            beat: Default::default(),
            beat_place: Default::default(),
            beat_bank: Default::default(),
            check: Default::default(),
            check_good: Default::default(),
            check_bits14: Default::default(),
            check_bank: Default::default(),
            check_side: Default::default(),
            check_state: Default::default(),
            crc16: LinkCrc::new(crc(STANDARD))?,
            crc14: LinkCrc::new(crc(BITS14))?,
            running: Default::default(),
            count: Default::default(),
            bits14: Default::default(),
            wire_beat: Default::default(),
            wire_valid: Default::default(),
            wire_err: Default::default(),
            wire_place: Default::default(),
            tail: Default::default(),
            ltp_err: Default::default(),
            bank: Default::default(),
            lane_state: Default::default(),
            data: Default::default(),
            data_valid: Default::default(),
            data_place: Default::default(),
            data_bank: Default::default(),
            ended: Default::default(),
            ended_err: Default::default(),
            ended_bits14: Default::default(),
            ended_bank: Default::default(),
            ended_side: Default::default(),
            ended_state: Default::default(),
            place: Default::default(),
            take: Default::default(),
            take_last: Default::default(),
            wire_last: Default::default(),
            joint: Default::default(),
            error_so_far: Default::default(),
            next_state: Default::default(),
            state_mask: Default::default(),
            last_place: Constant::new((beats_per_ltp(F) as u64 - 1).into()),
            beat_shift: shift(TRAILER_BITS),
            tail_shift: shift(BEAT_W - TRAILER_BITS),
            step_shift: shift(F),
            place_shift: (0..INDEX_W).map(|bit| shift(F << bit)).collect(),
        })
    }
}

impl<
        const F: usize,
        const FLITS_W: usize,
        const BEAT_W: usize,
        const WIRE_W: usize,
        const JOINT_W: usize,
        const INDEX_W: usize,
    > Logic for LtpRxFraming<F, FLITS_W, BEAT_W, WIRE_W, JOINT_W, INDEX_W>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            running,
            count,
            bits14,
            wire_beat,
            wire_valid,
            wire_err,
            wire_place,
            tail,
            ltp_err,
            bank,
            lane_state,
            data,
            data_valid,
            data_place,
            data_bank,
            ended,
            ended_err,
            ended_bits14,
            ended_bank,
            ended_side,
            ended_state
        );
        clock!(self, clock, crc16, crc14);

        // The wire beat of this clock: its place in the LTP.
        self.place.next = self.count.q.val();
        if self.frame_start.val() {
            self.place.next = 0.into();
            self.running.d.next = true;
            self.count.d.next = 0.into();
        }
        self.take.next = self.wire_in.valid.val() & (self.running.q.val() | self.frame_start.val());
        self.take_last.next = self.place.val() == self.last_place.val();
        self.wire_valid.d.next = self.take.val();
        if self.take.val() {
            self.count.d.next = self.place.val() + 1;
            self.wire_beat.d.next = bit_cast::<BEAT_W, WIRE_W>(self.wire_in.data.val());
            self.wire_place.d.next = self.place.val();
            self.wire_err.d.next = self.code_err.val();
            if !self.place.val().any() {
                self.bits14.d.next = self.mode.val() == 1;
            }
        }
        self.crc16.clear.next = self.clear.val();
        self.crc16.beat.data.next = bit_cast::<BEAT_W, WIRE_W>(self.wire_in.data.val());
        self.crc16.beat.valid.next = self.take.val();
        self.crc16.first.next = !self.place.val().any();
        self.crc16.last.next = self.take_last.val();
        self.crc14.clear.next = self.clear.val();
        self.crc14.beat.data.next = bit_cast::<BEAT_W, WIRE_W>(self.wire_in.data.val());
        self.crc14.beat.valid.next = self.take.val();
        self.crc14.first.next = !self.place.val().any();
        self.crc14.last.next = self.take_last.val();

        // The data beat: what the wire beats before left over, then the wire beat of the clock before.
        self.joint.next = ((bit_cast::<JOINT_W, BEAT_W>(self.wire_beat.q.val()) << self.beat_shift.val())
            | bit_cast::<JOINT_W, TRAILER_BITS>(self.tail.q.val()))
            >> self.step_shift.val();
        for i in 0..INDEX_W {
            if !self.wire_place.q.val().get_bit(i) {
                self.joint.next = self.joint.val() >> self.place_shift[i].val();
            }
        }
        self.data.d.next = bit_cast::<FLITS_W, JOINT_W>(self.joint.val());
        self.data_valid.d.next = self.wire_valid.q.val();
        self.data_place.d.next = self.wire_place.q.val();
        self.data_bank.d.next = self.bank.q.val();

        // The end of the LTP.
        self.wire_last.next = self.wire_place.q.val() == self.last_place.val();
        self.error_so_far.next =
            self.wire_err.q.val() | (self.ltp_err.q.val() & self.wire_place.q.val().any());
        self.state_mask.next = 0.into();
        if self.lanes.val() == 1 {
            self.state_mask.next = 1.into();
        }
        if self.lanes.val() == 3 {
            self.state_mask.next = 3.into();
        }
        self.next_state.next = (self.lane_state.q.val() + 1) & self.state_mask.val();
        self.ended.d.next = self.wire_valid.q.val() & self.wire_last.val();
        if self.wire_valid.q.val() {
            self.tail.d.next =
                bit_cast::<TRAILER_BITS, BEAT_W>(self.wire_beat.q.val() >> self.tail_shift.val());
            self.ltp_err.d.next = self.error_so_far.val();
            if self.wire_last.val() {
                self.bank.d.next = !self.bank.q.val();
                self.lane_state.d.next = self.next_state.val();
                self.ended_err.d.next = self.error_so_far.val();
                self.ended_bits14.d.next = self.bits14.q.val();
                self.ended_bank.d.next = self.bank.q.val();
                self.ended_side.d.next =
                    bit_cast::<2, BEAT_W>(self.wire_beat.q.val() >> self.tail_shift.val());
                self.ended_state.d.next = self.lane_state.q.val();
            }
        }
        if self.frame_start.val() {
            self.lane_state.d.next = 0.into();
        }
        if self.clear.val() {
            self.running.d.next = false;
            self.wire_valid.d.next = false;
            self.data_valid.d.next = false;
            self.ended.d.next = false;
        }

        self.beat.data.next = self.data.q.val();
        self.beat.valid.next = self.data_valid.q.val();
        self.beat_place.next = self.data_place.q.val();
        self.beat_bank.next = self.data_bank.q.val();
        self.check.next = self.ended.q.val();
        self.check_good.next = self.crc16.good.val() & !self.ended_err.q.val();
        if self.ended_bits14.q.val() {
            self.check_good.next = self.crc14.good.val() & !self.ended_err.q.val();
        }
        self.check_bits14.next = self.ended_bits14.q.val();
        self.check_bank.next = self.ended_bank.q.val();
        self.check_side.next = self.ended_side.q.val();
        self.check_state.next = self.ended_state.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("ltp_rx_framing", &[("f", F.to_string())])
    }
}

drive_ports!(impl[const F: usize, const FLITS_W: usize, const BEAT_W: usize, const WIRE_W: usize, const JOINT_W: usize, const INDEX_W: usize] LtpRxFraming<F, FLITS_W, BEAT_W, WIRE_W, JOINT_W, INDEX_W> { clock, clear, mode, lanes, frame_start, wire_in, code_err, beat, beat_place, beat_bank, check, check_good, check_bits14, check_bank, check_side, check_state });
