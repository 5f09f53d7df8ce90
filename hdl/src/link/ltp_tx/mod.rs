//! `link_ltp_tx`: beats in, LTPs out (chapter 10, 4.1 and 3.5).
//!
//! Every wire beat a data beat is taken: one of `time_in`, else one of `flits_in`, else an all-Idle one
//! (rules 2, 3, 5). From `flits_in` an Idle, whatever its payload, and an illegal flit leave as 65 zeros (rules 1
//! and 6), so an all-Idle beat is the same as none. At an LTP boundary a waiting Null LTP goes first; then an
//! replayed LTP if `replay_next`, an original LTP if `active`, else a filler Null LTP (rule 4). A pair stays a pair if
//! `null_in` offers its second half in the clock after it took the first.
//!
//! For the retry protocol each beat of an original is given to the replay buffer (`stored`), the beats of a replayed
//! LTP come from there (`replay_beat`), `hold` keeps the next LTP from being opened, and with `drain` what is under
//! way is finished without going on the wire. Without a replay buffer these inputs are 0. A replayed LTP of which
//! `replay_spoil` says that a beat is wrong goes out with its CRC inverted, so that the peer asks for it again.
//!
//! LTP bits `66F k ..` (wire beat `k`) begin `F k` bits inside data beat `k` and reach `F (k + 1)` bits into data
//! beat `k + 1`; behind the last data beat stand 16 bits of sideband and CRC, just what the last wire beat
//! lacks. So three registers make the path: the taken beat, the beat before it (with the CRC's sums), the
//! wire beat. The last is a skid buffer: what moves the other two is a register, not `wire_out.ready`.
//!
//! Modes 2 and 3 are built on request ([`CrcModes`]): [`LtpTxWide`] goes on with the taken beat, by a path of its own with
//! its own skid buffer, two registers longer.
//!
//! - Latency: 3 clocks from the edge that takes a beat (plane X) to the edge that transfers its wire beat; 5 in modes 2
//!   and 3.
//! - Throughput: one beat per clock while `wire_out.ready`.
//! - `clear`: the LTP in progress is lost, the next one starts at its bit 0; `tx_seq` returns to 0.
//!   It takes one clock; `ready` is low meanwhile.
//! - `drain`: `wire_out.valid` is low from the next clock on, a beat is taken in every clock; an original LTP under way
//!   takes nothing more and is filled with Idle. The wire goes on with bit 0 of an LTP when `drain` falls between
//!   two LTPs.
//! - The input `ready`s hang on registers and on the `valid` of the streams that go first, not on `wire_out.ready`:
//!   when that falls, one more beat is taken.

mod arbiter;
mod assembler;
mod config;
mod wide;

pub use arbiter::LtpTxArbiter;
pub use assembler::LtpTxAssembler;
pub use config::{LtpTxConfig, ENTRY};
pub use wide::LtpTxWide;

use super::flit_codec::FlitCodec;
use super::ltp_wide::{copies, CrcModes};
use crate::config::ConfigError;
use crate::prim::stream::{FlowIn, FlowOut, StreamIn, StreamOut};
use crate::prim::Skid;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::flit::{control, Opcode, FLIT_BITS};

/// Bits of a Null LTP's request: payload [47:0], opcode [55:48].
pub const NULL_BITS: usize = 56;
/// Bits of an LTP behind its flits in modes 0 and 1: sideband and CRC.
pub const TRAILER_BITS: usize = 16;

/// One flit per beat.
pub type LtpTx1 = LtpTx<1, 65, 66, 68, 4, 16, 14>;
/// Two flits per beat.
pub type LtpTx2 = LtpTx<2, 130, 132, 136, 3, 32, 28>;
/// Four flits per beat.
pub type LtpTx4 = LtpTx<4, 260, 264, 272, 2, 64, 56>;
/// One flit per beat, all modes.
pub type LtpTxAll1 = LtpTx<1, 65, 66, 68, 4, 16, 14, 176, 1>;
/// Two flits per beat, all modes.
pub type LtpTxAll2 = LtpTx<2, 130, 132, 136, 3, 32, 28, 240, 1>;
/// Four flits per beat, all modes.
pub type LtpTxAll4 = LtpTx<4, 260, 264, 272, 2, 64, 56, 368, 1>;

