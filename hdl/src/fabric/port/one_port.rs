//! `fab_port`: one link with its packets; one type per beat width.

use super::block::fab_port;
use super::one::{FabLink1, FabLink2, FabLink4};
use super::receive::{FabReceive1, FabReceive2, FabReceive4};
use super::transmit::{FabTransmit1, FabTransmit2, FabTransmit4};
use super::FabPortConfig;
use crate::config::ConfigError;
use crate::fabric::packet::{END_BITS, REQUEST_BITS};
use crate::link::gearbox::ROW_BITS;
use crate::link::lane::{LANE_BITS, LANE_IN_BITS};
use crate::link::regs::WORD_ADDRESS_BITS;
use crate::prim::stream::{FlowIn, FlowOut, StreamIn, StreamOut};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::packet::{HEADER_BITS, REFUSAL_BITS};

macro_rules! of_one_link {
    (
        $name:ident, $link:ident, $transmit:ident, $receive:ident, $flits:literal, $bits:literal, $said:literal, $word:literal
    ) => {
        fab_port! {
            self, {#[hdl_gen]}, $name, "fab_port", $link, $transmit, $receive, [LANES, SLOT_W, ADDRESS_W], $flits, $bits, $said, $word,
            address: WORD_ADDRESS_BITS,
            doc: "A port of `LANES` lanes, `N` virtual ones, `M` = `N` + 1, `VIEW_W` = 16 `N`; `SLOT_W` and `ADDRESS_W` are those of the port of the \
                link; 2^`B` beats of buffer per lane, `C` = `B` + 1. See the [module](super).",
            ports: {
                /// Beats of time flits to send; the payload may change while it waits.
                pub time_in: StreamIn<Bits<$bits>>,
                /// What becomes of `time_in` while `tx_open` is low: 0 DROP, 1 HOLD.
                pub time_mode: Signal<In, Bit>,
                /// An original LTP is open or may be opened.
                pub tx_open: Signal<Out, Bit>,
                /// SPC flits received, in their beats.
                pub spc_out: FlowOut<Bits<$bits>>,
                /// With `spc_out`: the beat comes from a replay.
                pub beat_late: Signal<Out, Bit>,
                /// With `spc_out`: place of the beat in its LTP.
                pub beat_index: Signal<Out, Bits<4>>,
                /// With `spc_out`: sequence state of the LTP.
                pub beat_state: Signal<Out, Bits<2>>,
                /// Numbers start at 0: credits start at 0, open packets end.
                pub restart: Signal<Out, Bit>,
                /// State, as STATUS has it.
                pub state: Signal<Out, Bits<3>>,
                /// Lanes sent on.
                pub tx_lanes: Signal<Out, Bits<4>>,
                /// Lanes received on, by the sender's numbers.
                pub rx_lanes: Signal<Out, Bits<4>>,
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
            },
            defaults: {
                time_in: Default::default(),
                time_mode: Default::default(),
                tx_open: Default::default(),
                spc_out: Default::default(),
                beat_late: Default::default(),
                beat_index: Default::default(),
                beat_state: Default::default(),
                restart: Default::default(),
                state: Default::default(),
                tx_lanes: Default::default(),
                rx_lanes: Default::default(),
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
            },
            joins: {
                StreamIn::<Bits<$bits>>::link(&mut self.time_in, &mut self.link.time_in);
                self.link.time_mode.next = self.time_mode.val();
                self.tx_open.next = self.link.tx_open.val();
                FlowOut::<Bits<$bits>>::link(&mut self.spc_out, &mut self.link.spc_out);
                self.beat_late.next = self.link.beat_late.val();
                self.beat_index.next = self.link.beat_index.val();
                self.beat_state.next = self.link.beat_state.val();
                self.state.next = self.link.state.val();
                self.tx_lanes.next = self.link.tx_lanes.val();
                self.rx_lanes.next = self.link.rx_lanes.val();
                self.link.bist_start.next = self.bist_start.val();
                self.link.bist_end.next = self.bist_end.val();
                StreamIn::<Bits<ROW_BITS>>::link(&mut self.test_rows_in, &mut self.link.test_rows_in);
                FlowOut::<Bits<ROW_BITS>>::link(&mut self.test_rows_out, &mut self.link.test_rows_out);
                self.test_row_error.next = self.link.test_row_error.val();
                self.link.damage.next = self.damage.val();
                self.link.signal_ok.next = self.signal_ok.val();
                self.link.lane_lock.next = self.lane_lock.val();
                self.invert.next = self.link.invert.val();
                self.slip.next = self.link.slip.val();
                self.link.elastic_error.next = self.elastic_error.val();
                self.link.elastic_fill.next = self.elastic_fill.val();
                for i in 0..LANES {
                    StreamOut::<Bits<LANE_BITS>>::link(&mut self.tx[i], &mut self.link.tx[i]);
                    FlowIn::<Bits<LANE_IN_BITS>>::link(&mut self.rx[i], &mut self.link.rx[i]);
                }
            },
            sizes: {
                ("lanes", LANES.to_string()),
                ("r", (1usize << SLOT_W).to_string()),
            },
            drive: {
                time_in, time_mode, tx_open, spc_out, beat_late, beat_index, beat_state, restart, state, tx_lanes,
                rx_lanes, bist_start, bist_end, test_rows_in, test_rows_out, test_row_error, damage, signal_ok,
                lane_lock, invert, slip, elastic_error, elastic_fill, tx, rx
            }
        }
    };
}

of_one_link!(FabPort1, FabLink1, FabTransmit1, FabReceive1, 1, 65, 74, 69);
of_one_link!(FabPort2, FabLink2, FabTransmit2, FabReceive2, 2, 130, 139, 134);
of_one_link!(FabPort4, FabLink4, FabTransmit4, FabReceive4, 4, 260, 269, 263);
