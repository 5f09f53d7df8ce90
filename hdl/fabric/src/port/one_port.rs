//! `fab_port`: one link with its packets; one type per beat width.

use super::block::fab_port;
use super::one::{FabLink1, FabLink2, FabLink4};
use super::receive::{FabReceive1, FabReceive2, FabReceive4};
use super::transmit::{FabTransmit1, FabTransmit2, FabTransmit4};
use super::FabPortConfig;
use crate::packet::{END_BITS, REQUEST_BITS};
use flitforge_hdl_link::gearbox::ROW_BITS;
use flitforge_hdl_link::lane::{LANE_BITS, LANE_IN_BITS};
use flitforge_hdl_link::regs::WORD_ADDRESS_BITS;
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::packet::{HEADER_BITS, REFUSAL_BITS};

macro_rules! of_one_link {
    (
        $name:ident, $link:ident, $transmit:ident, $receive:ident, $flits:literal, $bits:literal, $descriptor:literal, $word:literal
    ) => {
        fab_port! {
            $name, "fab_port", $link, $transmit, $receive, [LANES, SLOT_W, ADDRESS_W], $flits, $bits, $descriptor, $word,
            address: WORD_ADDRESS_BITS,
            doc: "A port of `LANES` lanes, `N` virtual ones, `M` = `N` + 1, `VIEW_W` = 16 `N`; `SLOT_W` and `ADDRESS_W` are those of the port of the \
                link; 2^`B` beats of buffer per lane, `C` = `B` + 1. See the [module](super).",
            ports: {
                /// Beats of time flits to send; the payload may change while it waits.
                pub time_in: StreamIn<Bits<$bits>>,
                /// What becomes of `time_in` while `tx_open` is low: 0 DROP, 1 HOLD.
                time_mode: In<Bit>,
                /// An original LTP is open or may be opened.
                tx_open: Out<Bit>,
                /// SPC flits received, in their beats.
                pub spc_out: FlowOut<Bits<$bits>>,
                /// With `spc_out`: the beat comes from a replay.
                beat_late: Out<Bit>,
                /// With `spc_out`: place of the beat in its LTP.
                beat_index: Out<Bits<4>>,
                /// With `spc_out`: sequence state of the LTP.
                beat_state: Out<Bits<2>>,
                /// Numbers start at 0: credits start at 0, open packets end.
                restart: Out<Bit>,
                /// State, as STATUS has it.
                state: Out<Bits<3>>,
                /// Lanes sent on.
                tx_lanes: Out<Bits<4>>,
                /// Lanes received on, by the sender's numbers.
                rx_lanes: Out<Bits<4>>,
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
            },
            joins: {
                link(time_in, link.time_in);
                link.time_mode = time_mode;
                tx_open = link.tx_open;
                link(spc_out, link.spc_out);
                beat_late = link.beat_late;
                beat_index = link.beat_index;
                beat_state = link.beat_state;
                state = link.state;
                tx_lanes = link.tx_lanes;
                rx_lanes = link.rx_lanes;
                link.bist_start = bist_start;
                link.bist_end = bist_end;
                link(test_rows_in, link.test_rows_in);
                link(test_rows_out, link.test_rows_out);
                test_row_error = link.test_row_error;
                link.damage = damage;
                link.signal_ok = signal_ok;
                link.lane_lock = lane_lock;
                invert = link.invert;
                slip = link.slip;
                link.elastic_error = elastic_error;
                link.elastic_fill = elastic_fill;
                for i in 0..LANES {
                    link(tx[i], link.tx[i]);
                    link(rx[i], link.rx[i]);
                }
            },
            sizes: { lanes = LANES, r = 1usize << SLOT_W, }
        }
    };
}

of_one_link!(FabPort1, FabLink1, FabTransmit1, FabReceive1, 1, 65, 74, 69);
of_one_link!(FabPort2, FabLink2, FabTransmit2, FabReceive2, 2, 130, 139, 134);
of_one_link!(FabPort4, FabLink4, FabTransmit4, FabReceive4, 4, 260, 269, 263);
