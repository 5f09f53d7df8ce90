//! `link_ltp_tx`: beats in, LTPs out (chapter 10, 4.1 and 3.5).
//!
//! Every wire beat a data beat is taken: one of `time_in`, else one of `flits_in`, else an all-Idle one (rules 2, 3, 5). From
//! `flits_in` an Idle, whatever its payload, and an illegal flit leave as 65 zeros (rules 1 and 6), so an all-Idle beat is the
//! same as none.
//!
//! At an LTP boundary a waiting Null LTP goes first; then an replayed LTP if `replay_next`, an original LTP if `active`, else a
//! filler Null LTP (rule 4). A pair stays a pair if `null_in` offers its second half in the clock after it took the first.
//!
//! For the retry protocol each beat of an original is given to the replay buffer (`stored`), the beats of a replayed LTP come
//! from there (`replay_beat`), `hold` keeps the next LTP from being opened, and with `drain` what is under way is finished
//! without going on the wire.
//!
//! Without a replay buffer these inputs are 0. A replayed LTP of which `replay_corrupt` says that a beat is wrong goes out with
//! its CRC inverted, so that the peer asks for it again.
//!
//! LTP bits `66F k ..` (wire beat `k`) begin `F k` bits inside data beat `k` and reach `F (k + 1)` bits into data beat `k + 1`;
//! after the last data beat stand 16 bits of sideband and CRC, just what the last wire beat lacks.
//!
//! So three registers make the path: the taken beat, the beat before it (with the CRC's sums), the wire beat. The last is a skid
//! buffer: what moves the other two is a register, not `wire_out.ready`.
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
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::Skid;
use flitforge_protocol::flit::{control, Opcode, FLIT_BITS};

/// Bits of a Null LTP's request: payload [47:0], opcode [55:48].
pub const NULL_BITS: usize = 56;
/// Bits of an LTP after its flits in modes 0 and 1: sideband and CRC.
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
#[block(new)]
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
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// LTP mode; sampled when an LTP is opened. If they are not built, 2 and 3 count as 0. Bit 1 changes only with `clear` or
    /// `drain`.
    mode: In<Bits<2>>,
    /// If all modes are built: L - 1, for mode 3, which is sent as mode 2 if L is below 3. Changes as bit 1 of `mode`.
    lanes: [In<Bits<2>>; WIDE],
    /// Original LTPs may be opened; sampled at each boundary.
    active: In<Bit>,
    /// Beats of flits.
    pub flits_in: StreamIn<Bits<FLITS_W>>,
    /// Beats of time flits; the one stream whose payload may change while it waits.
    pub time_in: StreamIn<Bits<FLITS_W>>,
    /// What becomes of `time_in` while `tx_open` is low: 0 DROP, taken and discarded; 1 HOLD, it waits.
    time_mode: In<Bit>,
    /// Null LTPs to send: payload [47:0], opcode [55:48].
    pub null_in: StreamIn<Bits<NULL_BITS>>,
    /// Sideband {c1, c0} of the original LTP `tx_seq`, taken with `ltp_start`; 0 if not valid.
    pub side_in: FlowIn<Bits<2>>,
    /// The next LTP, unless a Null LTP waits, is a replayed one; sampled at each boundary.
    replay_next: In<Bit>,
    /// Beat of the replayed LTP, from its first to its last, each until `replay_take`.
    replay_beat: In<Bits<FLITS_W>>,
    /// Sideband {c1, c0} of the replayed LTP, with its first beat.
    replay_side: In<Bits<2>>,
    /// The replayed beat that was taken last is wrong.
    replay_corrupt: In<Bit>,
    /// `replay_beat` is taken on this edge.
    replay_take: Out<Bit>,
    /// No LTP is opened.
    hold: In<Bit>,
    /// What is under way is finished without going on the wire.
    drain: In<Bit>,
    /// `tx_seq` returns to 0.
    restart: In<Bit>,
    /// Beats of original LTPs, one clock after they are taken.
    pub stored: FlowOut<Bits<FLITS_W>>,
    /// With `stored`: place of the beat in its LTP.
    stored_place: Out<Bits<INDEX_W>>,
    /// With `stored`: sideband of its LTP.
    stored_side: Out<Bits<2>>,
    /// Place of the beat that is taken next; 0 if no LTP is under way.
    ltp_place: Out<Bits<INDEX_W>>,
    /// An LTP is opened on this edge.
    ltp_opened: Out<Bit>,
    /// Wire beats: LTP bits `66F k ..` from bit 0 up, the top `2F` bits 0; in modes 2 and 3 bits `68F k ..`.
    pub wire_out: StreamOut<Bits<WIRE_W>>,
    /// The wire beat has 68F bits: modes 2 and 3.
    wire_wide: Out<Bit>,
    /// An original LTP that takes beats is open or may be opened.
    tx_open: Out<Bit>,
    /// An original LTP is opened on this edge.
    ltp_start: Out<Bit>,
    /// Sequence number of the next original LTP to be opened.
    tx_seq: Out<Bits<16>>,
    /// Event: the last beat of an original LTP was taken.
    tx_ltp: Out<Bit>,
    /// Event: the last beat of a Null LTP was taken.
    null_tx: Out<Bit>,
    /// Event: the last beat of a replayed LTP was taken.
    replayed: Out<Bit>,
    /// Event, one bit per slot: an illegal flit on `flits_in` became Idle.
    tx_illegal: Out<Bits<F>>,
    /// Event: a beat of `time_in` was discarded.
    time_dropped: Out<Bit>,

    codec: FlitCodec<F, FLITS_W>,
    #[wire(clock, clear)]
    arbiter: LtpTxArbiter<INDEX_W>,
    #[wire(clock)]
    assembler: LtpTxAssembler<F, FLITS_W, BEAT_W, INDEX_W, PARTS16, PARTS14>,
    #[wire(clock)]
    wire_skid: Skid<Bits<BEAT_W>>,
    #[wire(clock)]
    wide: [LtpTxWide<F, FLITS_W, WIRE_W, INDEX_W, WINDOW_W>; WIDE],
    event_illegal: Reg<Bits<F>>,
    stored_valid: Reg<Bit>,
    step: Local<Bit>,
    moves: Local<Bit>,
    flits_ready: Local<Bit>,
    null_flit: Local<Bits<FLIT_BITS>>,
    slot: Local<Bits<FLIT_BITS>>,
    filler: Constant<Bits<FLIT_BITS>>,
    slot_shift: Vec<Constant<Bits<16>>>,
}

