//! `link_ltp_tx`: beats in, LTPs out (chapter 10, 4.1, modes 0 and 1 of 3.5).
//!
//! Every wire beat a data beat is taken: one of `time_in`, else one of `flits_in`, else an all-Idle one
//! (rules 2, 3, 5). An Idle flit and an illegal flit leave as 65 zeros (rules 1 and 6), so an all-Idle beat
//! from `flits_in` is the same as none. At an LTP boundary a waiting Null LTP goes first; then an original LTP
//! if `active`, else a filler Null LTP (rule 4). A pair stays a pair if `null_in` offers its second half in the
//! clock after it took the first.
//!
//! LTP bits `66F k ..` (wire beat `k`) begin `F k` bits inside data beat `k` and reach `F (k + 1)` bits into data
//! beat `k + 1`; behind the last data beat stand 16 bits of sideband and CRC, just what the last wire beat
//! lacks. So three registers make the path: the taken beat, the beat before it (with the CRC's sums), the
//! wire beat.
//!
//! - Latency: 3 clocks from the edge that takes a beat (plane X) to the edge that transfers its wire beat.
//! - Throughput: one beat per clock while `wire_out.ready`.
//! - `clear`: the LTP in progress is lost, the next one starts at its bit 0; `tx_seq` returns to 0.
//!   It takes one clock; `ready` is low meanwhile.
//! - `wire_out.ready` reaches the input `ready`s combinationally: between them lies no register.

#[cfg(test)]
mod tests;

use super::flit_codec::FlitCodec;
use super::ltp_crc::{LtpCrc, APPENDED_BITS};
use crate::config::{check_derived, check_one_of, ConfigError};
use crate::prim::stream::{FlowIn, StreamIn, StreamOut};
use crate::registry::{
    Allowed, BlockEntry, BuiltBlock, InterfaceInfo, ParameterInfo, Preset, Settings, StreamRole,
};
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::beat::{beats_per_ltp, FLITS_PER_BEAT};
use flitforge_protocol::crc::{BITS14, STANDARD};
use flitforge_protocol::flit::{control, Opcode, FLIT_BITS};
use rust_hdl::prelude::*;

/// Bits of a Null LTP's request: payload [47:0], opcode [55:48].
pub const NULL_BITS: usize = 56;
/// Bits of an LTP behind its flits in modes 0 and 1: sideband and CRC.
pub const TRAILER_BITS: usize = 16;

/// Parameters of a [`LtpTx`]; all but `flits` follow from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LtpTxConfig {
    /// Flits per beat, `F`.
    pub flits: usize,
    /// Bits of a data beat, `FLITS_W`.
    pub flits_bits: usize,
    /// Bits of a wire beat in modes 0 and 1, `BEAT_W`.
    pub beat_bits: usize,
    /// Bits of the wire port, `WIRE_W`.
    pub wire_bits: usize,
    /// A data beat and the trailer, `JOINT_W`.
    pub joint_bits: usize,
    /// Bits that count an LTP's beats, `INDEX_W`.
    pub index_bits: usize,
    /// Sums of the 16-bit and of the 14-bit CRC, `PARTS16` and `PARTS14`.
    pub parts: [usize; 2],
}

impl LtpTxConfig {
    /// Refuses what chapter 10 does not know, and derived widths that do not fit.
    pub fn check(&self) -> Result<(), ConfigError> {
        let (name, flits) = ("link_ltp_tx", self.flits as u64);
        check_one_of(name, "flits", flits, &FLITS_PER_BEAT.map(|f| f as u64))?;
        let derived = |parameter, value: usize, formula, derived| {
            check_derived(name, parameter, value as u64, formula, derived)
        };
        derived("flits_bits", self.flits_bits, "65 * flits", 65 * flits)?;
        derived("beat_bits", self.beat_bits, "66 * flits", 66 * flits)?;
        derived("wire_bits", self.wire_bits, "68 * flits", 68 * flits)?;
        derived("joint_bits", self.joint_bits, "65 * flits + 16", 65 * flits + 16)?;
        derived(
            "index_bits",
            self.index_bits,
            "log2(16 / flits)",
            u64::from(beats_per_ltp(self.flits).ilog2()),
        )?;
        derived("parts16", self.parts[0], "16 * flits", 16 * flits)?;
        derived("parts14", self.parts[1], "14 * flits", 14 * flits)
    }
}

