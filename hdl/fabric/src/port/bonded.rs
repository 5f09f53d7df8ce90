//! A bond with what lies between it and its virtual lanes, as if it were one link of wide beats; one type per beat width.

use super::link::{fab_link, CREDIT_WORD_BITS, CRED_BITS};
use super::receive::CREDIT_RX_BITS;
use super::start::FabStart;
use super::FabPortConfig;
use crate::credit::{CreditRx, CreditTx, V_AU_BITS};
use crate::vl::VlRx;
use flitforge_hdl_link::bonded::{LinkBondedPort1, LinkBondedPort2, BUS_ADDRESS_BITS};
use flitforge_hdl_link::lane::{LANE_BITS, LANE_IN_BITS};
use flitforge_hdl_link::port::FABRIC_EVENTS;
use flitforge_hdl_link_types::position::{POSITION_BITS, WORD_COUNT_BITS};
use flitforge_hdl_prim::prelude::*;

macro_rules! of_bond {
    ($name:ident, $port:ident, $flits:literal, $bits:literal, $descriptor:literal, $bytes:literal, $share:literal, $links:literal, $all:literal) => {
        fab_link! {
            $name, "fab_bonded_link", $port, [SLOT_W, ADDRESS_W, COUNT_W], $flits, $bits, $descriptor, $bytes,
            address: BUS_ADDRESS_BITS,
            doc: "Two links as one with `fab_vl_rx`, `fab_credit_rx` and `fab_credit_tx` for `N` virtual lanes, `M` = `N` + 1, `VIEW_W` = 16 `N`; \
                `SLOT_W`, `ADDRESS_W` and `COUNT_W` are those of `link_bonded_port`. See the [module](super).",
            ports: {
                /// Beats of time flits to send, by link; the payload may change while it waits.
                pub time_in: [StreamIn<Bits<$share>>; $links],
                /// What becomes of `time_in` while `tx_open` is low: 0 DROP, 1 HOLD.
                time_mode: In<Bit>,
                /// By link: an original LTP is open or may be opened.
                tx_open: Out<Bits<$links>>,
                /// SPC flits received, in their beats, by link.
                pub spc_out: [FlowOut<Bits<$share>>; $links],
                /// With `spc_out`: the beat comes from a replay.
                beat_late: Out<Bits<$links>>,
                /// With `spc_out`: place of the beat in its LTP.
                beat_index: [Out<Bits<4>>; $links],
                /// With `spc_out`: sequence state of the LTP.
                beat_state: [Out<Bits<2>>; $links],
                /// As of a port of the link, by link.
                tx_position: [Out<Bits<POSITION_BITS>>; $links],
                /// As of a port of the link, by link.
                tx_words: [Out<Bits<WORD_COUNT_BITS>>; $links],
                /// As of a port of the link, by link, with `spc_out`.
                rx_position: [Out<Bits<POSITION_BITS>>; $links],
                /// As of a port of the link, by link.
                rx_words: [Out<Bits<WORD_COUNT_BITS>>; $links],
                /// Numbers of link 0 start at 0: credits start at 0, open packets end.
                restart: Out<Bit>,
                /// All links are Active or Degraded, and their order is known.
                up: Out<Bit>,
                /// State of each link, as STATUS has it.
                state: [Out<Bits<3>>; $links],
                /// Two links received one bond index, or one that is none of theirs.
                order_error: Out<Bit>,
                /// Event: a share found no room; the bond goes Down.
                bond_overflow: Out<Bit>,
                /// BOND_SKEW starts at 0.
                clear_counters: In<Bit>,
                /// By link: lanes on which the PHY has a signal.
                signal_ok: [In<Bits<4>>; $links],
                /// By link: lanes on which the PHY has found the word boundary.
                lane_lock: [In<Bits<4>>; $links],
                /// By link: lanes the PHY is to invert.
                invert: [Out<Bits<4>>; $links],
                /// By link, pulse per lane: the PHY is to move the word boundary by one bit.
                slip: [Out<Bits<4>>; $links],
                /// By link, pulse: a lane FIFO of the PHY ran over or empty.
                elastic_error: In<Bits<$links>>,
                /// By link: words in lane 0's elastic FIFO.
                elastic_fill: [In<Bits<8>>; $links],
                /// To the PHY: lane l of link b is entry b times the lanes of a link, plus l.
                pub tx: [StreamOut<Bits<LANE_BITS>>; $all],
                /// From the PHY, likewise.
                pub rx: [FlowIn<Bits<LANE_IN_BITS>>; $all],
            },
            port: |config| $port::new(&config.bonded()),
            own: {
                message: Local<Bits<2>>,
            },
            start: {
                // The registers of the credits are link 0's, and may be written as long as it is Down.
                start.restart = port.begins;
                restart = port.begins;
            },
            arrives: {
                // Also a wide beat that is all Idle by undefined opcodes.
                vl_rx.beats_in.valid = port.flits_out.valid;
            },
            sideband: {
                // All links of a bond are in mode 1. Link 0 may be Active before the others are; its cable may go to a link of the peer whose
                // link 0 has not started yet, and that start would forget a message. So messages wait for the bond, as wide beats do.
                credit_rx.sideband = true;
                credit_rx.ltp_start = port.ltp_start & port.up;
                credit_rx.ltp_place = port.tx_seq.bits::<2>(0);
                message = 0;
                if port.up {
                    message = credit_rx.side_out.data;
                }
                port.side_in.data = message;
                port.side_in.valid = credit_rx.side_out.valid;
            },
            link: {
                port.time_mode = time_mode;
                tx_open = port.tx_open;
                beat_late = port.beat_late;
                up = port.up;
                order_error = port.order_error;
                port.clear_counters = clear_counters;
                port.elastic_error = elastic_error;
                for i in 0..$links {
                    link(time_in[i], port.time_in[i]);
                    link(spc_out[i], port.spc_out[i]);
                    beat_index[i] = port.beat_index[i];
                    beat_state[i] = port.beat_state[i];
                    tx_position[i] = port.tx_position[i];
                    tx_words[i] = port.tx_words[i];
                    rx_position[i] = port.rx_position[i];
                    rx_words[i] = port.rx_words[i];
                    state[i] = port.state[i];
                    port.signal_ok[i] = signal_ok[i];
                    port.lane_lock[i] = lane_lock[i];
                    invert[i] = port.invert[i];
                    slip[i] = port.slip[i];
                    port.elastic_fill[i] = elastic_fill[i];
                }
                for i in 0..$all {
                    link(tx[i], port.tx[i]);
                    link(rx[i], port.rx[i]);
                }
                bond_overflow = port.overflow;
            },
            sizes: { links = $links, r = 1usize << SLOT_W, }
        }
    };
}

of_bond!(FabBondedLink1, LinkBondedPort1, 2, 130, 139, 5, 65, 2, 2);
of_bond!(FabBondedLink2, LinkBondedPort2, 4, 260, 269, 6, 130, 2, 8);
