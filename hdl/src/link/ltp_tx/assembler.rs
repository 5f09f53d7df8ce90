//! Data beats to wire beats: regrouping, sideband, CRC (chapter 10, 3.5, modes 0 and 1).

use super::TRAILER_BITS;
use crate::config::ConfigError;
use crate::link::ltp_crc::{LtpCrc, APPENDED_BITS};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::crc::{BITS14, STANDARD};

/// Wire beat `k` is data beat `k` without its low `F k` bits, then the low `F (k + 1)` bits of data beat `k + 1` or,
/// behind the last one, the trailer. There must be a data beat on every `step`.
///
/// A data beat is moved down by `F k` on its way from the first register to the second, so only the top 16 bits
/// of the wire beat are still to be put together behind that one.
#[derive(LogicBlock)]
pub struct LtpTxAssembler<
    const F: usize,
    const FLITS_W: usize,
    const BEAT_W: usize,
    const INDEX_W: usize,
    const PARTS16: usize,
    const PARTS14: usize,
> {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// All registers move on.
    pub step: Signal<In, Bit>,
    /// Data beat to take.
    pub beat: Signal<In, Bits<FLITS_W>>,
    /// Its place in its LTP.
    pub place: Signal<In, Bits<INDEX_W>>,
    /// With the first beat of an LTP: sideband {c1, c0}.
    pub side: Signal<In, Bits<2>>,
    /// With the first beat of an LTP: it is one of mode 1.
    pub bits14: Signal<In, Bit>,
    /// The beat is a replayed one.
    pub replayed: Signal<In, Bit>,
    /// The replayed beat taken last is wrong: the CRC of its LTP is sent inverted.
    pub spoil: Signal<In, Bit>,
    /// The beat taken last.
    pub taken_beat: Signal<Out, Bits<FLITS_W>>,
    /// Its place in its LTP.
    pub taken_index: Signal<Out, Bits<INDEX_W>>,
    /// The sideband of its LTP.
    pub taken_sideband: Signal<Out, Bits<2>>,
    /// Wire beats, from the registers 2 steps behind their data beats; combinational.
    pub wire_beat: Signal<Out, Bits<BEAT_W>>,
    /// There is a wire beat.
    pub wire_valid: Signal<Out, Bit>,

    crc16: LtpCrc<FLITS_W, 16, PARTS16>,
    crc14: LtpCrc<FLITS_W, 14, PARTS14>,
    taken: DFF<Bits<FLITS_W>>,
    taken_valid: DFF<Bit>,
    taken_place: DFF<Bits<INDEX_W>>,
    taken_side: DFF<Bits<2>>,
    taken_bits14: DFF<Bit>,
    taken_replayed: DFF<Bit>,
    sent: DFF<Bits<FLITS_W>>,
    sent_valid: DFF<Bit>,
    sent_place: DFF<Bits<INDEX_W>>,
    sent_last: DFF<Bit>,
    sent_side: DFF<Bits<2>>,
    sent_bits14: DFF<Bit>,
    sent_spoilt: DFF<Bit>,
    /// `clear` for the CRC registers, a clock late: no beat reaches them sooner than two steps after it.
    cleared: DFF<Bit>,
    crc_step: Signal<Local, Bit>,
    last: Signal<Local, Bit>,
    tail: Signal<Local, Bits<APPENDED_BITS>>,
    moved: Signal<Local, Bits<FLITS_W>>,
    ahead: Signal<Local, Bits<TRAILER_BITS>>,
    trailer: Signal<Local, Bits<TRAILER_BITS>>,
    inverted16: Signal<Local, Bits<16>>,
    inverted14: Signal<Local, Bits<14>>,
    ones16: Constant<Bits<16>>,
    ones14: Constant<Bits<14>>,
    trailer_shift: Constant<Bits<16>>,
    place_shift: Vec<Constant<Bits<16>>>,
}

impl<
        const F: usize,
        const FLITS_W: usize,
        const BEAT_W: usize,
        const INDEX_W: usize,
        const PARTS16: usize,
        const PARTS14: usize,
    > LtpTxAssembler<F, FLITS_W, BEAT_W, INDEX_W, PARTS16, PARTS14>
{
    /// Nothing under way.
    pub fn new() -> Result<Self, ConfigError> {
        let shift = |amount: usize| Constant::new((amount as u64).into());
        Ok(Self {
            clock: Default::default(),
            clear: Default::default(),
            step: Default::default(),
            beat: Default::default(),
            place: Default::default(),
            side: Default::default(),
            bits14: Default::default(),
            replayed: Default::default(),
            spoil: Default::default(),
            taken_beat: Default::default(),
            taken_index: Default::default(),
            taken_sideband: Default::default(),
            wire_beat: Default::default(),
            wire_valid: Default::default(),
            crc16: LtpCrc::new(STANDARD, 0)?,
            crc14: LtpCrc::new(BITS14, APPENDED_BITS)?,
            taken: Default::default(),
            taken_valid: Default::default(),
            taken_place: Default::default(),
            taken_side: Default::default(),
            taken_bits14: Default::default(),
            taken_replayed: Default::default(),
            sent: Default::default(),
            sent_valid: Default::default(),
            sent_place: Default::default(),
            sent_last: Default::default(),
            sent_side: Default::default(),
            sent_bits14: Default::default(),
            sent_spoilt: Default::default(),
            cleared: Default::default(),
            crc_step: Default::default(),
            last: Default::default(),
            tail: Default::default(),
            moved: Default::default(),
            ahead: Default::default(),
            trailer: Default::default(),
            inverted16: Default::default(),
            inverted14: Default::default(),
            ones16: Constant::new(0xFFFFu64.into()),
            ones14: Constant::new(0x3FFFu64.into()),
            trailer_shift: shift(BEAT_W - TRAILER_BITS),
            place_shift: (0..INDEX_W).map(|bit| shift(F << bit)).collect(),
        })
    }
}

