//! `fab_bonded_port`: a bond with its packets; one type per beat width of its links.

use super::block::fab_port;
use super::bonded::{FabBondedLink1, FabBondedLink2};
use super::receive::{FabReceive2, FabReceive4};
use super::transmit::{FabTransmit2, FabTransmit4};
use super::FabPortConfig;
use crate::packet::{END_BITS, REQUEST_BITS};
use flitforge_hdl_link::bonded::BUS_ADDRESS_BITS;
use flitforge_hdl_link::lane::{LANE_BITS, LANE_IN_BITS};
use flitforge_hdl_link_types::position::{POSITION_BITS, WORD_COUNT_BITS};
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::packet::{HEADER_BITS, REFUSAL_BITS};

macro_rules! of_bond {
    (
        $name:ident, $link:ident, $transmit:ident, $receive:ident, $flits:literal, $bits:literal, $descriptor:literal, $word:literal,
        $share:literal, $links:literal, $all:literal
    ) => {
        fab_port! {
            $name, "fab_bonded_port", $link, $transmit, $receive, [SLOT_W, ADDRESS_W, COUNT_W], $flits, $bits, $descriptor, $word,
            address: BUS_ADDRESS_BITS,
            doc: "Two links as one with `N` virtual lanes, `M` = `N` + 1, `VIEW_W` = 16 `N`; `SLOT_W`, `ADDRESS_W` and `COUNT_W` are those of \
                `link_bonded_port`; 2^`B` wide beats of buffer per lane, `C` = `B` + 1. See the [module](super).",
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
            joins: {
                link.time_mode = time_mode;
                tx_open = link.tx_open;
                beat_late = link.beat_late;
                restart = link.restart;
                up = link.up;
                order_error = link.order_error;
                bond_overflow = link.bond_overflow;
                link.clear_counters = clear_counters;
                link.elastic_error = elastic_error;
                for i in 0..$links {
                    link(time_in[i], link.time_in[i]);
                    link(spc_out[i], link.spc_out[i]);
                    beat_index[i] = link.beat_index[i];
                    beat_state[i] = link.beat_state[i];
                    tx_position[i] = link.tx_position[i];
                    tx_words[i] = link.tx_words[i];
                    rx_position[i] = link.rx_position[i];
                    rx_words[i] = link.rx_words[i];
                    state[i] = link.state[i];
                    link.signal_ok[i] = signal_ok[i];
                    link.lane_lock[i] = lane_lock[i];
                    invert[i] = link.invert[i];
                    slip[i] = link.slip[i];
                    link.elastic_fill[i] = elastic_fill[i];
                }
                for i in 0..$all {
                    link(tx[i], link.tx[i]);
                    link(rx[i], link.rx[i]);
                }
            },
            sizes: { links = $links, r = 1usize << SLOT_W, }
        }
    };
}

of_bond!(FabBondedPort1, FabBondedLink1, FabTransmit2, FabReceive2, 2, 130, 139, 134, 65, 2, 2);
of_bond!(FabBondedPort2, FabBondedLink2, FabTransmit4, FabReceive4, 4, 260, 269, 263, 130, 2, 8);
