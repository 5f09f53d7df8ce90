//! The parts of a port, wired; one type per beat width.

use super::config::port_label;
use super::control::PortControl;
use super::health::PortHealth;
use super::page::{PortPage, FABRIC_EVENTS};
use super::receive::{PortReceive1, PortReceive2, PortReceive4};
use super::transmit::{PortTransmit1, PortTransmit2, PortTransmit4};
use super::PortConfig;
use crate::config::ConfigError;
use crate::link::bit_isolate::{LinkBitIsolate, MASK_BITS, REPORT_BITS};
use crate::link::gearbox::ROW_BITS;
use crate::link::lane::{LANE_BITS, LANE_IN_BITS};
use crate::link::position::{LinkPosition, PositionConfig, POSITION_BITS, WORD_COUNT_BITS};
use crate::link::regs::WORD_ADDRESS_BITS;
use crate::link::replay::{INIT_BITS, LOST_BITS, POINTER_BITS, TOKEN_BITS};
use crate::link::train::LinkLanes;
use crate::prim::stream::{FlowIn, FlowOut, StreamIn, StreamOut};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;

macro_rules! link_port {
    ($name:ident, $transmit:ident, $receive:ident, $flits:literal, $bits:literal,
     [$($isolate:ident: $masks:ident, $report:ident, $missed:ident)?]) => {
        /// A port of `LANES` lanes; `SLOT_W` = log2 R, `ADDRESS_W` = log2(16 R / F), `WIDE` 1 with all CRC modes,
        /// `PROBATION` 1 with that of lanes. See the [module](super).
        #[derive(LogicBlock)]
        pub struct $name<const LANES: usize, const SLOT_W: usize, const ADDRESS_W: usize, const WIDE: usize = 0, const PROBATION: usize = 0> {
            /// Core clock.
            pub clock: Signal<In, Clock>,
            /// Synchronous clear: Down. Registers and counters stay.
            pub clear: Signal<In, Bit>,
            /// Register bus: word of the page (byte offset / 8).
            pub addr: Signal<In, Bits<WORD_ADDRESS_BITS>>,
            /// Register bus: value of a write.
            pub wdata: Signal<In, Bits<64>>,
            /// Register bus: asks for a write.
            pub we: Signal<In, Bit>,
            /// Register bus: asks for a read.
            pub re: Signal<In, Bit>,
            /// Register bus: the value, with `ack` of a read.
            pub rdata: Signal<Out, Bits<64>>,
            /// Register bus: the request is done.
            pub ack: Signal<Out, Bit>,
            /// An event of MASK has happened.
            pub interrupt: Signal<Out, Bit>,
            /// Beats of flits to send.
            pub flits_in: StreamIn<Bits<$bits>>,
            /// Beats of time flits to send; the payload may change while it waits.
            pub time_in: StreamIn<Bits<$bits>>,
            /// What becomes of `time_in` while `tx_open` is low: 0 DROP, 1 HOLD.
            pub time_mode: Signal<In, Bit>,
            /// Sideband {c1, c0} of the LTP `tx_seq`, taken with `ltp_start`.
            pub side_in: FlowIn<Bits<2>>,
            /// An original LTP is open or may be opened.
            pub tx_open: Signal<Out, Bit>,
            /// An original LTP is opened on this edge.
            pub ltp_start: Signal<Out, Bit>,
            /// Its sequence number.
            pub tx_seq: Signal<Out, Bits<POINTER_BITS>>,
            /// Beats received, SPC flits taken out.
            pub flits_out: FlowOut<Bits<$bits>>,
            /// Slots of the beat of this clock whose flit had an undefined opcode and is Idle on `flits_out`; also of a beat that is all Idle by that.
            pub undefined: Signal<Out, Bits<$flits>>,
            /// SPC flits received, in their beats.
            pub spc_out: FlowOut<Bits<$bits>>,
            /// With `flits_out` and `spc_out`: the beat comes from a replay.
            pub beat_late: Signal<Out, Bit>,
            /// With `flits_out` and `spc_out`: place of the beat in its LTP.
            pub beat_index: Signal<Out, Bits<4>>,
            /// With `flits_out` and `spc_out`: sequence state of the LTP.
            pub beat_state: Signal<Out, Bits<2>>,
            /// Sideband {c1, c0} of an accepted LTP.
            pub side_out: FlowOut<Bits<2>>,
            /// With `side_out`: the LTP's sequence number mod 4.
            pub side_place: Signal<Out, Bits<2>>,
            /// Numbers start at 0 on this edge: credits start at 0, open packets end.
            pub restart: Signal<Out, Bit>,
            /// State, as STATUS has it.
            pub state: Signal<Out, Bits<3>>,
            /// CRC mode sent in.
            pub tx_mode: Signal<Out, Bits<2>>,
            /// Pulse: the link goes Down and comes up afresh, CTRL.enable given (credits do not fit any more).
            pub renew: Signal<In, Bit>,
            /// Events of [`FABRIC_COUNTERS`](super::FABRIC_COUNTERS).
            pub fabric_events: Signal<In, Bits<FABRIC_EVENTS>>,
            /// Virtual lane whose register CRED is wanted.
            pub credit_select: Signal<Out, Bits<4>>,
            /// That register, within 2 clocks.
            pub credit_word: Signal<In, Bits<48>>,
            /// Register CREDIT.
            pub credit: Signal<Out, Bits<16>>,
            /// Register CU.
            pub cu: Signal<Out, Bits<64>>,
            /// Register VL_ARB.
            pub vl_arb: Signal<Out, Bits<64>>,
            /// Register VL_EN.
            pub vl_en: Signal<Out, Bits<56>>,
            /// Lanes sent on.
            pub tx_lanes: Signal<Out, Bits<4>>,
            /// Lanes received on, by the sender's numbers.
            pub rx_lanes: Signal<Out, Bits<4>>,
            /// L - 1 sent on. Changes only while `tx_idle`.
            pub tx_last_lane: Signal<Out, Bits<2>>,
            /// No beat goes to the lanes: the next one is the first behind a start row.
            pub tx_idle: Signal<Out, Bit>,
            /// Line position of the first bit of the beat that plane X takes in this clock (see [`LinkPosition`]).
            pub tx_position: Signal<Out, Bits<POSITION_BITS>>,
            /// Words of the first lane sent before the clock before this one.
            pub tx_words: Signal<Out, Bits<WORD_COUNT_BITS>>,
            /// Line position of the first bit of the beat on `flits_out` and `spc_out`.
            pub rx_position: Signal<Out, Bits<POSITION_BITS>>,
            /// Words of the first lane received before the clock before this one.
            pub rx_words: Signal<Out, Bits<WORD_COUNT_BITS>>,
            /// Bond index that the peer's training sets name.
            pub peer_bond_index: Signal<Out, Bits<2>>,
            /// Register BOND_SKEW; 0 without a bond.
            pub bond_skew: Signal<In, Bits<16>>,
            /// Pulse: the lane test takes the lanes (state Bist).
            pub bist_start: Signal<In, Bit>,
            /// Pulse: it is over.
            pub bist_end: Signal<In, Bit>,
            /// Rows of the lane test, taken in Bist.
            pub test_rows_in: StreamIn<Bits<ROW_BITS>>,
            /// Rows received in Bist.
            pub test_rows_out: FlowOut<Bits<ROW_BITS>>,
            /// With `test_rows_out`: its bad words.
            pub test_row_error: Signal<Out, Bits<4>>,
            /// For tests: LTPs are kept with wrong parity.
            pub damage: Signal<In, Bit>,
            /// Lanes on which the PHY has a signal.
            pub signal_ok: Signal<In, Bits<4>>,
            /// Lanes on which the PHY has found the word boundary.
            pub lane_lock: Signal<In, Bits<4>>,
            /// Lanes the PHY is to invert.
            pub invert: Signal<Out, Bits<4>>,
            /// Pulse per lane: the PHY is to move the word boundary by one bit.
            pub slip: Signal<Out, Bits<4>>,
            /// Pulse: a lane FIFO of the PHY ran over or empty; counts in Init, Active and Degraded.
            pub elastic_error: Signal<In, Bit>,
            /// Words in lane 0's elastic FIFO.
            pub elastic_fill: Signal<In, Bits<8>>,
            /// To the PHY: word in bits 31..0, ctl in bit 32.
            pub tx: [StreamOut<Bits<LANE_BITS>>; LANES],
            /// From the PHY: word in bits 31..0, ctl in bit 32, code_err in bit 33.
            pub rx: [FlowIn<Bits<LANE_IN_BITS>>; LANES],

            $(
                /// Words of a bad LTP with wrong bits, layout `bit_mask`.
                pub $masks: FlowOut<Bits<MASK_BITS>>,
                /// The wrong bits of a bad LTP, layout `bit_report`.
                pub $report: FlowOut<Bits<REPORT_BITS>>,
                /// Pulse: there will be no report on a bad LTP, since another is being made.
                pub $missed: Signal<Out, Bit>,
                $isolate: LinkBitIsolate,
            )?

            transmit: $transmit<SLOT_W, ADDRESS_W, WIDE>,
            receive: $receive<WIDE>,
            lanes: LinkLanes<LANES, PROBATION>,
            health: PortHealth<WIDE>,
            control: PortControl,
            page: PortPage,
            position: LinkPosition<LANES>,
            built_bond_index: Constant<Bits<2>>,
        }

        impl<const LANES: usize, const SLOT_W: usize, const ADDRESS_W: usize, const WIDE: usize, const PROBATION: usize>
            $name<LANES, SLOT_W, ADDRESS_W, WIDE, PROBATION>
        {
            /// A port that is Down, or the reason why not. `flits`, `lanes` and `slots` of `config` must be those of the type.
            pub fn new(config: &PortConfig) -> Result<Self, ConfigError> {
                config.check()?;
                config.check_type($flits, LANES, SLOT_W, ADDRESS_W, [WIDE, PROBATION])?;
                Ok(Self {
                    clock: Default::default(),
                    clear: Default::default(),
                    addr: Default::default(),
                    wdata: Default::default(),
                    we: Default::default(),
                    re: Default::default(),
                    rdata: Default::default(),
                    ack: Default::default(),
                    interrupt: Default::default(),
                    flits_in: Default::default(),
                    time_in: Default::default(),
                    time_mode: Default::default(),
                    side_in: Default::default(),
                    tx_open: Default::default(),
                    ltp_start: Default::default(),
                    tx_seq: Default::default(),
                    flits_out: Default::default(),
                    undefined: Default::default(),
                    spc_out: Default::default(),
                    beat_late: Default::default(),
                    beat_index: Default::default(),
                    beat_state: Default::default(),
                    side_out: Default::default(),
                    side_place: Default::default(),
                    restart: Default::default(),
                    state: Default::default(),
                    tx_mode: Default::default(),
                    renew: Default::default(),
                    fabric_events: Default::default(),
                    credit_select: Default::default(),
                    credit_word: Default::default(),
                    credit: Default::default(),
                    cu: Default::default(),
                    vl_arb: Default::default(),
                    vl_en: Default::default(),
                    tx_lanes: Default::default(),
                    rx_lanes: Default::default(),
                    tx_last_lane: Default::default(),
                    tx_idle: Default::default(),
                    tx_position: Default::default(),
                    tx_words: Default::default(),
                    rx_position: Default::default(),
                    rx_words: Default::default(),
                    peer_bond_index: Default::default(),
                    bond_skew: Default::default(),
                    bist_start: Default::default(),
                    bist_end: Default::default(),
                    test_rows_in: Default::default(),
                    test_rows_out: Default::default(),
                    test_row_error: Default::default(),
                    damage: Default::default(),
                    signal_ok: Default::default(),
                    lane_lock: Default::default(),
                    invert: Default::default(),
                    slip: Default::default(),
                    elastic_error: Default::default(),
                    elastic_fill: Default::default(),
                    tx: defaults(),
                    rx: defaults(),
                    $(
                        $masks: Default::default(),
                        $report: Default::default(),
                        $missed: Default::default(),
                        $isolate: LinkBitIsolate::new()?,
                    )?
                    transmit: $transmit::new(config.guard)?,
                    receive: $receive::new()?,
                    lanes: LinkLanes::new(config.training)?,
                    health: PortHealth::new()?,
                    control: PortControl::new(config.slots),
                    page: PortPage::new(config)?,
                    position: LinkPosition::new(&PositionConfig { flits: $flits, lanes: LANES })?,
                    built_bond_index: Constant::new(config.bond_index().into()),
                })
            }
        }

        impl<const LANES: usize, const SLOT_W: usize, const ADDRESS_W: usize, const WIDE: usize, const PROBATION: usize> Logic
            for $name<LANES, SLOT_W, ADDRESS_W, WIDE, PROBATION>
        {
            #[hdl_gen]
            fn update(&mut self) {
                clock!(self, clock, transmit, receive, lanes, health, control, page, position);
                self.transmit.clear.next = self.clear.val();
                self.receive.clear.next = self.clear.val();
                self.lanes.clear.next = self.clear.val();
                self.health.clear.next = self.clear.val();
                self.control.clear.next = self.clear.val();
                self.page.clear.next = self.clear.val();
                self.position.clear.next = self.clear.val();

                // Flits.
                StreamIn::<Bits<$bits>>::link(&mut self.flits_in, &mut self.transmit.flits_in);
                StreamIn::<Bits<$bits>>::link(&mut self.time_in, &mut self.transmit.time_in);
                FlowIn::<Bits<2>>::link(&mut self.side_in, &mut self.transmit.side_in);
                self.transmit.time_mode.next = self.time_mode.val();
                self.transmit.damage.next = self.damage.val();
                self.tx_open.next = self.transmit.tx_open.val();
                self.ltp_start.next = self.transmit.ltp_start.val();
                self.tx_seq.next = self.transmit.tx_seq.val();
                FlowOut::<Bits<$bits>>::link(&mut self.flits_out, &mut self.receive.flits_out);
                self.undefined.next = self.receive.undefined.val();
                FlowOut::<Bits<$bits>>::link(&mut self.spc_out, &mut self.receive.spc_out);
                FlowOut::<Bits<2>>::link(&mut self.side_out, &mut self.receive.side_out);
                self.side_place.next = self.receive.next_rx.val().get_bits::<2>(0);
                self.beat_late.next = self.receive.beat_late.val();
                self.beat_index.next = self.receive.beat_index.val();
                self.beat_state.next = self.receive.beat_state.val();
                self.restart.next = self.transmit.restart.val();

                // Retry: what the receiver found and wants.
                StreamOut::<Bits<POINTER_BITS>>::join(&mut self.receive.retry_req, &mut self.transmit.retry_req);
                FlowOut::<Bits<POINTER_BITS>>::join(&mut self.receive.request, &mut self.transmit.request);
                FlowOut::<Bits<TOKEN_BITS>>::join(&mut self.receive.answer, &mut self.transmit.answer);
                FlowOut::<Bits<TOKEN_BITS>>::join(&mut self.receive.reply, &mut self.transmit.reply);
                FlowOut::<Bits<INIT_BITS>>::join(&mut self.receive.init, &mut self.transmit.init);
                self.transmit.next_rx.next = self.receive.next_rx.val();
                self.transmit.double_bad.next = self.receive.double_bad.val() | self.control.silence.val();
                self.transmit.peer_active.next = self.receive.peer_active.val();
                self.receive.fresh.next = self.transmit.restart.val();
                self.receive.activate.next = self.transmit.init_done.val();
                self.receive.ltp_time.next = self.transmit.ltp_time.val();

                // Rows out: LTPs, in Bist those of the lane test.
                // A row that the sender has left in the first clock of Bist goes nowhere.
                self.lanes.rows_in.valid.next = self.transmit.rows.valid.val() & self.control.run.val();
                self.lanes.rows_in.data.next = self.transmit.rows.data.val();
                if self.control.in_test.val() {
                    self.lanes.rows_in.valid.next = self.test_rows_in.valid.val();
                    self.lanes.rows_in.data.next = self.test_rows_in.data.val();
                }
                self.transmit.rows.ready.next = self.lanes.rows_in.ready.val();
                self.test_rows_in.ready.next = self.lanes.rows_in.ready.val() & self.control.in_test.val();
                self.transmit.mode.next = self.lanes.tx_mode.val();
                self.transmit.last_lane.next = self.lanes.tx_last_lane.val();
                self.transmit.tx_lanes.next = self.lanes.tx_lanes.val();

                // Rows in.
                self.receive.rows.valid.next = self.lanes.rows_out.valid.val() & !self.control.in_test.val();
                self.receive.rows.data.next = self.lanes.rows_out.data.val();
                self.receive.row_error.next = self.lanes.row_error.val();
                self.receive.row_start.next = self.lanes.row_start.val();
                self.receive.mode.next = self.lanes.rx_mode.val();
                self.receive.last_lane.next = self.lanes.rx_last_lane.val();
                self.test_rows_out.valid.next = self.lanes.rows_out.valid.val() & self.control.in_test.val();
                self.test_rows_out.data.next = self.lanes.rows_out.data.val();
                self.test_row_error.next = self.lanes.row_error.val();

                // Isolation and removal.
                self.health.rows.valid.next = self.lanes.rows_out.valid.val() & !self.control.in_test.val();
                self.health.rows.data.next = self.lanes.rows_out.data.val();
                self.health.row_start.next = self.lanes.row_start.val();
                self.health.mode.next = self.lanes.rx_mode.val();
                self.health.active.next = self.lanes.rx_lanes.val();
                self.health.last_lane.next = self.lanes.rx_last_lane.val();
                FlowOut::<Bits<2>>::join(&mut self.receive.action, &mut self.health.action);
                self.health.ltp_good.next = self.receive.ltp_good.val();
                self.health.ltp_bad.next = self.receive.ltp_bad.val();
                for i in 0..WIDE {
                    self.health.failed[i].next = self.receive.failed[i].val();
                }
                self.health.tossed.next = self.receive.events.val().get_bit(3);
                self.health.request.next = self.transmit.events.val().get_bit(3);
                self.health.fault.next = self.receive.framing_lost.val() | self.receive.request_limit.val();
                self.health.enter.next = self.control.enter.val();
                self.health.down.next = self.control.is_down.val();
                self.health.degrade_cfg.next = self.page.degrade_cfg.val();
                self.lanes.remove.next = self.health.remove.val();
                self.lanes.remove_lane.next = self.health.remove_lane.val();
                for i in 0..PROBATION {
                    self.lanes.ltp[i].next = self.receive.ltp_good.val() | self.receive.ltp_bad.val();
                    self.lanes.degrade_cfg[i].next = self.page.degrade_cfg.val();
                }

                // Every wrong bit.
                $(
                    self.$isolate.clock.next = self.clock.val();
                    self.$isolate.clear.next = self.clear.val();
                    self.$isolate.rows.valid.next = self.lanes.rows_out.valid.val() & !self.control.in_test.val();
                    self.$isolate.rows.data.next = self.lanes.rows_out.data.val();
                    self.$isolate.row_start.next = self.lanes.row_start.val();
                    self.$isolate.wide.next = self.lanes.rx_mode.val().get_bit(1);
                    self.$isolate.active.next = self.lanes.rx_lanes.val();
                    self.$isolate.last_lane.next = self.lanes.rx_last_lane.val();
                    self.$isolate.action.data.next = self.receive.action.data.val();
                    self.$isolate.action.valid.next = self.receive.action.valid.val();
                    self.$isolate.ltp_good.next = self.receive.ltp_good.val();
                    self.$isolate.ltp_bad.next = self.receive.ltp_bad.val();
                    FlowOut::<Bits<MASK_BITS>>::link(&mut self.$masks, &mut self.$isolate.masks);
                    FlowOut::<Bits<REPORT_BITS>>::link(&mut self.$report, &mut self.$isolate.report);
                    self.$missed.next = self.$isolate.missed.val();
                )?

                // The state.
                self.control.state.next = self.lanes.state.val();
                self.control.enable.next = self.page.enable.val();
                self.control.go_down.next = self.page.go_down.val() | self.renew.val();
                self.control.ctrl_retrain.next = self.page.retrain.val();
                self.control.retry_cfg.next = self.page.retry_cfg.val();
                self.control.tx_done.next = self.transmit.init_done.val();
                self.control.tx_retrain.next = self.transmit.retrain.val();
                self.control.tx_down.next = self.transmit.down.val();
                self.control.bad_pointer.next = self.transmit.events.val().get_bit(6);
                self.control.round_trip.next = self.transmit.round_trip.val();
                self.control.gap.next = self.receive.gap.val();
                self.control.framing_lost.next = self.receive.framing_lost.val();
                self.control.request_limit.next = self.receive.request_limit.val();
                self.control.next_rx.next = self.receive.next_rx.val();
                self.control.overrun.next = self.receive.overrun.val();
                self.control.row.next = self.lanes.rows_out.valid.val();
                self.control.ltp_time.next = self.transmit.ltp_time.val();
                self.control.elastic_error.next = self.elastic_error.val();
                self.control.deskew_lost.next = self.lanes.deskew_lost.val();
                self.transmit.run.next = self.control.run.val();
                self.transmit.fresh.next = self.lanes.fresh.val();
                self.transmit.retry_cfg.next = self.page.retry_cfg.val();
                self.transmit.inject.next = self.page.inject.val();
                self.receive.reset_exchange.next = !self.control.run.val();
                self.receive.toss_ltps.next = self.control.toss_ltps.val();
                self.receive.retry_cfg.next = self.page.retry_cfg.val();
                self.lanes.enable.next = self.control.enable_link.val();
                self.lanes.init_done.next = self.control.init_done.val();
                self.lanes.retrain.next = self.control.retrain.val();
                self.lanes.give_up.next = self.control.give_up.val();
                self.lanes.restore.next = self.page.restore.val();
                self.lanes.allowed.next = self.page.allowed.val();
                self.lanes.offer.next = self.page.offer.val();
                self.lanes.bond_index.next = self.built_bond_index.val();
                self.peer_bond_index.next = self.lanes.peer_bond.val();
                self.page.bond_skew.next = self.bond_skew.val();
                self.lanes.next_rx.next = self.receive.next_rx.val();
                self.lanes.guid_low.next = self.page.guid_low.val();
                self.lanes.guid_high.next = self.page.guid_high.val();
                self.lanes.bist_start.next = self.bist_start.val();
                self.lanes.bist_end.next = self.bist_end.val();

                // Registers.
                self.page.addr.next = self.addr.val();
                self.page.wdata.next = self.wdata.val();
                self.page.we.next = self.we.val();
                self.page.re.next = self.re.val();
                self.rdata.next = self.page.rdata.val();
                self.ack.next = self.page.ack.val();
                self.interrupt.next = self.page.interrupt.val();
                self.page.fabric_events.next = self.fabric_events.val();
                self.page.credit_word.next = self.credit_word.val();
                self.credit_select.next = self.page.credit_select.val();
                self.credit.next = self.page.credit.val();
                self.cu.next = self.page.cu.val();
                self.vl_arb.next = self.page.vl_arb.val();
                self.vl_en.next = self.page.vl_en.val();
                self.page.state.next = self.lanes.state.val();
                self.page.epoch.next = self.lanes.epoch.val();
                self.page.tx_lanes.next = self.lanes.tx_lanes.val();
                self.page.rx_lanes.next = self.lanes.rx_lanes.val();
                self.page.rx_ok.next = self.lanes.rx_ok.val();
                self.page.inverted.next = self.lanes.invert.val();
                self.page.tx_mode.next = self.lanes.tx_mode.val();
                self.page.rx_mode.next = self.lanes.rx_mode.val();
                self.page.freezing.next = self.transmit.freezing.val();
                self.page.tossing.next = self.receive.tossing.val();
                self.page.round_trip.next = self.transmit.round_trip.val();
                self.page.round_trip_clocks.next = self.transmit.round_trip_clocks.val();
                self.page.pad.next = self.transmit.pad.val();
                self.page.next_tx.next = self.transmit.next_tx.val();
                self.page.next_rx.next = self.receive.next_rx.val();
                self.page.next_write.next = self.transmit.next_write.val();
                self.page.peer_guid_low.next = self.lanes.peer_guid_low.val();
                self.page.peer_guid_high.next = self.lanes.peer_guid_high.val();
                for i in 0..4 {
                    self.page.debt[i].next = self.health.debt[i].val();
                    self.page.rx_map[i].next = 0.into();
                }
                for i in 0..LANES {
                    self.page.rx_map[i].next = self.lanes.source[i].val();
                }
                self.page.enter.next = self.control.enter.val();
                self.page.elastic_fill.next = self.elastic_fill.val();
                self.page.transmit_events.next = self.transmit.events.val();
                self.page.receive_events.next = self.receive.events.val();
                self.page.health_events.next = self.health.events.val();
                self.page.control_events.next = self.control.events.val();
                self.page.changes.next = self.control.changes.val();
                self.page.removed.next = self.health.remove.val();
                self.page.illegal_flits.next = self.receive.illegal_flits.val();
                self.page.tx_illegal.next = self.transmit.tx_illegal.val();
                self.page.time_stale.next = self.receive.time_stale.val();
                self.page.time_dropped.next = self.transmit.time_dropped.val();
                FlowOut::<Bits<LOST_BITS>>::join(&mut self.transmit.lost, &mut self.page.lost);
                self.page.lane_errors.next = self.health.lane_errors.val();
                self.page.code_errors.next = self.lanes.code_errors.val();

                // Where beats are on the line.
                self.position.tx_idle.next = self.transmit.idle.val();
                self.position.tx_place.next = self.transmit.place.val();
                self.position.tx_wide.next = self.lanes.tx_mode.val().get_bit(1);
                self.position.tx_last_lane.next = self.lanes.tx_last_lane.val();
                self.position.tx_lanes.next = self.lanes.tx_lanes.val();
                self.position.row_start.next = self.lanes.row_start.val();
                self.position.rx_idle.next = self.lanes.rx_clear.val() | self.lanes.deskew_lost.val();
                self.position.verdict.next = self.receive.ltp_good.val() | self.receive.ltp_bad.val();
                self.position.rx_wide.next = self.lanes.rx_mode.val().get_bit(1);
                self.position.rx_last_lane.next = self.lanes.rx_last_lane.val();
                self.position.rx_lanes.next = self.lanes.rx_lanes.val();
                self.tx_position.next = self.position.tx_position.val();
                self.tx_words.next = self.position.tx_words.val();
                self.rx_position.next = self.position.rx_position.val();
                self.rx_words.next = self.position.rx_words.val();
                self.tx_last_lane.next = self.lanes.tx_last_lane.val();
                self.tx_idle.next = self.transmit.idle.val();
                for i in 0..LANES {
                    self.position.source[i].next = self.lanes.source[i].val();
                    self.position.tx[i].valid.next = self.lanes.tx[i].valid.val() & self.tx[i].ready.val();
                    self.position.tx[i].data.next = self.lanes.tx[i].data.val();
                    self.position.rx[i].valid.next = self.rx[i].valid.val();
                    self.position.rx[i].data.next = self.rx[i].data.val();
                }

                // Lanes.
                self.lanes.signal_ok.next = self.signal_ok.val();
                self.lanes.lane_lock.next = self.lane_lock.val();
                self.invert.next = self.lanes.invert.val();
                self.slip.next = self.lanes.slip.val();
                self.state.next = self.lanes.state.val();
                self.tx_mode.next = self.lanes.tx_mode.val();
                self.tx_lanes.next = self.lanes.tx_lanes.val();
                self.rx_lanes.next = self.lanes.rx_lanes.val();
                for i in 0..LANES {
                    StreamOut::<Bits<LANE_BITS>>::link(&mut self.tx[i], &mut self.lanes.tx[i]);
                    FlowIn::<Bits<LANE_IN_BITS>>::link(&mut self.rx[i], &mut self.lanes.rx[i]);
                }
            }

            fn timing(&self) -> Vec<TimingInfo> {
                let built = [$(stringify!($isolate))?];
                port_label([$flits, LANES, 1 << SLOT_W], &built, [WIDE, PROBATION])
            }
        }

        drive_ports!(impl[const LANES: usize, const SLOT_W: usize, const ADDRESS_W: usize, const WIDE: usize, const PROBATION: usize] $name<LANES, SLOT_W, ADDRESS_W, WIDE, PROBATION> {
            $($masks, $report, $missed,)? clock, clear, addr, wdata, we, re, rdata, ack, interrupt, flits_in, time_in, time_mode, side_in, tx_open, ltp_start,
            tx_seq, flits_out, undefined, spc_out, beat_late, beat_index, beat_state, side_out, side_place, restart, state, tx_mode, renew,
            fabric_events, credit_select, credit_word, credit, cu, vl_arb, vl_en, tx_lanes, rx_lanes, tx_last_lane, tx_idle, tx_position, tx_words, rx_position, rx_words, peer_bond_index, bond_skew, bist_start, bist_end, test_rows_in, test_rows_out, test_row_error, damage, signal_ok, lane_lock, invert, slip,
            elastic_error, elastic_fill, tx, rx,
        });
    };
}

link_port!(LinkPort1, PortTransmit1, PortReceive1, 1, 65, []);
link_port!(LinkPort2, PortTransmit2, PortReceive2, 2, 130, []);
link_port!(LinkPort4, PortTransmit4, PortReceive4, 4, 260, []);
link_port!(LinkPortBits2, PortTransmit2, PortReceive2, 2, 130, [bits: bit_masks, bit_report, bit_missed]);
