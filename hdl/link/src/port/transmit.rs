//! What goes out: retry, LTPs, gearbox, errors on request.
//!
//! The gearboxes of the three beat widths are types of their own, and a number chooses no type, so every width is a type of
//! its own here too, made from one text.

use super::inject::PortInject;
use crate::gearbox::{LinkGearboxTx, LinkGearboxTx1, LinkGearboxTx4, ROW_BITS};
use crate::ltp_wide::CrcModes;
use crate::replay::{INIT_BITS, LOST_BITS, POINTER_BITS, TOKEN_BITS};
use crate::retry_tx::LinkRetryTx;
use flitforge_hdl_link_types::position::PLACE_BITS;
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::counter::LinkCounter;
use flitforge_protocol::flit::Opcode;
use flitforge_protocol::retry::RetryState;

/// Counters after the bits of [`PortTransmit2::events`].
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
        #[block(new)]
        pub struct $name<const SLOT_W: usize, const ADDRESS_W: usize, const WIDE: usize = 0> {
            /// Clock.
            clock: In<Clock>,
            /// Synchronous clear.
            clear: In<Bit>,
            /// Init, Active or Degraded.
            run: In<Bit>,
            /// Nothing is known from before.
            fresh: In<Bit>,
            /// CRC mode sent in; changes only while `run` is low.
            mode: In<Bits<2>>,
            /// L - 1 sent on; changes only while `run` is low.
            last_lane: In<Bits<2>>,
            /// Lanes sent on; changes only while `run` is low.
            tx_lanes: In<Bits<4>>,
            /// Register RETRY_CFG.
            retry_cfg: In<Bits<56>>,
            /// Register INJECT.
            inject: In<Bits<57>>,
            /// Beats of flits.
            pub flits_in: StreamIn<Bits<$bits>>,
            /// Beats of time flits.
            pub time_in: StreamIn<Bits<$bits>>,
            /// 0 DROP, 1 HOLD.
            time_mode: In<Bit>,
            /// Sideband of the LTP `tx_seq`.
            pub side_in: FlowIn<Bits<2>>,
            /// An original LTP is open or may be opened.
            tx_open: Out<Bit>,
            /// An original LTP is opened on this edge.
            ltp_start: Out<Bit>,
            /// Its sequence number.
            tx_seq: Out<Bits<POINTER_BITS>>,
            /// Place in its LTP of the beat that is taken next.
            place: Out<Bits<PLACE_BITS>>,
            /// No beat goes to the rows.
            idle: Out<Bit>,
            /// For tests: beats are kept with wrong parity.
            damage: In<Bit>,
            /// From the receiver: a RetryReq pair is wanted.
            pub retry_req: StreamIn<Bits<POINTER_BITS>>,
            /// NxtRx.
            next_rx: In<Bits<POINTER_BITS>>,
            /// RetryReq of the peer.
            pub request: FlowIn<Bits<POINTER_BITS>>,
            /// RndTripMrkr of the peer.
            pub answer: FlowIn<Bits<TOKEN_BITS>>,
            /// The peer's answer to ours.
            pub reply: FlowIn<Bits<TOKEN_BITS>>,
            /// InitReq or InitAck of the peer.
            pub init: FlowIn<Bits<INIT_BITS>>,
            /// Event: two or more consecutive bad LTPs.
            double_bad: In<Bit>,
            /// Event: an LTP that only an Active peer sends.
            peer_active: In<Bit>,
            /// Numbers start at 0 on this edge.
            restart: Out<Bit>,
            /// The exchange of Init is over; until `run` is low.
            init_done: Out<Bit>,
            /// Retraining is asked for; until `run` is low.
            retrain: Out<Bit>,
            /// With `retrain`: REINIT_LIMIT is reached.
            down: Out<Bit>,
            /// State FREEZE.
            freezing: Out<Bit>,
            /// NxtTx.
            next_tx: Out<Bits<POINTER_BITS>>,
            /// NxtWr.
            next_write: Out<Bits<POINTER_BITS>>,
            /// RTT_LTP.
            round_trip: Out<Bits<16>>,
            /// Round trip, clocks.
            round_trip_clocks: Out<Bits<32>>,
            /// Fillers of a pad.
            pad: Out<Bits<16>>,
            /// Event: an LTP time has gone by.
            ltp_time: Out<Bit>,
            /// Event: LTPs that may be lost by a restart.
            pub lost: FlowOut<Bits<LOST_BITS>>,
            /// Events TX_ILLEGAL.
            tx_illegal: Out<Bits<3>>,
            /// Events TIME_DROPPED.
            time_dropped: Out<Bits<3>>,
            /// Events of [`TRANSMIT_COUNTERS`].
            events: Out<Bits<TRANSMIT_EVENTS>>,
            /// Rows to the lanes.
            pub rows: StreamOut<Bits<ROW_BITS>>,

            #[wire(clock, clear)]
            sender: $sender<SLOT_W, ADDRESS_W, WIDE>,
            #[wire(clock)]
            gearbox: $gearbox,
            #[wire(clock)]
            injector: PortInject<WIDE>,
            /// Rows and what becomes one are cleared, a clock late: the sender does not begin before that.
            stopped: Reg<Bit>,
            /// Time flits of the beat that stood on `time_in`.
            time_flits: Reg<Bits<3>>,
            illegal: Local<Bits<3>>,
            time_count: Local<Bits<3>>,
            slot: Local<Bits<KIND_BITS>>,
            #[init(Opcode::Spc)]
            special: Constant<Bits<KIND_BITS>>,
            #[init(RetryState::Freeze)]
            freeze: Constant<Bits<3>>,
            #[init(1)]
            one: Constant<Bits<3>>,
        }

        #[logic]
        impl<const SLOT_W: usize, const ADDRESS_W: usize, const WIDE: usize> $name<SLOT_W, ADDRESS_W, WIDE> {
            /// OFF, or the reason why not. `guard` is GUARD_LTPS, 6 to 64.
            pub fn new(guard: u32) -> Result<Self, ConfigError> {
                Ok(Self { sender: $sender::new(guard)?, .. })
            }

            fn update(&mut self) {
                stopped = clear | !run;
                gearbox.clear = stopped;
                injector.clear = stopped;

                // Flits to rows.
                link(flits_in, sender.flits_in);
                link(time_in, sender.time_in);
                link(side_in, sender.side_in);
                join(sender.wire_out, gearbox.wire_in);
                join(gearbox.rows, injector.rows_in);
                link(rows, injector.rows_out);
                injector = In { inject, tx_lanes, last_lane };
                sender.mode = mode;
                for i in 0..WIDE {
                    sender.lanes[i] = last_lane;
                    injector.wide[i] = mode[1];
                }
                sender.time_mode = time_mode;
                gearbox = In { wide: sender.wire_wide, last_lane };
                Out { tx_open, ltp_start, tx_seq } = sender;
                place = bit_cast::<PLACE_BITS, $place>(sender.place);
                idle = sender.idle;

                // What retry is told.
                sender = In { run, fresh, retry_limit: retry_cfg.bits::<8>(0) };
                sender = In { reinit_limit: retry_cfg.bits::<8>(8), freeze_ltps: retry_cfg.bits::<16>(40) };
                sender.damage = damage;
                link(retry_req, sender.retry_req);
                sender.next_rx = next_rx;
                link(request, sender.request_in);
                link(answer, sender.answer_in);
                link(reply, sender.reply_in);
                link(init, sender.init_in);
                sender = In { double_bad, peer_active };

                // What it says.
                Out { restart, init_done, retrain, down } = sender;
                freezing = sender.state == freeze;
                Out { next_tx, next_write, round_trip, round_trip_clocks, pad, ltp_time } = sender;
                link(lost, sender.lost);
                events = bit_cast::<TRANSMIT_EVENTS, 1>(sender.tx_ltp.into())
                    | (bit_cast::<TRANSMIT_EVENTS, 1>(sender.null_tx.into()) << 1)
                    | (bit_cast::<TRANSMIT_EVENTS, 1>(sender.replayed.into()) << 2)
                    | (bit_cast::<TRANSMIT_EVENTS, 1>(sender.retry_tx.into()) << 3)
                    | (bit_cast::<TRANSMIT_EVENTS, 1>(sender.retry_rx.into()) << 4)
                    | (bit_cast::<TRANSMIT_EVENTS, 1>(sender.frozen.into()) << 5)
                    | (bit_cast::<TRANSMIT_EVENTS, 1>(sender.bad_pointer.into()) << 6)
                    | (bit_cast::<TRANSMIT_EVENTS, 1>(sender.replay_parity.into()) << 7);

                // Flits that count one by one.
                illegal = 0;
                time_count = 0;
                for i in 0..$flits {
                    if sender.tx_illegal[i] {
                        illegal = illegal + one;
                    }
                    slot = time_in.data.bits::<KIND_BITS>(i * 65 + 56);
                    if slot == special {
                        time_count = time_count + one;
                    }
                }
                tx_illegal = illegal;
                time_flits = time_count;
                time_dropped = 0;
                if sender.time_dropped {
                    time_dropped = time_flits;
                }
            }

            fn timing(&self) -> Vec<TimingInfo> {
                let slots = (1usize << SLOT_W).to_string();
                match WIDE {
                    0 => block_label("port_transmit", &[("f", $flits.to_string()), ("r", slots)]),
                    _ => block_label(
                        "port_transmit",
                        &[
                            ("f", $flits.to_string()),
                            ("r", slots),
                            ("modes", CrcModes::All.caps().to_string()),
                        ],
                    ),
                }
            }
        }
    };
}

port_transmit!(PortTransmit1, Sender1, LinkGearboxTx1, 1, 65, 68, 4);
port_transmit!(PortTransmit2, Sender2, LinkGearboxTx, 2, 130, 136, 3);
port_transmit!(PortTransmit4, Sender4, LinkGearboxTx4, 4, 260, 272, 2);
