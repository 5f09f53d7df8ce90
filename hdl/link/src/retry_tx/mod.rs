//! `link_retry_tx`: the transmit side of a port's link layer: [`LtpTx`] with the retry protocol of [`LinkReplay`]
//! (chapter 10, 4.1 and 4.2).
//!
//! It goes through Init by itself when `run` rises: InitReq and InitAck, the round trip, `init_done`; then the
//! RetryMrkr pair, the replay, and originals as soon as the peer has shown that it is Active. Every LTP after that is
//! what 4.1 rule 4 and the state of 4.2 ask for. `link_train` gives `run` and `fresh` and obeys `retrain` and `down`;
//! `link_ltp_rx` gives what it has found and what it wants.
//!
//! - Latency: 3 clocks from the edge that takes a beat (plane X) to the edge that transfers its wire beat, as without
//!   retry. An event counts for the next LTP that is not decided yet: see [`LinkReplay`](super::replay).
//! - Throughput: one beat per clock while `wire_out.ready`, if an LTP takes 8 clocks at least.
//! - Events of the receiver come at least 4 clocks apart, as LTPs do.
//! - `run` low: `wire_out.valid` falls within 2 clocks, `tx_open` with it; the original under way is filled with Idle
//!   and kept, and so is one that was decided and not yet opened. OFF is reached 2 LTPs (32/F clocks) and 6 clocks
//!   later at the latest.
//! - `clear`: OFF, numbers and pointers 0; it takes one clock. The RAM keeps its words, which are not sent.

mod config;

pub use config::{build_as, ENTRY};

use super::ltp_tx::LtpTx;
use super::ltp_wide::CrcModes;
use super::replay::{LinkReplay, INIT_BITS, LIMIT_BITS, LOST_BITS, POINTER_BITS, STATE_BITS, TOKEN_BITS};
use flitforge_hdl_prim::prelude::*;

/// Two flits per beat, 128 slots.
pub type LinkRetryTx2 = LinkRetryTx<2, 130, 132, 136, 3, 32, 28, 134, 7, 10>;
/// Two flits per beat, 16 slots.
pub type LinkRetryTx2Small = LinkRetryTx<2, 130, 132, 136, 3, 32, 28, 134, 4, 7>;

/// Sender and replay buffer; see the [module](self); its parameters are those of the two, checked by `new`.
#[block(new)]
pub struct LinkRetryTx<
    const F: usize,
    const FLITS_W: usize,
    const BEAT_W: usize,
    const WIRE_W: usize,
    const INDEX_W: usize,
    const PARTS16: usize,
    const PARTS14: usize,
    const WORD_W: usize,
    const SLOT_W: usize,
    const ADDRESS_W: usize,
    const WINDOW_W: usize = 1,
    const WIDE: usize = 0,
> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// The link is in Init, Active or Degraded; low: OFF as soon as the LTP under way is finished.
    run: In<Bit>,
    /// This end keeps no state; taken when INIT is entered.
    fresh: In<Bit>,
    /// LTP mode; sampled when an LTP is opened. If they are not built, 2 and 3 count as 0. Bit 1 changes only in OFF.
    mode: In<Bits<2>>,
    /// If all modes are built: L - 1, which mode 3 needs to know. Changes only in OFF.
    lanes: [In<Bits<2>>; WIDE],
    /// RETRY_LIMIT, 1 to 255.
    retry_limit: In<Bits<LIMIT_BITS>>,
    /// REINIT_LIMIT, 1 to 255.
    reinit_limit: In<Bits<LIMIT_BITS>>,
    /// FREEZE_LTPS, LTP times; 0 = 2 RTT_LTP + 16.
    freeze_ltps: In<Bits<16>>,
    /// Beats of flits.
    pub flits_in: StreamIn<Bits<FLITS_W>>,
    /// Beats of time flits; the payload may change while it waits.
    pub time_in: StreamIn<Bits<FLITS_W>>,
    /// What becomes of `time_in` while `tx_open` is low: 0 DROP, taken and discarded; 1 HOLD, it waits.
    time_mode: In<Bit>,
    /// Sideband {c1, c0} of the original LTP `tx_seq`, taken with `ltp_start`; 0 if not valid.
    pub side_in: FlowIn<Bits<2>>,
    /// Wire beats: LTP bits `66F k ..` from bit 0 up, the top `2F` bits 0; in modes 2 and 3 bits `68F k ..`.
    pub wire_out: StreamOut<Bits<WIRE_W>>,
    /// The wire beat has 68F bits: modes 2 and 3.
    wire_wide: Out<Bit>,
    /// An original LTP that takes beats is open or may be opened.
    tx_open: Out<Bit>,
    /// An original LTP is opened on this edge.
    ltp_start: Out<Bit>,
    /// Sequence number of the next original LTP to be opened.
    tx_seq: Out<Bits<POINTER_BITS>>,
    /// Place in its LTP of the beat that is taken next, of whatever LTP.
    place: Out<Bits<INDEX_W>>,
    /// Nothing goes on the wire; the first LTP after it begins there anew.
    idle: Out<Bit>,
    /// The receiver wants a RetryReq pair; the payload is NxtRx and may change while it waits.
    pub retry_req: StreamIn<Bits<POINTER_BITS>>,
    /// NxtRx, for InitReq and InitAck.
    next_rx: In<Bits<POINTER_BITS>>,
    /// A good RetryReq, a pair once: its pointer.
    pub request_in: FlowIn<Bits<POINTER_BITS>>,
    /// A good RndTripMrkr to be answered, a pair once: its token.
    pub answer_in: FlowIn<Bits<TOKEN_BITS>>,
    /// A good answer to a RndTripMrkr: its token.
    pub reply_in: FlowIn<Bits<TOKEN_BITS>>,
    /// A good InitReq or InitAck: {ack, fresh, NxtRx}.
    pub init_in: FlowIn<Bits<INIT_BITS>>,
    /// Event: two or more consecutive bad LTPs.
    double_bad: In<Bit>,
    /// Event: a good LTP of a kind that only an Active end sends.
    peer_active: In<Bit>,
    /// Beats are kept with wrong parity, for tests of the fault row of chapter 10, 6.
    damage: In<Bit>,
    /// Numbers start at 0, on this edge: for the receiver and the credits.
    restart: Out<Bit>,
    /// The exchange of INIT is over: the link may become Active. Stays until `run` is low.
    init_done: Out<Bit>,
    /// Retraining is asked for; stays until `run` is low.
    retrain: Out<Bit>,
    /// With `retrain`: REINIT_LIMIT is reached, the link has to go Down.
    down: Out<Bit>,
    /// Code of the state, that of the protocol crate's `RetryState`.
    state: Out<Bits<STATE_BITS>>,
    /// NxtTx.
    next_tx: Out<Bits<POINTER_BITS>>,
    /// NxtWr.
    next_write: Out<Bits<POINTER_BITS>>,
    /// RTT_LTP; 0 before it is known.
    round_trip: Out<Bits<16>>,
    /// Round trip in core clocks; holds while it is known.
    round_trip_clocks: Out<Bits<32>>,
    /// Fillers of a pad.
    pad: Out<Bits<16>>,
    /// Event: an LTP time of this direction has gone by, the unit of TOSS_LTPS and FREEZE_LTPS.
    ltp_time: Out<Bit>,
    /// Event: an LTP was sent, of whatever kind.
    tx_ltp: Out<Bit>,
    /// Event: a Null LTP was sent.
    null_tx: Out<Bit>,
    /// Event: an LTP was sent again.
    replayed: Out<Bit>,
    /// Event: a RetryReq pair is sent.
    retry_tx: Out<Bit>,
    /// Event: a RetryReq has come, the exchange of INIT being over.
    retry_rx: Out<Bit>,
    /// Event: FREEZE is entered.
    frozen: Out<Bit>,
    /// Event: a pointer that is not in the buffer.
    bad_pointer: Out<Bit>,
    /// Event: an LTP with a parity error is sent.
    replay_parity: Out<Bit>,
    /// Event: LTPs that may be lost by a restart.
    pub lost: FlowOut<Bits<LOST_BITS>>,
    /// Event, one bit per slot: an illegal flit on `flits_in` became Idle.
    tx_illegal: Out<Bits<F>>,
    /// Event: a beat of `time_in` was discarded.
    time_dropped: Out<Bit>,

    #[wire(clock, clear, mode, time_mode)]
    sender: LtpTx<F, FLITS_W, BEAT_W, WIRE_W, INDEX_W, PARTS16, PARTS14, WINDOW_W, WIDE>,
    #[wire(clock, clear, run, fresh, retry_limit, reinit_limit, freeze_ltps, next_rx)]
    replay: LinkReplay<F, FLITS_W, WORD_W, INDEX_W, SLOT_W, ADDRESS_W>,
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
        const WORD_W: usize,
        const SLOT_W: usize,
        const ADDRESS_W: usize,
        const WINDOW_W: usize,
        const WIDE: usize,
    >
    LinkRetryTx<
        F,
        FLITS_W,
        BEAT_W,
        WIRE_W,
        INDEX_W,
        PARTS16,
        PARTS14,
        WORD_W,
        SLOT_W,
        ADDRESS_W,
        WINDOW_W,
        WIDE,
    >
{
    /// A transmit side that is OFF, or the reason why not. `guard` is GUARD_LTPS, 6 to 64.
    pub fn new(guard: u32) -> Result<Self, ConfigError> {
        Ok(Self { sender: LtpTx::new()?, replay: LinkReplay::new(guard)?, .. })
    }

    fn update(&mut self) {
        // The wire, and what is told of it.
        link(flits_in, sender.flits_in);
        link(time_in, sender.time_in);
        link(side_in, sender.side_in);
        link(wire_out, sender.wire_out);
        for i in 0..WIDE {
            sender.lanes[i] = lanes[i];
        }
        Out { wire_wide, tx_open, ltp_start, tx_seq, ltp_place: place } = sender;
        Out { null_tx, replayed, tx_illegal, time_dropped } = sender;
        tx_ltp = sender.tx_ltp | sender.null_tx | sender.replayed;
        idle = replay.drain;

        // What is to be sent next, and what was.
        sender.null_in = In { valid: replay.null_next, data: replay.null_flit };
        sender = In {
            hold: replay.hold,
            drain: replay.drain,
            restart: replay.restart,
            active: replay.original_next,
            replay_next: replay.replay_next,
            replay_beat: replay.replay_beat,
            replay_side: replay.replay_side,
            replay_corrupt: replay.replay_corrupt,
        };
        join(sender.stored, replay.stored);
        replay = In {
            replay_take: sender.replay_take,
            stored_place: sender.stored_place,
            stored_side: sender.stored_side,
            ltp_place: sender.ltp_place,
            ltp_opened: sender.ltp_opened,
            ltp_start: sender.ltp_start,
            tx_seq: sender.tx_seq,
        };

        // The receiver, link_train and the registers.
        link(request_in, replay.request_in);
        link(answer_in, replay.answer_in);
        link(reply_in, replay.reply_in);
        link(init_in, replay.init_in);
        link(retry_req, replay.retry_req);
        link(lost, replay.lost);
        replay = In { double_bad, peer_active, damage };
        Out { restart, init_done, retrain, down, state, next_tx, next_write } = replay;
        Out { round_trip, round_trip_clocks, pad } = replay;
        Out { ltp_time, retry_tx, retry_rx, frozen, bad_pointer, replay_parity } = replay;
    }

    fn timing(&self) -> Vec<TimingInfo> {
        let slots = (1usize << SLOT_W).to_string();
        match WIDE {
            0 => block_label("link_retry_tx", &[("f", F.to_string()), ("r", slots)]),
            _ => block_label(
                "link_retry_tx",
                &[("f", F.to_string()), ("r", slots), ("modes", CrcModes::All.caps().to_string())],
            ),
        }
    }
}
