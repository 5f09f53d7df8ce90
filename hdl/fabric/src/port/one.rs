//! A port of one link with what lies between it and its virtual lanes; one type per beat width.

use super::link::{fab_link, CREDIT_WORD_BITS, CRED_BITS};
use super::receive::CREDIT_RX_BITS;
use super::start::FabStart;
use super::FabPortConfig;
use crate::credit::{CreditRx, CreditTx, V_AU_BITS};
use crate::vl::VlRx;
use flitforge_hdl_link::gearbox::ROW_BITS;
use flitforge_hdl_link::lane::{LANE_BITS, LANE_IN_BITS};
use flitforge_hdl_link::port::{LinkPort1, LinkPort2, LinkPort4, FABRIC_EVENTS};
use flitforge_hdl_link::regs::WORD_ADDRESS_BITS;
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::ltp::CrcMode;

macro_rules! of_one_link {
    ($name:ident, $port:ident, $flits:literal, $bits:literal, $descriptor:literal, $bytes:literal) => {
        fab_link! {
            $name, "fab_link", $port, [LANES, SLOT_W, ADDRESS_W], $flits, $bits, $descriptor, $bytes,
            address: WORD_ADDRESS_BITS,
            doc: "A port of a link of `LANES` lanes with `fab_vl_rx`, `fab_credit_rx` and `fab_credit_tx` for `N` virtual lanes, `M` = `N` + 1, \
                `VIEW_W` = 16 `N`; `SLOT_W` and `ADDRESS_W` are those of the port of the link. What is in front, buffers and `fab_vl_tx`, is that \
                of an endpoint or of a switch. See the [module](super).",
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
            port: |config| $port::new(&config.link),
            own: {
                sideband: Local<Bit>,
                #[init(CrcMode::Bits14)]
                with_sideband: Constant<Bits<2>>,
            },
            start: {
                start.restart = port.restart;
                restart = port.restart;
            },
            arrives: {
                vl_rx.beats_in.valid = port.flits_out.valid | port.undefined.any();
            },
            sideband: {
                sideband = port.tx_mode == with_sideband;
                credit_rx.sideband = sideband;
                credit_rx.ltp_start = port.ltp_start;
                credit_rx.ltp_place = port.tx_seq.bits::<2>(0);
                join(credit_rx.side_out, port.side_in);
            },
            link: {
                link(time_in, port.time_in);
                port.time_mode = time_mode;
                tx_open = port.tx_open;
                link(spc_out, port.spc_out);
                beat_late = port.beat_late;
                beat_index = port.beat_index;
                beat_state = port.beat_state;
                state = port.state;
                tx_lanes = port.tx_lanes;
                rx_lanes = port.rx_lanes;
                port.bond_skew = 0;
                port.bist_start = bist_start;
                port.bist_end = bist_end;
                link(test_rows_in, port.test_rows_in);
                link(test_rows_out, port.test_rows_out);
                test_row_error = port.test_row_error;
                port.damage = damage;
                port.signal_ok = signal_ok;
                port.lane_lock = lane_lock;
                invert = port.invert;
                slip = port.slip;
                port.elastic_error = elastic_error;
                port.elastic_fill = elastic_fill;
                for i in 0..LANES {
                    link(tx[i], port.tx[i]);
                    link(rx[i], port.rx[i]);
                }
            },
            sizes: { lanes = LANES, r = 1usize << SLOT_W, }
        }
    };
}

of_one_link!(FabLink1, LinkPort1, 1, 65, 74, 4);
of_one_link!(FabLink2, LinkPort2, 2, 130, 139, 5);
of_one_link!(FabLink4, LinkPort4, 4, 260, 269, 6);
