//! The parts of a port, wired; one type per beat width.

use super::config::port_label;
use super::control::PortControl;
use super::health::PortHealth;
use super::page::{PortPage, FABRIC_EVENTS};
use super::receive::{PortReceive1, PortReceive2, PortReceive4};
use super::transmit::{PortTransmit1, PortTransmit2, PortTransmit4};
use super::PortConfig;
use crate::bit_isolate::{LinkBitIsolate, MASK_BITS, REPORT_BITS};
use crate::gearbox::ROW_BITS;
use crate::lane::{LANE_BITS, LANE_IN_BITS};
use crate::regs::WORD_ADDRESS_BITS;
use crate::replay::POINTER_BITS;
use crate::train::LinkLanes;
use flitforge_hdl_link_types::position::{LinkPosition, PositionConfig, POSITION_BITS, WORD_COUNT_BITS};
use flitforge_hdl_prim::prelude::*;

macro_rules! link_port {
    ($name:ident, $transmit:ident, $receive:ident, $flits:literal, $bits:literal,
     [$($isolate:ident: $masks:ident, $report:ident, $missed:ident)?]) => {
        /// A port of `LANES` lanes; `SLOT_W` = log2 R, `ADDRESS_W` = log2(16 R / F), `WIDE` 1 with all CRC modes,
        /// `PROBATION` 1 with that of lanes. See the [module](super).
        #[block(new)]
        pub struct $name<const LANES: usize, const SLOT_W: usize, const ADDRESS_W: usize, const WIDE: usize = 0, const PROBATION: usize = 0> {
            /// Core clock.
            clock: In<Clock>,
            /// Synchronous clear: Down. Registers and counters stay.
            clear: In<Bit>,
            /// Register bus: word of the page (byte offset / 8).
            addr: In<Bits<WORD_ADDRESS_BITS>>,
            /// Register bus: value of a write.
            wdata: In<Bits<64>>,
            /// Register bus: asks for a write.
            we: In<Bit>,
            /// Register bus: asks for a read.
            re: In<Bit>,
            /// Register bus: the value, with `ack` of a read.
            rdata: Out<Bits<64>>,
            /// Register bus: the request is done.
            ack: Out<Bit>,
            /// An event of MASK has happened.
            interrupt: Out<Bit>,
            /// Beats of flits to send.
            pub flits_in: StreamIn<Bits<$bits>>,
            /// Beats of time flits to send; the payload may change while it waits.
            pub time_in: StreamIn<Bits<$bits>>,
            /// What becomes of `time_in` while `tx_open` is low: 0 DROP, 1 HOLD.
            time_mode: In<Bit>,
            /// Sideband {c1, c0} of the LTP `tx_seq`, taken with `ltp_start`.
            pub side_in: FlowIn<Bits<2>>,
            /// An original LTP is open or may be opened.
            tx_open: Out<Bit>,
            /// An original LTP is opened on this edge.
            ltp_start: Out<Bit>,
            /// Its sequence number.
            tx_seq: Out<Bits<POINTER_BITS>>,
            /// Beats received, SPC flits taken out.
            pub flits_out: FlowOut<Bits<$bits>>,
            /// Slots of the beat of this clock whose flit had an undefined opcode and is Idle on `flits_out`; also of a beat that is all Idle by that.
            undefined: Out<Bits<$flits>>,
            /// SPC flits received, in their beats.
            pub spc_out: FlowOut<Bits<$bits>>,
            /// With `flits_out` and `spc_out`: the beat comes from a replay.
            beat_late: Out<Bit>,
            /// With `flits_out` and `spc_out`: place of the beat in its LTP.
            beat_index: Out<Bits<4>>,
            /// With `flits_out` and `spc_out`: sequence state of the LTP.
            beat_state: Out<Bits<2>>,
            /// Sideband {c1, c0} of an accepted LTP.
            pub side_out: FlowOut<Bits<2>>,
            /// With `side_out`: the LTP's sequence number mod 4.
            side_place: Out<Bits<2>>,
            /// Numbers start at 0 on this edge: credits start at 0, open packets end.
            restart: Out<Bit>,
            /// State, as STATUS has it.
            state: Out<Bits<3>>,
            /// CRC mode sent in.
            tx_mode: Out<Bits<2>>,
            /// Pulse: the link goes Down and comes up afresh, CTRL.enable given (credits do not fit any more).
            renew: In<Bit>,
            /// Events of [`FABRIC_COUNTERS`](super::FABRIC_COUNTERS).
            fabric_events: In<Bits<FABRIC_EVENTS>>,
            /// Virtual lane whose register CRED is wanted.
            credit_select: Out<Bits<4>>,
            /// That register, within 2 clocks.
            credit_word: In<Bits<48>>,
            /// Register CREDIT.
            credit: Out<Bits<16>>,
            /// Register CU.
            cu: Out<Bits<64>>,
            /// Register VL_ARB.
            vl_arb: Out<Bits<64>>,
            /// Register VL_EN.
            vl_en: Out<Bits<56>>,
            /// Lanes sent on.
            tx_lanes: Out<Bits<4>>,
            /// Lanes received on, by the sender's numbers.
            rx_lanes: Out<Bits<4>>,
            /// L - 1 sent on. Changes only while `tx_idle`.
            tx_last_lane: Out<Bits<2>>,
            /// No beat goes to the lanes: the next one is the first after a start row.
            tx_idle: Out<Bit>,
            /// Line position of the first bit of the beat that plane X takes in this clock (see [`LinkPosition`]).
            tx_position: Out<Bits<POSITION_BITS>>,
            /// Words of the first lane sent before the clock before this one.
            tx_words: Out<Bits<WORD_COUNT_BITS>>,
            /// Line position of the first bit of the beat on `flits_out` and `spc_out`.
            rx_position: Out<Bits<POSITION_BITS>>,
            /// Words of the first lane received before the clock before this one.
            rx_words: Out<Bits<WORD_COUNT_BITS>>,
            /// Bond index that the peer's training sets name.
            peer_bond_index: Out<Bits<2>>,
            /// Register BOND_SKEW; 0 without a bond.
            bond_skew: In<Bits<16>>,
            /// Pulse: the lane test takes the lanes (state Bist).
            bist_start: In<Bit>,
            /// Pulse: it is over.
            bist_end: In<Bit>,
            /// Rows of the lane test, taken in Bist.
            pub test_rows_in: StreamIn<Bits<ROW_BITS>>,
            /// Rows received in Bist.
            pub test_rows_out: FlowOut<Bits<ROW_BITS>>,
            /// With `test_rows_out`: its bad words.
            test_row_error: Out<Bits<4>>,
            /// For tests: LTPs are kept with wrong parity.
            damage: In<Bit>,
            /// Lanes on which the PHY has a signal.
            signal_ok: In<Bits<4>>,
            /// Lanes on which the PHY has found the word boundary.
            lane_lock: In<Bits<4>>,
            /// Lanes the PHY is to invert.
            invert: Out<Bits<4>>,
            /// Pulse per lane: the PHY is to move the word boundary by one bit.
            slip: Out<Bits<4>>,
            /// Pulse: a lane FIFO of the PHY ran over or empty; counts in Init, Active and Degraded.
            elastic_error: In<Bit>,
            /// Words in lane 0's elastic FIFO.
            elastic_fill: In<Bits<8>>,
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
                $missed: Out<Bit>,
                $isolate: LinkBitIsolate,
            )?

            #[wire(clock, clear)]
            transmit: $transmit<SLOT_W, ADDRESS_W, WIDE>,
            #[wire(clock, clear)]
            receive: $receive<WIDE>,
            #[wire(clock, clear)]
            lanes: LinkLanes<LANES, PROBATION>,
            #[wire(clock, clear)]
            health: PortHealth<WIDE>,
            #[wire(clock, clear)]
            control: PortControl,
            #[wire(clock, clear)]
            page: PortPage,
            #[wire(clock, clear)]
            position: LinkPosition<LANES>,
            built_bond_index: Constant<Bits<2>>,
        }

        #[logic]
        impl<const LANES: usize, const SLOT_W: usize, const ADDRESS_W: usize, const WIDE: usize, const PROBATION: usize>
            $name<LANES, SLOT_W, ADDRESS_W, WIDE, PROBATION>
        {
            /// A port that is Down, or the reason why not. `flits`, `lanes` and `slots` of `config` must be those of the type.
            pub fn new(config: &PortConfig) -> Result<Self, ConfigError> {
                config.check()?;
                config.check_type($flits, LANES, SLOT_W, ADDRESS_W, [WIDE, PROBATION])?;
                Ok(Self {
                    $(
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
                    ..
                })
            }

            fn update(&mut self) {
                self.wire_flits();
                self.wire_retry();
                self.wire_rows_out();
                self.wire_rows_in();
                self.wire_health();

                // Every wrong bit.
                $(
                    $isolate.clock = clock;
                    $isolate.clear = clear;
                    $isolate.rows.valid = lanes.rows_out.valid & !control.in_test;
                    $isolate.rows.data = lanes.rows_out.data;
                    $isolate.row_start = lanes.row_start;
                    $isolate.wide = lanes.rx_mode[1];
                    $isolate.active = lanes.rx_lanes;
                    $isolate.last_lane = lanes.rx_last_lane;
                    $isolate.action.data = receive.action.data;
                    $isolate.action.valid = receive.action.valid;
                    $isolate.ltp_good = receive.ltp_good;
                    $isolate.ltp_bad = receive.ltp_bad;
                    link($masks, $isolate.masks);
                    link($report, $isolate.report);
                    $missed = $isolate.missed;
                )?

                self.wire_state();
                self.wire_registers();
                self.wire_position();

                // Lanes.
                lanes = In { signal_ok, lane_lock };
                Out { invert, slip, state, tx_mode, tx_lanes, rx_lanes } = lanes;
                for i in 0..LANES {
                    link(tx[i], lanes.tx[i]);
                    link(rx[i], lanes.rx[i]);
                }
            }

            /// Flits.
            fn wire_flits(&mut self) {
                link(flits_in, transmit.flits_in);
                link(time_in, transmit.time_in);
                link(side_in, transmit.side_in);
                transmit = In { time_mode, damage };
                Out { tx_open, ltp_start, tx_seq } = transmit;
                link(flits_out, receive.flits_out);
                undefined = receive.undefined;
                link(spc_out, receive.spc_out);
                link(side_out, receive.side_out);
                side_place = receive.next_rx.bits::<2>(0);
                Out { beat_late, beat_index, beat_state } = receive;
                restart = transmit.restart;
            }

            /// Retry: what the receiver found and wants.
            fn wire_retry(&mut self) {
                join(receive.retry_req, transmit.retry_req);
                join(receive.request, transmit.request);
                join(receive.answer, transmit.answer);
                join(receive.reply, transmit.reply);
                join(receive.init, transmit.init);
                transmit = In { next_rx: receive.next_rx, double_bad: receive.double_bad | control.silence };
                transmit.peer_active = receive.peer_active;
                receive = In { fresh: transmit.restart, activate: transmit.init_done };
                receive.ltp_time = transmit.ltp_time;
            }

            /// Rows out: LTPs, in Bist those of the lane test.
            /// A row that the sender has left in the first clock of Bist goes nowhere.
            fn wire_rows_out(&mut self) {
                lanes.rows_in = In { valid: transmit.rows.valid & control.run, data: transmit.rows.data };
                if control.in_test {
                    lanes.rows_in = In { valid: test_rows_in.valid, data: test_rows_in.data };
                }
                transmit.rows.ready = lanes.rows_in.ready;
                test_rows_in.ready = lanes.rows_in.ready & control.in_test;
                transmit = In { mode: lanes.tx_mode, last_lane: lanes.tx_last_lane };
                transmit.tx_lanes = lanes.tx_lanes;
            }

            /// Rows in.
            fn wire_rows_in(&mut self) {
                receive.rows.valid = lanes.rows_out.valid & !control.in_test;
                receive.rows.data = lanes.rows_out.data;
                receive = In { row_error: lanes.row_error, row_start: lanes.row_start, mode: lanes.rx_mode };
                receive.last_lane = lanes.rx_last_lane;
                test_rows_out.valid = lanes.rows_out.valid & control.in_test;
                test_rows_out.data = lanes.rows_out.data;
                test_row_error = lanes.row_error;
            }

            /// Isolation and removal.
            fn wire_health(&mut self) {
                health.rows.valid = lanes.rows_out.valid & !control.in_test;
                health.rows.data = lanes.rows_out.data;
                health = In { row_start: lanes.row_start, mode: lanes.rx_mode, active: lanes.rx_lanes };
                health.last_lane = lanes.rx_last_lane;
                join(receive.action, health.action);
                health = In { ltp_good: receive.ltp_good, ltp_bad: receive.ltp_bad };
                for i in 0..WIDE {
                    health.failed[i] = receive.failed[i];
                }
                health = In { tossed: receive.events[3], request: transmit.events[3] };
                health = In { fault: receive.framing_lost | receive.request_limit, enter: control.enter };
                health = In { down: control.is_down, degrade_cfg: page.degrade_cfg };
                lanes = In { remove: health.remove, remove_lane: health.remove_lane };
                for i in 0..PROBATION {
                    lanes.ltp[i] = receive.ltp_good | receive.ltp_bad;
                    lanes.degrade_cfg[i] = page.degrade_cfg;
                }
            }

            /// The state.
            fn wire_state(&mut self) {
                control = In { state: lanes.state, enable: page.enable, go_down: page.go_down | renew };
                control = In { ctrl_retrain: page.retrain, retry_cfg: page.retry_cfg };
                control = In { tx_done: transmit.init_done, tx_retrain: transmit.retrain };
                control = In { tx_down: transmit.down, bad_pointer: transmit.events[6] };
                control = In { round_trip: transmit.round_trip, gap: receive.gap };
                control = In { framing_lost: receive.framing_lost, request_limit: receive.request_limit };
                control = In { next_rx: receive.next_rx, overrun: receive.overrun };
                control = In { row: lanes.rows_out.valid, ltp_time: transmit.ltp_time, elastic_error };
                control.deskew_lost = lanes.deskew_lost;
                transmit = In { run: control.run, fresh: lanes.fresh, retry_cfg: page.retry_cfg };
                transmit.inject = page.inject;
                receive = In { reset_exchange: !control.run, toss_ltps: control.toss_ltps };
                receive.retry_cfg = page.retry_cfg;
                lanes = In { enable: control.enable_link, init_done: control.init_done };
                lanes = In { retrain: control.retrain, give_up: control.give_up, restore: page.restore };
                lanes = In { allowed: page.allowed, offer: page.offer, bond_index: built_bond_index };
                peer_bond_index = lanes.peer_bond;
                page.bond_skew = bond_skew;
                lanes = In { next_rx: receive.next_rx, guid_low: page.guid_low, guid_high: page.guid_high };
                lanes = In { bist_start, bist_end };
            }

            /// Registers.
            fn wire_registers(&mut self) {
                page = In { addr, wdata, we, re };
                Out { rdata, ack, interrupt } = page;
                page = In { fabric_events, credit_word };
                Out { credit_select, credit, cu, vl_arb, vl_en } = page;
                page = In { state: lanes.state, epoch: lanes.epoch, tx_lanes: lanes.tx_lanes };
                page = In { rx_lanes: lanes.rx_lanes, rx_ok: lanes.rx_ok, inverted: lanes.invert };
                page = In { tx_mode: lanes.tx_mode, rx_mode: lanes.rx_mode, freezing: transmit.freezing };
                page = In { tossing: receive.tossing, round_trip: transmit.round_trip };
                page = In { round_trip_clocks: transmit.round_trip_clocks, pad: transmit.pad };
                page = In { next_tx: transmit.next_tx, next_rx: receive.next_rx };
                page = In { next_write: transmit.next_write, peer_guid_low: lanes.peer_guid_low };
                page.peer_guid_high = lanes.peer_guid_high;
                for i in 0..4 {
                    page.debt[i] = health.debt[i];
                    page.rx_map[i] = 0;
                }
                for i in 0..LANES {
                    page.rx_map[i] = lanes.source[i];
                }
                page = In { enter: control.enter, elastic_fill, transmit_events: transmit.events };
                page = In { receive_events: receive.events, health_events: health.events };
                page = In { control_events: control.events, changes: control.changes };
                page = In { removed: health.remove, illegal_flits: receive.illegal_flits };
                page = In { tx_illegal: transmit.tx_illegal, time_stale: receive.time_stale };
                page.time_dropped = transmit.time_dropped;
                join(transmit.lost, page.lost);
                page = In { lane_errors: health.lane_errors, code_errors: lanes.code_errors };
            }

            /// Where beats are on the line.
            fn wire_position(&mut self) {
                position = In { tx_idle: transmit.idle, tx_place: transmit.place, tx_wide: lanes.tx_mode[1] };
                position = In { tx_last_lane: lanes.tx_last_lane, tx_lanes: lanes.tx_lanes };
                position = In { row_start: lanes.row_start, rx_idle: lanes.rx_clear | lanes.deskew_lost };
                position = In { verdict: receive.ltp_good | receive.ltp_bad, rx_wide: lanes.rx_mode[1] };
                position = In { rx_last_lane: lanes.rx_last_lane, rx_lanes: lanes.rx_lanes };
                Out { tx_position, tx_words, rx_position, rx_words } = position;
                tx_last_lane = lanes.tx_last_lane;
                tx_idle = transmit.idle;
                for i in 0..LANES {
                    position.source[i] = lanes.source[i];
                    position.tx[i] = In { valid: lanes.tx[i].valid & tx[i].ready, data: lanes.tx[i].data };
                    position.rx[i] = In { valid: rx[i].valid, data: rx[i].data };
                }
            }

            fn timing(&self) -> Vec<TimingInfo> {
                let built = [$(stringify!($isolate))?];
                port_label([$flits, LANES, 1 << SLOT_W], &built, [WIDE, PROBATION])
            }
        }
    };
}

link_port!(LinkPort1, PortTransmit1, PortReceive1, 1, 65, []);
link_port!(LinkPort2, PortTransmit2, PortReceive2, 2, 130, []);
link_port!(LinkPort4, PortTransmit4, PortReceive4, 4, 260, []);
link_port!(LinkPortBits2, PortTransmit2, PortReceive2, 2, 130, [bits: bit_masks, bit_report, bit_missed]);
