//! What comes in: gearbox, LTPs, the receive side of retry. One type per beat width, as for the transmit side.

use crate::gearbox::{LinkGearboxRx, LinkGearboxRx1, LinkGearboxRx4, LinkGearboxRxLane, ROW_BITS};
use crate::ltp_rx::{LtpRx, LtpRxBlock1};
use crate::ltp_wide::CrcModes;
use crate::replay::{INIT_BITS, POINTER_BITS, TOKEN_BITS};
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::counter::LinkCounter;

/// Counters after the bits of [`PortReceive2::events`].
pub const RECEIVE_COUNTERS: [LinkCounter; RECEIVE_EVENTS] = [
    LinkCounter::RxGood,
    LinkCounter::RxBad,
    LinkCounter::RxAccepted,
    LinkCounter::RxTossed,
    LinkCounter::RxDup,
    LinkCounter::UnexpMrkr,
    LinkCounter::RxGap,
    LinkCounter::IllegalNull,
    LinkCounter::LateBeats,
];
/// Number of events of the receive side.
pub const RECEIVE_EVENTS: usize = 9;

/// [`LtpRx`] of one flit per beat.
type Receiver1<const WIDE: usize> = LtpRx<1, 65, 66, 68, 82, 4, 5, 4, 176, WIDE>;
/// [`LtpRx`] of two flits per beat.
type Receiver2<const WIDE: usize> = LtpRx<2, 130, 132, 136, 148, 3, 4, 8, 240, WIDE>;
/// [`LtpRx`] of four flits per beat.
type Receiver4<const WIDE: usize> = LtpRx<4, 260, 264, 272, 280, 2, 3, 16, 368, WIDE>;