#[logic]
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
            codec: FlitCodec::new()?,
            assembler: LtpTxAssembler::new()?,
            wide: copies("link_ltp_tx", LtpTxWide::new)?,
            filler: Constant::new(bit_cast::<FLIT_BITS, 64>(filler.into())),
            slot_shift: (0..F).map(|slot| shift(FLIT_BITS * slot)).collect(),
            ..
        })
    }

    fn update(&mut self) {
        // What is cleared with the skid buffer need not ask whether it is: `clear` comes late.
        step = wire_skid.has_room | drain;
        for i in 0..WIDE {
            if mode[1] {
                step = wide[i].has_room | drain;
            }
        }
        flits_ready = arbiter.flits_ready;
        arbiter = In { active, time_mode, step, time_valid: time_in.valid, null_valid: null_in.valid };
        arbiter = In { replay_next, hold, drain, restart };
        moves = step & !(arbiter.boundary & hold);
        flits_in.ready = flits_ready;
        time_in.ready = arbiter.time_ready;
        null_in.ready = arbiter.null_ready;

        self.read_beat();

        // The path of modes 2 and 3: one of the two is cleared.
        for i in 0..WIDE {
            wide[i] = In { clear: clear | drain | !mode[1], per_lane: mode[0] & lanes[i][1] };
            wide[i] =
                In { three: !lanes[i][0], step: moves, replayed: arbiter.replay, corrupt: replay_corrupt };
            wide[i] = In { beat: assembler.taken_beat, place: assembler.taken_index };
            wide[i].wire_out.ready = wire_out.ready;
            if mode[1] {
                wire_skid.clear = true;
                wire_out = In { data: wide[i].wire_out.data, valid: wide[i].wire_out.valid };
                wire_wide = true;
            }
        }

        tx_open = arbiter.open & !clear;
        Out { starts: ltp_start, sequence: tx_seq, replay_take, place: ltp_place } = arbiter;
        ltp_opened = arbiter.opened;
        stored_valid = moves & arbiter.original & !clear;
        stored = In { valid: stored_valid, data: assembler.taken_beat };
        Out { taken_index: stored_place, taken_sideband: stored_side } = assembler;
        event_illegal = 0;
        if flits_ready & flits_in.valid {
            event_illegal = codec.illegal;
        }
        Out { tx_ltp, null_tx, replayed } = arbiter;
        tx_illegal = event_illegal;
        time_dropped = arbiter.time_dropped;
    }

    /// The data beat.
    fn read_beat(&mut self) {
        codec.beat = flits_in.data;
        null_flit = filler;
        if null_in.valid {
            null_flit = bit_cast::<FLIT_BITS, 48>(null_in.data.bits::<48>(0))
                | (bit_cast::<FLIT_BITS, 8>(null_in.data.bits::<8>(48)) << 56);
        }
        let mut chosen: Bits<FLITS_W> = 0;
        for i in 0..F {
            slot = 0;
            if arbiter.open {
                if time_in.valid {
                    slot = time_in.data.bits::<FLIT_BITS>(i * 65);
                } else if flits_in.valid & codec.carried[i] {
                    slot = flits_in.data.bits::<FLIT_BITS>(i * 65);
                }
            }
            chosen = chosen | (bit_cast::<FLITS_W, FLIT_BITS>(slot) << slot_shift[i]);
        }
        if arbiter.boundary & !arbiter.original & !arbiter.replay {
            chosen = chosen | bit_cast::<FLITS_W, FLIT_BITS>(null_flit);
        }
        if arbiter.replay {
            chosen = chosen | replay_beat;
        }
        let mut side: Bits<2> = 0;
        if arbiter.original & side_in.valid {
            side = side_in.data;
        }
        if arbiter.replay {
            side = replay_side;
        }
        assembler = In { clear: clear | drain, step: moves, beat: chosen, place: arbiter.place, side };
        assembler = In { bits14: mode == 1, replayed: arbiter.replay, corrupt: replay_corrupt };
        wire_skid.clear = clear | drain;
        wire_skid.words_in.data = assembler.wire_beat;
        // It takes nothing without room or with `drain`, so `moves` need not be asked as a whole.
        wire_skid.words_in.valid = assembler.wire_valid & !(arbiter.boundary & hold);
        wire_skid.words_out.ready = wire_out.ready;
        wire_out.data = bit_cast::<WIRE_W, BEAT_W>(wire_skid.words_out.data);
        wire_out.valid = wire_skid.words_out.valid;
        wire_wide = false;
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
