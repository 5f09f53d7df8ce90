//! What comes in: gearbox, LTPs, the receive side of retry. One type per beat width, as for the transmit side.

use crate::config::ConfigError;
use crate::link::gearbox::{LinkGearboxRx, LinkGearboxRx1, LinkGearboxRx4, LinkGearboxRxLane, ROW_BITS};
use crate::link::ltp_rx::{LtpRx, LtpRxBlock1};
use crate::link::ltp_wide::CrcModes;
use crate::link::replay::{INIT_BITS, POINTER_BITS, TOKEN_BITS};
use crate::prim::stream::{FlowIn, FlowOut, StreamOut};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::counter::LinkCounter;

/// Counters behind the bits of [`PortReceive2::events`].
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
        /// A beat is out 2 + 16/F + 3 clocks behind the row with the last bit of its LTP's first wire beat, in modes 2
        /// and 3 one more. Only `clear`
        /// empties the gearbox: the peer's rows may come before this end is in Init, and every start row begins anew anyway.
        #[derive(LogicBlock)]
        pub struct $name<const WIDE: usize = 0> {
            /// Clock.
            pub clock: Signal<In, Clock>,
            /// Synchronous clear.
            pub clear: Signal<In, Bit>,
            /// Rows from the lanes.
            pub rows: FlowIn<Bits<ROW_BITS>>,
            /// With a row: its bad words.
            pub row_error: Signal<In, Bits<4>>,
            /// The next row is the first behind the start row.
            pub row_start: Signal<In, Bit>,
            /// CRC mode received in; changes only before a start row.
            pub mode: Signal<In, Bits<2>>,
            /// L - 1 received on; changes only before a start row.
            pub last_lane: Signal<In, Bits<2>>,
            /// Outside Init, Active and Degraded.
            pub reset_exchange: Signal<In, Bit>,
            /// NxtRx starts at 0.
            pub fresh: Signal<In, Bit>,
            /// Requests may be sent.
            pub activate: Signal<In, Bit>,
            /// Event: an LTP time of the transmit direction has gone by.
            pub ltp_time: Signal<In, Bit>,
            /// TOSS_LTPS in force.
            pub toss_ltps: Signal<In, Bits<16>>,
            /// Register RETRY_CFG.
            pub retry_cfg: Signal<In, Bits<56>>,
            /// Beats of flits.
            pub flits_out: FlowOut<Bits<$bits>>,
            /// Beats of SPC flits.
            pub spc_out: FlowOut<Bits<$bits>>,
            /// With a beat: it comes from a replay.
            pub beat_late: Signal<Out, Bit>,
            /// With a beat: its place in the LTP.
            pub beat_index: Signal<Out, Bits<4>>,
            /// With a beat: sequence state of the LTP.
            pub beat_state: Signal<Out, Bits<2>>,
            /// Sideband of an accepted LTP.
            pub side_out: FlowOut<Bits<2>>,
            /// To the transmit side: a RetryReq pair is wanted.
            pub retry_req: StreamOut<Bits<POINTER_BITS>>,
            /// NxtRx.
            pub next_rx: Signal<Out, Bits<POINTER_BITS>>,
            /// RetryReq of the peer.
            pub request: FlowOut<Bits<POINTER_BITS>>,
            /// RndTripMrkr of the peer.
            pub answer: FlowOut<Bits<TOKEN_BITS>>,
            /// The peer's answer to ours.
            pub reply: FlowOut<Bits<TOKEN_BITS>>,
            /// InitReq or InitAck of the peer.
            pub init: FlowOut<Bits<INIT_BITS>>,
            /// Event: two or more consecutive bad LTPs.
            pub double_bad: Signal<Out, Bit>,
            /// Event: an LTP that only an Active peer sends.
            pub peer_active: Signal<Out, Bit>,
            /// To the isolation: what to do with the LTP just judged.
            pub action: FlowOut<Bits<2>>,
            /// Verdict: a good LTP.
            pub ltp_good: Signal<Out, Bit>,
            /// Verdict: a bad LTP.
            pub ltp_bad: Signal<Out, Bit>,
            /// If all modes are built, with `ltp_bad`: the CRCs, in mode 3 the groups, that failed.
            pub failed: [Signal<Out, Bits<4>>; WIDE],
            /// In Active: state TOSS.
            pub tossing: Signal<Out, Bit>,
            /// Event: a good LTP ahead of NxtRx.
            pub gap: Signal<Out, Bit>,
            /// Event: BAD_RUN consecutive bad LTPs.
            pub framing_lost: Signal<Out, Bit>,
            /// Event: a request beyond RETRY_LIMIT.
            pub request_limit: Signal<Out, Bit>,
            /// The gearbox lost a beat: rows come faster than the clock rule allows.
            pub overrun: Signal<Out, Bit>,
            /// Slots of the beat of this clock whose flit had an undefined opcode and is Idle on `flits_out`.
            pub undefined: Signal<Out, Bits<$flits>>,
            /// Events ILLEGAL_FLIT.
            pub illegal_flits: Signal<Out, Bits<3>>,
            /// Events TIME_STALE.
            pub time_stale: Signal<Out, Bits<3>>,
            /// Events of [`RECEIVE_COUNTERS`].
            pub events: Signal<Out, Bits<RECEIVE_EVENTS>>,

            gearbox: $gearbox,
            receiver: $receiver<WIDE>,
            illegal: Signal<Local, Bits<3>>,
            stale: Signal<Local, Bits<3>>,
            is_reply: Signal<Local, Bit>,
            one: Constant<Bits<3>>,
        }

        impl<const WIDE: usize> $name<WIDE> {
            /// A receiver that waits for a start row, or the reason why not.
            pub fn new() -> Result<Self, ConfigError> {
                Ok(Self {
                    clock: Default::default(),
                    clear: Default::default(),
                    rows: Default::default(),
                    row_error: Default::default(),
                    row_start: Default::default(),
                    mode: Default::default(),
                    last_lane: Default::default(),
                    reset_exchange: Default::default(),
                    fresh: Default::default(),
                    activate: Default::default(),
                    ltp_time: Default::default(),
                    toss_ltps: Default::default(),
                    retry_cfg: Default::default(),
                    flits_out: Default::default(),
                    spc_out: Default::default(),
                    beat_late: Default::default(),
                    beat_index: Default::default(),
                    beat_state: Default::default(),
                    side_out: Default::default(),
                    retry_req: Default::default(),
                    next_rx: Default::default(),
                    request: Default::default(),
                    answer: Default::default(),
                    reply: Default::default(),
                    init: Default::default(),
                    double_bad: Default::default(),
                    peer_active: Default::default(),
                    action: Default::default(),
                    ltp_good: Default::default(),
                    ltp_bad: Default::default(),
                    failed: defaults(),
                    tossing: Default::default(),
                    gap: Default::default(),
                    framing_lost: Default::default(),
                    request_limit: Default::default(),
                    overrun: Default::default(),
                    undefined: Default::default(),
                    illegal_flits: Default::default(),
                    time_stale: Default::default(),
                    events: Default::default(),
                    gearbox: Default::default(),
                    illegal: Default::default(),
                    stale: Default::default(),
                    is_reply: Default::default(),
                    receiver: $receiver::new()?,
                    one: Constant::new(1.into()),
                })
            }
        }

        impl<const WIDE: usize> Logic for $name<WIDE> {
            #[hdl_gen]
            fn update(&mut self) {
                clock!(self, clock, gearbox, receiver);
                self.gearbox.clear.next = self.clear.val();
                self.receiver.clear.next = self.clear.val();

                // Rows to flits.
                FlowIn::<Bits<ROW_BITS>>::link(&mut self.rows, &mut self.gearbox.rows);
                self.gearbox.row_error.next = self.row_error.val();
                self.gearbox.row_start.next = self.row_start.val();
                self.gearbox.wide.next = self.mode.val().get_bit(1);
                self.gearbox.last_lane.next = self.last_lane.val();
                FlowOut::<Bits<$wire>>::join(&mut self.gearbox.wire_out, &mut self.receiver.wire_in);
                self.receiver.code_err.next = self.gearbox.code_err.val();
                self.receiver.frame_start.next = self.gearbox.frame_start.val();
                self.overrun.next = false;
                $(self.overrun.next = self.gearbox.$overrun.val();)?
                self.receiver.mode.next = self.mode.val();
                self.receiver.lanes.next = self.last_lane.val();
                FlowOut::<Bits<$bits>>::link(&mut self.flits_out, &mut self.receiver.flits_out);
                FlowOut::<Bits<$bits>>::link(&mut self.spc_out, &mut self.receiver.spc_out);
                self.beat_late.next = self.receiver.beat_late.val();
                self.beat_index.next = self.receiver.beat_index.val();
                self.beat_state.next = self.receiver.beat_state.val();
                FlowOut::<Bits<2>>::link(&mut self.side_out, &mut self.receiver.side_out);

                // What retry is told.
                self.receiver.retry.next = true;
                self.receiver.reset_exchange.next = self.reset_exchange.val();
                self.receiver.fresh.next = self.fresh.val();
                self.receiver.activate.next = self.activate.val();
                self.receiver.ltp_time.next = self.ltp_time.val();
                self.receiver.toss_ltps.next = self.toss_ltps.val();
                self.receiver.retry_limit.next = self.retry_cfg.val().get_bits::<8>(0);
                self.receiver.bad_run.next = self.retry_cfg.val().get_bits::<8>(16);

                // What it says.
                StreamOut::<Bits<POINTER_BITS>>::link(&mut self.retry_req, &mut self.receiver.retry_req);
                self.next_rx.next = self.receiver.next_rx.val();
                FlowOut::<Bits<POINTER_BITS>>::link(&mut self.request, &mut self.receiver.peer_request);
                FlowOut::<Bits<INIT_BITS>>::link(&mut self.init, &mut self.receiver.init);
                self.is_reply.next = self.receiver.round_trip.data.val().get_bit(8);
                self.answer.data.next = self.receiver.round_trip.data.val().get_bits::<TOKEN_BITS>(0);
                self.answer.valid.next = self.receiver.round_trip.valid.val() & !self.is_reply.val();
                self.reply.data.next = self.receiver.round_trip.data.val().get_bits::<TOKEN_BITS>(0);
                self.reply.valid.next = self.receiver.round_trip.valid.val() & self.is_reply.val();
                self.double_bad.next = self.receiver.double_bad.val();
                self.peer_active.next = self.receiver.peer_active.val();
                self.action.data.next = self.receiver.iso.data.val().get_bits::<2>(2);
                self.action.valid.next = self.receiver.iso.valid.val();
                self.ltp_good.next = self.receiver.rx_good.val();
                self.ltp_bad.next = self.receiver.rx_bad.val();
                for i in 0..WIDE {
                    self.failed[i].next = self.receiver.failed[i].val();
                }
                self.tossing.next = self.receiver.tossing.val();
                self.gap.next = self.receiver.rx_gap.val();
                self.framing_lost.next = self.receiver.framing_lost.val();
                self.request_limit.next = self.receiver.request_limit.val();
                self.events.next = bit_cast::<RECEIVE_EVENTS, 1>(self.receiver.rx_good.val().into())
                    | (bit_cast::<RECEIVE_EVENTS, 1>(self.receiver.rx_bad.val().into()) << 1)
                    | (bit_cast::<RECEIVE_EVENTS, 1>(self.receiver.rx_accepted.val().into()) << 2)
                    | (bit_cast::<RECEIVE_EVENTS, 1>(self.receiver.rx_tossed.val().into()) << 3)
                    | (bit_cast::<RECEIVE_EVENTS, 1>(self.receiver.rx_dup.val().into()) << 4)
                    | (bit_cast::<RECEIVE_EVENTS, 1>(self.receiver.unexp_mrkr.val().into()) << 5)
                    | (bit_cast::<RECEIVE_EVENTS, 1>(self.receiver.rx_gap.val().into()) << 6)
                    | (bit_cast::<RECEIVE_EVENTS, 1>(self.receiver.illegal_null.val().into()) << 7)
                    | (bit_cast::<RECEIVE_EVENTS, 1>(self.receiver.late_beats.val().into()) << 8);

                // Flits that count one by one.
                self.undefined.next = self.receiver.illegal_flit.val();
                self.illegal.next = 0.into();
                self.stale.next = 0.into();
                for i in 0..$flits {
                    if self.receiver.illegal_flit.val().get_bit(i) {
                        self.illegal.next = self.illegal.val() + self.one.val();
                    }
                    if self.receiver.time_stale.val().get_bit(i) {
                        self.stale.next = self.stale.val() + self.one.val();
                    }
                }
                self.illegal_flits.next = self.illegal.val();
                self.time_stale.next = self.stale.val();
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

        drive_ports!(impl[const WIDE: usize] $name<WIDE> {
            clock, clear, rows, row_error, row_start, mode, last_lane, reset_exchange, fresh, activate, ltp_time, toss_ltps,
            retry_cfg, flits_out, spc_out, beat_late, beat_index, beat_state, side_out, retry_req, next_rx, request, answer,
            reply, init, double_bad, peer_active, action, ltp_good, ltp_bad, failed, tossing, gap, framing_lost, request_limit, overrun,
            undefined, illegal_flits, time_stale, events,
        });
    };
}

port_receive!(PortReceive1, Receiver1, LinkGearboxRx1, 1, 65, 68, [overrun]);
port_receive!(PortReceiveLane, LtpRxBlock1, LinkGearboxRxLane, 1, 65, 68, []);
port_receive!(PortReceive2, Receiver2, LinkGearboxRx, 2, 130, 136, []);
port_receive!(PortReceive4, Receiver4, LinkGearboxRx4, 4, 260, 272, []);