impl<
        const F: usize,
        const FLITS_W: usize,
        const BEAT_W: usize,
        const INDEX_W: usize,
        const PARTS16: usize,
        const PARTS14: usize,
    > Logic for LtpTxAssembler<F, FLITS_W, BEAT_W, INDEX_W, PARTS16, PARTS14>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, taken, taken_valid, taken_place, taken_side, taken_bits14, taken_replayed);
        dff_setup!(
            self,
            clock,
            sent,
            sent_valid,
            sent_place,
            sent_last,
            sent_side,
            sent_bits14,
            sent_spoilt,
            cleared
        );
        clock!(self, clock, crc16, crc14);
        self.last.next = self.sent_last.q.val();
        self.crc_step.next = self.step.val() & self.sent_valid.q.val();
        self.cleared.d.next = self.clear.val();
        self.crc16.clear.next = self.cleared.q.val();
        self.crc16.load.next = self.step.val();
        self.crc16.beat.next = self.taken.q.val();
        self.crc16.step.next = self.crc_step.val();
        self.crc16.restart.next = self.last.val();
        self.crc16.appended.next = 0.into();
        self.crc14.clear.next = self.cleared.q.val();
        self.crc14.load.next = self.step.val();
        self.crc14.beat.next = self.taken.q.val();
        self.crc14.step.next = self.crc_step.val();
        self.crc14.restart.next = self.last.val();

        // The older beat, moved down to its place in the wire beat.
        self.moved.next = self.taken.q.val();
        for i in 0..INDEX_W {
            if self.taken_place.q.val().get_bit(i) {
                self.moved.next = self.moved.val() >> self.place_shift[i].val();
            }
        }

        // What follows it: the low bits of the newer one, behind the last one sideband and CRC.
        self.ahead.next = self.taken.q.val().get_bits::<TRAILER_BITS>(0);
        for i in 0..INDEX_W {
            if !self.sent_place.q.val().get_bit(i) {
                self.ahead.next = self.ahead.val() << self.place_shift[i].val();
            }
        }
        self.inverted16.next = 0.into();
        self.inverted14.next = 0.into();
        if self.sent_spoilt.q.val() {
            self.inverted16.next = self.ones16.val();
            self.inverted14.next = self.ones14.val();
        }
        self.tail.next = 0.into();
        self.trailer.next = 0.into();
        if self.last.val() {
            self.tail.next = self.sent_side.q.val();
            self.ahead.next = 0.into();
            self.trailer.next = self.crc16.following.val() ^ self.inverted16.val();
            if self.sent_bits14.q.val() {
                self.trailer.next = bit_cast::<TRAILER_BITS, 2>(self.sent_side.q.val())
                    | (bit_cast::<TRAILER_BITS, 14>(self.crc14.following.val() ^ self.inverted14.val()) << 2);
            }
        }
        self.crc14.appended.next = self.tail.val();

        if self.step.val() {
            self.taken.d.next = self.beat.val();
            self.taken_valid.d.next = true;
            self.taken_place.d.next = self.place.val();
            self.taken_replayed.d.next = self.replayed.val();
            if !self.place.val().any() {
                self.taken_side.d.next = self.side.val();
                self.taken_bits14.d.next = self.bits14.val();
            }
            self.sent.d.next = self.moved.val();
            self.sent_valid.d.next = self.taken_valid.q.val();
            self.sent_place.d.next = self.taken_place.q.val();
            self.sent_last.d.next = self.taken_place.q.val().all();
            self.sent_side.d.next = self.taken_side.q.val();
            self.sent_bits14.d.next = self.taken_bits14.q.val();
            self.sent_spoilt.d.next = self.taken_replayed.q.val()
                & (self.spoil.val() | (self.sent_spoilt.q.val() & self.taken_place.q.val().any()));
        }
        if self.clear.val() {
            self.taken_valid.d.next = false;
            self.sent_valid.d.next = false;
        }
        self.wire_beat.next = bit_cast::<BEAT_W, FLITS_W>(self.sent.q.val())
            | (bit_cast::<BEAT_W, TRAILER_BITS>(self.ahead.val() | self.trailer.val())
                << self.trailer_shift.val());
        self.wire_valid.next = self.sent_valid.q.val();
        self.taken_beat.next = self.taken.q.val();
        self.taken_index.next = self.taken_place.q.val();
        self.taken_sideband.next = self.taken_side.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("ltp_tx_assembler", &[("f", F.to_string())])
    }
}

drive_ports!(impl[const F: usize, const FLITS_W: usize, const BEAT_W: usize, const INDEX_W: usize, const PARTS16: usize, const PARTS14: usize] LtpTxAssembler<F, FLITS_W, BEAT_W, INDEX_W, PARTS16, PARTS14> { clock, clear, step, beat, place, side, bits14, replayed, spoil, taken_beat, taken_index, taken_sideband, wire_beat, wire_valid });
