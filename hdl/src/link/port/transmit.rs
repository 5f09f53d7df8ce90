//! What goes out: retry, LTPs, gearbox, errors on request.
//!
//! The gearboxes of the three beat widths are types of their own and rust-hdl's `#[hdl_gen]` has no way to choose among
//! them, so every width is a type of its own here too, made from one text.

use super::inject::PortInject;
use crate::config::ConfigError;
use crate::link::gearbox::{LinkGearboxTx, LinkGearboxTx1, LinkGearboxTx4, ROW_BITS};
use crate::link::ltp_wide::CrcModes;
use crate::link::position::PLACE_BITS;
use crate::link::replay::{INIT_BITS, LOST_BITS, POINTER_BITS, TOKEN_BITS};
use crate::link::retry_tx::LinkRetryTx;
use crate::prim::stream::{FlowIn, FlowOut, StreamIn, StreamOut};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::counter::LinkCounter;
use flitforge_protocol::flit::Opcode;
use flitforge_protocol::retry::RetryState;

/// Counters behind the bits of [`PortTransmit2::events`].
pub const TRANSMIT_COUNTERS: [LinkCounter; TRANSMIT_EVENTS] = [
    LinkCounter::TxLtp,
    LinkCounter::NullTx,
    LinkCounter::Replayed,
    LinkCounter::RetryTx,
    LinkCounter::RetryRx,
    LinkCounter::Freeze,
    LinkCounter::BadPointer,
    LinkCounter::ReplayParity,
];
/// Number of events of the transmit side.
pub const TRANSMIT_EVENTS: usize = 8;
/// Bits of a flit that tell a control flit with its opcode: {type, opcode}.
const KIND_BITS: usize = 9;

/// [`LinkRetryTx`] of one flit per beat.
pub(super) type Sender1<const SLOT_W: usize, const ADDRESS_W: usize, const WIDE: usize> =
    LinkRetryTx<1, 65, 66, 68, 4, 16, 14, 68, SLOT_W, ADDRESS_W, 176, WIDE>;
/// [`LinkRetryTx`] of two flits per beat.
type Sender2<const SLOT_W: usize, const ADDRESS_W: usize, const WIDE: usize> =
    LinkRetryTx<2, 130, 132, 136, 3, 32, 28, 134, SLOT_W, ADDRESS_W, 240, WIDE>;
/// [`LinkRetryTx`] of four flits per beat.
type Sender4<const SLOT_W: usize, const ADDRESS_W: usize, const WIDE: usize> =
    LinkRetryTx<4, 260, 264, 272, 2, 64, 56, 266, SLOT_W, ADDRESS_W, 368, WIDE>;