/// Beats in, LTPs out; see the [module](self) and [`LtpTxConfig`] for the parameters.
#[derive(LogicBlock)]
pub struct LtpTx<
    const F: usize,
    const FLITS_W: usize,
    const BEAT_W: usize,
    const WIRE_W: usize,
    const INDEX_W: usize,
    const PARTS16: usize,
    const PARTS14: usize,
    const WINDOW_W: usize = 1,
    const WIDE: usize = 0,
> {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// LTP mode; sampled when an LTP is opened. If they are not built, 2 and 3 count as 0. Bit 1 changes only with `clear` or
    /// `drain`.
    pub mode: Signal<In, Bits<2>>,
    /// If all modes are built: L - 1, for mode 3, which is sent as mode 2 if L is below 3. Changes as bit 1 of `mode`.
    pub lanes: [Signal<In, Bits<2>>; WIDE],
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
    /// The next LTP, unless a Null LTP waits, is a replayed one; sampled at each boundary.
    pub replay_next: Signal<In, Bit>,
    /// Beat of the replayed LTP, from its first to its last, each until `replay_take`.
    pub replay_beat: Signal<In, Bits<FLITS_W>>,
    /// Sideband {c1, c0} of the replayed LTP, with its first beat.
    pub replay_side: Signal<In, Bits<2>>,
    /// The replayed beat that was taken last is wrong.
    pub replay_spoil: Signal<In, Bit>,
    /// `replay_beat` is taken on this edge.
    pub replay_take: Signal<Out, Bit>,
    /// No LTP is opened.
    pub hold: Signal<In, Bit>,
    /// What is under way is finished without going on the wire.
    pub drain: Signal<In, Bit>,
    /// `tx_seq` returns to 0.
    pub restart: Signal<In, Bit>,
    /// Beats of original LTPs, one clock after they are taken.
    pub stored: FlowOut<Bits<FLITS_W>>,
    /// With `stored`: place of the beat in its LTP.
    pub stored_place: Signal<Out, Bits<INDEX_W>>,
    /// With `stored`: sideband of its LTP.
    pub stored_side: Signal<Out, Bits<2>>,
    /// Place of the beat that is taken next; 0 if no LTP is under way.
    pub ltp_place: Signal<Out, Bits<INDEX_W>>,
    /// An LTP is opened on this edge.
    pub ltp_opened: Signal<Out, Bit>,
    /// Wire beats: LTP bits `66F k ..` from bit 0 up, the top `2F` bits 0; in modes 2 and 3 bits `68F k ..`.
    pub wire_out: StreamOut<Bits<WIRE_W>>,
    /// The wire beat has 68F bits: modes 2 and 3.
    pub wire_wide: Signal<Out, Bit>,
    /// An original LTP that takes beats is open or may be opened.
    pub tx_open: Signal<Out, Bit>,
    /// An original LTP is opened on this edge.
    pub ltp_start: Signal<Out, Bit>,
    /// Sequence number of the next original LTP to be opened.
    pub tx_seq: Signal<Out, Bits<16>>,
    /// Event: the last beat of an original LTP was taken.
    pub tx_ltp: Signal<Out, Bit>,
    /// Event: the last beat of a Null LTP was taken.
    pub null_tx: Signal<Out, Bit>,
    /// Event: the last beat of a replayed LTP was taken.
    pub replayed: Signal<Out, Bit>,
    /// Event, one bit per slot: an illegal flit on `flits_in` became Idle.
    pub tx_illegal: Signal<Out, Bits<F>>,
    /// Event: a beat of `time_in` was discarded.
    pub time_dropped: Signal<Out, Bit>,

    codec: FlitCodec<F, FLITS_W>,
    arbiter: LtpTxArbiter<INDEX_W>,
    assembler: LtpTxAssembler<F, FLITS_W, BEAT_W, INDEX_W, PARTS16, PARTS14>,
    wire_skid: Skid<Bits<BEAT_W>>,
    wide: [LtpTxWide<F, FLITS_W, WIRE_W, INDEX_W, WINDOW_W>; WIDE],
    event_illegal: DFF<Bits<F>>,
    stored_valid: DFF<Bit>,
    step: Signal<Local, Bit>,
    moves: Signal<Local, Bit>,
    flits_ready: Signal<Local, Bit>,
    null_flit: Signal<Local, Bits<FLIT_BITS>>,
    slot: Signal<Local, Bits<FLIT_BITS>>,
    chosen: Signal<Local, Bits<FLITS_W>>,
    side: Signal<Local, Bits<2>>,
    filler: Constant<Bits<FLIT_BITS>>,
    slot_shift: Vec<Constant<Bits<16>>>,
}