/// Beats in, LTPs out; see the [module](self) and [`LtpTxConfig`] for the parameters.
#[derive(LogicBlock)]
pub struct LtpTx<
    const F: usize,
    const FLITS_W: usize,
    const BEAT_W: usize,
    const WIRE_W: usize,
    const JOINT_W: usize,
    const INDEX_W: usize,
    const PARTS16: usize,
    const PARTS14: usize,
> {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// LTP mode, 0 or 1 (2 and 3 count as 0); sampled when an LTP is opened.
    pub mode: Signal<In, Bits<2>>,
    /// Original LTPs may be opened; sampled at each boundary.
    pub active: Signal<In, Bit>,
    /// Beats of flits.
    pub flits_in: StreamIn<Bits<FLITS_W>>,
    /// Beats of time flits; the one stream whose payload may change while it waits.
    pub time_in: StreamIn<Bits<FLITS_W>>,
    /// What becomes of `time_in` while `tx_open` is low: 0 DROP, taken and discarded; 1 HOLD, it waits.
    pub time_mode: Signal<In, Bit>,
    /// Null LTPs to send: payload [47:0], opcode [55:48].
    pub null_in: StreamIn<Bits<NULL_BITS>>,
    /// Sideband {c1, c0} of the original LTP `tx_seq`, taken with `ltp_start`; 0 if not valid.
    pub side_in: FlowIn<Bits<2>>,
    /// Wire beats: LTP bits `66F k ..` from bit 0 up, the top `2F` bits 0.
    pub wire_out: StreamOut<Bits<WIRE_W>>,
    /// The wire beat has 68F bits; always 0 in modes 0 and 1.
    pub wire_wide: Signal<Out, Bit>,
    /// An original LTP is open or may be opened.
    pub tx_open: Signal<Out, Bit>,
    /// An original LTP is opened on this edge.
    pub ltp_start: Signal<Out, Bit>,
    /// Sequence number of the next original LTP to be opened.
    pub tx_seq: Signal<Out, Bits<16>>,
    /// Event: the last beat of an original LTP was taken.
    pub tx_ltp: Signal<Out, Bit>,
    /// Event: the last beat of a Null LTP was taken.
    pub null_tx: Signal<Out, Bit>,
    /// Event, one bit per slot: an illegal flit on `flits_in` became Idle.
    pub tx_illegal: Signal<Out, Bits<F>>,
    /// Event: a beat of `time_in` was discarded.
    pub time_dropped: Signal<Out, Bit>,

    codec: FlitCodec<F, FLITS_W>,
    crc16: LtpCrc<FLITS_W, 16, PARTS16>,
    crc14: LtpCrc<FLITS_W, 14, PARTS14>,

    index: DFF<Bits<INDEX_W>>,
    original: DFF<Bit>,
    sequence: DFF<Bits<16>>,

    taken: DFF<Bits<FLITS_W>>,
    taken_valid: DFF<Bit>,
    taken_index: DFF<Bits<INDEX_W>>,
    taken_side: DFF<Bits<2>>,
    taken_with_side: DFF<Bit>,

    sent: DFF<Bits<FLITS_W>>,
    sent_valid: DFF<Bit>,
    sent_index: DFF<Bits<INDEX_W>>,
    sent_side: DFF<Bits<2>>,
    sent_with_side: DFF<Bit>,

    wire_beat: DFF<Bits<BEAT_W>>,
    wire_valid: DFF<Bit>,

    event_ltp: DFF<Bit>,
    event_null: DFF<Bit>,
    event_illegal: DFF<Bits<F>>,
    event_dropped: DFF<Bit>,

    step: Signal<Local, Bit>,
    boundary: Signal<Local, Bit>,
    last_taken: Signal<Local, Bit>,
    open: Signal<Local, Bit>,
    time_ready: Signal<Local, Bit>,
    flits_ready: Signal<Local, Bit>,
    starts: Signal<Local, Bit>,
    bits14: Signal<Local, Bit>,
    null_flit: Signal<Local, Bits<FLIT_BITS>>,
    slot: Signal<Local, Bits<FLIT_BITS>>,
    chosen: Signal<Local, Bits<FLITS_W>>,
    sent_last: Signal<Local, Bit>,
    trailer: Signal<Local, Bits<TRAILER_BITS>>,
    tail: Signal<Local, Bits<APPENDED_BITS>>,
    ahead: Signal<Local, Bits<TRAILER_BITS>>,
    shifted: Signal<Local, Bits<JOINT_W>>,
    filler: Constant<Bits<FLIT_BITS>>,
    last_index: Constant<Bits<INDEX_W>>,
    joint_shift: Constant<Bits<16>>,
    trailer_shift: Constant<Bits<16>>,
    index_shift: Vec<Constant<Bits<16>>>,
    slot_shift: Vec<Constant<Bits<16>>>,
}

