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

pub use config::ENTRY;

use super::ltp_tx::LtpTx;
use super::ltp_wide::CrcModes;
use super::replay::{LinkReplay, INIT_BITS, LIMIT_BITS, LOST_BITS, POINTER_BITS, STATE_BITS, TOKEN_BITS};
use crate::config::ConfigError;
use crate::prim::stream::{FlowIn, FlowOut, StreamIn, StreamOut};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;

/// Two flits per beat, 128 slots.
pub type LinkRetryTx2 = LinkRetryTx<2, 130, 132, 136, 3, 32, 28, 134, 7, 10>;
/// Two flits per beat, 16 slots.
pub type LinkRetryTx2Small = LinkRetryTx<2, 130, 132, 136, 3, 32, 28, 134, 4, 7>;

/// Sender and replay buffer; see the [module](self); its parameters are those of the two, checked by `new`.
#[derive(LogicBlock)]
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
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// The link is in Init, Active or Degraded; low: OFF as soon as the LTP under way is finished.
    pub run: Signal<In, Bit>,
    /// This end keeps no state; taken when INIT is entered.
    pub fresh: Signal<In, Bit>,
    /// LTP mode; sampled when an LTP is opened. If they are not built, 2 and 3 count as 0. Bit 1 changes only in OFF.
    pub mode: Signal<In, Bits<2>>,
    /// If all modes are built: L - 1, which mode 3 needs to know. Changes only in OFF.
    pub lanes: [Signal<In, Bits<2>>; WIDE],
    /// RETRY_LIMIT, 1 to 255.
    pub retry_limit: Signal<In, Bits<LIMIT_BITS>>,
    /// REINIT_LIMIT, 1 to 255.
    pub reinit_limit: Signal<In, Bits<LIMIT_BITS>>,
    /// FREEZE_LTPS, LTP times; 0 = 2 RTT_LTP + 16.
    pub freeze_ltps: Signal<In, Bits<16>>,
    /// Beats of flits.
    pub flits_in: StreamIn<Bits<FLITS_W>>,
    /// Beats of time flits; the payload may change while it waits.
    pub time_in: StreamIn<Bits<FLITS_W>>,
    /// What becomes of `time_in` while `tx_open` is low: 0 DROP, taken and discarded; 1 HOLD, it waits.
    pub time_mode: Signal<In, Bit>,
    /// Sideband {c1, c0} of the original LTP `tx_seq`, taken with `ltp_start`; 0 if not valid.
    pub side_in: FlowIn<Bits<2>>,
    /// Wire beats: LTP bits `66F k ..` from bit 0 up, the top `2F` bits 0; in modes 2 and 3 bits `68F k ..`.
    pub wire_out: StreamOut<Bits<WIRE_W>>,
    /// The wire beat has 68F bits: modes 2 and 3.
    pub wire_wide: Signal<Out, Bit>,
    /// An original LTP that takes beats is open or may be opened.
    pub tx_open: Signal<Out, Bit>,
    /// An original LTP is opened on this edge.
    pub ltp_start: Signal<Out, Bit>,
    /// Sequence number of the next original LTP to be opened.
    pub tx_seq: Signal<Out, Bits<POINTER_BITS>>,
    /// Place in its LTP of the beat that is taken next, of whatever LTP.
    pub place: Signal<Out, Bits<INDEX_W>>,
    /// Nothing goes on the wire; the first LTP behind it begins there anew.
    pub idle: Signal<Out, Bit>,
    /// The receiver wants a RetryReq pair; the payload is NxtRx and may change while it waits.
    pub retry_req: StreamIn<Bits<POINTER_BITS>>,
    /// NxtRx, for InitReq and InitAck.
    pub next_rx: Signal<In, Bits<POINTER_BITS>>,
    /// A good RetryReq, a pair once: its pointer.
    pub request_in: FlowIn<Bits<POINTER_BITS>>,
    /// A good RndTripMrkr to be answered, a pair once: its token.
    pub answer_in: FlowIn<Bits<TOKEN_BITS>>,
    /// A good answer to a RndTripMrkr: its token.
    pub reply_in: FlowIn<Bits<TOKEN_BITS>>,
    /// A good InitReq or InitAck: {ack, fresh, NxtRx}.
    pub init_in: FlowIn<Bits<INIT_BITS>>,
    /// Event: two or more consecutive bad LTPs.
    pub double_bad: Signal<In, Bit>,
    /// Event: a good LTP of a kind that only an Active end sends.
    pub peer_active: Signal<In, Bit>,
    /// Beats are kept with wrong parity, for tests of the fault row of chapter 10, 6.
    pub damage: Signal<In, Bit>,
    /// Numbers start at 0, on this edge: for the receiver and the credits.
    pub restart: Signal<Out, Bit>,
    /// The exchange of INIT is over: the link may become Active. Stays until `run` is low.
    pub init_done: Signal<Out, Bit>,
    /// Retraining is asked for; stays until `run` is low.
    pub retrain: Signal<Out, Bit>,
    /// With `retrain`: REINIT_LIMIT is reached, the link has to go Down.
    pub down: Signal<Out, Bit>,
    /// Code of the state, that of the protocol crate's `RetryState`.
    pub state: Signal<Out, Bits<STATE_BITS>>,
    /// NxtTx.
    pub next_tx: Signal<Out, Bits<POINTER_BITS>>,
    /// NxtWr.
    pub next_write: Signal<Out, Bits<POINTER_BITS>>,
    /// RTT_LTP; 0 before it is known.
    pub round_trip: Signal<Out, Bits<16>>,
    /// Round trip in core clocks; holds while it is known.
    pub round_trip_clocks: Signal<Out, Bits<32>>,
    /// Fillers of a pad.
    pub pad: Signal<Out, Bits<16>>,
    /// Event: an LTP time of this direction has gone by, the unit of TOSS_LTPS and FREEZE_LTPS.
    pub ltp_time: Signal<Out, Bit>,
    /// Event: an LTP was sent, of whatever kind.
    pub tx_ltp: Signal<Out, Bit>,
    /// Event: a Null LTP was sent.
    pub null_tx: Signal<Out, Bit>,
    /// Event: an LTP was sent again.
    pub replayed: Signal<Out, Bit>,
    /// Event: a RetryReq pair is sent.
    pub retry_tx: Signal<Out, Bit>,
    /// Event: a RetryReq has come, the exchange of INIT being over.
    pub retry_rx: Signal<Out, Bit>,
    /// Event: FREEZE is entered.
    pub frozen: Signal<Out, Bit>,
    /// Event: a pointer that is not in the buffer.
    pub bad_pointer: Signal<Out, Bit>,
    /// Event: an LTP with a parity error is sent.
    pub replay_parity: Signal<Out, Bit>,
    /// Event: LTPs that may be lost by a restart.
    pub lost: FlowOut<Bits<LOST_BITS>>,
    /// Event, one bit per slot: an illegal flit on `flits_in` became Idle.
    pub tx_illegal: Signal<Out, Bits<F>>,
    /// Event: a beat of `time_in` was discarded.
    pub time_dropped: Signal<Out, Bit>,

    sender: LtpTx<F, FLITS_W, BEAT_W, WIRE_W, INDEX_W, PARTS16, PARTS14, WINDOW_W, WIDE>,
    replay: LinkReplay<F, FLITS_W, WORD_W, INDEX_W, SLOT_W, ADDRESS_W>,
}

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
        Ok(Self {
            clock: Default::default(),
            clear: Default::default(),
            run: Default::default(),
            fresh: Default::default(),
            mode: Default::default(),
            lanes: defaults(),
            retry_limit: Default::default(),
            reinit_limit: Default::default(),
            freeze_ltps: Default::default(),
            flits_in: Default::default(),
            time_in: Default::default(),
            time_mode: Default::default(),
            side_in: Default::default(),
            wire_out: Default::default(),
            wire_wide: Default::default(),
            tx_open: Default::default(),
            ltp_start: Default::default(),
            tx_seq: Default::default(),
            place: Default::default(),
            idle: Default::default(),
            retry_req: Default::default(),
            next_rx: Default::default(),
            request_in: Default::default(),
            answer_in: Default::default(),
            reply_in: Default::default(),
            init_in: Default::default(),
            double_bad: Default::default(),
            peer_active: Default::default(),
            damage: Default::default(),
            restart: Default::default(),
            init_done: Default::default(),
            retrain: Default::default(),
            down: Default::default(),
            state: Default::default(),
            next_tx: Default::default(),
            next_write: Default::default(),
            round_trip: Default::default(),
            round_trip_clocks: Default::default(),
            pad: Default::default(),
            ltp_time: Default::default(),
            tx_ltp: Default::default(),
            null_tx: Default::default(),
            replayed: Default::default(),
            retry_tx: Default::default(),
            retry_rx: Default::default(),
            frozen: Default::default(),
            bad_pointer: Default::default(),
            replay_parity: Default::default(),
            lost: Default::default(),
            tx_illegal: Default::default(),
            time_dropped: Default::default(),
            sender: LtpTx::new()?,
            replay: LinkReplay::new(guard)?,
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
        const WORD_W: usize,
        const SLOT_W: usize,
        const ADDRESS_W: usize,
        const WINDOW_W: usize,
        const WIDE: usize,
    > Logic
    for LinkRetryTx<
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
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, sender, replay);
        self.sender.clear.next = self.clear.val();
        self.replay.clear.next = self.clear.val();

        // What goes out.
        StreamIn::<Bits<FLITS_W>>::link(&mut self.flits_in, &mut self.sender.flits_in);
        StreamIn::<Bits<FLITS_W>>::link(&mut self.time_in, &mut self.sender.time_in);
        FlowIn::<Bits<2>>::link(&mut self.side_in, &mut self.sender.side_in);
        StreamOut::<Bits<WIRE_W>>::link(&mut self.wire_out, &mut self.sender.wire_out);
        self.sender.mode.next = self.mode.val();
        for i in 0..WIDE {
            self.sender.lanes[i].next = self.lanes[i].val();
        }
        self.sender.time_mode.next = self.time_mode.val();
        self.wire_wide.next = self.sender.wire_wide.val();
        self.tx_open.next = self.sender.tx_open.val();
        self.ltp_start.next = self.sender.ltp_start.val();
        self.tx_seq.next = self.sender.tx_seq.val();
        self.place.next = self.sender.ltp_place.val();
        self.idle.next = self.replay.drain.val();

        // What the sender and the replay buffer say to each other.
        self.sender.hold.next = self.replay.hold.val();
        self.sender.drain.next = self.replay.drain.val();
        self.sender.restart.next = self.replay.restart.val();
        self.sender.active.next = self.replay.original_next.val();
        self.sender.null_in.valid.next = self.replay.null_next.val();
        self.sender.null_in.data.next = self.replay.null_flit.val();
        self.sender.replay_next.next = self.replay.replay_next.val();
        self.sender.replay_beat.next = self.replay.replay_beat.val();
        self.sender.replay_side.next = self.replay.replay_side.val();
        self.sender.replay_spoil.next = self.replay.replay_spoil.val();
        self.replay.replay_take.next = self.sender.replay_take.val();
        FlowOut::<Bits<FLITS_W>>::join(&mut self.sender.stored, &mut self.replay.stored);
        self.replay.stored_place.next = self.sender.stored_place.val();
        self.replay.stored_side.next = self.sender.stored_side.val();
        self.replay.ltp_place.next = self.sender.ltp_place.val();
        self.replay.ltp_opened.next = self.sender.ltp_opened.val();
        self.replay.ltp_start.next = self.sender.ltp_start.val();
        self.replay.tx_seq.next = self.sender.tx_seq.val();

        // link_train, the receiver and the registers.
        self.replay.run.next = self.run.val();
        self.replay.fresh.next = self.fresh.val();
        self.replay.retry_limit.next = self.retry_limit.val();
        self.replay.reinit_limit.next = self.reinit_limit.val();
        self.replay.freeze_ltps.next = self.freeze_ltps.val();
        self.replay.next_rx.next = self.next_rx.val();
        self.replay.double_bad.next = self.double_bad.val();
        self.replay.peer_active.next = self.peer_active.val();
        self.replay.damage.next = self.damage.val();
        FlowIn::<Bits<POINTER_BITS>>::link(&mut self.request_in, &mut self.replay.request_in);
        FlowIn::<Bits<TOKEN_BITS>>::link(&mut self.answer_in, &mut self.replay.answer_in);
        FlowIn::<Bits<TOKEN_BITS>>::link(&mut self.reply_in, &mut self.replay.reply_in);
        FlowIn::<Bits<INIT_BITS>>::link(&mut self.init_in, &mut self.replay.init_in);
        StreamIn::<Bits<POINTER_BITS>>::link(&mut self.retry_req, &mut self.replay.retry_req);
        self.restart.next = self.replay.restart.val();
        self.init_done.next = self.replay.init_done.val();
        self.retrain.next = self.replay.retrain.val();
        self.down.next = self.replay.down.val();
        self.state.next = self.replay.state.val();
        self.next_tx.next = self.replay.next_tx.val();
        self.next_write.next = self.replay.next_write.val();
        self.round_trip.next = self.replay.round_trip.val();
        self.round_trip_clocks.next = self.replay.round_trip_clocks.val();
        self.pad.next = self.replay.pad.val();
        self.ltp_time.next = self.replay.ltp_time.val();
        self.retry_tx.next = self.replay.retry_tx.val();
        self.retry_rx.next = self.replay.retry_rx.val();
        self.frozen.next = self.replay.frozen.val();
        self.bad_pointer.next = self.replay.bad_pointer.val();
        self.replay_parity.next = self.replay.replay_parity.val();
        FlowOut::<Bits<LOST_BITS>>::link(&mut self.lost, &mut self.replay.lost);
        self.tx_ltp.next = self.sender.tx_ltp.val() | self.sender.null_tx.val() | self.sender.replayed.val();
        self.null_tx.next = self.sender.null_tx.val();
        self.replayed.next = self.sender.replayed.val();
        self.tx_illegal.next = self.sender.tx_illegal.val();
        self.time_dropped.next = self.sender.time_dropped.val();
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

drive_ports!(impl[const F: usize, const FLITS_W: usize, const BEAT_W: usize, const WIRE_W: usize, const INDEX_W: usize, const PARTS16: usize, const PARTS14: usize, const WORD_W: usize, const SLOT_W: usize, const ADDRESS_W: usize, const WINDOW_W: usize, const WIDE: usize] LinkRetryTx<F, FLITS_W, BEAT_W, WIRE_W, INDEX_W, PARTS16, PARTS14, WORD_W, SLOT_W, ADDRESS_W, WINDOW_W, WIDE> {
    clock, clear, run, fresh, mode, lanes, retry_limit, reinit_limit, freeze_ltps, flits_in, time_in, time_mode, side_in, wire_out, wire_wide, tx_open, ltp_start, tx_seq, place, idle, retry_req, next_rx, request_in, answer_in, reply_in, init_in, double_bad, peer_active, damage, restart, init_done, retrain, down, state, next_tx, next_write, round_trip, round_trip_clocks, pad, ltp_time, tx_ltp, null_tx, replayed, retry_tx, retry_rx, frozen, bad_pointer, replay_parity, lost, tx_illegal, time_dropped,
});