impl<
        const F: usize,
        const FLITS_W: usize,
        const BEAT_W: usize,
        const WIRE_W: usize,
        const INDEX_W: usize,
        const PARTS16: usize,
        const PARTS14: usize,
        const WINDOW_W: usize,
        const WIDE: usize,
    > LtpTx<F, FLITS_W, BEAT_W, WIRE_W, INDEX_W, PARTS16, PARTS14, WINDOW_W, WIDE>
{
    /// A transmitter, or the reason why not.
    pub fn new() -> Result<Self, ConfigError> {
        LtpTxConfig {
            flits: F,
            flits_bits: FLITS_W,
            beat_bits: BEAT_W,
            wire_bits: WIRE_W,
            index_bits: INDEX_W,
            parts: [PARTS16, PARTS14],
            window_bits: WINDOW_W,
            wide: WIDE,
        }
        .check()?;
        let shift = |amount: usize| Constant::new((amount as u64).into());
        let filler = u64::from(Opcode::RetrainRetryReq.code()) << control::opcode::LOW;
        Ok(Self {
            clock: Default::default(),
            clear: Default::default(),
            mode: Default::default(),
            lanes: defaults(),
            active: Default::default(),
            flits_in: Default::default(),
            time_in: Default::default(),
            time_mode: Default::default(),
            null_in: Default::default(),
            side_in: Default::default(),
            replay_next: Default::default(),
            replay_beat: Default::default(),
            replay_side: Default::default(),
            replay_spoil: Default::default(),
            replay_take: Default::default(),
            hold: Default::default(),
            drain: Default::default(),
            restart: Default::default(),
            stored: Default::default(),
            stored_place: Default::default(),
            stored_side: Default::default(),
            ltp_place: Default::default(),
            ltp_opened: Default::default(),
            wire_out: Default::default(),
            wire_wide: Default::default(),
            tx_open: Default::default(),
            ltp_start: Default::default(),
            tx_seq: Default::default(),
            tx_ltp: Default::default(),
            null_tx: Default::default(),
            replayed: Default::default(),
            tx_illegal: Default::default(),
            time_dropped: Default::default(),
            codec: FlitCodec::new()?,
            arbiter: Default::default(),
            assembler: LtpTxAssembler::new()?,
            wire_skid: Default::default(),
            wide: copies("link_ltp_tx", LtpTxWide::new)?,
            event_illegal: Default::default(),
            stored_valid: Default::default(),
            step: Default::default(),
            moves: Default::default(),
            flits_ready: Default::default(),
            null_flit: Default::default(),
            slot: Default::default(),
            chosen: Default::default(),
            side: Default::default(),
            filler: Constant::new(bit_cast::<FLIT_BITS, 64>(filler.into())),
            slot_shift: (0..F).map(|slot| shift(FLIT_BITS * slot)).collect(),
        })
    }
}