/// One flit per beat.
pub type LtpTx1 = LtpTx<1, 65, 66, 68, 81, 4, 16, 14>;
/// Two flits per beat.
pub type LtpTx2 = LtpTx<2, 130, 132, 136, 146, 3, 32, 28>;
/// Four flits per beat.
pub type LtpTx4 = LtpTx<4, 260, 264, 272, 276, 2, 64, 56>;

impl<
        const F: usize,
        const FLITS_W: usize,
        const BEAT_W: usize,
        const WIRE_W: usize,
        const JOINT_W: usize,
        const INDEX_W: usize,
        const PARTS16: usize,
        const PARTS14: usize,
    > LtpTx<F, FLITS_W, BEAT_W, WIRE_W, JOINT_W, INDEX_W, PARTS16, PARTS14>
{
    /// A transmitter, or the reason why not.
    pub fn new() -> Result<Self, ConfigError> {
        let config = LtpTxConfig {
            flits: F,
            flits_bits: FLITS_W,
            beat_bits: BEAT_W,
            wire_bits: WIRE_W,
            joint_bits: JOINT_W,
            index_bits: INDEX_W,
            parts: [PARTS16, PARTS14],
        };
        config.check()?;
        let shift = |amount: usize| Constant::new((amount as u64).into());
        let filler = u64::from(Opcode::RetrainRetryReq.code()) << control::opcode::LOW;
        Ok(Self {
            clock: Default::default(),
            clear: Default::default(),
            mode: Default::default(),
            active: Default::default(),
            flits_in: Default::default(),
            time_in: Default::default(),
            time_mode: Default::default(),
            null_in: Default::default(),
            side_in: Default::default(),
            wire_out: Default::default(),
            wire_wide: Default::default(),
            tx_open: Default::default(),
            ltp_start: Default::default(),
            tx_seq: Default::default(),
            tx_ltp: Default::default(),
            null_tx: Default::default(),
            tx_illegal: Default::default(),
            time_dropped: Default::default(),
            codec: FlitCodec::new()?,
            crc16: LtpCrc::new(STANDARD, 0)?,
            crc14: LtpCrc::new(BITS14, APPENDED_BITS)?,
            index: Default::default(),
            original: Default::default(),
            sequence: Default::default(),
            taken: Default::default(),
            taken_valid: Default::default(),
            taken_index: Default::default(),
            taken_side: Default::default(),
            taken_with_side: Default::default(),
            sent: Default::default(),
            sent_valid: Default::default(),
            sent_index: Default::default(),
            sent_side: Default::default(),
            sent_with_side: Default::default(),
            wire_beat: Default::default(),
            wire_valid: Default::default(),
            event_ltp: Default::default(),
            event_null: Default::default(),
            event_illegal: Default::default(),
            event_dropped: Default::default(),
            step: Default::default(),
            boundary: Default::default(),
            last_taken: Default::default(),
            open: Default::default(),
            time_ready: Default::default(),
            flits_ready: Default::default(),
            starts: Default::default(),
            bits14: Default::default(),
            null_flit: Default::default(),
            slot: Default::default(),
            chosen: Default::default(),
            sent_last: Default::default(),
            trailer: Default::default(),
            tail: Default::default(),
            ahead: Default::default(),
            shifted: Default::default(),
            filler: Constant::new(bit_cast::<FLIT_BITS, 64>(filler.into())),
            last_index: Constant::new((beats_per_ltp(F) as u64 - 1).into()),
            joint_shift: shift(FLITS_W),
            trailer_shift: shift(BEAT_W - TRAILER_BITS),
            index_shift: (0..INDEX_W).map(|bit| shift(F << bit)).collect(),
            slot_shift: (0..F).map(|slot| shift(FLIT_BITS * slot)).collect(),
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
        const PARTS16: usize,
        const PARTS14: usize,
    > Logic for LtpTx<F, FLITS_W, BEAT_W, WIRE_W, JOINT_W, INDEX_W, PARTS16, PARTS14>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            index,
            original,
            sequence,
            taken,
            taken_valid,
            taken_index,
            taken_side,
            taken_with_side,
            sent,
            sent_valid,
            sent_index,
            sent_side,
            sent_with_side,
            wire_beat,
            wire_valid,
            event_ltp,
            event_null,
            event_illegal,
            event_dropped
        );
        clock!(self, clock, crc16, crc14);

        // Who may send: one decision per wire beat.
        self.step.next = !self.wire_valid.q.val() | self.wire_out.ready.val();
        self.boundary.next = !self.index.q.val().any();
        self.last_taken.next = self.index.q.val() == self.last_index.val();
        self.open.next = self.original.q.val();
        if self.boundary.val() {
            self.open.next = self.active.val() & !self.null_in.valid.val();
        }
        self.starts.next = self.step.val() & self.boundary.val() & self.open.val() & !self.clear.val();
        self.flits_ready.next =
            self.step.val() & self.open.val() & !self.time_in.valid.val() & !self.clear.val();
        self.time_ready.next = self.step.val();
        if !self.open.val() {
            self.time_ready.next = !self.time_mode.val();
        }
        self.flits_in.ready.next = self.flits_ready.val();
        self.time_in.ready.next = self.time_ready.val() & !self.clear.val();
        self.null_in.ready.next = self.step.val() & self.boundary.val() & !self.clear.val();
        self.tx_open.next = self.open.val() & !self.clear.val();
        self.ltp_start.next = self.starts.val();
        self.tx_seq.next = self.sequence.q.val();

        // The data beat.
        self.codec.beat.next = self.flits_in.data.val();
        self.null_flit.next = self.filler.val();
        if self.null_in.valid.val() {
            self.null_flit.next = bit_cast::<FLIT_BITS, 48>(self.null_in.data.val().get_bits::<48>(0))
                | (bit_cast::<FLIT_BITS, 8>(self.null_in.data.val().get_bits::<8>(48)) << 56);
        }
        self.chosen.next = 0.into();
        for i in 0..F {
            self.slot.next = 0.into();
            if self.open.val() {
                if self.time_in.valid.val() {
                    self.slot.next = self.time_in.data.val().get_bits::<FLIT_BITS>(i * 65);
                } else if self.flits_in.valid.val() & self.codec.carried.val().get_bit(i) {
                    self.slot.next = self.flits_in.data.val().get_bits::<FLIT_BITS>(i * 65);
                }
            }
            self.chosen.next = self.chosen.val()
                | (bit_cast::<FLITS_W, FLIT_BITS>(self.slot.val()) << self.slot_shift[i].val());
        }
        if self.boundary.val() & !self.open.val() {
            self.chosen.next = self.chosen.val() | bit_cast::<FLITS_W, FLIT_BITS>(self.null_flit.val());
        }

        // The wire beat made of the older beat and the low bits of the newer one.
        self.sent_last.next = self.sent_index.q.val() == self.last_index.val();
        self.crc16.clear.next = self.clear.val();
        self.crc16.load.next = self.step.val();
        self.crc16.beat.next = self.taken.q.val();
        self.crc16.step.next = self.step.val() & self.sent_valid.q.val();
        self.crc16.restart.next = self.sent_last.val();
        self.crc16.appended.next = 0.into();
        self.crc14.clear.next = self.clear.val();
        self.crc14.load.next = self.step.val();
        self.crc14.beat.next = self.taken.q.val();
        self.crc14.step.next = self.step.val() & self.sent_valid.q.val();
        self.crc14.restart.next = self.sent_last.val();
        self.tail.next = 0.into();
        self.ahead.next = self.taken.q.val().get_bits::<TRAILER_BITS>(0);
        self.trailer.next = 0.into();
        if self.sent_last.val() {
            self.tail.next = self.sent_side.q.val();
            self.ahead.next = 0.into();
            self.trailer.next = self.crc16.following.val();
            if self.sent_with_side.q.val() {
                self.trailer.next = bit_cast::<TRAILER_BITS, 2>(self.sent_side.q.val())
                    | (bit_cast::<TRAILER_BITS, 14>(self.crc14.following.val()) << 2);
            }
        }
        self.crc14.appended.next = self.tail.val();
        self.shifted.next = bit_cast::<JOINT_W, FLITS_W>(self.sent.q.val())
            | (bit_cast::<JOINT_W, TRAILER_BITS>(self.ahead.val()) << self.joint_shift.val());
        for i in 0..INDEX_W {
            if self.sent_index.q.val().get_bit(i) {
                self.shifted.next = self.shifted.val() >> self.index_shift[i].val();
            }
        }

        self.bits14.next = self.mode.val() == 1;
        if self.step.val() {
            self.index.d.next = self.index.q.val() + 1;
            self.taken.d.next = self.chosen.val();
            self.taken_valid.d.next = true;
            self.taken_index.d.next = self.index.q.val();
            if self.boundary.val() {
                self.original.d.next = self.open.val();
                self.taken_with_side.d.next = self.bits14.val();
                self.taken_side.d.next = 0.into();
                if self.open.val() & self.side_in.valid.val() {
                    self.taken_side.d.next = self.side_in.data.val();
                }
            }
            self.sent.d.next = self.taken.q.val();
            self.sent_valid.d.next = self.taken_valid.q.val();
            self.sent_index.d.next = self.taken_index.q.val();
            self.sent_side.d.next = self.taken_side.q.val();
            self.sent_with_side.d.next = self.taken_with_side.q.val();
            self.wire_beat.d.next = bit_cast::<BEAT_W, JOINT_W>(self.shifted.val())
                | (bit_cast::<BEAT_W, TRAILER_BITS>(self.trailer.val()) << self.trailer_shift.val());
            self.wire_valid.d.next = self.sent_valid.q.val();
        }
        if self.starts.val() {
            self.sequence.d.next = self.sequence.q.val() + 1;
        }
        if self.clear.val() {
            self.index.d.next = 0.into();
            self.original.d.next = false;
            self.sequence.d.next = 0.into();
            self.taken_valid.d.next = false;
            self.sent_valid.d.next = false;
            self.wire_valid.d.next = false;
        }
        self.wire_out.valid.next = self.wire_valid.q.val();
        self.wire_out.data.next = bit_cast::<WIRE_W, BEAT_W>(self.wire_beat.q.val());
        self.wire_wide.next = false;

        // Events, one clock after the edge they tell of.
        self.event_ltp.d.next = self.step.val() & self.last_taken.val() & self.open.val() & !self.clear.val();
        self.event_null.d.next =
            self.step.val() & self.last_taken.val() & !self.open.val() & !self.clear.val();
        self.event_illegal.d.next = 0.into();
        if self.flits_ready.val() & self.flits_in.valid.val() {
            self.event_illegal.d.next = self.codec.illegal.val();
        }
        self.event_dropped.d.next =
            self.time_in.valid.val() & !self.open.val() & !self.time_mode.val() & !self.clear.val();
        self.tx_ltp.next = self.event_ltp.q.val();
        self.null_tx.next = self.event_null.q.val();
        self.tx_illegal.next = self.event_illegal.q.val();
        self.time_dropped.next = self.event_dropped.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("link_ltp_tx", &[("f", F.to_string())])
    }
}

drive_ports!(impl[const F: usize, const FLITS_W: usize, const BEAT_W: usize, const WIRE_W: usize, const JOINT_W: usize, const INDEX_W: usize, const PARTS16: usize, const PARTS14: usize] LtpTx<F, FLITS_W, BEAT_W, WIRE_W, JOINT_W, INDEX_W, PARTS16, PARTS14> {
    clock, clear, mode, active, flits_in, time_in, time_mode, null_in, side_in, wire_out, wire_wide,
    tx_open, ltp_start, tx_seq, tx_ltp, null_tx, tx_illegal, time_dropped,
});

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "link_ltp_tx",
    chapter: "10-link",
    summary: "beats in, LTPs with CRC out, Null LTPs between them",
    parameters: &[ParameterInfo {
        name: "f",
        default: 2,
        allowed: Allowed::OneOf(&[1, 2, 4]),
        doc: "flits per beat",
    }],
    presets: &[
        Preset { name: "default", values: &[] },
        Preset { name: "f1", values: &[("f", 1)] },
        Preset { name: "f4", values: &[("f", 4)] },
    ],
    build,
};

fn build(settings: &Settings) -> Result<BuiltBlock, ConfigError> {
    let streams = [
        ("flits_in", StreamRole::StreamSink),
        ("time_in", StreamRole::StreamSink),
        ("null_in", StreamRole::StreamSink),
        ("side_in", StreamRole::FlowSink),
        ("wire_out", StreamRole::StreamSource),
    ];
    let interface = InterfaceInfo::clocked(&streams, Some(3), "beat taken to its wire beat transferred");
    Ok(match settings.get("f")? {
        1 => BuiltBlock::new(LtpTx1::new()?, interface),
        2 => BuiltBlock::new(LtpTx2::new()?, interface),
        4 => BuiltBlock::new(LtpTx4::new()?, interface),
        _ => return Err(settings.unsupported("f", "1, 2 or 4")),
    })
}