macro_rules! port_transmit {
    ($name:ident, $sender:ident, $gearbox:ident, $flits:literal, $bits:literal, $wire:literal, $place:literal) => {
        /// The transmit side up to the rows; `SLOT_W`, `ADDRESS_W` and `WIDE` are those of [`LinkRetryTx`].
        ///
        /// A flit taken is in a row offered at the latest 5 clocks later, 7 in modes 2 and 3. Events that can come for several flits at once
        /// are counts. `clear`: OFF, all numbers 0.
        #[derive(LogicBlock)]
        pub struct $name<const SLOT_W: usize, const ADDRESS_W: usize, const WIDE: usize = 0> {
            /// Clock.
            pub clock: Signal<In, Clock>,
            /// Synchronous clear.
            pub clear: Signal<In, Bit>,
            /// Init, Active or Degraded.
            pub run: Signal<In, Bit>,
            /// Nothing is known from before.
            pub fresh: Signal<In, Bit>,
            /// CRC mode sent in; changes only while `run` is low.
            pub mode: Signal<In, Bits<2>>,
            /// L - 1 sent on; changes only while `run` is low.
            pub last_lane: Signal<In, Bits<2>>,
            /// Lanes sent on; changes only while `run` is low.
            pub tx_lanes: Signal<In, Bits<4>>,
            /// Register RETRY_CFG.
            pub retry_cfg: Signal<In, Bits<56>>,
            /// Register INJECT.
            pub inject: Signal<In, Bits<57>>,
            /// Beats of flits.
            pub flits_in: StreamIn<Bits<$bits>>,
            /// Beats of time flits.
            pub time_in: StreamIn<Bits<$bits>>,
            /// 0 DROP, 1 HOLD.
            pub time_mode: Signal<In, Bit>,
            /// Sideband of the LTP `tx_seq`.
            pub side_in: FlowIn<Bits<2>>,
            /// An original LTP is open or may be opened.
            pub tx_open: Signal<Out, Bit>,
            /// An original LTP is opened on this edge.
            pub ltp_start: Signal<Out, Bit>,
            /// Its sequence number.
            pub tx_seq: Signal<Out, Bits<POINTER_BITS>>,
            /// Place in its LTP of the beat that is taken next.
            pub place: Signal<Out, Bits<PLACE_BITS>>,
            /// No beat goes to the rows.
            pub idle: Signal<Out, Bit>,
            /// For tests: beats are kept with wrong parity.
            pub damage: Signal<In, Bit>,
            /// From the receiver: a RetryReq pair is wanted.
            pub retry_req: StreamIn<Bits<POINTER_BITS>>,
            /// NxtRx.
            pub next_rx: Signal<In, Bits<POINTER_BITS>>,
            /// RetryReq of the peer.
            pub request: FlowIn<Bits<POINTER_BITS>>,
            /// RndTripMrkr of the peer.
            pub answer: FlowIn<Bits<TOKEN_BITS>>,
            /// The peer's answer to ours.
            pub reply: FlowIn<Bits<TOKEN_BITS>>,
            /// InitReq or InitAck of the peer.
            pub init: FlowIn<Bits<INIT_BITS>>,
            /// Event: two or more consecutive bad LTPs.
            pub double_bad: Signal<In, Bit>,
            /// Event: an LTP that only an Active peer sends.
            pub peer_active: Signal<In, Bit>,
            /// Numbers start at 0 on this edge.
            pub restart: Signal<Out, Bit>,
            /// The exchange of Init is over; until `run` is low.
            pub init_done: Signal<Out, Bit>,
            /// Retraining is asked for; until `run` is low.
            pub retrain: Signal<Out, Bit>,
            /// With `retrain`: REINIT_LIMIT is reached.
            pub down: Signal<Out, Bit>,
            /// State FREEZE.
            pub freezing: Signal<Out, Bit>,
            /// NxtTx.
            pub next_tx: Signal<Out, Bits<POINTER_BITS>>,
            /// NxtWr.
            pub next_write: Signal<Out, Bits<POINTER_BITS>>,
            /// RTT_LTP.
            pub round_trip: Signal<Out, Bits<16>>,
            /// Round trip, clocks.
            pub round_trip_clocks: Signal<Out, Bits<32>>,
            /// Fillers of a pad.
            pub pad: Signal<Out, Bits<16>>,
            /// Event: an LTP time has gone by.
            pub ltp_time: Signal<Out, Bit>,
            /// Event: LTPs that may be lost by a restart.
            pub lost: FlowOut<Bits<LOST_BITS>>,
            /// Events TX_ILLEGAL.
            pub tx_illegal: Signal<Out, Bits<3>>,
            /// Events TIME_DROPPED.
            pub time_dropped: Signal<Out, Bits<3>>,
            /// Events of [`TRANSMIT_COUNTERS`].
            pub events: Signal<Out, Bits<TRANSMIT_EVENTS>>,
            /// Rows to the lanes.
            pub rows: StreamOut<Bits<ROW_BITS>>,

            sender: $sender<SLOT_W, ADDRESS_W, WIDE>,
            gearbox: $gearbox,
            injector: PortInject<WIDE>,
            /// Rows and what becomes one are cleared, a clock late: the sender does not begin before that.
            stopped: DFF<Bit>,
            /// Time flits of the beat that stood on `time_in`.
            time_flits: DFF<Bits<3>>,
            illegal: Signal<Local, Bits<3>>,
            time_count: Signal<Local, Bits<3>>,
            slot: Signal<Local, Bits<KIND_BITS>>,
            special: Constant<Bits<KIND_BITS>>,
            freeze: Constant<Bits<3>>,
            one: Constant<Bits<3>>,
        }

        impl<const SLOT_W: usize, const ADDRESS_W: usize, const WIDE: usize> $name<SLOT_W, ADDRESS_W, WIDE> {
            /// OFF, or the reason why not. `guard` is GUARD_LTPS, 6 to 64.
            pub fn new(guard: u32) -> Result<Self, ConfigError> {
                Ok(Self {
                    clock: Default::default(),
                    clear: Default::default(),
                    run: Default::default(),
                    fresh: Default::default(),
                    mode: Default::default(),
                    last_lane: Default::default(),
                    tx_lanes: Default::default(),
                    retry_cfg: Default::default(),
                    inject: Default::default(),
                    flits_in: Default::default(),
                    time_in: Default::default(),
                    time_mode: Default::default(),
                    side_in: Default::default(),
                    tx_open: Default::default(),
                    ltp_start: Default::default(),
                    tx_seq: Default::default(),
                    place: Default::default(),
                    idle: Default::default(),
                    damage: Default::default(),
                    retry_req: Default::default(),
                    next_rx: Default::default(),
                    request: Default::default(),
                    answer: Default::default(),
                    reply: Default::default(),
                    init: Default::default(),
                    double_bad: Default::default(),
                    peer_active: Default::default(),
                    restart: Default::default(),
                    init_done: Default::default(),
                    retrain: Default::default(),
                    down: Default::default(),
                    freezing: Default::default(),
                    next_tx: Default::default(),
                    next_write: Default::default(),
                    round_trip: Default::default(),
                    round_trip_clocks: Default::default(),
                    pad: Default::default(),
                    ltp_time: Default::default(),
                    lost: Default::default(),
                    tx_illegal: Default::default(),
                    time_dropped: Default::default(),
                    events: Default::default(),
                    rows: Default::default(),
                    gearbox: Default::default(),
                    injector: Default::default(),
                    stopped: Default::default(),
                    time_flits: Default::default(),
                    illegal: Default::default(),
                    time_count: Default::default(),
                    slot: Default::default(),
                    sender: $sender::new(guard)?,
                    special: Constant::new(u64::from(Opcode::Spc.code()).into()),
                    freeze: Constant::new(u64::from(RetryState::Freeze.code()).into()),
                    one: Constant::new(1.into()),
                })
            }
        }

        impl<const SLOT_W: usize, const ADDRESS_W: usize, const WIDE: usize> Logic
            for $name<SLOT_W, ADDRESS_W, WIDE>
        {
            #[hdl_gen]
            fn update(&mut self) {
                dff_setup!(self, clock, stopped, time_flits);
                clock!(self, clock, sender, gearbox, injector);
                self.sender.clear.next = self.clear.val();
                self.stopped.d.next = self.clear.val() | !self.run.val();
                self.gearbox.clear.next = self.stopped.q.val();
                self.injector.clear.next = self.stopped.q.val();

                // Flits to rows.
                StreamIn::<Bits<$bits>>::link(&mut self.flits_in, &mut self.sender.flits_in);
                StreamIn::<Bits<$bits>>::link(&mut self.time_in, &mut self.sender.time_in);
                FlowIn::<Bits<2>>::link(&mut self.side_in, &mut self.sender.side_in);
                StreamOut::<Bits<$wire>>::join(&mut self.sender.wire_out, &mut self.gearbox.wire_in);
                StreamOut::<Bits<ROW_BITS>>::join(&mut self.gearbox.rows, &mut self.injector.rows_in);
                StreamOut::<Bits<ROW_BITS>>::link(&mut self.rows, &mut self.injector.rows_out);
                self.injector.inject.next = self.inject.val();
                self.injector.tx_lanes.next = self.tx_lanes.val();
                self.injector.last_lane.next = self.last_lane.val();
                self.sender.mode.next = self.mode.val();
                for i in 0..WIDE {
                    self.sender.lanes[i].next = self.last_lane.val();
                    self.injector.wide[i].next = self.mode.val().get_bit(1);
                }
                self.sender.time_mode.next = self.time_mode.val();
                self.gearbox.wide.next = self.sender.wire_wide.val();
                self.gearbox.last_lane.next = self.last_lane.val();
                self.tx_open.next = self.sender.tx_open.val();
                self.ltp_start.next = self.sender.ltp_start.val();
                self.tx_seq.next = self.sender.tx_seq.val();
                self.place.next = bit_cast::<PLACE_BITS, $place>(self.sender.place.val());
                self.idle.next = self.sender.idle.val();

                // What retry is told.
                self.sender.run.next = self.run.val();
                self.sender.fresh.next = self.fresh.val();
                self.sender.retry_limit.next = self.retry_cfg.val().get_bits::<8>(0);
                self.sender.reinit_limit.next = self.retry_cfg.val().get_bits::<8>(8);
                self.sender.freeze_ltps.next = self.retry_cfg.val().get_bits::<16>(40);
                self.sender.damage.next = self.damage.val();
                StreamIn::<Bits<POINTER_BITS>>::link(&mut self.retry_req, &mut self.sender.retry_req);
                self.sender.next_rx.next = self.next_rx.val();
                FlowIn::<Bits<POINTER_BITS>>::link(&mut self.request, &mut self.sender.request_in);
                FlowIn::<Bits<TOKEN_BITS>>::link(&mut self.answer, &mut self.sender.answer_in);
                FlowIn::<Bits<TOKEN_BITS>>::link(&mut self.reply, &mut self.sender.reply_in);
                FlowIn::<Bits<INIT_BITS>>::link(&mut self.init, &mut self.sender.init_in);
                self.sender.double_bad.next = self.double_bad.val();
                self.sender.peer_active.next = self.peer_active.val();

                // What it says.
                self.restart.next = self.sender.restart.val();
                self.init_done.next = self.sender.init_done.val();
                self.retrain.next = self.sender.retrain.val();
                self.down.next = self.sender.down.val();
                self.freezing.next = self.sender.state.val() == self.freeze.val();
                self.next_tx.next = self.sender.next_tx.val();
                self.next_write.next = self.sender.next_write.val();
                self.round_trip.next = self.sender.round_trip.val();
                self.round_trip_clocks.next = self.sender.round_trip_clocks.val();
                self.pad.next = self.sender.pad.val();
                self.ltp_time.next = self.sender.ltp_time.val();
                FlowOut::<Bits<LOST_BITS>>::link(&mut self.lost, &mut self.sender.lost);
                self.events.next = bit_cast::<TRANSMIT_EVENTS, 1>(self.sender.tx_ltp.val().into())
                    | (bit_cast::<TRANSMIT_EVENTS, 1>(self.sender.null_tx.val().into()) << 1)
                    | (bit_cast::<TRANSMIT_EVENTS, 1>(self.sender.replayed.val().into()) << 2)
                    | (bit_cast::<TRANSMIT_EVENTS, 1>(self.sender.retry_tx.val().into()) << 3)
                    | (bit_cast::<TRANSMIT_EVENTS, 1>(self.sender.retry_rx.val().into()) << 4)
                    | (bit_cast::<TRANSMIT_EVENTS, 1>(self.sender.frozen.val().into()) << 5)
                    | (bit_cast::<TRANSMIT_EVENTS, 1>(self.sender.bad_pointer.val().into()) << 6)
                    | (bit_cast::<TRANSMIT_EVENTS, 1>(self.sender.replay_parity.val().into()) << 7);

                // Flits that count one by one.
                self.illegal.next = 0.into();
                self.time_count.next = 0.into();
                for i in 0..$flits {
                    if self.sender.tx_illegal.val().get_bit(i) {
                        self.illegal.next = self.illegal.val() + self.one.val();
                    }
                    self.slot.next = self.time_in.data.val().get_bits::<KIND_BITS>(i * 65 + 56);
                    if self.slot.val() == self.special.val() {
                        self.time_count.next = self.time_count.val() + self.one.val();
                    }
                }
                self.tx_illegal.next = self.illegal.val();
                self.time_flits.d.next = self.time_count.val();
                self.time_dropped.next = 0.into();
                if self.sender.time_dropped.val() {
                    self.time_dropped.next = self.time_flits.q.val();
                }
            }

            fn timing(&self) -> Vec<TimingInfo> {
                let slots = (1usize << SLOT_W).to_string();
                match WIDE {
                    0 => block_label("port_transmit", &[("f", $flits.to_string()), ("r", slots)]),
                    _ => block_label(
                        "port_transmit",
                        &[("f", $flits.to_string()), ("r", slots), ("modes", CrcModes::All.caps().to_string())],
                    ),
                }
            }
        }

        drive_ports!(impl[const SLOT_W: usize, const ADDRESS_W: usize, const WIDE: usize] $name<SLOT_W, ADDRESS_W, WIDE> {
            clock, clear, run, fresh, mode, last_lane, tx_lanes, retry_cfg, inject, flits_in, time_in, time_mode, side_in, tx_open, ltp_start,
            tx_seq, place, idle, damage, retry_req, next_rx, request, answer, reply, init, double_bad, peer_active, restart, init_done,
            retrain, down, freezing, next_tx, next_write, round_trip, round_trip_clocks, pad, ltp_time, lost, tx_illegal,
            time_dropped, events, rows,
        });
    };
}

port_transmit!(PortTransmit1, Sender1, LinkGearboxTx1, 1, 65, 68, 4);
port_transmit!(PortTransmit2, Sender2, LinkGearboxTx, 2, 130, 136, 3);
port_transmit!(PortTransmit4, Sender4, LinkGearboxTx4, 4, 260, 272, 2);