macro_rules! port_receive {
    ($name:ident, $receiver:ident, $gearbox:ident, $flits:literal, $bits:literal, $wire:literal, [$($overrun:ident)?]) => {
        /// The receive side from the rows on.
        ///
        /// A beat is out 2 + 16/F + 3 clocks after the row with the last bit of its LTP's first wire beat, in modes 2
        /// and 3 one more. Only `clear`
        /// empties the gearbox: the peer's rows may come before this end is in Init, and every start row begins anew anyway.
        #[block(new)]
        pub struct $name<const WIDE: usize = 0> {
            /// Clock.
            clock: In<Clock>,
            /// Synchronous clear.
            clear: In<Bit>,
            /// Rows from the lanes.
            pub rows: FlowIn<Bits<ROW_BITS>>,
            /// With a row: its bad words.
            row_error: In<Bits<4>>,
            /// The next row is the first after the start row.
            row_start: In<Bit>,
            /// CRC mode received in; changes only before a start row.
            mode: In<Bits<2>>,
            /// L - 1 received on; changes only before a start row.
            last_lane: In<Bits<2>>,
            /// Outside Init, Active and Degraded.
            reset_exchange: In<Bit>,
            /// NxtRx starts at 0.
            fresh: In<Bit>,
            /// Requests may be sent.
            activate: In<Bit>,
            /// Event: an LTP time of the transmit direction has gone by.
            ltp_time: In<Bit>,
            /// TOSS_LTPS in force.
            toss_ltps: In<Bits<16>>,
            /// Register RETRY_CFG.
            retry_cfg: In<Bits<56>>,
            /// Beats of flits.
            pub flits_out: FlowOut<Bits<$bits>>,
            /// Beats of SPC flits.
            pub spc_out: FlowOut<Bits<$bits>>,
            /// With a beat: it comes from a replay.
            beat_late: Out<Bit>,
            /// With a beat: its place in the LTP.
            beat_index: Out<Bits<4>>,
            /// With a beat: sequence state of the LTP.
            beat_state: Out<Bits<2>>,
            /// Sideband of an accepted LTP.
            pub side_out: FlowOut<Bits<2>>,
            /// To the transmit side: a RetryReq pair is wanted.
            pub retry_req: StreamOut<Bits<POINTER_BITS>>,
            /// NxtRx.
            next_rx: Out<Bits<POINTER_BITS>>,
            /// RetryReq of the peer.
            pub request: FlowOut<Bits<POINTER_BITS>>,
            /// RndTripMrkr of the peer.
            pub answer: FlowOut<Bits<TOKEN_BITS>>,
            /// The peer's answer to ours.
            pub reply: FlowOut<Bits<TOKEN_BITS>>,
            /// InitReq or InitAck of the peer.
            pub init: FlowOut<Bits<INIT_BITS>>,
            /// Event: two or more consecutive bad LTPs.
            double_bad: Out<Bit>,
            /// Event: an LTP that only an Active peer sends.
            peer_active: Out<Bit>,
            /// To the isolation: what to do with the LTP just judged.
            pub action: FlowOut<Bits<2>>,
            /// Verdict: a good LTP.
            ltp_good: Out<Bit>,
            /// Verdict: a bad LTP.
            ltp_bad: Out<Bit>,
            /// If all modes are built, with `ltp_bad`: the CRCs, in mode 3 the groups, that failed.
            failed: [Out<Bits<4>>; WIDE],
            /// In Active: state TOSS.
            tossing: Out<Bit>,
            /// Event: a good LTP ahead of NxtRx.
            gap: Out<Bit>,
            /// Event: BAD_RUN consecutive bad LTPs.
            framing_lost: Out<Bit>,
            /// Event: a request beyond RETRY_LIMIT.
            request_limit: Out<Bit>,
            /// The gearbox lost a beat: rows come faster than the clock rule allows.
            overrun: Out<Bit>,
            /// Slots of the beat of this clock whose flit had an undefined opcode and is Idle on `flits_out`.
            undefined: Out<Bits<$flits>>,
            /// Events ILLEGAL_FLIT.
            illegal_flits: Out<Bits<3>>,
            /// Events TIME_STALE.
            time_stale: Out<Bits<3>>,
            /// Events of [`RECEIVE_COUNTERS`].
            events: Out<Bits<RECEIVE_EVENTS>>,

            #[wire(clock, clear)]
            gearbox: $gearbox,
            #[wire(clock, clear)]
            receiver: $receiver<WIDE>,
            illegal: Local<Bits<3>>,
            stale: Local<Bits<3>>,
            #[init(1)]
            one: Constant<Bits<3>>,
        }

        #[logic]
        impl<const WIDE: usize> $name<WIDE> {
            /// A receiver that waits for a start row, or the reason why not.
            pub fn new() -> Result<Self, ConfigError> {
                Ok(Self {
                    receiver: $receiver::new()?,
                    ..
                })
            }

            fn update(&mut self) {
                // Rows to flits.
                link(rows, gearbox.rows);
                gearbox = In { row_error, row_start, wide: mode[1], last_lane };
                join(gearbox.wire_out, receiver.wire_in);
                receiver = In { code_err: gearbox.code_err, frame_start: gearbox.frame_start };
                overrun = false;
                $(overrun = gearbox.$overrun;)?
                receiver = In { mode, lanes: last_lane };
                link(flits_out, receiver.flits_out);
                link(spc_out, receiver.spc_out);
                Out { beat_late, beat_index, beat_state } = receiver;
                link(side_out, receiver.side_out);

                // What retry is told.
                receiver = In { retry: true, reset_exchange, fresh, activate, ltp_time, toss_ltps };
                receiver = In { retry_limit: retry_cfg.bits::<8>(0), bad_run: retry_cfg.bits::<8>(16) };

                // What it says.
                link(retry_req, receiver.retry_req);
                next_rx = receiver.next_rx;
                link(request, receiver.peer_request);
                link(init, receiver.init);
                let is_reply = receiver.round_trip.data[8];
                answer.data = receiver.round_trip.data.bits::<TOKEN_BITS>(0);
                answer.valid = receiver.round_trip.valid & !is_reply;
                reply.data = receiver.round_trip.data.bits::<TOKEN_BITS>(0);
                reply.valid = receiver.round_trip.valid & is_reply;
                Out { double_bad, peer_active } = receiver;
                action = In { data: receiver.iso.data.bits::<2>(2), valid: receiver.iso.valid };
                Out { rx_good: ltp_good, rx_bad: ltp_bad } = receiver;
                for i in 0..WIDE {
                    failed[i] = receiver.failed[i];
                }
                Out { tossing, rx_gap: gap, framing_lost, request_limit } = receiver;
                events = bit_cast::<RECEIVE_EVENTS, 1>(receiver.rx_good.into())
                    | (bit_cast::<RECEIVE_EVENTS, 1>(receiver.rx_bad.into()) << 1)
                    | (bit_cast::<RECEIVE_EVENTS, 1>(receiver.rx_accepted.into()) << 2)
                    | (bit_cast::<RECEIVE_EVENTS, 1>(receiver.rx_tossed.into()) << 3)
                    | (bit_cast::<RECEIVE_EVENTS, 1>(receiver.rx_dup.into()) << 4)
                    | (bit_cast::<RECEIVE_EVENTS, 1>(receiver.unexp_mrkr.into()) << 5)
                    | (bit_cast::<RECEIVE_EVENTS, 1>(receiver.rx_gap.into()) << 6)
                    | (bit_cast::<RECEIVE_EVENTS, 1>(receiver.illegal_null.into()) << 7)
                    | (bit_cast::<RECEIVE_EVENTS, 1>(receiver.late_beats.into()) << 8);

                // Flits that count one by one.
                undefined = receiver.illegal_flit;
                illegal = 0;
                stale = 0;
                for i in 0..$flits {
                    if receiver.illegal_flit[i] {
                        illegal = illegal + one;
                    }
                    if receiver.time_stale[i] {
                        stale = stale + one;
                    }
                }
                illegal_flits = illegal;
                time_stale = stale;
            }

            fn timing(&self) -> Vec<TimingInfo> {
                match WIDE {
                    0 => block_label("port_receive", &[("f", $flits.to_string())]),
                    _ => block_label(
                        "port_receive",
                        &[("f", $flits.to_string()), ("modes", CrcModes::All.caps().to_string())],
                    ),
                }
            }
        }
    };
}

port_receive!(PortReceive1, Receiver1, LinkGearboxRx1, 1, 65, 68, [overrun]);
port_receive!(PortReceiveLane, LtpRxBlock1, LinkGearboxRxLane, 1, 65, 68, []);
port_receive!(PortReceive2, Receiver2, LinkGearboxRx, 2, 130, 136, []);
port_receive!(PortReceive4, Receiver4, LinkGearboxRx4, 4, 260, 272, []);