impl<
        const F: usize,
        const FLITS_W: usize,
        const BEAT_W: usize,
        const WIRE_W: usize,
        const INDEX_W: usize,
        const PARTS16: usize,
        const PARTS14: usize,
        const WINDOW_W: usize,
        const WIDE: usize,
    > Logic for LtpTx<F, FLITS_W, BEAT_W, WIRE_W, INDEX_W, PARTS16, PARTS14, WINDOW_W, WIDE>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, event_illegal, stored_valid);
        clock!(self, clock, arbiter, assembler, wire_skid);
        // What is cleared with the skid buffer need not ask whether it is: `clear` comes late.
        self.step.next = self.wire_skid.has_room.val() | self.drain.val();
        for i in 0..WIDE {
            if self.mode.val().get_bit(1) {
                self.step.next = self.wide[i].has_room.val() | self.drain.val();
            }
        }
        self.flits_ready.next = self.arbiter.flits_ready.val();
        self.arbiter.clear.next = self.clear.val();
        self.arbiter.active.next = self.active.val();
        self.arbiter.time_mode.next = self.time_mode.val();
        self.arbiter.step.next = self.step.val();
        self.arbiter.time_valid.next = self.time_in.valid.val();
        self.arbiter.null_valid.next = self.null_in.valid.val();
        self.arbiter.replay_next.next = self.replay_next.val();
        self.arbiter.hold.next = self.hold.val();
        self.arbiter.drain.next = self.drain.val();
        self.arbiter.restart.next = self.restart.val();
        self.moves.next = self.step.val() & !(self.arbiter.boundary.val() & self.hold.val());
        self.flits_in.ready.next = self.flits_ready.val();
        self.time_in.ready.next = self.arbiter.time_ready.val();
        self.null_in.ready.next = self.arbiter.null_ready.val();

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
            if self.arbiter.open.val() {
                if self.time_in.valid.val() {
                    self.slot.next = self.time_in.data.val().get_bits::<FLIT_BITS>(i * 65);
                } else if self.flits_in.valid.val() & self.codec.carried.val().get_bit(i) {
                    self.slot.next = self.flits_in.data.val().get_bits::<FLIT_BITS>(i * 65);
                }
            }
            self.chosen.next = self.chosen.val()
                | (bit_cast::<FLITS_W, FLIT_BITS>(self.slot.val()) << self.slot_shift[i].val());
        }
        if self.arbiter.boundary.val() & !self.arbiter.original.val() & !self.arbiter.replay.val() {
            self.chosen.next = self.chosen.val() | bit_cast::<FLITS_W, FLIT_BITS>(self.null_flit.val());
        }
        if self.arbiter.replay.val() {
            self.chosen.next = self.chosen.val() | self.replay_beat.val();
        }
        self.side.next = 0.into();
        if self.arbiter.original.val() & self.side_in.valid.val() {
            self.side.next = self.side_in.data.val();
        }
        if self.arbiter.replay.val() {
            self.side.next = self.replay_side.val();
        }
        self.assembler.clear.next = self.clear.val() | self.drain.val();
        self.assembler.step.next = self.moves.val();
        self.assembler.beat.next = self.chosen.val();
        self.assembler.place.next = self.arbiter.place.val();
        self.assembler.side.next = self.side.val();
        self.assembler.bits14.next = self.mode.val() == 1;
        self.assembler.replayed.next = self.arbiter.replay.val();
        self.assembler.spoil.next = self.replay_spoil.val();
        self.wire_skid.clear.next = self.clear.val() | self.drain.val();
        self.wire_skid.words_in.data.next = self.assembler.wire_beat.val();
        // It takes nothing without room or with `drain`, so `moves` need not be asked as a whole.
        self.wire_skid.words_in.valid.next =
            self.assembler.wire_valid.val() & !(self.arbiter.boundary.val() & self.hold.val());
        self.wire_skid.words_out.ready.next = self.wire_out.ready.val();
        self.wire_out.data.next = bit_cast::<WIRE_W, BEAT_W>(self.wire_skid.words_out.data.val());
        self.wire_out.valid.next = self.wire_skid.words_out.valid.val();
        self.wire_wide.next = false;

        // The path of modes 2 and 3: one of the two is cleared.
        for i in 0..WIDE {
            self.wide[i].clock.next = self.clock.val();
            self.wide[i].clear.next = self.clear.val() | self.drain.val() | !self.mode.val().get_bit(1);
            self.wide[i].per_lane.next = self.mode.val().get_bit(0) & self.lanes[i].val().get_bit(1);
            self.wide[i].three.next = !self.lanes[i].val().get_bit(0);
            self.wide[i].step.next = self.moves.val();
            self.wide[i].replayed.next = self.arbiter.replay.val();
            self.wide[i].spoil.next = self.replay_spoil.val();
            self.wide[i].beat.next = self.assembler.taken_beat.val();
            self.wide[i].place.next = self.assembler.taken_index.val();
            self.wide[i].wire_out.ready.next = self.wire_out.ready.val();
            if self.mode.val().get_bit(1) {
                self.wire_skid.clear.next = true;
                self.wire_out.data.next = self.wide[i].wire_out.data.val();
                self.wire_out.valid.next = self.wide[i].wire_out.valid.val();
                self.wire_wide.next = true;
            }
        }

        self.tx_open.next = self.arbiter.open.val() & !self.clear.val();
        self.ltp_start.next = self.arbiter.starts.val();
        self.tx_seq.next = self.arbiter.sequence.val();
        self.replay_take.next = self.arbiter.replay_take.val();
        self.ltp_place.next = self.arbiter.place.val();
        self.ltp_opened.next = self.arbiter.opened.val();
        self.stored_valid.d.next = self.moves.val() & self.arbiter.original.val() & !self.clear.val();
        self.stored.valid.next = self.stored_valid.q.val();
        self.stored.data.next = self.assembler.taken_beat.val();
        self.stored_place.next = self.assembler.taken_index.val();
        self.stored_side.next = self.assembler.taken_sideband.val();
        self.event_illegal.d.next = 0.into();
        if self.flits_ready.val() & self.flits_in.valid.val() {
            self.event_illegal.d.next = self.codec.illegal.val();
        }
        self.tx_ltp.next = self.arbiter.tx_ltp.val();
        self.null_tx.next = self.arbiter.null_tx.val();
        self.replayed.next = self.arbiter.replayed.val();
        self.tx_illegal.next = self.event_illegal.q.val();
        self.time_dropped.next = self.arbiter.time_dropped.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        match WIDE {
            0 => block_label("link_ltp_tx", &[("f", F.to_string())]),
            _ => block_label(
                "link_ltp_tx",
                &[("f", F.to_string()), ("modes", CrcModes::All.caps().to_string())],
            ),
        }
    }
}

drive_ports!(impl[const F: usize, const FLITS_W: usize, const BEAT_W: usize, const WIRE_W: usize, const INDEX_W: usize, const PARTS16: usize, const PARTS14: usize, const WINDOW_W: usize, const WIDE: usize] LtpTx<F, FLITS_W, BEAT_W, WIRE_W, INDEX_W, PARTS16, PARTS14, WINDOW_W, WIDE> { clock, clear, mode, lanes, active, flits_in, time_in, time_mode, null_in, side_in, replay_next, replay_beat, replay_side, replay_spoil, replay_take, hold, drain, restart, stored, stored_place, stored_side, ltp_place, ltp_opened, wire_out, wire_wide, tx_open, ltp_start, tx_seq, tx_ltp, null_tx, replayed, tx_illegal, time_dropped });
